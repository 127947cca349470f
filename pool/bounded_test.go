package pool_test

import (
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/lowalloc/lowalloc/internal/alloctest"
	"github.com/lowalloc/lowalloc/pool"
)

// collect runs a garbage collection, and waits for the cleanups that follow it:
// two collections in a row would run them once.
func collect(t *testing.T) {
	t.Helper()
	runtime.GC()
	counts := []metrics.Sample{{Name: "/gc/cleanups/queued:cleanups"}, {Name: "/gc/cleanups/executed:cleanups"}}
	for patience := time.Now().Add(time.Minute); ; runtime.Gosched() {
		metrics.Read(counts)
		queued, executed := counts[0].Value.Uint64(), counts[1].Value.Uint64()
		if executed >= queued {
			return
		}
		if time.Until(patience) < 0 {
			t.Fatalf("%d of %d cleanups have run", executed, queued)
		}
	}
}

// collectByHand turns garbage collection off until the test ends, and returns
// when the last one has no cleanup left to run: from then on nothing idle is let
// go, except by collect.
func collectByHand(t *testing.T) {
	t.Helper()
	percent := debug.SetGCPercent(-1)
	t.Cleanup(func() { debug.SetGCPercent(percent) })
	collect(t)
}

// drain takes all idle buffers out.
func drain(p *pool.Pool) (buffers []*pool.Buffer, bytes int64) {
	for p.Stats().Idle > 0 {
		b := p.Get()
		buffers = append(buffers, b)
		bytes += int64(cap(b.B))
	}
	return buffers, bytes
}

func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

func TestHardBoundP3(t *testing.T) {
	const (
		limit      = 8 << 20
		goroutines = 64
	)
	uses := 2000
	if alloctest.Skewed() {
		uses = 100 // the race detector looks at every byte
	}
	p := &pool.Pool{MaxSize: 1 << 20, MaxIdleBytes: limit}
	var done atomic.Bool
	var samples, most int64
	var sampler sync.WaitGroup
	sampler.Go(func() {
		for ; !done.Load(); samples++ {
			s := p.Stats()
			most = max(most, s.IdleBytes)
			if s.IdleBytes > limit || s.IdleBytes < 0 || (s.Idle == 0) != (s.IdleBytes == 0) {
				t.Errorf("Stats = %+v, want 0 <= IdleBytes <= %d", s, limit)
				return
			}
			runtime.Gosched()
		}
	})
	use := func(times int) {
		var wg sync.WaitGroup
		for g := range goroutines {
			wg.Go(func() {
				rnd := rand.New(rand.NewPCG(1, uint64(g)))
				var held []*pool.Buffer
				for range times {
					switch n := rnd.IntN(1 << rnd.IntN(22)); rnd.IntN(5) {
					case 0:
						held = append(held, p.Get())
					case 1, 2:
						b := p.GetSize(n)
						if cap(b.B) < n {
							t.Errorf("GetSize(%d) has capacity %d", n, cap(b.B))
						}
						held = append(held, b)
					default:
						if len(held) > 0 {
							i := rnd.IntN(len(held))
							b := held[i]
							held[i] = held[len(held)-1]
							held = held[:len(held)-1]
							b.B = append(b.B, "content"...)
							p.Put(b)
						}
					}
					if len(held) > 8 {
						p.Put(held[0])
						held = held[1:]
					}
				}
				for _, b := range held {
					p.Put(b)
				}
			})
		}
		wg.Wait()
	}
	use(uses)
	collectByHand(t) // a collection between Stats and drain would let go of some
	use(20)
	done.Store(true)
	sampler.Wait()

	stats := p.Stats()
	if stats.Idle == 0 {
		t.Error("nothing is idle after all goroutines have given back what they held")
	}
	buffers, sum := drain(p)
	if int64(len(buffers)) != stats.Idle || sum != stats.IdleBytes {
		t.Errorf("Stats = %+v, but %d buffers with %d bytes came out", stats, len(buffers), sum)
	}
	if s := p.Stats(); s.Idle != 0 || s.IdleBytes != 0 {
		t.Errorf("after all buffers were taken out: Stats = %+v", s)
	}
	t.Logf("%d samples, at most %d of %d bytes idle; at the end %d buffers with %d bytes", samples, most, limit, stats.Idle, stats.IdleBytes)
}

