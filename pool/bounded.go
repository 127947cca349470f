package pool

import (
	"iter"
	"math/bits"
	"runtime"
	"sync"
	"sync/atomic"
)

// bounded keeps idle buffers, of at most limit bytes together.
//
// Buffers lie in shards. A processor has a shard to itself most of the time: get
// finds it through a sync.Pool, put goes where get was, and who meets somebody
// there moves on. Of the limit, every byte is in one place: in left, in the room
// of a shard, or under an idle buffer. So the bound is hard without a counter
// that all processors share.
//
// A Get and a Put take 3 times as long as with a bare sync.Pool, on one
// processor and on two. With the shard looked up for put as well it was 4.3
// times, and with the limit in one atomic counter 3.8 and, on two, 7 times.
type bounded struct {
	left   atomic.Int64
	armed  atomic.Bool // the next garbage collection calls collect
	shards []atomic.Pointer[shard]
	next   atomic.Uint32 // the shard for the next processor
	near   sync.Pool     // of *shard, the one that this processor used last
}

type shard struct {
	owner   *bounded
	index   uint32 // in owner.shards
	mu      sync.Mutex
	room    int64  // bytes of the limit that wait for the next Put here
	used    int64  // bytes under idle buffers
	last    int    // the class of the last Put
	present uint32 // bit i is set when stacks[i] is not empty
	stacks  [numClasses]stack
}

type stack struct {
	buffers []idle
	low     int // the fewest there were since the last garbage collection
}

// idle is a buffer with the bytes that are reserved for it. These would not be
// its capacity any more, if somebody replaced B after Put.
type idle struct {
	*Buffer
	size int64
}

func newBounded(limit int64) *bounded {
	s := &bounded{shards: make([]atomic.Pointer[shard], 2*runtime.GOMAXPROCS(0))}
	s.left.Store(limit)
	s.near.New = func() any { return s.shard(s.next.Add(1)) }
	return s
}

// get removes a buffer of class i, or returns nil when there is none at all.
func (s *bounded) get(i int) *Buffer {
	sh := s.near.Get().(*shard)
	if !sh.mu.TryLock() {
		sh = s.lock(sh.index + 1)
	}
	b := sh.pop(i)
	sh.mu.Unlock()
	s.near.Put(sh)
	if b == nil {
		b = s.steal(i)
	}
	if b != nil && b.shard != sh {
		b.shard = sh
	}
	return b
}

func (s *bounded) steal(i int) *Buffer {
	for sh := range s.all() {
		sh.mu.Lock()
		b := sh.pop(i)
		sh.mu.Unlock()
		if b != nil {
			return b
		}
	}
	return nil
}

// put adds b to class i. It reports whether that cost a buffer: b, or a larger
// one.
func (s *bounded) put(b *Buffer, i int) (dropped bool) {
	n := int64(cap(b.B))
	sh := b.shard
	if sh == nil || sh.owner != s || !sh.mu.TryLock() {
		sh = s.lock(s.next.Load())
	}
	if sh.room < n {
		sh.mu.Unlock()
		switch {
		case s.reserve(n):
		case s.evict(n):
			dropped = true
		default:
			return true
		}
		sh.mu.Lock()
		sh.room += n
	}
	sh.push(b, i)
	sh.mu.Unlock()
	if !s.armed.Load() {
		s.arm()
	}
	return dropped
}

// lock locks the first shard from number n on that nobody has locked.
func (s *bounded) lock(n uint32) *shard {
	for range s.shards {
		if sh := s.shard(n); sh.mu.TryLock() {
			return sh
		}
		n++
	}
	sh := s.shard(n)
	sh.mu.Lock()
	return sh
}

// shard returns a shard by its number, which may be any.
func (s *bounded) shard(n uint32) *shard {
	n %= uint32(len(s.shards))
	slot := &s.shards[n]
	if sh := slot.Load(); sh != nil {
		return sh
	}
	slot.CompareAndSwap(nil, &shard{owner: s, index: n})
	return slot.Load()
}

func (s *bounded) all() iter.Seq[*shard] {
	return func(yield func(*shard) bool) {
		for i := range s.shards {
			if sh := s.shards[i].Load(); sh != nil && !yield(sh) {
				return
			}
		}
	}
}

// reserve takes n bytes out of left, after a look into every shard for what it
// does not need, if there are too few.
func (s *bounded) reserve(n int64) bool {
	if s.take(n) {
		return true
	}
	for sh := range s.all() {
		sh.mu.Lock()
		s.left.Add(sh.room)
		sh.room = 0
		sh.mu.Unlock()
	}
	return s.take(n)
}

