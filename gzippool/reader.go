package gzippool

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math"

	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
)

// TooLargeError is returned, as a pointer, when there are more decompressed
// bytes than the limit, or far more compressed ones than that many can need.
type TooLargeError struct {
	Limit int64 // decompressed bytes
}

// Error gives the limit.
func (e *TooLargeError) Error() string {
	return fmt.Sprintf("gzippool: more than %d bytes when decompressed, or far more compressed ones than these need", e.Limit)
}

// Reader is an [io.ReadCloser] that decompresses. It comes from [Pool.Reader];
// there is no use for the zero value.
//
// Close gives its memory back to the pool. After that Read is refused, and a
// further Close does nothing. A Reader that is never closed is the garbage
// collector's and costs the reuse.
//
// One goroutine at a time may use a Reader, but that Close may be called at any
// time: it does not wait for a Read that is in progress. All errors stay, the
// io.EOF at the end of the stream among them.
type Reader struct {
	handle
	pool *Pool
	d    *decompressor // nil while a call has it, and after Close
	err  error
}

// Reader returns a Reader of the gzip stream src, which may have several
// members. It lets max decompressed bytes pass: a stream with one more gives
// all of them, and then a *[TooLargeError]. A negative max is [NoLimit], and 0
// lets only a stream pass that is empty when decompressed. With a limit, the
// compressed bytes are limited, too, to max + max/1000 + 64 KiB: without it, a
// stream of empty members would have no end.
//
// Reader allocates only the Reader once warm. It reads nothing from src before
// the first Read, does not close src, and does not hold on to it when it is
// closed. It may read up to 4 KiB beyond the end of the stream.
//
// A stream that is cut off, or empty as a file of no bytes is, gives
// [io.ErrUnexpectedEOF]. What is neither a member nor the end gives
// [gzip.ErrHeader] after the good data, or io.ErrUnexpectedEOF when it is shorter
// than a header. Damaged data gives the errors of the standard library, which are
// those of the packages used here: gzip.ErrChecksum, flate.CorruptInputError.
func (p *Pool) Reader(src io.Reader, max int64) *Reader {
	d := p.decompressor(max)
	d.source.r, d.source.left = src, compressedLimit(max)
	d.from = d.buffered
	return &Reader{pool: p, d: d}
}

// Read reads decompressed bytes into b.
func (r *Reader) Read(b []byte) (int, error) {
	d, err := r.enter()
	if err != nil {
		return 0, err
	}
	defer r.leave()
	n, err := d.read(b)
	r.d, r.err = d, err
	return n, err
}

