package gzippool_test

import (
	"bytes"
	stdgzip "compress/gzip"
	"fmt"
	"io"
	"sync"
	"testing"

	"github.com/lowalloc/lowalloc/gzippool"
	"github.com/lowalloc/lowalloc/internal/corpus"
)

var sizes = []struct {
	name string
	n    int
}{{"1KiB", 1 << 10}, {"4KiB", 4 << 10}, {"64KiB", 64 << 10}, {"1MiB", 1 << 20}}

// BenchmarkCompress sets AppendCompress beside a pooled and a new writer of the
// standard library, each at its default level and ours at 6, too.
func BenchmarkCompress(b *testing.B) {
	var dst []byte
	var out bytes.Buffer
	pool := sync.Pool{New: func() any { return stdgzip.NewWriter(nil) }}
	ours := new(gzippool.Pool)
	six := &gzippool.Pool{Level: 6}
	for _, impl := range []struct {
		name string
		f    func(body []byte) (size int)
	}{
		{"gzippool", func(body []byte) int {
			dst, _ = ours.AppendCompress(dst[:0], body)
			return len(dst)
		}},
		{"gzippool-6", func(body []byte) int {
			dst, _ = six.AppendCompress(dst[:0], body)
			return len(dst)
		}},
		{"gzippool-Writer", func(body []byte) int {
			out.Reset()
			w := ours.Writer(&out)
			_, _ = w.Write(body)
			_ = w.Close()
			return out.Len()
		}},
		{"compress-gzip-pooled", func(body []byte) int {
			out.Reset()
			w := pool.Get().(*stdgzip.Writer)
			w.Reset(&out)
			_, _ = w.Write(body)
			_ = w.Close()
			pool.Put(w)
			return out.Len()
		}},
		{"compress-gzip-new", func(body []byte) int {
			out.Reset()
			w := stdgzip.NewWriter(&out)
			_, _ = w.Write(body)
			_ = w.Close()
			return out.Len()
		}},
	} {
		for _, size := range sizes {
			b.Run(fmt.Sprintf("impl=%s/size=%s", impl.name, size.name), func(b *testing.B) {
				body := corpus.Bulk(size.n)
				b.ReportAllocs()
				b.SetBytes(int64(len(body)))
				n := 0
				for b.Loop() {
					n = impl.f(body)
				}
				b.ReportMetric(float64(n), "compressed-bytes")
			})
		}
	}
}

// BenchmarkDecompress sets both forms beside a pooled reader of the standard
// library.
func BenchmarkDecompress(b *testing.B) {
	dst := make([]byte, 0, 1<<20)
	var ours gzippool.Pool
	pool := sync.Pool{New: func() any { return new(stdgzip.Reader) }}
	source := bytes.NewReader(nil)
	for _, impl := range []struct {
		name string
		f    func(stream []byte) error
	}{
		{"gzippool", func(stream []byte) (err error) {
			dst, err = ours.AppendDecompress(dst[:0], stream, 1<<20)
			return err
		}},
		{"gzippool-Reader", func(stream []byte) error {
			source.Reset(stream)
			r := ours.Reader(source, 1<<20)
			_, err := io.Copy(io.Discard, r)
			_ = r.Close()
			return err
		}},
		{"compress-gzip-pooled", func(stream []byte) error {
			source.Reset(stream)
			r := pool.Get().(*stdgzip.Reader)
			defer pool.Put(r)
			if err := r.Reset(source); err != nil {
				return err
			}
			_, err := io.Copy(io.Discard, r)
			return err
		}},
	} {
		for _, size := range sizes {
			b.Run(fmt.Sprintf("impl=%s/size=%s", impl.name, size.name), func(b *testing.B) {
				stream := compressed(corpus.Bulk(size.n))
				b.ReportAllocs()
				b.SetBytes(int64(size.n))
				for b.Loop() {
					if err := impl.f(stream); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

func BenchmarkParallel(b *testing.B) {
	body := corpus.Bulk(4 << 10)
	for _, maxIdle := range []int{0, 4} {
		b.Run(fmt.Sprintf("impl=gzippool/MaxIdle=%d", maxIdle), func(b *testing.B) {
			p := &gzippool.Pool{MaxIdle: maxIdle}
			b.ReportAllocs()
			b.SetBytes(int64(len(body)))
			b.RunParallel(func(pb *testing.PB) {
				var dst []byte
				for pb.Next() {
					dst, _ = p.AppendCompress(dst[:0], body)
				}
			})
		})
	}
}
