package gzippool

import (
	"runtime"
	"sync"
)

// idle keeps objects that nobody uses. A sync.Pool cannot count what it holds,
// and holds a copy for each processor (https://github.com/prometheus/client_golang/issues/2126),
// so a limit needs a list. One lock will do: it is held for nanoseconds, and
// what comes between two uses of it, a compression, takes microseconds.
type idle[T any] struct {
	free sync.Pool // of *T: where they lie when there is no limit

	mu    sync.Mutex
	list  []*T // where they lie when there is one
	low   int  // the fewest there were since the last garbage collection
	armed bool // the next garbage collection calls collect
}

// get removes an object. It returns nil when there is none.
func (s *idle[T]) get(limit int) *T {
	if limit == 0 {
		x, _ := s.free.Get().(*T)
		return x
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(s.list) - 1
	if n < 0 {
		return nil
	}
	x := s.list[n]
	s.list[n] = nil
	s.list = s.list[:n]
	s.low = min(s.low, n)
	return x
}

// put adds x, or drops it when limit objects are there already.
func (s *idle[T]) put(x *T, limit int) {
	if limit == 0 {
		s.free.Put(x)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.list) >= limit {
		return
	}
	s.list = append(s.list, x)
	if !s.armed {
		s.arm()
	}
}

// arm sees to it that the next garbage collection calls collect. The caller
// holds the lock.
func (s *idle[T]) arm() {
	s.armed = true
	// The cleanup of an object that nobody refers to runs after the next
	// collection. Without a pointer in it, it would share its block with other
	// small objects, and live as long as they.
	type sentinel struct{ _ *sentinel }
	runtime.AddCleanup(new(sentinel), (*idle[T]).collect, s)
}

// collect lets go of what nobody used since the last garbage collection but
// one, as sync.Pool does: the objects at the bottom, which no get came near.
func (s *idle[T]) collect() {
	s.mu.Lock()
	defer s.mu.Unlock()
	kept := copy(s.list, s.list[s.low:])
	clear(s.list[kept:])
	s.list = s.list[:kept]
	s.low = kept
	s.armed = false
	if kept > 0 {
		s.arm()
	}
}
