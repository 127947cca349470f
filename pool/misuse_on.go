//go:build race || lowalloc_check

package pool

import (
	"bytes"
	"sync/atomic"
)

// misuse finds out who uses a buffer after its Put. The state is part of the
// buffer: a set of addresses would take a new buffer for a dropped one that had
// the same address, or keep every buffer alive.
type misuse struct {
	put atomic.Bool
}

// trash is what Put leaves of the content.
const trash = 0xdb

// enter begins the time in which nobody may use b, kept or not.
func (m *misuse) enter(b *Buffer) {
	if !m.put.CompareAndSwap(false, true) {
		panic("pool: Put of a Buffer that was Put before")
	}
	b.Reset()
	if all := b.B[:cap(b.B)]; len(all) > 0 {
		all[0] = trash
		for n := 1; n < len(all); n *= 2 {
			copy(all[n:], all[:n])
		}
	}
}

// leave ends it.
func (m *misuse) leave(b *Buffer) {
	all := b.B[:cap(b.B)]
	if len(b.B) != 0 || b.whole != nil || len(all) == 0 || all[0] != trash || !bytes.Equal(all[1:], all[:len(all)-1]) {
		panic("pool: Buffer changed after Put")
	}
	m.put.Store(false)
}
