package gzippool_test

import (
	"bytes"
	"sync"
	"testing"

	"github.com/lowalloc/lowalloc/gzippool"
	"github.com/lowalloc/lowalloc/internal/corpus"
)

func TestAppend(t *testing.T) {
	var p gzippool.Pool
	for _, dst := range [][]byte{nil, {}, []byte("prefix"), append(make([]byte, 0, 1<<20), "prefix"...)} {
		for _, src := range [][]byte{nil, {}, []byte("x"), corpus.Bulk(100_000)} {
			stream, err := p.AppendCompress(bytes.Clone(dst), src)
			if err != nil || !bytes.HasPrefix(stream, dst) {
				t.Fatalf("AppendCompress: %v, or the prefix is gone", err)
			}
			if !bytes.Equal(plain(t, stream[len(dst):]), src) {
				t.Error("AppendCompress: other content")
			}
			data, err := p.AppendDecompress(bytes.Clone(dst), stream[len(dst):], len(src))
			if err != nil || !bytes.HasPrefix(data, dst) || !bytes.Equal(data[len(dst):], src) {
				t.Errorf("AppendDecompress: %v, or other content", err)
			}
		}
	}
}

// What is returned is the caller's: a later use does not write to it.
func TestF30ResultsAreTheCallers(t *testing.T) {
	p := &gzippool.Pool{MaxIdle: 1}
	first, _ := p.AppendCompress(nil, corpus.Bulk(10_000))
	kept := bytes.Clone(first)
	data, _ := p.AppendDecompress(nil, first, gzippool.NoLimit)
	keptData := bytes.Clone(data)
	for range 10 {
		second, _ := p.AppendCompress(nil, corpus.Search(10_000))
		_, _ = p.AppendDecompress(nil, second, gzippool.NoLimit)
	}
	if !bytes.Equal(first, kept) || !bytes.Equal(data, keptData) {
		t.Error("a later use wrote to an earlier result")
	}
}

func TestF37Reproducible(t *testing.T) {
	p := &gzippool.Pool{MaxIdle: 1}
	body := corpus.Bulk(100_000)
	first, _ := p.AppendCompress(nil, body)
	if mtime := first[4:8]; !bytes.Equal(mtime, make([]byte, 4)) {
		t.Errorf("MTIME is % x, want none", mtime)
	}
	_, _ = p.AppendCompress(nil, corpus.Search(5000))
	again, _ := p.AppendCompress(nil, body)
	var out bytes.Buffer
	w := p.Writer(&out)
	_, _ = w.Write(body)
	_ = w.Close()
	if !bytes.Equal(first, again) || !bytes.Equal(first, out.Bytes()) {
		t.Error("the same content gave different streams")
	}
}

// AppendDecompress must not overwrite src when dst is full, nor grow dst when
// the data ends where dst does.
func TestAppendDecompressFillsExactly(t *testing.T) {
	var p gzippool.Pool
	body := corpus.Bulk(10_000)
	stream := compressed(body)
	dst := make([]byte, 0, len(body))
	data, err := p.AppendDecompress(dst, stream, gzippool.NoLimit)
	if err != nil || !bytes.Equal(data, body) || cap(data) != cap(dst) || &data[0] != &dst[:1][0] {
		t.Errorf("%v, or dst was moved", err)
	}
}

func TestF32ManyGoroutines(t *testing.T) {
	for _, maxIdle := range []int{-1, 0, 2} {
		p := &gzippool.Pool{MaxIdle: maxIdle}
		var wg sync.WaitGroup
		for g := range 8 {
			wg.Go(func() {
				for i := range 20 {
					body := corpus.Bulk(1000 * (g + i + 1))
					stream, err := p.AppendCompress(nil, body)
					if err != nil {
						t.Error(err)
						return
					}
					data, err := p.AppendDecompress(nil, stream, len(body))
					if err != nil || !bytes.Equal(data, body) {
						t.Errorf("%v, or other content", err)
						return
					}
				}
			})
		}
		wg.Wait()
		if n := p.IdleWriters(); n > max(maxIdle, 0) {
			t.Errorf("MaxIdle %d: %d idle writers", maxIdle, n)
		}
	}
}
