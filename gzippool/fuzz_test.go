package gzippool_test

import (
	"bytes"
	stdgzip "compress/gzip"
	"errors"
	"io"
	"testing"

	"github.com/lowalloc/lowalloc/gzippool"
	"github.com/lowalloc/lowalloc/internal/corpus"
)

// FuzzReader compares every way to decompress with the standard library: the
// same bytes, or both an error. The limit is that of the bytes there are, or one
// less.
func FuzzReader(f *testing.F) {
	hello := compressed([]byte("hello, hello, hello"))
	f.Add(hello)
	f.Add(hello[:len(hello)-3])
	f.Add([]byte{})
	f.Add(concat(hello, compressed(nil), hello))
	f.Add(concat(hello, make([]byte, 20)))
	f.Add(compressed(corpus.Bulk(2000)))
	f.Add(concat(header(1<<1|1<<2|1<<3|1<<4, 1, 0, 'x', 'n', 0, 'c', 0, 1, 2), hello[10:]))
	p := &gzippool.Pool{MaxIdle: 1}
	f.Fuzz(func(t *testing.T, stream []byte) {
		var want []byte
		r, wantErr := stdgzip.NewReader(bytes.NewReader(stream))
		if wantErr == nil {
			want, wantErr = io.ReadAll(io.LimitReader(r, 4<<20))
		}
		if len(want) == 4<<20 {
			t.Skip("a bomb")
		}
		for _, d := range decompressors {
			got, err := d.read(p, stream, gzippool.NoLimit)
			if (err == nil) != (wantErr == nil) || err == nil && !bytes.Equal(got, want) {
				t.Errorf("%s: %d bytes, %v; compress/gzip: %d bytes, %v", d.name, len(got), err, len(want), wantErr)
			}
			if err != nil || len(stream) > 64<<10 {
				continue
			}
			if got, err := d.read(p, stream, len(want)); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s, limit %d: %d bytes, %v", d.name, len(want), len(got), err)
			}
			if len(want) == 0 {
				continue
			}
			got, err = d.read(p, stream, len(want)-1)
			var tooLarge *gzippool.TooLargeError
			if !errors.As(err, &tooLarge) || !bytes.Equal(got, want[:len(want)-1]) {
				t.Errorf("%s, limit %d: %d bytes, %v", d.name, len(want)-1, len(got), err)
			}
		}
	})
}

// FuzzRoundTrip writes in two pieces, with a flush between them.
func FuzzRoundTrip(f *testing.F) {
	f.Add([]byte("hello"), 3, 1)
	f.Add(corpus.Bulk(2000), 700, 6)
	f.Add([]byte{}, 0, 9)
	f.Fuzz(func(t *testing.T, data []byte, cut, level int) {
		p := &gzippool.Pool{Level: level}
		if p.Validate() != nil {
			t.Skip("no such level")
		}
		cut = min(max(cut, 0), len(data))
		var out bytes.Buffer
		w := p.Writer(&out)
		_, _ = w.Write(data[:cut])
		_ = w.Flush()
		_, _ = w.Write(data[cut:])
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(plain(t, out.Bytes()), data) {
			t.Error("compress/gzip reads other content")
		}
		got, err := p.AppendDecompress(nil, out.Bytes(), len(data))
		if err != nil || !bytes.Equal(got, data) {
			t.Errorf("AppendDecompress: %d bytes, %v", len(got), err)
		}
	})
}
