package gziphttp_test

import (
	"bytes"
	"io"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lowalloc/lowalloc/gzippool"
	"github.com/lowalloc/lowalloc/gzippool/gziphttp"
	"github.com/lowalloc/lowalloc/internal/alloctest"
	"github.com/lowalloc/lowalloc/internal/corpus"
	"github.com/lowalloc/lowalloc/pool"
)

// drain is a Base that reads and closes the body, and does not allocate.
type drain struct {
	buf [32 << 10]byte
	res http.Response
}

func (d *drain) RoundTrip(r *http.Request) (*http.Response, error) {
	for {
		if _, err := r.Body.Read(d.buf[:]); err == io.EOF {
			return &d.res, r.Body.Close()
		} else if err != nil {
			return nil, err
		}
	}
}

// What RoundTrip allocates does not grow with the body: the copy of the request
// and its header, the new body and its GetBody.
func TestRoundTripAllocs(t *testing.T) {
	transport := &gziphttp.Transport{Base: new(drain)}
	for _, tt := range []struct {
		name          string
		size          int
		streamed      bool
		allocs, bytes uint64
	}{
		{"small", 500, false, 4, 600},
		{"4 KiB", 4 << 10, false, 8, 1200},
		{"1 MiB", 1 << 20, false, 9, 1600},
		{"streamed", 1 << 20, true, 10, 2048},
	} {
		t.Run(tt.name, func(t *testing.T) {
			const calls = 20
			content := corpus.Bulk(tt.size)
			source := bytes.NewReader(content)
			req := newRequest(t, source)
			req.Header.Set("Content-Type", "application/x-ndjson")
			req.ContentLength = int64(tt.size)
			if tt.streamed {
				req.ContentLength, req.GetBody = -1, nil
			}
			body := io.NopCloser(source)
			f := func() {
				source.Reset(content)
				req.Body = body
				if _, err := transport.RoundTrip(req); err != nil {
					t.Fatal(err)
				}
			}
			if !alloctest.Skewed() {
				allocs, bytes := alloctest.Count(calls, f)
				t.Logf("%d allocs, %d bytes a request", allocs/calls, bytes/calls)
			}
			alloctest.Gate(t, calls, calls*tt.allocs, calls*tt.bytes, f)
		})
	}
}

// A large body among small ones leaves no large buffer behind.
func TestLargeBodiesLeaveNothing(t *testing.T) {
	if alloctest.Skewed() {
		t.Skip("memory is not measurable in a race or coverage build")
	}
	requests, large := 10_000, corpus.Bulk(10<<20)
	small := large[:3<<10]
	transport := &gziphttp.Transport{
		Base:    new(drain),
		Gzip:    &gzippool.Pool{Level: gzippool.HuffmanOnly, MaxIdle: 1}, // for the most compressed bytes
		Buffers: &pool.Pool{MaxIdleBytes: 1 << 20},
	}
	send := func(content []byte) {
		if _, err := transport.RoundTrip(newRequest(t, bytes.NewReader(content))); err != nil {
			t.Fatal(err)
		}
	}
	send(small)
	before := alloctest.LiveHeap()
	for i := range requests {
		if i%1000 == 500 {
			send(large)
		}
		send(small)
		if i%1000 == 999 {
			runtime.GC() // the small ones go on through it
		}
	}
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	stats := transport.Buffers.Stats()
	got := int64(m.HeapAlloc - before)
	t.Logf("heap %+d bytes, %+v", got, stats)
	if got > 2<<20 || stats.IdleBytes > 1<<20 {
		t.Errorf("the heap grew by %d bytes, %d of them idle buffers", got, stats.IdleBytes)
	}
	runtime.KeepAlive(large)
}

// 64 requests at once, then quiet: four writers at most, and after a while none.
func TestIdleAfterABurst(t *testing.T) {
	if alloctest.Skewed() {
		t.Skip("memory is not measurable in a race or coverage build")
	}
	for _, maxIdle := range []int{4, 0} {
		var started sync.WaitGroup
		started.Add(64)
		transport := &gziphttp.Transport{
			Base:    baseFunc(func(r *http.Request) (*http.Response, error) { return ok(r), r.Body.Close() }),
			Gzip:    &gzippool.Pool{MaxIdle: maxIdle},
			Buffers: &pool.Pool{MaxIdleBytes: 64 << 10},
		}
		content := strings.Repeat("some content ", 10_000)
		before := alloctest.LiveHeap()
		var wg sync.WaitGroup
		for range 64 {
			wg.Go(func() {
				first := true
				r := strings.NewReader(content)
				req, _ := http.NewRequest("POST", "http://127.0.0.1/", io.NopCloser(readerFunc(func(p []byte) (int, error) {
					if r.Len() == 0 && first { // all 64 hold a writer now
						first = false
						started.Done()
						started.Wait()
					}
					return r.Read(p)
				})))
				req.ContentLength = int64(len(content))
				if _, err := transport.RoundTrip(req); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		held := func() int64 {
			runtime.GC()
			time.Sleep(time.Millisecond) // for the cleanup
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			return int64(m.HeapAlloc - before)
		}
		one, two, three := held(), held(), held()
		t.Logf("MaxIdle %d: %d KiB after one collection, %d after two, %d after three", maxIdle, one>>10, two>>10, three>>10)
		if maxIdle == 4 && one > 4*(809+8+64)<<10 {
			t.Errorf("%d bytes held, more than four writers", one)
		}
		if three > 256<<10 || maxIdle == 0 && two > 256<<10 {
			t.Errorf("MaxIdle %d: %d bytes held after two collections, %d after three", maxIdle, two, three)
		}
		runtime.KeepAlive(transport)
	}
}
