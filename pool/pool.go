package pool

import (
	"math/bits"
	"sync"
	"sync/atomic"
)

// DefaultMaxSize is the MaxSize, in bytes, of a Pool that does not set one.
const DefaultMaxSize = 64 << 10

// Pool keeps buffers for reuse. The zero value is ready to use: it keeps
// buffers of up to [DefaultMaxSize] until the garbage collector takes them.
// Set the fields before the first use and leave them; do not copy a Pool after
// it. All methods may be called by many goroutines at once.
type Pool struct {
	// MaxSize is the largest capacity, in bytes, that Put keeps. 0 means
	// DefaultMaxSize, less than 0 that nothing is kept.
	MaxSize int

	// MaxIdleBytes bounds the sum of the capacities, in bytes, of all idle
	// buffers, at every instant. 0 means no bound other than the garbage
	// collector, less than 0 that nothing is kept. MaxSize still applies, and a
	// buffer larger than MaxIdleBytes is never kept. The heap under them takes up
	// to a quarter more: see the package comment.
	MaxIdleBytes int64

	allocated, discarded atomic.Int64

	// Without MaxIdleBytes, idle buffers lie in one sync.Pool for each class.
	recent  atomic.Pointer[class] // the class of the last Put
	classes [numClasses]atomic.Pointer[class]

	// With it, they lie here.
	bounded atomic.Pointer[bounded]
}

// Stats is what a Pool has done, and what it holds at one instant.
type Stats struct {
	Allocated int64 // buffers made, because no idle one fitted
	Discarded int64 // buffers that a Put let go: its own, or a larger one to make room; not those that the garbage collector took
	Idle      int64 // buffers kept; -1 when MaxIdleBytes is 0
	IdleBytes int64 // the sum of their capacities; -1 when MaxIdleBytes is 0
}

// Get returns an empty buffer: an idle one if there is one, preferably of the
// size that was Put last, or else a new one. Where the size is known, GetSize
// keeps small uses from holding large buffers.
func (p *Pool) Get() *Buffer {
	if c := p.recent.Load(); c != nil {
		if b, ok := c.idle.Get().(*Buffer); ok {
			b.misuse.leave(b)
			return b
		}
	}
	return p.getAny()
}

// getAny is a function of its own, so that Get itself needs little stack.
func (p *Pool) getAny() *Buffer {
	b := p.takeAny()
	if b == nil {
		return p.alloc(min(minSize, p.maxSize()))
	}
	b.misuse.leave(b)
	return b
}

// takeAny removes an idle buffer wherever there is one: if the last Put was of
// a size that is rarely idle, those of the other sizes would only pile up.
func (p *Pool) takeAny() *Buffer {
	if p.MaxIdleBytes > 0 {
		return p.store().get(anyClass)
	}
	for i := range p.classes {
		if c := p.classes[i].Load(); c != nil {
			if b, ok := c.idle.Get().(*Buffer); ok {
				return b
			}
		}
	}
	return nil
}

// GetSize returns an empty buffer with a capacity of at least n bytes: a new one
// has n rounded up to a power of two, at least 512 and at most MaxSize; from 64
// MiB up, n. Above MaxSize it allocates exactly n, and Put will drop the buffer.
// With n <= 0 it is Get. Like make it panics, or runs out of memory, when n is too
// large.
//
// It reuses only idle buffers of the class of n: those with a capacity of at
// least n rounded up to a power of two and less than twice that, and those that
// GetSize gave out for such a size and that have grown since. Other larger ones
// stay idle. So where the size is unknown, as with an http.Response whose
// ContentLength is -1, call Get.
//
// For ReadFrom, pass the size of the content plus one: it needs a free byte to
// see the end.
func (p *Pool) GetSize(n int) *Buffer {
	if c := p.recent.Load(); c != nil && c.serves(n) {
		if b, ok := c.idle.Get().(*Buffer); ok {
			b.misuse.leave(b)
			b.asked = c.index
			return b
		}
	}
	return p.getSize(n)
}

func (p *Pool) getSize(n int) *Buffer {
	if n <= 0 {
		return p.Get()
	}
	limit := p.maxSize()
	if n > limit {
		return p.alloc(n)
	}
	i := classAbove(n)
	var b *Buffer
	if p.MaxIdleBytes > 0 {
		b = p.store().get(i)
	} else if c := p.classes[i].Load(); c != nil {
		b, _ = c.idle.Get().(*Buffer)
	}
	size := max(n, lowest(i, limit))
	if b == nil {
		b = p.alloc(size)
	} else {
		b.misuse.leave(b)
	}
	if cap(b.B) < n { // only the last class has sizes that do not serve all its uses
		p.allocated.Add(1)
		b.B = make([]byte, 0, size)
	}
	b.asked = uint8(i)
	return b
}

