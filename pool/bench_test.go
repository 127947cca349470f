package pool_test

import (
	"sync"
	"testing"

	"github.com/lowalloc/lowalloc/pool"
)

func BenchmarkGetPut(b *testing.B) {
	run := func(impl string, use func()) {
		b.Run("impl="+impl+"/mode=serial", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				use()
			}
		})
		b.Run("impl="+impl+"/mode=parallel", func(b *testing.B) {
			b.ReportAllocs()
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					use()
				}
			})
		})
	}
	bare := sync.Pool{New: func() any { return buffer(1024) }}
	run("bare", func() {
		x := bare.Get().(*pool.Buffer)
		x.B = append(x.B, 1)
		x.B = x.B[:0]
		bare.Put(x)
	})
	for _, impl := range []struct {
		name string
		p    *pool.Pool
	}{
		{"pool", &pool.Pool{}},
		{"bounded", &pool.Pool{MaxIdleBytes: 1 << 20}},
	} {
		run(impl.name, func() {
			x := impl.p.Get()
			x.B = append(x.B, 1)
			impl.p.Put(x)
		})
	}
}
