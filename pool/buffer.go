package pool

import (
	"errors"
	"io"
	"slices"

	"github.com/valyala/bytebufferpool"
)

// Buffer is a growing byte buffer. B holds its content: append to it, slice it
// or replace it at will. The zero value is an empty buffer.
//
// The methods of [bytebufferpool.ByteBuffer] work on B, too: Write, WriteByte,
// WriteString and ReadFrom append to it, Set and SetString replace the content,
// Bytes returns B itself, String a copy, and Len the length.
//
// A Buffer belongs to one goroutine at a time and must not be copied. After Put
// the caller may use neither the Buffer nor any slice of B.
type Buffer struct {
	_      noCopy // these two first, so that they take no room while they are empty
	misuse misuse

	bytebufferpool.ByteBuffer

	// whole is B as it was before Read or WriteTo took bytes off its front, and
	// nil when they did not. Its length is how many they took.
	whole []byte

	// asked is the class that GetSize took the buffer for. Put returns it there even
	// if it has outgrown the class: in the class of its capacity, where only larger
	// uses look, such buffers would pile up. To look there on a miss, as long as
	// the class has more outgrown ones than were taken, prevents that as well. But
	// where one use in ten outgrew its size, a use took 3.5 times as long as with a
	// bare sync.Pool that way, and 1.5 times this way.
	asked uint8

	shard *shard // where Put goes, with MaxIdleBytes set: to where Get was
}

// unsized is Buffer.asked after Get, of idle buffers and of those from elsewhere:
// no GetSize asks for class 0.
const unsized = 0

// noCopy has go vet report copies of a Buffer.
type noCopy struct{}

func (*noCopy) Lock()   {}
func (*noCopy) Unlock() {}

var errInvalidWrite = errors.New("pool: Writer returned an impossible count")

// Reset empties the buffer and keeps its capacity.
func (b *Buffer) Reset() {
	b.B = b.B[:0]
	if b.whole != nil {
		b.restore()
	}
}

// restore moves the content to the front that drain took off, if B still begins
// where drain left it and has the same end: otherwise the caller has put another
// array there, or has split off bytes to keep them.
func (b *Buffer) restore() {
	if b.drained() {
		b.B = append(b.whole[:0], b.B...)
	}
	b.whole = nil
}

// drained reports whether B is whole without the bytes that drain took.
func (b *Buffer) drained() bool {
	rest := b.whole[len(b.whole):]
	return cap(rest) > 0 && cap(rest) == cap(b.B) && &rest[:1][0] == &b.B[:1][0]
}

// Available returns how many bytes can be appended to B before it is
// reallocated.
func (b *Buffer) Available() int { return cap(b.B) - len(b.B) }

// Grow makes room for n more bytes in B, so that Available is at least n. It
// does nothing when n is not positive, and panics, as append does, when the sum
// of len(B) and n is more than a slice can hold.
//
// Grow, Write, WriteByte and WriteString reuse the room of what was read, so that
// a Buffer used as a queue stops allocating. This moves the content: slices of B
// taken earlier then show other bytes.
func (b *Buffer) Grow(n int) {
	if n > b.Available() {
		b.makeRoom(n)
	}
}

func (b *Buffer) makeRoom(n int) {
	// A quarter, so that the bytes moved are at most four times the bytes read, and
	// because append may make no more room than a quarter: a queue that had to read
	// more than that first would go on allocating.
	if b.whole != nil && len(b.whole) >= len(b.B)/4 {
		b.restore()
	}
	b.B = slices.Grow(b.B, n)
}

// Write appends p to B.
func (b *Buffer) Write(p []byte) (int, error) {
	b.Grow(len(p))
	b.B = append(b.B, p...)
	return len(p), nil
}

// WriteString appends s to B.
func (b *Buffer) WriteString(s string) (int, error) {
	b.Grow(len(s))
	b.B = append(b.B, s...)
	return len(s), nil
}

// WriteByte appends c to B.
func (b *Buffer) WriteByte(c byte) error {
	b.Grow(1)
	b.B = append(b.B, c)
	return nil
}

// Read moves bytes from the front of the buffer into p. When the buffer is empty
// it returns [io.EOF], unless p is empty, too.
func (b *Buffer) Read(p []byte) (int, error) {
	n := copy(p, b.B)
	b.drain(n)
	if n == 0 && len(p) > 0 {
		return 0, io.EOF
	}
	return n, nil
}

// WriteTo writes the content to w and removes from the buffer the bytes that w
// took. It returns the error of w, or [io.ErrShortWrite] when w took fewer bytes
// and returned none.
func (b *Buffer) WriteTo(w io.Writer) (int64, error) {
	if len(b.B) == 0 {
		return 0, nil
	}
	n, err := w.Write(b.B)
	if n < 0 || n > len(b.B) {
		return 0, errInvalidWrite
	}
	b.drain(n)
	if err == nil && len(b.B) > 0 {
		err = io.ErrShortWrite
	}
	return int64(n), err
}

// drain takes n bytes off the front.
func (b *Buffer) drain(n int) {
	switch {
	case n == len(b.B):
		b.Reset()
	case n > 0:
		if !b.drained() {
			b.whole = b.B[:0]
		}
		b.whole = b.whole[:len(b.whole)+n]
		b.B = b.B[n:]
	}
}
