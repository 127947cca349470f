package pool_test

import (
	"bytes"
	"runtime"
	"sync"
	"sync/atomic"
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
		keep bool // whether it may hold on to the burst
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
			if !tt.keep && got > 1<<20 {
				t.Errorf("live heap grew by %d bytes, want at most 1 MiB", got)
			}
		})
	}
}

// Nineteen of twenty uses are small. The large ones must neither be allocated
// again and again nor leave their size with the small ones.
func TestMixedSizes(t *testing.T) {
	if alloctest.Skewed() {
		t.Skip("memory is not measurable in a race or coverage build")
	}
	for _, tt := range []struct {
		name string
		pool user
		want bool
	}{
		{"pool", ours{&pool.Pool{MaxSize: 1 << 20}}, true},
		{"pool, MaxIdleBytes", ours{&pool.Pool{MaxSize: 1 << 20, MaxIdleBytes: 64 << 20}}, true},
		{"sync.Pool of bytes.Buffer", new(bytesBuffers), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			before := heap()
			m := mixed(tt.pool)
			idle := heap() - before
			runtime.KeepAlive(tt.pool)
			t.Logf("%.4f allocations a use; idle %.1f MiB, %.1fx the %.1f MiB in use at most",
				m.allocsPerUse, float64(idle)/(1<<20), float64(idle)/float64(m.peak), float64(m.peak)/(1<<20))
			if tt.want && m.allocsPerUse > 0.01 {
				t.Errorf("%.4f allocations a use, want at most 0.01", m.allocsPerUse)
			}
			if tt.want && idle > 2*m.peak {
				t.Errorf("%d bytes idle, want at most twice the %d in use at most", idle, m.peak)
			}
		})
	}
}

type mixture struct {
	allocsPerUse float64
	peak         int64 // bytes asked for and in use at once, at most
}

// mixed has 64 goroutines use 1 KiB 19 times in 20, else 256 KiB.
func mixed(p user) mixture {
	const goroutines, warmUp, uses = 64, 2000, 2000
	var inUse, peak atomic.Int64
	run := func(uses int) {
		var wg sync.WaitGroup
		for g := range goroutines {
			wg.Go(func() {
				for i := range uses {
					n := 1 << 10
					if (i+g)%20 == 0 {
						n = 256 << 10
					}
					now := inUse.Add(int64(n))
					for was := peak.Load(); now > was && !peak.CompareAndSwap(was, now); was = peak.Load() {
					}
					p.hold(n)
					inUse.Add(-int64(n))
				}
			})
		}
		wg.Wait()
	}
	run(warmUp)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	run(uses)
	runtime.ReadMemStats(&after)
	return mixture{float64(after.Mallocs-before.Mallocs) / (goroutines * uses), peak.Load()}
}

// user is a pool under test.
type user interface {
	use(n int) (release func()) // takes n bytes
	hold(n int)                 // takes n bytes, lets others run, and gives them back
}

var block = make([]byte, 4<<20)

type ours struct{ *pool.Pool }

func (p ours) use(n int) func() {
	b := p.GetSize(n)
	_, _ = b.Write(block[:n])
	return func() { p.Put(b) }
}

func (p ours) hold(n int) {
	b := p.GetSize(n)
	_, _ = b.Write(block[:n])
	runtime.Gosched()
	p.Put(b)
}

type bytesBuffers struct{ pool sync.Pool }

func (p *bytesBuffers) get(n int) *bytes.Buffer {
	b, ok := p.pool.Get().(*bytes.Buffer)
	if !ok {
		b = new(bytes.Buffer)
	}
	b.Reset()
	b.Write(block[:n])
	return b
}

func (p *bytesBuffers) use(n int) func() {
	b := p.get(n)
	return func() { p.pool.Put(b) }
}

func (p *bytesBuffers) hold(n int) {
	b := p.get(n)
	runtime.Gosched()
	p.pool.Put(b)
}
