package pool_test

import (
	"bytes"
	"fmt"
	"math"
	"math/bits"
	"runtime"
	"sync"
	"testing"

	"github.com/lowalloc/lowalloc/internal/alloctest"
	"github.com/lowalloc/lowalloc/pool"
)

// bounded is a MaxIdleBytes that leaves room for everything.
const bounded = 1 << 30

// buffer returns a buffer that no pool has made.
func buffer(capacity int) *pool.Buffer {
	b := new(pool.Buffer)
	b.B = make([]byte, 0, capacity)
	return b
}

// What Put keeps shows in Idle when MaxIdleBytes is set, and in Discarded always.
func TestPutBoundaries(t *testing.T) {
	for _, tt := range []struct {
		name     string
		maxSize  int
		maxIdle  int64
		capacity int
		keep     bool
	}{
		{"default, at the limit", 0, bounded, pool.DefaultMaxSize, true},
		{"default, one more", 0, bounded, pool.DefaultMaxSize + 1, false},
		{"own limit, at it", 100_000, bounded, 100_000, true},
		{"own limit, one more", 100_000, bounded, 100_001, false},
		{"below the smallest class", 100, bounded, 1, true},
		{"tiny limit, at it", 100, bounded, 100, true},
		{"tiny limit, one more", 100, bounded, 101, false},
		{"above the largest class", math.MaxInt, bounded, 65 << 20, true},
		{"no capacity", 0, bounded, 0, false},
		{"MaxSize keeps nothing", -1, bounded, 1, false},
		{"MaxIdleBytes keeps nothing", 0, -1, 1, false},
		{"idle bytes, at the limit", 0, 1000, 1000, true},
		{"idle bytes, one more", 0, 1000, 1001, false},
		{"garbage collector, at the limit", 0, 0, pool.DefaultMaxSize, true},
		{"garbage collector, one more", 0, 0, pool.DefaultMaxSize + 1, false},
		{"garbage collector, no capacity", 0, 0, 0, false},
		{"garbage collector, MaxSize keeps nothing", -1, 0, 1, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := &pool.Pool{MaxSize: tt.maxSize, MaxIdleBytes: tt.maxIdle}
			p.Put(buffer(tt.capacity))
			var want pool.Stats
			if tt.keep {
				want.Idle, want.IdleBytes = 1, int64(tt.capacity)
			} else {
				want.Discarded = 1
			}
			if tt.maxIdle == 0 {
				want.Idle, want.IdleBytes = -1, -1
			}
			if got := p.Stats(); got != want {
				t.Errorf("MaxSize %d, MaxIdleBytes %d: Put of capacity %d: Stats = %+v, want %+v",
					tt.maxSize, tt.maxIdle, tt.capacity, got, want)
			}
		})
	}
}

func TestPutNilF40(t *testing.T) {
	for _, maxIdle := range []int64{-1, 0, bounded} {
		p := &pool.Pool{MaxIdleBytes: maxIdle}
		before := p.Stats()
		p.Put(nil)
		if got := p.Stats(); got != before {
			t.Errorf("MaxIdleBytes %d: after Put(nil): Stats = %+v, want %+v", maxIdle, got, before)
		}
		if b := p.Get(); b == nil || len(b.B) != 0 {
			t.Errorf("MaxIdleBytes %d: after Put(nil): Get = %v, want an empty buffer", maxIdle, b)
		}
	}
}

// forAllPools calls f with pools of every kind of configuration.
func forAllPools(t *testing.T, f func(t *testing.T, p *pool.Pool)) {
	for _, maxSize := range []int{-1, 0, 1, 100, 511, 512, 513, 600, 100_000, 1 << 20, math.MaxInt} {
		for _, maxIdle := range []int64{-1, 0, 10_000, bounded} {
			t.Run(fmt.Sprintf("MaxSize=%d/MaxIdleBytes=%d", maxSize, maxIdle), func(t *testing.T) {
				f(t, &pool.Pool{MaxSize: maxSize, MaxIdleBytes: maxIdle})
			})
		}
	}
}

var sizes = []int{math.MinInt, -1, 0, 1, 50, 100, 511, 512, 513, 600, 65_535, 65_536, 65_537, 70_000, 99_999, 100_000, 100_001, 1 << 20}

func TestGetSizeF31(t *testing.T) {
	forAllPools(t, func(t *testing.T, p *pool.Pool) {
		for _, n := range sizes {
			for range 3 {
				b := p.GetSize(n)
				if len(b.B) != 0 || cap(b.B) < n {
					t.Fatalf("GetSize(%d) has len %d, cap %d", n, len(b.B), cap(b.B))
				}
				if n > p.MaxSize && p.MaxSize > 0 && cap(b.B) != n {
					t.Fatalf("GetSize(%d) above MaxSize has cap %d, want %d", n, cap(b.B), n)
				}
				b.B = append(b.B, "content"...)
				p.Put(b)
				p.Put(buffer(n & 0xffff))
			}
		}
	})
}

