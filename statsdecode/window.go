package statsdecode

import (
	"errors"
	"io"

	"github.com/lowalloc/lowalloc/pool"
)

// windowSize is the size a window starts with. An index of a default _stats
// answer is about 5 KB, a node 20 to 60 KB.
const windowSize = 64 << 10

// window is the part of an answer that is in memory: what was read and not yet
// let go. It grows to hold a single value, never the answer.
type window struct {
	r    io.Reader
	bufs *pool.Pool
	buf  *pool.Buffer
	b    []byte // what is in memory; cap(b) is the window's size
	pos  int    // b[pos:] is still to be consumed
	base int64  // offset of b[0] in the answer
	err  error  // why no more can be read: io.EOF, or the reader's own
}

func (w *window) open(r io.Reader, bufs *pool.Pool, size int) {
	buf := bufs.GetSize(size)
	*w = window{r: r, bufs: bufs, buf: buf, b: buf.B[:0]}
}

func (w *window) close() {
	w.bufs.Put(w.buf)
	*w = window{}
}

// offset is the place in the answer of the next byte to be consumed.
func (w *window) offset() int64 { return w.base + int64(w.pos) }

// fill reads once more. It keeps b[w.pos:], and reports whether bytes came;
// if not, w.err says why.
func (w *window) fill() bool {
	if w.err != nil {
		return false
	}
	if len(w.b) == cap(w.b) {
		w.makeRoom()
	}
	for range 100 {
		n, err := w.r.Read(w.b[len(w.b):cap(w.b)])
		if n < 0 || n > cap(w.b)-len(w.b) {
			n, err = 0, errBadCount
		}
		w.b = w.b[:len(w.b)+n]
		w.err = err
		if n > 0 {
			return true
		}
		if err != nil {
			return false
		}
	}
	w.err = io.ErrNoProgress
	return false
}

// fillMore reads on until twice as much is there to be consumed, or the window
// is full, or the reader has no more. So whoever begins a value anew each time
// does work in proportion to its size, also where reads are of one byte.
func (w *window) fillMore() bool {
	had := len(w.b) - w.pos
	for w.fill() {
		if len(w.b)-w.pos >= 2*had || w.pos == 0 && len(w.b) == cap(w.b) {
			return true
		}
	}
	return len(w.b)-w.pos > had
}

var errBadCount = errors.New("reader returned an impossible count")

// makeRoom moves what is still to be consumed to the front, or into a window
// of twice the size when it is all there is.
func (w *window) makeRoom() {
	kept := w.b[w.pos:]
	w.base += int64(w.pos)
	if w.pos > 0 {
		w.b = w.b[:copy(w.b, kept)]
		w.pos = 0
		return
	}
	buf := w.bufs.GetSize(2 * cap(w.b))
	w.b = append(buf.B[:0], kept...)
	w.bufs.Put(w.buf)
	w.buf = buf
}

// failure is why the answer ended too soon.
func (w *window) failure() error {
	if w.ended() {
		return io.ErrUnexpectedEOF
	}
	return w.err
}

// ended reports whether the reader is at its end.
func (w *window) ended() bool { return isEOF(w.err) }

// isEOF reports whether err is what a reader returns at its end: io.EOF itself.
// An error that wraps it is a failure.
func isEOF(err error) bool { return err == io.EOF } //nolint:errorlint // see above

// peek returns the next byte that is not white space, without consuming it.
func (w *window) peek() (c byte, ok bool) {
	for {
		for ; w.pos < len(w.b); w.pos++ {
			if c := w.b[w.pos]; !isSpace(c) {
				return c, true
			}
		}
		if !w.fill() {
			return 0, false
		}
	}
}