// Put empties b and keeps it for a later Get, if its capacity is at most
// MaxSize and MaxIdleBytes leaves room. It makes room by dropping a larger idle
// buffer. The caller must not use b after that, nor any slice of its bytes.
//
// The Buffer need not come from this Pool. One without capacity is dropped; nil is
// ignored.
func (p *Pool) Put(b *Buffer) {
	if b == nil {
		return
	}
	b.misuse.enter(b)
	if c := p.recent.Load(); c != nil && b.whole == nil && c.keeps(cap(b.B)) {
		b.B = b.B[:0]
		if b.asked != unsized {
			if b.asked != c.index {
				p.put(b)
				return
			}
			b.asked = unsized
		}
		c.idle.Put(b)
		return
	}
	p.put(b)
}

func (p *Pool) put(b *Buffer) {
	b.Reset()
	size, limit := cap(b.B), p.maxSize()
	if size == 0 || size > limit || p.MaxIdleBytes < 0 {
		p.discarded.Add(1)
		return
	}
	i := classBelow(size)
	if size == limit {
		i = classAbove(size) // where GetSize looks for it: a limit need not be a power of two
	}
	if b.asked != unsized {
		i = min(i, int(b.asked)) // see Buffer
		b.asked = unsized
	}
	if p.MaxIdleBytes > 0 {
		if p.store().put(b, i) {
			p.discarded.Add(1)
		}
		return
	}
	c := p.classes[i].Load()
	if c == nil {
		p.classes[i].CompareAndSwap(nil, newClass(i, limit))
		c = p.classes[i].Load()
	}
	if p.recent.Load() != c {
		p.recent.Store(c)
	}
	c.idle.Put(b)
}

// Stats returns the counts so far and what is idle now.
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

func (p *Pool) store() *bounded {
	if s := p.bounded.Load(); s != nil {
		return s
	}
	return p.newStore()
}

func (p *Pool) newStore() *bounded {
	p.bounded.CompareAndSwap(nil, newBounded(p.MaxIdleBytes))
	return p.bounded.Load()
}

// A class is the idle buffers of about one size, so that the sizes of some
// uses do not spoil the memory of others. Class i begins at minSize<<(i-1) or
// MaxSize, whichever is less, and ends where the next one begins. Class 0 has
// what is smaller than any buffer of our own. Buffers that outgrew a GetSize lie
// in the class of that size, so a class may hold larger ones.
//
// Get and Put try the class of the last Put before they compute one: that takes
// 1.2 times as long as a bare sync.Pool, where computing it each time took 1.4.
type class struct {
	index uint8 // in Pool.classes
	low   int   // the smallest capacity it keeps, and the largest size it serves
	above uint  // how many capacities it keeps, from low upwards
	below uint  // how many sizes it serves, from low downwards
	idle  sync.Pool
}

const (
	minSize    = 512
	numClasses = 19 // the last begins at 64 MiB
	anyClass   = -1 // for bounded.get
)

func newClass(i, limit int) *class {
	c := &class{index: uint8(i), low: lowest(i, limit)}
	c.above = uint(limit-c.low) + 1
	if i < classAbove(limit) {
		c.above = uint(lowest(i+1, limit) - c.low)
	}
	if i > 0 {
		c.below = uint(c.low - lowest(i-1, limit))
	}
	return c
}

// keeps and serves look at both ends in one comparison: what lies beyond low
// is a huge uint.
func (c *class) keeps(size int) bool { return uint(size-c.low) < c.above }
func (c *class) serves(n int) bool   { return uint(c.low-n) < c.below }

// lowest returns the smallest capacity in class i.
func lowest(i, limit int) int {
	if i == 0 {
		return 1
	}
	return min(minSize<<(i-1), limit)
}

// classBelow returns the class that capacity size lies in.
func classBelow(size int) int {
	return min(bits.Len(uint(size)/minSize), numClasses-1)
}

// classAbove returns the class whose capacities all serve n.
func classAbove(n int) int {
	return min(bits.Len(uint(n-1)/minSize)+1, numClasses-1)
}