// GetSize leaves larger buffers alone, be they of the next class: small uses are
// not to hold them. Get takes what there is.
func TestGetSizeTakesNoLargerBuffer(t *testing.T) {
	for _, tt := range []struct {
		capacity, n int
		reused      bool
	}{
		{4096, 1, false},
		{4096, 2048, false},
		{4096, 2049, true},
		{8191, 2049, true},
		{8192, 2049, false},
	} {
		p := &pool.Pool{MaxIdleBytes: bounded}
		idle := buffer(tt.capacity)
		p.Put(idle)
		if got := p.GetSize(tt.n) == idle; got != tt.reused {
			t.Errorf("GetSize(%d) takes an idle buffer of %d: %v, want %v", tt.n, tt.capacity, got, tt.reused)
		}
		if !tt.reused && p.Get() != idle {
			t.Errorf("Get does not take the idle buffer of %d", tt.capacity)
		}
	}
}

func TestGetSizePanics(t *testing.T) {
	if bits.UintSize == 32 {
		t.Skip("2 GiB may be there")
	}
	defer func() {
		if recover() == nil {
			t.Error("GetSize(math.MaxInt) did not panic")
		}
	}()
	new(pool.Pool).GetSize(math.MaxInt)
}

// A size must find the buffer that it has put, also where rounding up to a
// class would pass MaxSize.
func TestGetSizeReusesP2(t *testing.T) {
	for _, maxSize := range []int{1, 100, 512, 600, 1000, 100_000, 1 << 20} {
		p := &pool.Pool{MaxSize: maxSize, MaxIdleBytes: bounded}
		for _, n := range append(sizes, maxSize/2+1, maxSize*7/10, maxSize-1, maxSize) {
			if n > maxSize || n <= 0 {
				continue
			}
			b := p.GetSize(n)
			p.Put(b)
			if got := p.GetSize(n); got != b {
				t.Errorf("MaxSize %d: GetSize(%d), Put, GetSize(%[2]d) gives another buffer", maxSize, n)
			}
			p.Put(b)
		}
		if s := p.Stats(); s.Discarded != 0 {
			t.Errorf("MaxSize %d: %d discarded, want none", maxSize, s.Discarded)
		}
	}
}

// The largest content that the documentation promises to keep, written byte by
// byte, and the smallest it does not promise.
func TestPiecemealContentP2(t *testing.T) {
	for _, tt := range []struct {
		size int
		keep int64
	}{{57_344, 1}, {57_345, 0}} {
		p := &pool.Pool{MaxIdleBytes: bounded}
		b := p.Get()
		for range tt.size {
			_ = b.WriteByte('x')
		}
		p.Put(b)
		if s := p.Stats(); s.Idle != tt.keep {
			t.Errorf("%d bytes written one by one: capacity %d, %d kept, want %d", tt.size, cap(b.B), s.Idle, tt.keep)
		}
	}
}

// bytebufferpool's own Pool tunes a hidden limit by the lengths it sees: 42001
// empty buffers make it drop everything above 64 bytes, and buffers that append
// has grown past the tuned size are dropped every time. A limit of our own
// depends on neither.
func TestNoHiddenLimitF33F34(t *testing.T) {
	p := &pool.Pool{MaxSize: 16 << 10, MaxIdleBytes: bounded}
	for range 42_001 {
		b := p.Get()
		b.Reset()
		p.Put(b)
	}
	b := p.Get()
	for range 700 {
		_, _ = b.WriteString("ten bytes.")
	}
	p.Put(b)
	if s := p.Stats(); s.Discarded != 0 || s.Allocated != 1 {
		t.Errorf("Stats = %+v, want nothing discarded and one allocation", s)
	}
}

// A capacity that changes hands is counted while the buffer is still ours.
// This is for the race detector.
func TestSizesReadBeforePutF32(t *testing.T) {
	forAllPools(t, func(_ *testing.T, p *pool.Pool) {
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				for i := range 200 {
					b := p.Get()
					b.Grow(i)
					p.Put(b)
					p.Stats()
				}
			})
		}
		wg.Wait()
	})
}

func TestStats(t *testing.T) {
	for _, tt := range []struct {
		maxIdle int64
		want    pool.Stats
	}{
		{-1, pool.Stats{Allocated: 4, Discarded: 4}},
		{0, pool.Stats{Allocated: 4, Discarded: 1, Idle: -1, IdleBytes: -1}},
		{3 << 10, pool.Stats{Allocated: 4, Discarded: 2, Idle: 2, IdleBytes: 2 << 10}},
		{bounded, pool.Stats{Allocated: 4, Discarded: 1, Idle: 3, IdleBytes: 4 << 10}},
	} {
		p := &pool.Pool{MaxIdleBytes: tt.maxIdle}
		a, b, c, d := p.GetSize(1<<10), p.GetSize(1<<10), p.GetSize(2<<10), p.GetSize(1<<20)
		for _, b := range []*pool.Buffer{a, b, c, d} {
			p.Put(b)
		}
		if got := p.Stats(); got != tt.want {
			t.Errorf("MaxIdleBytes %d: Stats = %+v, want %+v", tt.maxIdle, got, tt.want)
		}
	}
}

