package gziphttp

import (
	"errors"
	"io"

	"github.com/lowalloc/lowalloc/pool"
)

// chunks is a sequence of bytes in buffers of a pool. None is made larger than
// 64 KiB, so one cap of the pool serves bodies of every size, and a large body
// leaves no large buffer behind. The first ones are smaller, for small bodies.
type chunks struct {
	pool  *pool.Pool
	list  []*pool.Buffer
	size  int64
	first [4]*pool.Buffer // where list begins: enough for 60 KiB
}

const firstChunk, maxChunk = 4 << 10, 64 << 10

// tail returns the last buffer, which has room.
func (c *chunks) tail() *pool.Buffer {
	n := len(c.list)
	if n > 0 && c.list[n-1].Available() > 0 {
		return c.list[n-1]
	}
	if n == 0 {
		c.list = c.first[:0]
	}
	size := min(firstChunk<<min(n, 4), maxChunk)
	if limit := c.pool.MaxSize; limit >= firstChunk {
		size = min(size, limit) // what is larger would not be kept
	}
	b := c.pool.GetSize(size)
	c.list = append(c.list, b)
	return b
}

// Write appends p.
func (c *chunks) Write(p []byte) (int, error) {
	written := len(p)
	c.size += int64(written)
	for len(p) > 0 {
		b := c.tail()
		n := min(len(p), b.Available())
		b.B = append(b.B, p[:n]...)
		p = p[n:]
	}
	return written, nil
}

var errNoProgress = errors.New("gziphttp: request body returns neither bytes nor an error")

// fill appends what src has until there are limit bytes. It reports whether src
// has ended before.
func (c *chunks) fill(src io.Reader, limit int64) (ended bool, err error) {
	for empty := 0; c.size < limit && empty < 100; empty++ {
		b := c.tail()
		room := b.B[len(b.B):cap(b.B)]
		if int64(len(room)) > limit-c.size {
			room = room[:limit-c.size]
		}
		n, err := src.Read(room)
		if n > 0 {
			empty = 0
		}
		b.B = b.B[:len(b.B)+n]
		c.size += int64(n)
		if err == io.EOF {
			return c.size < limit, nil
		}
		if err != nil {
			return false, err
		}
	}
	if c.size < limit {
		return false, errNoProgress
	}
	return false, nil
}

// writeTo writes everything to w.
func (c *chunks) writeTo(w io.Writer) error {
	for _, b := range c.list {
		if _, err := w.Write(b.B); err != nil {
			return err
		}
	}
	return nil
}

// free gives the buffers back.
func (c *chunks) free() {
	for i, b := range c.list {
		c.list[i] = nil
		c.pool.Put(b)
	}
	c.list, c.size = nil, 0
}

// position is how far chunks have been read.
type position struct{ chunk, offset int }

func (at *position) read(c *chunks, p []byte) int {
	n := 0
	for n < len(p) && at.chunk < len(c.list) {
		k := copy(p[n:], c.list[at.chunk].B[at.offset:])
		n += k
		at.offset += k
		if at.offset == len(c.list[at.chunk].B) {
			at.chunk++
			at.offset = 0
		}
	}
	return n
}
