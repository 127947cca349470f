package gzippool_test

import (
	"bytes"
	stdgzip "compress/gzip"
	"io"
	"strconv"
	"strings"
	"testing"

	"github.com/lowalloc/lowalloc/gzippool"
	"github.com/lowalloc/lowalloc/internal/corpus"
)

// compressed returns the gzip stream of data, by the standard library.
func compressed(data []byte) []byte {
	var b bytes.Buffer
	w := stdgzip.NewWriter(&b)
	_, _ = w.Write(data)
	_ = w.Close()
	return b.Bytes()
}

// plain decompresses with the standard library.
func plain(t testing.TB, stream []byte) []byte {
	t.Helper()
	r, err := stdgzip.NewReader(bytes.NewReader(stream))
	if err != nil {
		t.Fatalf("compress/gzip cannot read the stream: %v", err)
	}
	data, err := io.ReadAll(r)
	if err != nil {
		t.Fatalf("compress/gzip cannot read the stream: %v", err)
	}
	return data
}

func TestZeroValue(t *testing.T) {
	var p gzippool.Pool
	stream, err := p.AppendCompress(nil, []byte("content"))
	if err != nil {
		t.Fatal(err)
	}
	data, err := p.AppendDecompress(nil, stream, gzippool.NoLimit)
	if err != nil || string(data) != "content" {
		t.Errorf("AppendDecompress = %q, %v", data, err)
	}
}

// Each level must come out as what it is, and none as another: 0 is the
// default, not "store", and 100 is not 9.
func TestF16F17F18G11Levels(t *testing.T) {
	body := corpus.Bulk(128 << 10)
	size := func(level int) int {
		p := &gzippool.Pool{Level: level}
		if err := p.Validate(); err != nil {
			t.Fatalf("level %d: Validate = %v", level, err)
		}
		var stream []byte
		for range 2 { // new, then pooled
			var err error
			if stream, err = p.AppendCompress(nil, body); err != nil {
				t.Fatalf("level %d: %v", level, err)
			}
			if !bytes.Equal(plain(t, stream), body) {
				t.Fatalf("level %d: other content", level)
			}
		}
		return len(stream)
	}
	if a, b, c := size(0), size(-1), size(gzippool.DefaultLevel); a != b || b != c {
		t.Errorf("levels 0, -1 and the default give %d, %d and %d bytes, want the same", a, b, c)
	}
	sizes := map[int]int{}
	for _, level := range []int{gzippool.HuffmanOnly, 1, 3, 5, 6, 8, 9} {
		n := size(level)
		if other, ok := sizes[n]; ok {
			t.Errorf("levels %d and %d both give %d bytes", other, level, n)
		}
		sizes[n] = level
	}
	if n := size(gzippool.HuffmanOnly); n > len(body)*3/4 {
		t.Errorf("HuffmanOnly gives %d of %d bytes", n, len(body))
	}
}

func TestF9F16BadLevel(t *testing.T) {
	for _, level := range []int{-100, -3, 10, 100} {
		t.Run(strconv.Itoa(level), func(t *testing.T) {
			p := &gzippool.Pool{Level: level, MaxIdle: 4}
			check := func(what string, err error) {
				t.Helper()
				if err == nil || !strings.HasPrefix(err.Error(), "gzippool: ") || !strings.Contains(err.Error(), strconv.Itoa(level)) {
					t.Errorf("%s = %v, want an error that names the level", what, err)
				}
			}
			check("Validate", p.Validate())
			dst, err := p.AppendCompress([]byte("dst"), []byte("content"))
			check("AppendCompress", err)
			if string(dst) != "dst" {
				t.Errorf("AppendCompress returned %q with its error", dst)
			}
			var out bytes.Buffer
			w := p.Writer(&out)
			_, err = w.Write([]byte("content"))
			check("Write", err)
			_, err = w.ReadFrom(strings.NewReader("content"))
			check("ReadFrom", err)
			check("Flush", w.Flush())
			check("Close", w.Close())
			check("second Close", w.Close())
			w.Abort()
			if out.Len() != 0 || p.IdleWriters() != 0 {
				t.Errorf("%d bytes written, %d writers pooled; want none", out.Len(), p.IdleWriters())
			}
			data, err := p.AppendDecompress(nil, compressed([]byte("content")), gzippool.NoLimit)
			if string(data) != "content" || err != nil {
				t.Errorf("AppendDecompress = %q, %v: reading needs no level", data, err)
			}
		})
	}
}
