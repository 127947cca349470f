package gziphttp

import (
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
)

// source is the caller's body: closed once, as long as it is said to be, and not
// read again after its end.
type source struct {
	body   io.ReadCloser
	want   int64 // bytes; 0 or less if nobody said
	got    int64
	ended  bool // it has returned io.EOF
	closed atomic.Bool

	closing sync.WaitGroup // for a Close that the end of the context calls
}

var errInvalidCount = errors.New("gziphttp: request body returned an impossible count")

func (s *source) Read(b []byte) (int, error) {
	if s.ended {
		return 0, io.EOF
	}
	n, err := s.body.Read(b)
	if n < 0 || n > len(b) {
		return 0, errInvalidCount
	}
	s.got += int64(n)
	s.ended = err == io.EOF
	switch {
	case s.want <= 0:
	case s.got > s.want:
		return 0, fmt.Errorf("gziphttp: request body is longer than its ContentLength, %d", s.want)
	case s.got < s.want && err == io.EOF:
		return 0, fmt.Errorf("gziphttp: request body has %d bytes, but its ContentLength is %d", s.got, s.want)
	}
	return n, err
}

// Close can come at any time, also during a Read.
func (s *source) Close() error {
	if s.closed.Swap(true) {
		return nil
	}
	return s.body.Close()
}
