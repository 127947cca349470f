//go:build !race && !lowalloc_check

package pool

type misuse struct{}

func (b *Buffer) enter() { b.Reset() }

func (b *Buffer) leave() {}