func TestAllocsWarmGetPutP1(t *testing.T) {
	for _, maxIdle := range []int64{0, bounded} {
		for name, use := range map[string]func(*pool.Pool){
			"untouched": func(p *pool.Pool) { p.Put(p.Get()) },
			"sized":     func(p *pool.Pool) { p.Put(p.GetSize(10_000)) },
			"written": func(p *pool.Pool) {
				b := p.Get()
				b.Set(content)
				p.Put(b)
			},
			"mixed": func(p *pool.Pool) {
				b, c := p.GetSize(1000), p.GetSize(50_000)
				d := p.Get()
				p.Put(b)
				p.Put(d)
				p.Put(c)
			},
		} {
			t.Run(fmt.Sprintf("MaxIdleBytes=%d/%s", maxIdle, name), func(t *testing.T) {
				p := &pool.Pool{MaxIdleBytes: maxIdle}
				alloctest.Gate(t, 10_000, 0, 0, func() { use(p) })
			})
		}
	}
}

var content = make([]byte, 5000)

// Uses that outgrow the size they asked for must find the buffers that earlier
// ones have grown: nobody else would, and they would pile up.
func TestOutgrownBuffersAreReused(t *testing.T) {
	block := make([]byte, 400<<10)
	if alloctest.Skewed() {
		t.Skip("sync.Pool drops items at random in a race build")
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	collectByHand(t)
	const uses = 1000
	for _, maxIdle := range []int64{0, 4 << 20} {
		for name, use := range map[string]func(b *pool.Buffer, i int){
			"always":     func(b *pool.Buffer, _ int) { _, _ = b.Write(block) },
			"one in ten": func(b *pool.Buffer, i int) { _, _ = b.Write(block[:i%10/9*len(block)]) },
			"ReadFrom without room for the end": func(b *pool.Buffer, _ int) {
				_, _ = b.ReadFrom(bytes.NewReader(block[:1024]))
			},
		} {
			t.Run(fmt.Sprintf("MaxIdleBytes=%d/%s", maxIdle, name), func(t *testing.T) {
				p := &pool.Pool{MaxSize: 1 << 20, MaxIdleBytes: maxIdle}
				before := heap()
				for i := range uses {
					b := p.GetSize(1000)
					use(b, i)
					p.Put(b)
					p.Put(p.GetSize(250 << 10)) // of the class that the others grow to: they must not end up there
				}
				grown := heapInUse() - before
				if s := p.Stats(); s.Allocated != 2 || s.Discarded != 0 || grown > 1<<20 {
					t.Errorf("%d uses: Stats = %+v, heap %+d bytes; want 2 allocated, none discarded, less than 1 MiB", uses, s, grown)
				}
				runtime.KeepAlive(p)
			})
		}
	}
}

// heapInUse is heap without a collection before it.
func heapInUse() int64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// A buffer that outgrew its GetSize goes to the uses of that size only: a Get
// after it, which knows no size, leaves the buffer to all.
func TestOutgrownBufferForgetsItsSize(t *testing.T) {
	if alloctest.Skewed() {
		t.Skip("sync.Pool drops items at random in a race build")
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	collectByHand(t)
	for _, maxIdle := range []int64{0, bounded} {
		p := &pool.Pool{MaxIdleBytes: maxIdle}
		b := p.GetSize(1000)
		p.Put(b)
		p.Put(p.GetSize(1000)) // of the class that was Put last, as most are
		if p.Get() != b {
			t.Fatalf("MaxIdleBytes %d: Get does not find the idle buffer", maxIdle)
		}
		b.Grow(40 << 10)
		p.Put(b)
		if p.GetSize(1000) == b {
			t.Errorf("MaxIdleBytes %d: a buffer grown by a use of Get went to a small use", maxIdle)
		} else if p.GetSize(30<<10) != b {
			t.Errorf("MaxIdleBytes %d: a buffer grown by a use of Get did not go to a large use", maxIdle)
		}
	}
}

// Buffers of the last class do not serve all its sizes. A new array in one of
// them is an allocation like any other.
func TestStatsCountsNewArraysOfTheLastClass(t *testing.T) {
	for _, maxIdle := range []int64{0, bounded} {
		p := &pool.Pool{MaxSize: 128 << 20, MaxIdleBytes: maxIdle}
		p.Put(buffer(64 << 20))
		if b := p.GetSize(100 << 20); cap(b.B) < 100<<20 {
			t.Errorf("capacity %d, want 100 MiB", cap(b.B))
		}
		if s := p.Stats(); s.Allocated != 1 {
			t.Errorf("MaxIdleBytes %d: Stats = %+v, want 1 allocated", maxIdle, s)
		}
	}
}
