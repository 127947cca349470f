package pool_test

import (
	"sync"
	"testing"

	"github.com/lowalloc/lowalloc/pool"
)

type bare struct{ p sync.Pool }

func (b *bare) Get() *pool.Buffer {
	if v := b.p.Get(); v != nil {
		return v.(*pool.Buffer)
	}
	return buffer(1024)
}
func (b *bare) Put(x *pool.Buffer) { x.ByteBuffer.Reset(); b.p.Put(x) }

func BenchmarkGetPut(b *testing.B) {
	for _, impl := range []struct {
		name string
		p    interface {
			Get() *pool.Buffer
			Put(*pool.Buffer)
		}
	}{
		{"bare", new(bare)},
		{"pool", &pool.Pool{}},
		{"bounded", &pool.Pool{MaxIdleBytes: 1 << 20}},
	} {
		b.Run("impl="+impl.name+"/mode=serial", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				impl.p.Put(impl.p.Get())
			}
		})
		b.Run("impl="+impl.name+"/mode=parallel", func(b *testing.B) {
			b.ReportAllocs()
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					impl.p.Put(impl.p.Get())
				}
			})
		})
	}
}