// WriteTo writes all of the stream, within the limit, to w. [io.Copy] uses it.
// An error of w stays, since the bytes that w did not take are lost.
func (r *Reader) WriteTo(w io.Writer) (n int64, err error) {
	d, err := r.enter()
	if err == io.EOF { //nolint:errorlint // one that wraps io.EOF is not the end
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer r.leave()
	if d.buf == nil {
		d.buf = make([]byte, copySize)
	}
	for err == nil {
		var read, written int
		read, err = d.read(d.buf)
		if read > 0 {
			var writeErr error
			written, writeErr = w.Write(d.buf[:read])
			switch {
			case written < 0 || written > read:
				written, writeErr = 0, errInvalidCount
			case writeErr == nil && written < read:
				writeErr = io.ErrShortWrite
			case writeErr == io.EOF: //nolint:errorlint // a writer's io.EOF is not the end of the stream
				writeErr = errWriterEOF
			}
			if writeErr != nil {
				err = writeErr
			}
		}
		n += int64(written)
	}
	r.d, r.err = d, err
	if err == io.EOF { //nolint:errorlint // one that wraps io.EOF is not the end
		err = nil
	}
	return n, err
}

// errWriterEOF wraps io.EOF, which by itself would be a success.
var errWriterEOF = fmt.Errorf("gzippool: the writer returned an error: %w", io.EOF)

// Close ends the use of r. It returns nil: whether the stream was good, only
// the io.EOF of Read can tell.
func (r *Reader) Close() error {
	if r.close() {
		r.release()
	}
	return nil
}

// enter starts a call, which then has the decompressor. If the source panics it
// does not come back, and so the pool never sees it again.
func (r *Reader) enter() (*decompressor, error) {
	if err := r.handle.enter(); err != nil {
		return nil, err
	}
	if err := r.err; err != nil {
		r.leave()
		return nil, err
	}
	d := r.d
	r.d, r.err = nil, errLost
	return d, nil
}

func (r *Reader) leave() {
	if r.handle.leave() {
		r.release()
	}
}

func (r *Reader) release() {
	if r.d != nil {
		r.pool.putDecompressor(r.d)
		r.d = nil
	}
}

// decompressor is what the pool keeps. Its gzip.Reader reads from a field
// beside it, of a concrete type that the flate package has a fast path for.
// Were it the user's reader, an idle decompressor would hold on to that.
type decompressor struct {
	gz       gzip.Reader // the zero value; Reset makes what it needs
	started  bool        // gz is reset, and so has read the header
	from     flate.Reader
	buffered *bufio.Reader // from source
	source   source
	slice    bytes.Reader
	max      int64
	left     int64 // decompressed bytes up to the limit
	one      [1]byte
	buf      []byte // for WriteTo, and made by it
}

func (p *Pool) decompressor(max int64) *decompressor {
	d := p.readers.get(p.MaxIdle)
	if d == nil {
		d = new(decompressor)
		d.buffered = bufio.NewReader(&d.source)
	}
	d.max, d.left = max, max
	if max < 0 {
		d.left = math.MaxInt64
	}
	d.source.max = max
	return d
}

func (p *Pool) putDecompressor(d *decompressor) {
	d.gz.Header = gzip.Header{} // Extra can have 64 KiB
	d.started = false
	d.source = source{}
	d.buffered.Reset(&d.source)
	d.slice.Reset(nil)
	p.readers.put(d, p.MaxIdle)
}

// read is Read of the gzip.Reader, within the limit.
func (d *decompressor) read(b []byte) (int, error) {
	if len(b) == 0 {
		return 0, nil
	}
	if !d.started {
		d.started = true
		if err := d.gz.Reset(d.from); err != nil {
			if err == io.EOF { //nolint:errorlint // no byte at all
				err = io.ErrUnexpectedEOF
			}
			return 0, d.cause(err)
		}
	}
	if d.left == 0 {
		// One byte more tells whether this is the end, and whether the checksum
		// is right.
		n, err := d.gz.Read(d.one[:])
		if n > 0 {
			err = &TooLargeError{d.max}
		}
		return 0, d.cause(err)
	}
	if int64(len(b)) > d.left {
		b = b[:d.left]
	}
	n, err := d.gz.Read(b)
	d.left -= int64(n)
	return n, d.cause(err)
}

// cause returns err in the user's terms.
func (d *decompressor) cause(err error) error {
	if err == errOther { //nolint:errorlint // never wrapped
		return d.source.err
	}
	return err
}

// source reads from a reader of the user's, and not much more than the
// decompressed bytes can need.
type source struct {
	r     io.Reader
	max   int64
	left  int64
	empty int // reads in a row that gave nothing
	err   error
}

func (s *source) Read(b []byte) (int, error) {
	n, err := s.r.Read(b)
	switch {
	case n < 0 || n > len(b):
		n, err = 0, errInvalidCount
	case int64(n) > s.left:
		n, err = int(s.left), &TooLargeError{s.max}
	case n > 0:
		s.empty = 0
	case err == nil:
		if s.empty++; s.empty == maxEmptyReads { // io.ReadFull has more patience
			err = io.ErrNoProgress
		}
	}
	s.left -= int64(n)
	if err != nil && err != io.EOF {
		s.err = err
		return n, errOther
	}
	return n, err
}

// compressedLimit is how many compressed bytes max decompressed ones may come
// from. Data that cannot be compressed takes 5 bytes in 64 KiB more.
func compressedLimit(max int64) int64 {
	extra := max/1000 + 64<<10
	if max < 0 || max > math.MaxInt64-extra {
		return math.MaxInt64
	}
	return max + extra
}