// The heap may hold a quarter and 64 bytes per buffer more than IdleBytes.
func TestHeapAgreesWithIdleBytes(t *testing.T) {
	if alloctest.Skewed() {
		t.Skip("memory is not measurable in a race or coverage build")
	}
	const limit = 8 << 20
	rnd := rand.New(rand.NewPCG(1, 2))
	p := &pool.Pool{MaxIdleBytes: limit}
	before := heap()
	for range 4000 {
		b := p.GetSize(rnd.IntN(pool.DefaultMaxSize))
		for range rnd.IntN(4) { // let append choose the capacity, too
			b.B = append(b.B, make([]byte, rnd.IntN(1+cap(b.B)/2))...)
		}
		held = append(held, b)
	}
	collectByHand(t)
	for _, b := range held {
		p.Put(b)
	}
	held = nil
	got := heap() - before
	s := p.Stats()
	want := s.IdleBytes + s.IdleBytes/4 + 64*s.Idle
	if got > want || got < s.IdleBytes || s.IdleBytes < limit*9/10 {
		t.Errorf("heap grew by %d bytes for %d idle ones in %d buffers, want at most %d", got, s.IdleBytes, s.Idle, want)
	}
	t.Logf("heap %+d bytes, IdleBytes %d in %d buffers: %.3f", got, s.IdleBytes, s.Idle, float64(got)/float64(s.IdleBytes))
	runtime.KeepAlive(p)
}

var held []*pool.Buffer

func TestLetGoAfterTwoCollectionsP7(t *testing.T) {
	collectByHand(t)
	p := &pool.Pool{MaxIdleBytes: bounded}
	for round := range 3 { // more than one: the wait for a collection must begin anew
		var buffers []*pool.Buffer
		for n := 1; n <= 1<<16; n *= 2 {
			buffers = append(buffers, p.GetSize(n))
		}
		for _, b := range buffers {
			p.Put(b)
		}
		collect(t)
		if s := p.Stats(); s.Idle == 0 {
			t.Errorf("round %d: nothing is idle after one collection", round)
		}
		collect(t)
		if s := p.Stats(); s.Idle != 0 || s.IdleBytes != 0 {
			t.Errorf("round %d: after two collections without use: Stats = %+v", round, s)
		}
	}
	if s := p.Stats(); s.Discarded != 0 {
		t.Errorf("%d discarded, want those let go not to count", s.Discarded)
	}
}

// What is in use between collections stays: only the others are let go.
func TestLetGoOfUnusedOnlyP5(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // one shard
	collectByHand(t)
	p := &pool.Pool{MaxIdleBytes: bounded}
	use := func(n int) {
		var buffers []*pool.Buffer
		for range n {
			buffers = append(buffers, p.GetSize(1000))
		}
		for _, b := range buffers {
			p.Put(b)
		}
	}
	use(10)
	for range 5 {
		use(3)
		collect(t)
	}
	if s := p.Stats(); s.Idle != 3 || s.Allocated != 10 {
		t.Errorf("10 buffers, 3 of them in use between collections: Stats = %+v, want 3 idle, 10 allocated", s)
	}
}

// A pool with idle buffers that nobody refers to any more must not stay alive.
func TestAbandonedPoolIsCollectedP5(t *testing.T) {
	collected := make(chan bool, 1)
	func() {
		p := &pool.Pool{MaxIdleBytes: bounded}
		b := p.GetSize(1000)
		runtime.AddCleanup(b, func(c chan bool) { c <- true }, collected)
		p.Put(b)
	}()
	for range 5 {
		collect(t)
		select {
		case <-collected:
			return
		default:
		}
	}
	t.Error("the buffer of an abandoned pool is alive after 5 collections")
}

// Four large buffers fill the bound, and in 20 uses there are 19 small ones:
// these must find room, at the cost of one of the large ones.
func TestLargeBuffersDoNotStarveSmallOnesP6(t *testing.T) {
	if alloctest.Skewed() {
		t.Skip("allocations are not countable in a race or coverage build")
	}
	const uses = 20_000
	p := &pool.Pool{MaxSize: 1 << 20, MaxIdleBytes: 1 << 20}
	large := func() {
		var four [4]*pool.Buffer
		for i := range four {
			four[i] = p.GetSize(256 << 10)
		}
		for _, b := range four {
			p.Put(b)
		}
	}
	large()
	if s := p.Stats(); s.IdleBytes != 1<<20 {
		t.Fatalf("Stats = %+v, want the bound full of large buffers", s)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for i := range uses {
		if i%80 == 0 {
			large() // four uses in 80
		} else if i%20 != 0 {
			p.Put(p.GetSize(1 << 10))
		}
	}
	runtime.ReadMemStats(&after)
	perUse := float64(after.Mallocs-before.Mallocs) / uses
	if perUse > 0.1 {
		t.Errorf("%.3f allocations a use, want at most 0.1; Stats = %+v", perUse, p.Stats())
	}
	t.Logf("%.4f allocations a use, %+v", perUse, p.Stats())
}

// The other way round: small idle buffers do not go for a large one, which
// finds room when nobody has used them for two collections.
func TestSmallBuffersAreNotDroppedForALargeOne(t *testing.T) {
	collectByHand(t)
	p := &pool.Pool{MaxIdleBytes: 10_000}
	for range 10 {
		p.Put(buffer(1000))
	}
	p.Put(buffer(5000))
	if s := p.Stats(); s.Idle != 10 || s.IdleBytes != 10_000 || s.Discarded != 1 {
		t.Errorf("Stats = %+v, want the ten small ones kept and the large one discarded", s)
	}
	collect(t)
	collect(t)
	p.Put(buffer(5000))
	if s := p.Stats(); s.Idle != 1 || s.IdleBytes != 5000 {
		t.Errorf("after two collections: Stats = %+v, want the large one kept", s)
	}
}

// Room that one goroutine's buffers have left must serve the others.
func TestRoomIsSharedP3(t *testing.T) {
	collectByHand(t)
	const limit = 64 << 10
	p := &pool.Pool{MaxIdleBytes: limit}
	for range 200 {
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				var buffers []*pool.Buffer
				for range 16 {
					buffers = append(buffers, p.GetSize(1<<10))
				}
				for _, b := range buffers {
					p.Put(b)
				}
			})
		}
		wg.Wait()
		p.Put(buffer(1 << 9))
		for range 64 {
			p.Put(buffer(1 << 10)) // never dropped as long as there is room
		}
		if s := p.Stats(); s.IdleBytes < limit-1<<10 {
			t.Fatalf("Stats = %+v: room is lost", s)
		}
	}
}

