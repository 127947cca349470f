package gziphttp

import (
	"fmt"
	"io"
	"sync/atomic"
)

// source is the caller's body: closed once, and as long as it is said to be.
type source struct {
	body   io.ReadCloser
	want   int64 // bytes; 0 or less if nobody said
	got    int64
	closed atomic.Bool
}

func (s *source) Read(b []byte) (int, error) {
	n, err := s.body.Read(b)
	s.got += int64(n)
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
