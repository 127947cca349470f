package pool_test

import (
	"bytes"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/valyala/bytebufferpool"

	"github.com/lowalloc/lowalloc/pool"
)

// implementation runs n times: take a buffer, write one byte, give it back.
type implementation struct {
	name string
	use  func(n int)
}

// implementations returns new pools, a bare sync.Pool of the same buffer first.
func implementations() []implementation {
	syncPool := sync.Pool{New: func() any { return buffer(512) }}
	ours := new(pool.Pool)
	oursBounded := &pool.Pool{MaxIdleBytes: 1 << 20}
	var byteBuffers bytebufferpool.Pool
	bytesBuffers := sync.Pool{New: func() any { return new(bytes.Buffer) }}
	channel := make(chan *pool.Buffer, 64)
	return []implementation{
		{"sync.Pool", func(n int) {
			for range n {
				b := syncPool.Get().(*pool.Buffer)
				b.B = append(b.B[:0], 'x')
				syncPool.Put(b)
			}
		}},
		{"pool", func(n int) {
			for range n {
				b := ours.Get()
				b.B = append(b.B, 'x')
				ours.Put(b)
			}
		}},
		{"pool-GetSize", func(n int) {
			for range n {
				b := ours.GetSize(1000)
				b.B = append(b.B, 'x')
				ours.Put(b)
			}
		}},
		{"pool-MaxIdleBytes", func(n int) {
			for range n {
				b := oursBounded.Get()
				b.B = append(b.B, 'x')
				oursBounded.Put(b)
			}
		}},
		{"pool-MaxIdleBytes-GetSize", func(n int) {
			for range n {
				b := oursBounded.GetSize(1000)
				b.B = append(b.B, 'x')
				oursBounded.Put(b)
			}
		}},
		{"bytebufferpool", func(n int) {
			for range n {
				b := byteBuffers.Get()
				b.B = append(b.B, 'x')
				byteBuffers.Put(b)
			}
		}},
		{"bytes.Buffer", func(n int) {
			for range n {
				b := bytesBuffers.Get().(*bytes.Buffer)
				b.Reset()
				b.WriteByte('x')
				bytesBuffers.Put(b)
			}
		}},
		{"channel", func(n int) {
			for range n {
				var b *pool.Buffer
				select {
				case b = <-channel:
				default:
					b = buffer(512)
				}
				b.B = append(b.B[:0], 'x')
				select {
				case channel <- b:
				default:
				}
			}
		}},
	}
}

func BenchmarkGetPut(b *testing.B) {
	for _, impl := range implementations() {
		b.Run("impl="+impl.name+"/mode=serial", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				impl.use(1)
			}
		})
		b.Run("impl="+impl.name+"/mode=parallel", func(b *testing.B) {
			b.ReportAllocs()
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					impl.use(1)
				}
			})
		})
	}
}

// BenchmarkAgainstSyncPool reports as "x" how many times as long a use takes as
// one of a bare sync.Pool. Short batches of both alternate, so that what else
// the machine does hits both alike; x is the median ratio of neighbours.
func BenchmarkAgainstSyncPool(b *testing.B) {
	for _, impl := range implementations()[1:] {
		for _, mode := range []struct {
			name       string
			goroutines int
		}{{"serial", 1}, {"parallel", runtime.GOMAXPROCS(0)}} {
			b.Run("impl="+impl.name+"/mode="+mode.name, func(b *testing.B) {
				batch := func(use func(n int)) float64 {
					start := time.Now()
					var wg sync.WaitGroup
					for range mode.goroutines {
						wg.Go(func() { use(20_000) })
					}
					wg.Wait()
					return float64(time.Since(start))
				}
				twin := implementations()[0]
				var ratios []float64
				for b.Loop() {
					ratios = append(ratios, 1/batch(twin.use)*batch(impl.use))
				}
				slices.Sort(ratios)
				b.ReportMetric(ratios[len(ratios)/2], "x")
				b.ReportMetric(0, "ns/op") // of two pools together, so of no use
			})
		}
	}
}

// BenchmarkFresh is what a pool per place of use costs: a Get and a Put with
// one that is new.
func BenchmarkFresh(b *testing.B) {
	b.Run("impl=sync.Pool", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			p := &sync.Pool{New: func() any { return buffer(512) }}
			p.Put(p.Get())
		}
		b.ReportMetric(float64(unsafe.Sizeof(sync.Pool{})), "struct-bytes")
	})
	for _, maxIdle := range []int64{0, bounded} {
		impl := "impl=pool"
		if maxIdle > 0 {
			impl += "-MaxIdleBytes"
		}
		b.Run(impl, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				p := &pool.Pool{MaxIdleBytes: maxIdle}
				p.Put(p.Get())
			}
			b.ReportMetric(float64(unsafe.Sizeof(pool.Pool{})), "struct-bytes")
		})
	}
}

// BenchmarkMixed is the load of TestMixedSizes: 64 goroutines, one use in 20 of
// 256 KiB, the others of 1 KiB. idle-x is what lies idle afterwards, divided by
// what was in use at most.
func BenchmarkMixed(b *testing.B) {
	for _, impl := range []struct {
		name string
		new  func() user
	}{
		{"pool", func() user { return ours{&pool.Pool{MaxSize: 1 << 20}} }},
		{"pool-MaxIdleBytes", func() user { return ours{&pool.Pool{MaxSize: 1 << 20, MaxIdleBytes: 64 << 20}} }},
		{"bytes.Buffer", func() user { return new(bytesBuffers) }},
	} {
		b.Run("impl="+impl.name, func(b *testing.B) {
			var allocs, idle float64
			n := 0
			for b.Loop() {
				n++
				before := heap()
				p := impl.new()
				m := mixed(p)
				idle += float64(heap()-before) / float64(m.peak)
				allocs += m.allocsPerUse
				runtime.KeepAlive(p)
			}
			b.ReportMetric(allocs/float64(n), "allocs/use")
			b.ReportMetric(idle/float64(n), "idle-x")
		})
	}
}
