package gzippool_test

import (
	"bytes"
	"io"
	"testing"

	"github.com/lowalloc/lowalloc/gzippool"
	"github.com/lowalloc/lowalloc/internal/alloctest"
	"github.com/lowalloc/lowalloc/internal/corpus"
)

func TestAllocs(t *testing.T) {
	const calls = 1000
	body := corpus.Bulk(4 << 10)
	stream := compressed(body)
	dst := make([]byte, 0, 8<<10)
	source := bytes.NewReader(nil)
	for _, maxIdle := range []int{0, 4} {
		p := &gzippool.Pool{MaxIdle: maxIdle}
		for _, tt := range []struct {
			name          string
			allocs, bytes uint64 // per call
			f             func()
		}{
			{"AppendCompress", 0, 0, func() { dst, _ = p.AppendCompress(dst[:0], body) }},
			{"AppendDecompress", 0, 0, func() { dst, _ = p.AppendDecompress(dst[:0], stream, 1<<20) }},
			{"Writer", 1, 64, func() {
				w := p.Writer(io.Discard)
				_, _ = w.Write(body)
				_ = w.Flush()
				_ = w.Close()
			}},
			{"Writer ReadFrom", 1, 64, func() {
				source.Reset(body)
				w := p.Writer(io.Discard)
				_, _ = w.ReadFrom(source)
				_ = w.Close()
			}},
			{"Reader", 1, 64, func() {
				source.Reset(stream)
				r := p.Reader(source, 1<<20)
				_, _ = io.ReadFull(r, dst[:len(body)])
				_ = r.Close()
			}},
			{"Reader WriteTo", 1, 64, func() {
				source.Reset(stream)
				r := p.Reader(source, gzippool.NoLimit)
				_, _ = r.WriteTo(io.Discard)
				_ = r.Close()
			}},
		} {
			t.Run(tt.name, func(t *testing.T) {
				alloctest.Gate(t, calls, calls*tt.allocs, calls*tt.bytes, tt.f)
			})
		}
	}
}
