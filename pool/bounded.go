package pool

import (
	"math/bits"
	"runtime"
	"sync"
	"sync/atomic"
)

// bounded keeps idle buffers whose capacities never exceed limit together.
//
// It is a sync.Pool that counts. Buffers lie in shards; each processor has one
// to itself most of the time, because it finds it through a sync.Pool of
// shards. Bytes are reserved before a buffer is inserted and released after it
// is removed, so that reserved is never less than what lies in the shards.
type bounded struct {
	limit    int64
	reserved atomic.Int64
	armed    atomic.Bool // whether the next garbage collection calls collect
	shards   []shard
	next     atomic.Uint32
	handles  sync.Pool // of *shard
}

type shard struct {
	mu      sync.Mutex
	last    int    // class last Put
	present uint32 // bit i is set when classes[i] has a buffer
	classes [numClasses]stack
	_       [64]byte // keeps neighbours off the cache line of mu
}

type stack struct {
	buffers []*Buffer
	low     int // the fewest buffers since the last garbage collection
}

func newBounded(limit int64) *bounded {
	s := &bounded{limit: limit, shards: make([]shard, runtime.GOMAXPROCS(0))}
	s.handles.New = func() any { return &s.shards[int(s.next.Add(1))%len(s.shards)] }
	return s
}

// get removes a buffer of the class, or returns nil.
func (s *bounded) get(class int) *Buffer {
	own := s.handles.Get().(*shard)
	b := own.pop(class)
	s.handles.Put(own)
	for i := 0; b == nil && i < len(s.shards); i++ {
		b = s.shards[i].pop(class)
	}
	if b != nil {
		s.reserved.Add(-int64(cap(b.B)))
	}
	return b
}

// put inserts b and returns how many buffers were dropped for it: larger ones
// to make room, or b itself.
func (s *bounded) put(b *Buffer, class int) (dropped int64) {
	n := int64(cap(b.B))
	if !s.reserve(n) {
		var ok bool
		if dropped, ok = s.makeRoom(n, class); !ok {
			return dropped + 1
		}
	}
	own := s.handles.Get().(*shard)
	own.push(b, class)
	s.handles.Put(own)
	s.arm()
	return dropped
}

func (s *bounded) reserve(n int64) bool {
	for {
		r := s.reserved.Load()
		if n > s.limit-r {
			return false
		}
		if s.reserved.CompareAndSwap(r, r+n) {
			return true
		}
	}
}

// makeRoom drops buffers of classes above class until n bytes are reserved.
// Without it a few large buffers that are in steady use would keep all small
// ones out for ever.
func (s *bounded) makeRoom(n int64, class int) (dropped int64, ok bool) {
	if n > s.limit {
		return 0, false
	}
	for i := range s.shards {
		for {
			b := s.shards[i].popLargest(class + 1)
			if b == nil {
				break
			}
			dropped++
			s.reserved.Add(-int64(cap(b.B)))
			if s.reserve(n) {
				return dropped, true
			}
		}
	}
	return dropped, false
}

func (s *bounded) stats() (count, bytes int64) {
	// All locks at once: a buffer that moves from one shard to another must
	// not be seen twice.
	for i := range s.shards {
		s.shards[i].mu.Lock()
		defer s.shards[i].mu.Unlock()
	}
	for i := range s.shards {
		for _, st := range s.shards[i].classes {
			count += int64(len(st.buffers))
			for _, b := range st.buffers {
				bytes += int64(cap(b.B))
			}
		}
	}
	return count, bytes
}

// arm sees to it that the next garbage collection calls collect.
func (s *bounded) arm() {
	if !s.armed.Load() && s.armed.CompareAndSwap(false, true) {
		// The cleanup of an object that nothing refers to runs after the next
		// collection. The object has a pointer: those without share memory
		// with others, which may keep them alive.
		type sentinel struct{ _ *sentinel }
		runtime.AddCleanup(new(sentinel), (*bounded).collect, s)
	}
}

// collect lets go of what nobody used since the collection before.
func (s *bounded) collect() {
	// First, so that a Put that sees armed set has its buffer seen below.
	s.armed.Store(false)
	left := false
	for i := range s.shards {
		freed, more := s.shards[i].trim()
		s.reserved.Add(-freed)
		left = left || more
	}
	if left {
		s.arm()
	}
}

func (s *shard) push(b *Buffer, class int) {
	s.mu.Lock()
	st := &s.classes[class]
	st.buffers = append(st.buffers, b)
	s.present |= 1 << class
	s.last = class
	s.mu.Unlock()
}

func (s *shard) pop(class int) *Buffer {
	s.mu.Lock()
	defer s.mu.Unlock()
	if class == anyClass {
		class = s.last
		if s.present != 0 && s.present&(1<<class) == 0 {
			class = bits.TrailingZeros32(s.present)
		}
	}
	return s.popClass(class)
}

// popLargest removes a buffer of the largest class there is, if it is at least least.
func (s *shard) popLargest(least int) *Buffer {
	s.mu.Lock()
	defer s.mu.Unlock()
	class := bits.Len32(s.present) - 1
	if class < least {
		return nil
	}
	return s.popClass(class)
}

func (s *shard) popClass(class int) *Buffer {
	st := &s.classes[class]
	n := len(st.buffers) - 1
	if n < 0 {
		return nil
	}
	b := st.buffers[n]
	st.buffers[n] = nil
	st.buffers = st.buffers[:n]
	st.low = min(st.low, n)
	if n == 0 {
		s.present &^= 1 << class
	}
	return b
}

// trim drops the buffers at the bottom of each stack that stayed there since
// the last trim. It returns their bytes and whether others are left.
func (s *shard) trim() (freed int64, left bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.classes {
		st := &s.classes[i]
		for _, b := range st.buffers[:st.low] {
			freed += int64(cap(b.B))
		}
		// A new slice: the old one may have grown in a burst.
		st.buffers = append([]*Buffer(nil), st.buffers[st.low:]...)
		st.low = len(st.buffers)
		if st.low == 0 {
			s.present &^= 1 << i
		}
	}
	return freed, s.present != 0
}
