package gziphttp

import (
	"io"

	"github.com/lowalloc/lowalloc/gzippool"
)

// stream is a body that is compressed as it is read: its length is unknown, so
// it may be without end, and must not be held in memory.
type stream struct {
	uses
	src   *source
	piece io.LimitedReader // what to read of src next
	w     *gzippool.Writer
	begin *chunks // what RoundTrip has read of src
	out   chunks  // what w has written
	at    position
	err   error // for when out is drained
}

// streamStep is how much of src becomes output at a time.
const streamStep = 32 << 10

func newStream(src *source, begin *chunks, gzip *gzippool.Pool) *stream {
	s := &stream{src: src, begin: begin}
	s.open()
	s.out.pool = begin.pool
	s.w = gzip.Writer(&s.out)
	return s
}

func (s *stream) Read(p []byte) (int, error) {
	if !s.enter() {
		return 0, errClosed
	}
	defer s.leave()
	for len(p) > 0 {
		if n := s.at.read(&s.out, p); n > 0 {
			return n, nil
		}
		if s.err != nil {
			return 0, s.err
		}
		s.out.free()
		s.at = position{}
		s.err = s.fill()
	}
	return 0, nil
}

// fill compresses the next piece. At the end it returns io.EOF.
func (s *stream) fill() error {
	if s.begin.size > 0 {
		if err := s.begin.writeTo(s.w); err != nil {
			return err
		}
		s.begin.free()
	}
	s.piece = io.LimitedReader{R: s.src, N: streamStep}
	if _, err := s.w.ReadFrom(&s.piece); err != nil {
		return err
	}
	if s.piece.N > 0 {
		if err := s.w.Close(); err != nil {
			return err
		}
		return io.EOF
	}
	return nil
}

// Close closes the caller's body, which ends a Read that waits for it.
func (s *stream) Close() error {
	err := s.src.Close()
	if s.close() {
		s.release()
	}
	return err
}

func (s *stream) leave() {
	if s.uses.leave() {
		s.release()
	}
}

func (s *stream) release() {
	s.w.Abort()
	s.begin.free()
	s.out.free()
}
