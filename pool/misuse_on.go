//go:build race || lowalloc_check

package pool

import "sync/atomic"

// misuse finds buffers used by somebody who has Put them. The state is in the
// buffer: a set keyed by address would mistake a new buffer for a dropped one
// that had the same address.
type misuse struct {
	put atomic.Bool
}

// trash is what the bytes of a Buffer that was Put are overwritten with.
const trash = 0xdb

// enter is called when b is Put, kept or not.
func (b *Buffer) enter() {
	if !b.misuse.put.CompareAndSwap(false, true) {
		panic("pool: Put of a Buffer that was Put before")
	}
	b.Reset()
	all := b.B[:cap(b.B)]
	for i := range all {
		all[i] = trash
	}
}

// leave is called when b is handed out again.
func (b *Buffer) leave() {
	intact := len(b.B) == 0 && b.whole == nil
	for _, c := range b.B[:cap(b.B)] {
		intact = intact && c == trash
	}
	if !intact {
		panic("pool: a Buffer was changed after it was Put")
	}
	b.misuse.put.Store(false)
}
