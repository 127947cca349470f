package pool_test

import (
	"math"
	"testing"

	"github.com/lowalloc/lowalloc/pool"
)

// buffer returns a buffer that no pool has made.
func buffer(capacity int) *pool.Buffer {
	b := new(pool.Buffer)
	b.B = make([]byte, 0, capacity)
	return b
}

// What Put keeps shows in Stats only with MaxIdleBytes set; without it the
// rule is the same code, and Discarded tells.
func TestPutBoundaries(t *testing.T) {
	const bound = 1 << 30
	for _, tt := range []struct {
		name     string
		maxSize  int
		maxIdle  int64
		capacity int
		keep     bool
	}{
		{"default, at the limit", 0, bound, pool.DefaultMaxSize, true},
		{"default, one more", 0, bound, pool.DefaultMaxSize + 1, false},
		{"own limit, at it", 100_000, bound, 100_000, true},
		{"own limit, one more", 100_000, bound, 100_001, false},
		{"below the smallest class", 100, bound, 1, true},
		{"tiny limit, at it", 100, bound, 100, true},
		{"tiny limit, one more", 100, bound, 101, false},
		{"above the largest class", math.MaxInt, bound, 65 << 20, true},
		{"no capacity", 0, bound, 0, false},
		{"MaxSize keeps nothing", -1, bound, 1, false},
		{"MaxIdleBytes keeps nothing", 0, -1, 1, false},
		{"idle bytes, at the limit", 0, 1000, 1000, true},
		{"idle bytes, one more", 0, 1000, 1001, false},
		{"without a bound, at the limit", 0, 0, pool.DefaultMaxSize, true},
		{"without a bound, one more", 0, 0, pool.DefaultMaxSize + 1, false},
		{"without a bound, no capacity", 0, 0, 0, false},
		{"without a bound, MaxSize keeps nothing", -1, 0, 1, false},
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

func TestGetSize(t *testing.T) {
	for _, maxSize := range []int{-1, 0, 1, 100, 100_000, 1 << 20, math.MaxInt} {
		for _, maxIdle := range []int64{-1, 0, 4 << 20} {
			p := &pool.Pool{MaxSize: maxSize, MaxIdleBytes: maxIdle}
			for _, n := range []int{math.MinInt, -1, 0, 1, 511, 512, 513, 65_535, 65_536, 65_537, 70_000, 99_999, 100_000, 100_001, 1 << 20} {
				for range 2 {
					b := p.GetSize(n)
					if len(b.B) != 0 || cap(b.B) < n {
						t.Fatalf("MaxSize %d: GetSize(%d) has len %d, cap %d", maxSize, n, len(b.B), cap(b.B))
					}
					b.B = append(b.B, "content"...)
					p.Put(b)
				}
			}
			p.Put(nil)
		}
	}
}
