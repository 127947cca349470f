package gziphttp_test

import (
	"bytes"
	stdgzip "compress/gzip"
	"fmt"
	"io"
	"net/http"
	"testing"

	"github.com/lowalloc/lowalloc/gzippool"
	"github.com/lowalloc/lowalloc/gzippool/gziphttp"
	"github.com/lowalloc/lowalloc/internal/corpus"
)

var sizes = []struct {
	name string
	n    int
}{{"1KiB", 1 << 10}, {"4KiB", 4 << 10}, {"64KiB", 64 << 10}, {"1MiB", 1 << 20}}

// naive is what one writes with the standard library alone.
type naive struct{ base http.RoundTripper }

func (t naive) RoundTrip(r *http.Request) (*http.Response, error) {
	var b bytes.Buffer
	w := stdgzip.NewWriter(&b)
	if _, err := io.Copy(w, r.Body); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	out := r.Clone(r.Context())
	out.Header.Set("Content-Encoding", "gzip")
	out.Body = io.NopCloser(&b)
	out.ContentLength = int64(b.Len())
	return t.base.RoundTrip(out)
}

func BenchmarkRoundTrip(b *testing.B) {
	for _, impl := range []struct {
		name string
		http.RoundTripper
	}{
		{"gziphttp", &gziphttp.Transport{Base: new(drain)}},
		{"gziphttp-6", &gziphttp.Transport{Base: new(drain), Gzip: &gzippool.Pool{Level: 6}}},
		{"compress-gzip", naive{new(drain)}},
	} {
		for _, size := range sizes {
			b.Run(fmt.Sprintf("impl=%s/size=%s", impl.name, size.name), func(b *testing.B) {
				content := corpus.Bulk(size.n)
				req := newRequest(b, bytes.NewReader(content))
				b.ReportAllocs()
				b.SetBytes(int64(size.n))
				for b.Loop() {
					req.Body, _ = req.GetBody()
					if _, err := impl.RoundTrip(req); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// noResponse is an http.ResponseWriter that nobody writes to.
type noResponse struct{}

func (noResponse) Header() http.Header         { return nil }
func (noResponse) Write(b []byte) (int, error) { return len(b), nil }
func (noResponse) WriteHeader(int)             {}

func BenchmarkHandler(b *testing.B) {
	discard := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { _, _ = io.Copy(io.Discard, r.Body) })
	for _, impl := range []struct {
		name string
		http.Handler
	}{
		{"gziphttp", gziphttp.Handler(nil, discard, 0)},
		{"compress-gzip", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			zr, err := stdgzip.NewReader(r.Body)
			if err != nil {
				return
			}
			_, _ = io.Copy(io.Discard, zr)
		})},
	} {
		for _, size := range sizes {
			b.Run(fmt.Sprintf("impl=%s/size=%s", impl.name, size.name), func(b *testing.B) {
				stream := compress(corpus.Bulk(size.n))
				source := bytes.NewReader(stream)
				r := newRequest(b, nil)
				r.Header.Set("Content-Encoding", "gzip")
				r.Body, r.ContentLength = io.NopCloser(source), int64(len(stream))
				b.ReportAllocs()
				b.SetBytes(int64(size.n))
				for b.Loop() {
					source.Reset(stream)
					impl.ServeHTTP(noResponse{}, r)
				}
			})
		}
	}
}