// One buffer that moves about must never be seen twice, nor two allocated.
func TestStatsSeesAMovingBufferOnceP3(t *testing.T) {
	collectByHand(t)
	p := &pool.Pool{MaxIdleBytes: bounded}
	var wg sync.WaitGroup
	turn := make(chan *pool.Buffer, 1)
	turn <- p.GetSize(1000)
	for range 8 {
		wg.Go(func() {
			for range 500 {
				p.Put(<-turn)
				if s := p.Stats(); s.Idle > 1 {
					t.Errorf("Stats = %+v with one buffer about", s)
				}
				turn <- p.GetSize(1000)
			}
		})
	}
	wg.Wait()
	if s := p.Stats(); s.Allocated != 1 {
		t.Errorf("Stats = %+v, want one buffer allocated: an idle one is found wherever it lies", s)
	}
}

// Uses that outgrow a small size fill the bound with large buffers, though these
// lie with the small ones. They must not keep uses of another size out.
func TestOutgrownBuffersDoNotStarveOthersP6(t *testing.T) {
	if alloctest.Skewed() {
		t.Skip("allocations are not countable in a race or coverage build")
	}
	p := &pool.Pool{MaxSize: 1 << 20, MaxIdleBytes: 1 << 20}
	outgrow := func() {
		var four [4]*pool.Buffer
		for i := range four {
			four[i] = p.GetSize(1 << 10)
			four[i].Grow(256 << 10)
		}
		for _, b := range four {
			p.Put(b)
		}
	}
	const uses = 20_000
	for i := range uses {
		if i%80 == 0 {
			outgrow()
		} else if i%20 != 0 {
			p.Put(p.GetSize(4 << 10))
		}
	}
	if s := p.Stats(); s.Allocated > uses/10 {
		t.Errorf("Stats = %+v, want at most one allocation in 10 of %d uses", s, uses)
	}
}

// The list of a burst's buffers goes, too, when all of them were taken out again.
func TestHeapOfAnEmptiedPool(t *testing.T) {
	if alloctest.Skewed() {
		t.Skip("memory is not measurable in a race or coverage build")
	}
	const n = 200_000
	p := &pool.Pool{MaxIdleBytes: n}
	before := heap()
	for range n {
		p.Put(buffer(1))
	}
	for range n {
		held = append(held, p.Get())
	}
	if s := p.Stats(); s.Idle != 0 {
		t.Fatalf("%+v", s)
	}
	held = nil
	for range 4 {
		collect(t)
	}
	if got := heap() - before; got > n*5/4 {
		t.Errorf("an empty pool with a bound of %d bytes holds %d", n, got)
	}
	runtime.KeepAlive(p)
}

// The documented bound on the heap holds for the smallest buffers, too.
func TestHeapAgreesWithIdleBytesOfSmallBuffers(t *testing.T) {
	if alloctest.Skewed() {
		t.Skip("memory is not measurable in a race or coverage build")
	}
	collectByHand(t)
	for _, size := range []int{1, 17, 33, 65, 129, 257, 511, 513} {
		p := &pool.Pool{MaxIdleBytes: bounded}
		for range 3 { // nothing of the pool before
			collect(t)
		}
		before := heap()
		for range 20_000 {
			p.Put(buffer(size))
		}
		got := heap() - before // one collection keeps them all
		s := p.Stats()
		if want := s.IdleBytes + s.IdleBytes/4 + 128*s.Idle; got > want || s.Idle != 20_000 {
			t.Errorf("%d buffers of %d bytes: heap grew by %d bytes, want at most %d", s.Idle, size, got, want)
		}
		t.Logf("%d bytes: %.1f bytes of the heap each", size, float64(got)/float64(s.Idle))
		runtime.KeepAlive(p)
	}
}
