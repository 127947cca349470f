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

	// whole is B, emptied, as it was before Read or WriteTo took bytes off its
	// front, and nil when they did not. Its room at the front comes back with Reset.
	whole []byte

	shard *shard // where Put goes, with MaxIdleBytes set: to where Get was
}

// noCopy has go vet report copies of a Buffer.
type noCopy struct{}

func (*noCopy) Lock()   {}
func (*noCopy) Unlock() {}

var errInvalidWrite = errors.New("pool: Writer returned an impossible count")

// Reset empties the buffer and keeps its capacity.
func (b *Buffer) Reset() {
	if b.whole != nil {
		b.restore()
	}
	b.B = b.B[:0]
}

// restore gives the front back that drain took off, unless B is another array now.
func (b *Buffer) restore() {
	if sameEnd(b.whole, b.B) {
		b.B = b.whole
	}
	b.whole = nil
}

// Available returns how many bytes can be appended to B before it is
// reallocated.
func (b *Buffer) Available() int { return cap(b.B) - len(b.B) }

// Grow makes room for n more bytes in B, so that Available is at least n. It
// does nothing when n is not positive, and panics, as append does, when the sum
// of len(B) and n is more than a slice can hold.
func (b *Buffer) Grow(n int) {
	if n > b.Available() {
		b.B = slices.Grow(b.B, n)
	}
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
		if !sameEnd(b.whole, b.B) {
			b.whole = b.B[:0]
		}
		b.B = b.B[n:]
	}
}

// sameEnd reports whether both slices reach to the same last byte of one array.
func sameEnd(a, b []byte) bool {
	a, b = a[:cap(a)], b[:cap(b)]
	return len(a) > 0 && len(b) > 0 && &a[len(a)-1] == &b[len(b)-1]
}
