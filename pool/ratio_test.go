package pool_test

import (
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/lowalloc/lowalloc/pool"
)

// interleaved reports how much longer use takes than twin. It alternates short
// batches of both, so that what else the machine does hits both alike, and
// reports the median of the ratios of neighbours.
func interleaved(b *testing.B, goroutines int, twin, use func(n int)) {
	const batch = 4000
	run := func(f func(n int)) time.Duration {
		start := time.Now()
		if goroutines == 1 {
			f(batch)
		} else {
			var wg sync.WaitGroup
			for range goroutines {
				wg.Go(func() { f(batch * 4) })
			}
			wg.Wait()
		}
		return time.Since(start)
	}
	var ratios []float64
	var t, o time.Duration
	n := 0
	for b.Loop() {
		n++
		x, y := run(twin), run(use)
		t, o = t+x, o+y
		ratios = append(ratios, float64(y)/float64(x))
	}
	slices.Sort(ratios)
	b.ReportMetric(ratios[len(ratios)/2], "x")
	b.ReportMetric(ratios[len(ratios)/4], "x-q1")
	b.ReportMetric(ratios[len(ratios)*3/4], "x-q3")
}

func BenchmarkRatio(b *testing.B) {
	bare := sync.Pool{New: func() any { return buffer(1024) }}
	twin := func(n int) {
		for range n {
			x := bare.Get().(*pool.Buffer)
			x.B = append(x.B, 1)
			x.B = x.B[:0]
			bare.Put(x)
		}
	}
	for _, impl := range []struct {
		name string
		p    *pool.Pool
	}{
		{"pool", &pool.Pool{}},
		{"bounded", &pool.Pool{MaxIdleBytes: 1 << 20}},
	} {
		use := func(n int) {
			for range n {
				x := impl.p.Get()
				x.B = append(x.B, 1)
				impl.p.Put(x)
			}
		}
		b.Run("impl="+impl.name+"/mode=serial", func(b *testing.B) { interleaved(b, 1, twin, use) })
		b.Run("impl="+impl.name+"/mode=parallel", func(b *testing.B) { interleaved(b, runtime.GOMAXPROCS(0), twin, use) })
	}
}
