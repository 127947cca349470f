// Package pool_test sets package pool beside the byte-buffer pools of other
// modules, in one run.
package pool_test

import (
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bytedance/gopkg/lang/mcache"
	gobufferpool "github.com/libp2p/go-buffer-pool"
	"github.com/valyala/bytebufferpool"
	"google.golang.org/grpc/mem"

	"github.com/lowalloc/lowalloc/pool"
)

// A peer calls f with a pooled buffer that has room for n bytes, and takes it
// back when f returns.
type peer struct {
	name string
	with func(n int, f func(b []byte))
}

// peers returns new pools, but for mcache and grpc-go, which are process-wide.
func peers() []peer {
	ours := &pool.Pool{MaxSize: 1 << 20}
	bounded := &pool.Pool{MaxSize: 1 << 20, MaxIdleBytes: 64 << 20}
	grpc := mem.DefaultBufferPool()
	var libp2p gobufferpool.BufferPool
	var byteBuffers bytebufferpool.Pool
	return []peer{
		{"pool", func(n int, f func([]byte)) {
			b := ours.GetSize(n)
			f(b.B[:n])
			ours.Put(b)
		}},
		{"pool-MaxIdleBytes", func(n int, f func([]byte)) {
			b := bounded.GetSize(n)
			f(b.B[:n])
			bounded.Put(b)
		}},
		{"grpc-go", func(n int, f func([]byte)) {
			b := grpc.Get(n)
			f(*b)
			grpc.Put(b)
		}},
		{"go-buffer-pool", func(n int, f func([]byte)) {
			b := libp2p.Get(n)
			f(b)
			libp2p.Put(b)
		}},
		{"mcache", func(n int, f func([]byte)) {
			b := mcache.Malloc(n)
			f(b)
			mcache.Free(b)
		}},
		{"bytebufferpool", func(n int, f func([]byte)) { // it has no Get with a size
			b := byteBuffers.Get()
			b.B = slices.Grow(b.B, n)
			f(b.B[:n])
			b.B = b.B[:n] // what it tunes itself by
			byteBuffers.Put(b)
		}},
	}
}

func touch(b []byte) { b[0] = 'x' }

func BenchmarkGetPut(b *testing.B) {
	for _, size := range []int{1 << 10, 32 << 10} {
		for _, p := range peers() {
			name := "impl=" + p.name + "/size=" + strconv.Itoa(size)
			b.Run(name+"/mode=serial", func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					p.with(size, touch)
				}
			})
			b.Run(name+"/mode=parallel", func(b *testing.B) {
				b.ReportAllocs()
				b.RunParallel(func(pb *testing.PB) {
					for pb.Next() {
						p.with(size, touch)
					}
				})
			})
		}
	}
}

// BenchmarkAgainstUs reports as "x" how many times as long the peer takes as
// our pool without a bound: short batches of both alternate, and x is the
// median ratio of neighbours.
func BenchmarkAgainstUs(b *testing.B) {
	for _, size := range []int{1 << 10, 32 << 10} {
		for i, p := range peers()[1:] {
			for _, goroutines := range []int{1, runtime.GOMAXPROCS(0)} {
				b.Run("impl="+p.name+"/size="+strconv.Itoa(size)+"/goroutines="+strconv.Itoa(goroutines), func(b *testing.B) {
					batch := func(p peer) float64 {
						start := time.Now()
						var wg sync.WaitGroup
						for range goroutines {
							wg.Go(func() {
								for range 10_000 {
									p.with(size, touch)
								}
							})
						}
						wg.Wait()
						return float64(time.Since(start))
					}
					fresh := peers()
					us, it := fresh[0], fresh[1+i]
					var ratios []float64
					for b.Loop() {
						ratios = append(ratios, 1/batch(us)*batch(it))
					}
					slices.Sort(ratios)
					b.ReportMetric(ratios[len(ratios)/2], "x")
					b.ReportMetric(0, "ns/op") // of two pools together, so of no use
				})
			}
		}
	}
}

// BenchmarkMixed has 64 goroutines use 256 KiB once in 20 times, else 1 KiB.
// idle-x is what lies idle afterwards, divided by what was in use at most.
func BenchmarkMixed(b *testing.B) {
	for i, p := range peers() {
		b.Run("impl="+p.name, func(b *testing.B) {
			var allocs, idle float64
			n := 0
			for b.Loop() {
				n++
				emptyGlobalPools()
				before := heap()
				fresh := peers()
				perUse, peak := mixed(fresh[i])
				idle += float64(heap()-before) / float64(peak)
				allocs += perUse
				runtime.KeepAlive(fresh)
			}
			b.ReportMetric(allocs/float64(n), "allocs/use")
			b.ReportMetric(idle/float64(n), "idle-x")
		})
	}
}

// BenchmarkSpike reports how much larger the live heap is after 1000 uses of 4
// MiB, while uses of 1 KiB went on and go on, 32 at a time.
func BenchmarkSpike(b *testing.B) {
	for i, p := range peers() {
		b.Run("impl="+p.name, func(b *testing.B) {
			var left float64
			n := 0
			for b.Loop() {
				n++
				emptyGlobalPools()
				fresh := peers()
				nest := func(size, depth int) {
					var next func(depth int)
					next = func(depth int) {
						fresh[i].with(size, func(b []byte) {
							b[len(b)-1] = 'x'
							if depth > 1 {
								next(depth - 1)
							}
						})
					}
					next(depth)
				}
				nest(1<<10, 32)
				before := heap()
				for range 1000 / 8 {
					nest(4<<20, 8)
					for range 8 {
						nest(1<<10, 32)
					}
				}
				for range 3 {
					nest(1<<10, 32)
					runtime.GC()
				}
				nest(1<<10, 32)
				left += float64(heap() - before)
				runtime.KeepAlive(fresh)
			}
			b.ReportMetric(left/float64(n)/(1<<20), "MiB-left")
		})
	}
}

func mixed(p peer) (allocsPerUse float64, peakInUse int64) {
	const goroutines, uses = 64, 2000
	var inUse, peak atomic.Int64
	run := func() {
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
					p.with(n, func(b []byte) {
						copy(b, block)
						runtime.Gosched()
					})
					inUse.Add(-int64(n))
				}
			})
		}
		wg.Wait()
	}
	run()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	run()
	runtime.ReadMemStats(&after)
	return float64(after.Mallocs-before.Mallocs) / (goroutines * uses), peak.Load()
}

var block = make([]byte, 256<<10)

func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// emptyGlobalPools empties the process-wide pools, so that each measurement
// begins with nothing.
func emptyGlobalPools() {
	for range 3 {
		runtime.GC()
	}
}