func (s *bounded) take(n int64) bool {
	for {
		left := s.left.Load()
		if left < n {
			return false
		}
		if s.left.CompareAndSwap(left, left-n) {
			return true
		}
	}
}

// evict drops a buffer of more than n bytes, and so frees n bytes for another.
// Otherwise a few large buffers in steady use would keep all the small ones
// out, for ever.
func (s *bounded) evict(n int64) bool {
	for sh := range s.all() {
		sh.mu.Lock()
		room := sh.room
		if i, size := sh.largest(); size > n {
			sh.pop(i)
		}
		freed := sh.room - room
		sh.room = room
		sh.mu.Unlock()
		if freed > 0 {
			s.left.Add(freed - n)
			return true
		}
	}
	return false
}

// stats counts until no shard was made meanwhile.
func (s *bounded) stats() (count, bytes int64) {
	for ok := false; !ok; {
		count, bytes, ok = s.tryStats()
	}
	return count, bytes
}

// tryStats holds the locks of all shards at once, and fails when one is made
// meanwhile. It would otherwise count a buffer twice, or not at all, that is
// taken from one shard and put into another.
func (s *bounded) tryStats() (count, bytes int64, ok bool) {
	locked := 0
	for sh := range s.all() {
		sh.mu.Lock()
		defer sh.mu.Unlock()
		for _, st := range sh.stacks {
			count += int64(len(st.buffers))
		}
		bytes += sh.used
		locked++
	}
	for range s.all() {
		locked--
	}
	return count, bytes, locked == 0
}

// arm sees to it that the next garbage collection calls collect.
func (s *bounded) arm() {
	if s.armed.CompareAndSwap(false, true) {
		// The cleanup of an object that nobody refers to runs after the next
		// collection. Without a pointer in it, it would share its block with
		// other small objects, and live as long as they.
		type sentinel struct{ _ *sentinel }
		runtime.AddCleanup(new(sentinel), (*bounded).collect, s)
	}
}

// collect lets go of what nobody used since the last garbage collection but
// one, as sync.Pool does.
func (s *bounded) collect() {
	s.armed.Store(false) // first: a Put that still sees it set is seen below
	again := false
	for sh := range s.all() {
		sh.mu.Lock()
		sh.trim()
		s.left.Add(sh.room)
		sh.room = 0
		again = again || sh.present != 0
		sh.mu.Unlock()
	}
	if again {
		s.arm()
	}
}

// push adds a buffer for which there is room.
func (sh *shard) push(b *Buffer, i int) {
	st := &sh.stacks[i]
	if st.buffers == nil {
		st.buffers = newStack(nil)
	}
	size := int64(cap(b.B))
	st.buffers = append(st.buffers, idle{b, size})
	sh.present |= 1 << i
	sh.last = i
	sh.room -= size
	sh.used += size
}

// pop removes a buffer of class i, or returns nil. For anyClass it looks where
// the last one was put, then for the smallest.
func (sh *shard) pop(i int) *Buffer {
	if i == anyClass {
		i = sh.last
		if sh.present&(1<<i) == 0 && sh.present != 0 {
			i = bits.TrailingZeros32(sh.present)
		}
	}
	st := &sh.stacks[i]
	n := len(st.buffers) - 1
	if n < 0 {
		return nil
	}
	b := st.buffers[n]
	st.buffers[n] = idle{}
	st.buffers = st.buffers[:n]
	st.low = min(st.low, n)
	if n == 0 {
		sh.present &^= 1 << i
	}
	sh.room += b.size
	sh.used -= b.size
	return b.Buffer
}

// largest returns the class of the largest buffer that pop would return, and
// its size.
func (sh *shard) largest() (class int, size int64) {
	for i := range sh.stacks {
		if st := sh.stacks[i].buffers; len(st) > 0 && st[len(st)-1].size > size {
			class, size = i, st[len(st)-1].size
		}
	}
	return class, size
}

// trim drops from each stack the buffers at the bottom, which no pop has come
// near since the last trim.
func (sh *shard) trim() {
	for i := range sh.stacks {
		st := &sh.stacks[i]
		if st.low > 0 || cap(st.buffers) > 8 && len(st.buffers) < cap(st.buffers)/4 {
			for _, b := range st.buffers[:st.low] {
				sh.room += b.size
				sh.used -= b.size
			}
			st.buffers = newStack(st.buffers[st.low:]) // the old one may have grown in a burst
			if len(st.buffers) == 0 {
				sh.present &^= 1 << i
			}
		}
		st.low = len(st.buffers)
	}
}

// newStack copies buffers, to memory that fills a cache line at least: smaller
// pieces of two shards could lie in one and slow both down.
func newStack(buffers []idle) []idle {
	return append(make([]idle, 0, max(8, len(buffers))), buffers...)
}
