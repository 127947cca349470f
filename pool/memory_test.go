package pool_test

import (
	"bytes"
	"runtime"
	"sync"
	"testing"

	"github.com/lowalloc/lowalloc/internal/alloctest"
	"github.com/lowalloc/lowalloc/pool"
)

// A burst of huge buffers must leave nothing behind while small uses go on.
// The sync.Pool of bytes.Buffer shows what happens otherwise: the small uses
// keep the huge buffers alive (https://go.dev/issue/23199).
func TestSpike(t *testing.T) {
	if alloctest.Skewed() {
		t.Skip("memory is not measurable in a race or coverage build")
	}
	const spike, huge, small = 1000, 4 << 20, 1 << 10
	for _, tt := range []struct {
		name string
		pool user
		keep bool // whether it holds on to the burst
	}{
		{"pool", ours{&pool.Pool{MaxSize: 64 << 10}}, false},
		{"pool, MaxIdleBytes", ours{&pool.Pool{MaxSize: 64 << 10, MaxIdleBytes: 1 << 20}}, false},
		{"sync.Pool of bytes.Buffer", new(bytesBuffers), true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			stream := func() { // 32 small uses at once
				var release [32]func()
				for i := range release {
					release[i] = tt.pool.use(small)
				}
				for _, f := range release {
					f()
				}
			}
			stream()
			before := heap()
			for i := range spike {
				if i%8 == 0 { // 8 huge uses at once
					var release [8]func()
					for i := range release {
						release[i] = tt.pool.use(huge)
					}
					for _, f := range release {
						f()
					}
				}
				stream()
			}
			for range 3 { // the stream goes on through the collections
				stream()
				runtime.GC()
			}
			stream()
			got := heap() - before
			t.Logf("live heap after the burst: %+d bytes", got)
			if grown := got > 1<<20; grown != tt.keep {
				t.Errorf("live heap grew by %d bytes: more than 1 MiB is %v, want %v", got, grown, tt.keep)
			}
		})
	}
}

// Nineteen of twenty uses are small. The large ones must neither be allocated
// again and again nor leave their size with the small ones, as they do with the
// sync.Pool of bytes.Buffer.
func TestMixedSizes(t *testing.T) {
	if alloctest.Skewed() {
		t.Skip("memory is not measurable in a race or coverage build")
	}
	for _, tt := range []struct {
		name string
		pool user
		keep bool // whether it holds on to more
	}{
		{"pool", ours{&pool.Pool{MaxSize: 1 << 20}}, false},
		{"pool, MaxIdleBytes", ours{&pool.Pool{MaxSize: 1 << 20, MaxIdleBytes: bounded}}, false},
		{"sync.Pool of bytes.Buffer", new(bytesBuffers), true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			before := heap()
			m := mixed(tt.pool)
			idle := heap() - before
			runtime.KeepAlive(tt.pool)
			t.Logf("%.4f allocations a use; idle %.1f MiB, %.1fx the %.1f MiB in use at most",
				m.allocsPerUse, float64(idle)/(1<<20), float64(idle)/float64(m.peak), float64(m.peak)/(1<<20))
			if m.allocsPerUse > 0.01 && !tt.keep {
				t.Errorf("%.4f allocations a use, want at most 0.01", m.allocsPerUse)
			}
			if got := idle > 2*m.peak; got != tt.keep {
				t.Errorf("%d bytes idle, %d in use at most: more than twice as many is %v, want %v", idle, m.peak, got, tt.keep)
			}
		})
	}
}

type mixture struct {
	allocsPerUse float64
	peak         int64 // bytes asked for and in use at once, at most
}

// mixed has 64 goroutines for each processor use 1 KiB 19 times in 20, else 256
// KiB. In each round all take at once, and only then do all give back: how much
// is in use at most does not depend on the scheduler.
func mixed(p user) mixture {
	const warmUp, rounds = 500, 500
	goroutines := 64 * runtime.GOMAXPROCS(0)
	size := func(round, g int) int {
		if (round+g)%20 == 0 {
			return 256 << 10
		}
		return 1 << 10
	}
	var peak int64
	for round := range 20 {
		var sum int64
		for g := range goroutines {
			sum += int64(size(round, g))
		}
		peak = max(peak, sum)
	}
	run := func(rounds int) {
		wait := newBarrier(goroutines).wait
		var wg sync.WaitGroup
		for g := range goroutines {
			wg.Go(func() {
				for round := range rounds {
					p.hold(size(round, g), wait)
					wait()
				}
			})
		}
		wg.Wait()
	}
	run(warmUp)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	run(rounds)
	runtime.ReadMemStats(&after)
	return mixture{float64(after.Mallocs-before.Mallocs) / float64(goroutines*rounds), peak}
}

// barrier makes n goroutines wait for each other, again and again.
type barrier struct {
	n       int
	mu      sync.Mutex
	opened  *sync.Cond
	arrived int
	round   int
}

func newBarrier(n int) *barrier {
	b := &barrier{n: n}
	b.opened = sync.NewCond(&b.mu)
	return b
}

func (b *barrier) wait() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.arrived++
	if b.arrived == b.n {
		b.arrived = 0
		b.round++
		b.opened.Broadcast()
		return
	}
	for round := b.round; b.round == round; {
		b.opened.Wait()
	}
}

// user is a pool under test. A use takes n bytes, of which it writes the first.
type user interface {
	use(n int) (release func())
	hold(n int, wait func()) // takes n bytes, waits, and gives them back
}

type ours struct{ *pool.Pool }

func (p ours) use(n int) func() {
	b := p.GetSize(n)
	_ = b.WriteByte('x')
	return func() { p.Put(b) }
}

func (p ours) hold(n int, wait func()) {
	b := p.GetSize(n)
	_ = b.WriteByte('x')
	wait()
	p.Put(b)
}

type bytesBuffers struct{ pool sync.Pool }

func (p *bytesBuffers) get(n int) *bytes.Buffer {
	b, ok := p.pool.Get().(*bytes.Buffer)
	if !ok {
		b = new(bytes.Buffer)
	}
	b.Reset()
	b.Grow(n)
	b.WriteByte('x')
	return b
}

func (p *bytesBuffers) use(n int) func() {
	b := p.get(n)
	return func() { p.pool.Put(b) }
}

func (p *bytesBuffers) hold(n int, wait func()) {
	b := p.get(n)
	wait()
	p.pool.Put(b)
}
