package pool

import (
	"math/bits"
	"sync"
	"sync/atomic"
)

// DefaultMaxSize is the largest capacity, in bytes, that a Pool keeps when its
// MaxSize is 0.
const DefaultMaxSize = 64 << 10

// Pool keeps buffers for reuse. The zero value is ready to use and keeps
// buffers of up to DefaultMaxSize until the garbage collector takes them. Set
// the fields before the first use and leave them; do not copy a Pool after it.
// All methods may be called at the same time by many goroutines.
type Pool struct {
	// MaxSize is the largest capacity, in bytes, that Put keeps. A larger
	// buffer goes to the garbage collector. 0 means DefaultMaxSize; less than
	// 0 keeps nothing.
	MaxSize int

	// MaxIdleBytes bounds the capacities, in bytes, of all idle buffers
	// together, at every instant. 0 means no bound: idle buffers are kept in a
	// sync.Pool, until two garbage collections pass without use. Less than 0
	// keeps nothing.
	MaxIdleBytes int64

	allocated atomic.Int64
	discarded atomic.Int64

	last    atomic.Int32          // class of the buffer last Put, when MaxIdleBytes is 0
	classes [numClasses]sync.Pool // idle buffers, when MaxIdleBytes is 0
	bounded atomic.Pointer[bounded]
}

// Stats describes what a Pool has done and holds.
type Stats struct {
	Allocated int64 // buffers made because no idle one fitted
	Discarded int64 // buffers that Put let go: too large, empty or without room in MaxIdleBytes
	Idle      int64 // buffers kept now; -1 when MaxIdleBytes is 0
	IdleBytes int64 // their capacities together; -1 when MaxIdleBytes is 0
}

// A buffer of class i has at least minSize<<i bytes, one of class 0 any
// number. The last class takes everything larger.
const (
	minSize    = 512
	numClasses = 18 // up to 64 MiB
)

// Get returns an empty buffer, the one last Put where it can. Its capacity may
// be anything: use GetSize where the size is known.
func (p *Pool) Get() *Buffer {
	if b := p.take(anyClass); b != nil {
		return b
	}
	return p.alloc(min(minSize, p.maxSize()))
}

// GetSize returns an empty buffer with a capacity of at least n. For n above
// MaxSize it allocates exactly n bytes, and Put will drop the buffer; n of 0
// or less is Get. It panics, as make does, when n bytes cannot be allocated.
//
// ReadFrom needs one byte more than the content, to see its end.
func (p *Pool) GetSize(n int) *Buffer {
	if n <= 0 {
		return p.Get()
	}
	limit := p.maxSize()
	if n > limit {
		return p.alloc(n)
	}
	class := classAbove(n)
	size := max(n, min(minSize<<class, limit))
	b := p.take(class)
	if b == nil {
		return p.alloc(size)
	}
	if cap(b.B) < n { // only the first and the last class have such
		b.B = make([]byte, 0, size)
	}
	return b
}

// Put gives b back: the caller must not use it, nor any slice of its bytes,
// any more. Put empties b and keeps it if its capacity is at most MaxSize and
// MaxIdleBytes has room. A buffer that did not come from Get is as good as any;
// one of capacity 0 is dropped, and nil is ignored.
func (p *Pool) Put(b *Buffer) {
	if b == nil {
		return
	}
	b.enter()
	c, limit := cap(b.B), p.maxSize()
	if c == 0 || c > limit || p.MaxIdleBytes < 0 {
		p.discarded.Add(1)
		return
	}
	class := classBelow(c)
	if c == limit {
		// GetSize rounds up to MaxSize, which need not be a power of two.
		class = classAbove(c)
	}
	if p.MaxIdleBytes == 0 {
		if p.last.Load() != int32(class) {
			p.last.Store(int32(class))
		}
		p.classes[class].Put(b)
		return
	}
	p.discarded.Add(p.store().put(b, class))
}

// Stats returns the counts so far and what is idle at this moment.
func (p *Pool) Stats() Stats {
	s := Stats{Allocated: p.allocated.Load(), Discarded: p.discarded.Load()}
	switch {
	case p.MaxIdleBytes == 0:
		s.Idle, s.IdleBytes = -1, -1
	case p.MaxIdleBytes > 0:
		s.Idle, s.IdleBytes = p.store().stats()
	}
	return s
}

// anyClass asks take for whichever buffer is at hand.
const anyClass = -1

// take removes an idle buffer of the class, or returns nil.
func (p *Pool) take(class int) *Buffer {
	var b *Buffer
	switch {
	case p.MaxIdleBytes == 0:
		if class == anyClass {
			class = int(p.last.Load())
		}
		b, _ = p.classes[class].Get().(*Buffer)
	case p.MaxIdleBytes > 0:
		b = p.store().get(class)
	}
	if b != nil {
		b.leave()
	}
	return b
}

func (p *Pool) alloc(size int) *Buffer {
	p.allocated.Add(1)
	b := new(Buffer)
	if size > 0 {
		b.B = make([]byte, 0, size)
	}
	return b
}

func (p *Pool) maxSize() int {
	if p.MaxSize == 0 {
		return DefaultMaxSize
	}
	return p.MaxSize
}

// store returns what holds the idle buffers when MaxIdleBytes is set.
func (p *Pool) store() *bounded {
	if s := p.bounded.Load(); s != nil {
		return s
	}
	p.bounded.CompareAndSwap(nil, newBounded(p.MaxIdleBytes))
	return p.bounded.Load()
}

// classBelow returns the class that a buffer of capacity c belongs to.
func classBelow(c int) int {
	return min(max(bits.Len(uint(c)/minSize)-1, 0), numClasses-1)
}

// classAbove returns the class whose buffers hold n bytes.
func classAbove(n int) int {
	return min(bits.Len(uint(n-1)/minSize), numClasses-1)
}
