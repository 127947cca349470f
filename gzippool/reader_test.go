//nolint:errorlint // the very error is promised, not one that wraps it
package gzippool_test

import (
	"bytes"
	stdgzip "compress/gzip"
	"errors"
	"io"
	"math"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"
	"weak"

	"github.com/lowalloc/lowalloc/gzippool"
	"github.com/lowalloc/lowalloc/internal/alloctest"
	"github.com/lowalloc/lowalloc/internal/corpus"
)

// decompressors are all ways to read a stream. Each returns the good data
// before the error, and no error at the end.
var decompressors = []struct {
	name string
	read func(p *gzippool.Pool, stream []byte, max int) ([]byte, error)
}{
	{"Read", func(p *gzippool.Pool, stream []byte, max int) ([]byte, error) {
		r := p.Reader(bytes.NewReader(stream), int64(max))
		defer func() { _ = r.Close() }()
		return io.ReadAll(struct{ io.Reader }{r})
	}},
	{"one byte at a time", func(p *gzippool.Pool, stream []byte, max int) ([]byte, error) {
		r := p.Reader(iotest.OneByteReader(bytes.NewReader(stream)), int64(max))
		defer func() { _ = r.Close() }()
		return io.ReadAll(iotest.OneByteReader(r))
	}},
	{"WriteTo", func(p *gzippool.Pool, stream []byte, max int) ([]byte, error) {
		r := p.Reader(iotest.DataErrReader(bytes.NewReader(stream)), int64(max))
		defer func() { _ = r.Close() }()
		var b bytes.Buffer
		n, err := io.Copy(struct{ io.Writer }{&b}, r)
		if n != int64(b.Len()) {
			err = errors.Join(err, errors.New("wrong count"))
		}
		return b.Bytes(), err
	}},
	{"AppendDecompress", func(p *gzippool.Pool, stream []byte, max int) ([]byte, error) {
		return p.AppendDecompress(nil, stream, max)
	}},
	{"AppendDecompress with room", func(p *gzippool.Pool, stream []byte, max int) ([]byte, error) {
		dst, err := p.AppendDecompress(make([]byte, 3, 1<<20), stream, max)
		return dst[3:], err
	}},
}

func header(flags byte, rest ...byte) []byte {
	return append([]byte{0x1f, 0x8b, 8, flags, 0, 0, 0, 0, 0, 255}, rest...)
}

func concat(parts ...[]byte) []byte { return bytes.Join(parts, nil) }

func TestReadStreams(t *testing.T) {
	body := corpus.Bulk(100 << 10)
	good := compressed(body)
	hello, empty := compressed([]byte("hello")), compressed(nil)
	named := concat(header(1<<3, []byte("a name\x00")...), hello[10:])
	corrupt := bytes.Clone(hello)
	corrupt[len(corrupt)-8]++
	for _, tt := range []struct {
		name   string
		stream []byte
		want   string
		err    error
	}{
		{"body", good, string(body), nil},
		{"F24 empty member", empty, "", nil},
		{"no member", nil, "", io.ErrUnexpectedEOF},
		{"two members", concat(hello, hello), "hellohello", nil},
		{"members, some empty", concat(empty, hello, empty, empty, hello, empty), "hellohello", nil},
		{"name", named, "hello", nil},
		{"extra field", concat(header(1<<2, 3, 0, 1, 2, 3), hello[10:]), "hello", nil},
		{"F35 cut in the header", hello[:7], "", io.ErrUnexpectedEOF},
		{"F35 cut in the name", named[:13], "", io.ErrUnexpectedEOF},
		{"F35 cut in the second member's name", concat(hello, named[:13]), "hello", io.ErrUnexpectedEOF},
		{"F35 cut in the comment", header(1<<4, 'a'), "", io.ErrUnexpectedEOF},
		{"F35 cut in the extra field", header(1<<2, 3, 0, 1), "", io.ErrUnexpectedEOF},
		{"cut in the data", hello[:14], "hello", io.ErrUnexpectedEOF},
		{"cut before the trailer", hello[:len(hello)-8], "hello", io.ErrUnexpectedEOF},
		{"cut in the trailer", hello[:len(hello)-1], "hello", io.ErrUnexpectedEOF},
		{"F36 garbage after the end", concat(hello, []byte("more than ten bytes of garbage")), "hello", stdgzip.ErrHeader},
		{"F36 zero padding", concat(hello, make([]byte, 512)), "hello", stdgzip.ErrHeader},
		{"checksum", corrupt, "hello", stdgzip.ErrChecksum},
		{"not gzip", []byte(`{"error":"not compressed"}`), "", stdgzip.ErrHeader},
	} {
		p := &gzippool.Pool{MaxIdle: 1} // so that what comes after an error has the same reader
		for _, d := range decompressors {
			for _, max := range []int{gzippool.NoLimit, len(body)} {
				got, err := d.read(p, tt.stream, max)
				if !errors.Is(err, tt.err) || string(got) != tt.want && !errors.Is(tt.err, io.ErrUnexpectedEOF) || !strings.HasPrefix(tt.want, string(got)) {
					t.Errorf("%s, by %s, limit %d: %d bytes, %v; want %d bytes, %v", tt.name, d.name, max, len(got), err, len(tt.want), tt.err)
				}
				if got, err := d.read(p, hello, max); err != nil || string(got) != "hello" {
					t.Errorf("%s, by %s: the next use gives %q, %v", tt.name, d.name, got, err)
				}
			}
		}
		if p.IdleReaders() != 1 {
			t.Errorf("%s: %d idle readers, want the one that all used", tt.name, p.IdleReaders())
		}
	}
}

// The data that precedes a cut is delivered, not only the error.
func TestGoodBytesBeforeCut(t *testing.T) {
	body := corpus.Bulk(300 << 10)
	stream := compressed(body)
	for _, d := range decompressors {
		got, err := d.read(new(gzippool.Pool), stream[:len(stream)/2], gzippool.NoLimit)
		if !errors.Is(err, io.ErrUnexpectedEOF) || len(got) < len(body)/3 || !bytes.HasPrefix(body, got) {
			t.Errorf("%s: %d bytes, %v", d.name, len(got), err)
		}
	}
}

func TestF27F28F29G2Limit(t *testing.T) {
	body := corpus.Bulk(50_000)
	stream := compressed(body)
	wrong := bytes.Clone(stream)
	wrong[len(wrong)-5]++ // the checksum
	for _, d := range decompressors {
		var p gzippool.Pool
		for _, tt := range []struct {
			name   string
			stream []byte
			max    int
			want   int
			err    error // nil for none, tooLarge for that
		}{
			{"below", stream, len(body) - 1, len(body) - 1, errTooLarge},
			{"exactly", stream, len(body), len(body), nil},
			{"exactly, checksum wrong", wrong, len(body), len(body), stdgzip.ErrChecksum},
			{"exactly, cut off", stream[:len(stream)-1], len(body), len(body), io.ErrUnexpectedEOF},
			{"exactly, then an empty member", concat(stream, compressed(nil)), len(body), len(body), nil},
			{"exactly, then another member", concat(stream, stream), len(body), len(body), errTooLarge},
			{"above", stream, len(body) + 1, len(body), nil},
			{"one byte", stream, 1, 1, errTooLarge},
			{"zero", stream, 0, 0, errTooLarge},
			{"zero, empty", compressed(nil), 0, 0, nil},
			{"zero, two empty", concat(compressed(nil), compressed(nil)), 0, 0, nil},
			{"zero, no member", nil, 0, 0, io.ErrUnexpectedEOF},
			{"largest", stream, math.MaxInt, len(body), nil},
			{"none", stream, gzippool.NoLimit, len(body), nil},
			{"least", stream, math.MinInt, len(body), nil},
		} {
			got, err := d.read(&p, tt.stream, tt.max)
			if !bytes.Equal(got, body[:tt.want]) {
				t.Errorf("%s, by %s: %d bytes, or others, want %d", tt.name, d.name, len(got), tt.want)
			}
			var tooLarge *gzippool.TooLargeError
			switch is := errors.As(err, &tooLarge); {
			case tt.err == errTooLarge:
				if !is || tooLarge.Limit != int64(tt.max) {
					t.Errorf("%s, by %s: %v, want a TooLargeError with the limit", tt.name, d.name, err)
				}
			case is || !errors.Is(err, tt.err):
				t.Errorf("%s, by %s: %v, want %v", tt.name, d.name, err, tt.err)
			}
		}
	}
}

var errTooLarge = errors.New("want a TooLargeError")

// Input without output must end, too: 20-byte members without content, and
// headers with 64 KiB of nothing.
func TestG3CompressedLimit(t *testing.T) {
	extra := concat(header(1<<2, 0xff, 0xff), make([]byte, 0xffff), compressed(nil)[10:])
	for _, tt := range []struct {
		name   string
		member []byte
	}{{"empty members", compressed(nil)}, {"extra fields", extra}} {
		for _, max := range []int{0, 100, 200_000} {
			limit := max + max/1000 + 64<<10
			read := 0
			endless := readerFunc(func(b []byte) (int, error) {
				for i := range b {
					b[i] = tt.member[(read+i)%len(tt.member)]
				}
				read += len(b)
				return len(b), nil
			})
			var p gzippool.Pool
			r := p.Reader(endless, int64(max))
			n, err := io.Copy(io.Discard, r)
			var tooLarge *gzippool.TooLargeError
			if n != 0 || !errors.As(err, &tooLarge) || tooLarge.Limit != int64(max) {
				t.Errorf("%s, limit %d: %d bytes, %v", tt.name, max, n, err)
			}
			if read < limit || read > limit+8<<10 {
				t.Errorf("%s, limit %d: read %d bytes of the source, want about %d", tt.name, max, read, limit)
			}
			_ = r.Close()

			if limit < len(tt.member) {
				continue
			}
			whole := bytes.Repeat(tt.member, limit/len(tt.member))
			for _, d := range decompressors {
				if got, err := d.read(&p, whole, max); len(got) != 0 || err != nil {
					t.Errorf("%s, limit %d, by %s: %d bytes, %v within the limit", tt.name, max, d.name, len(got), err)
				}
				if _, err := d.read(&p, concat(whole, tt.member), max); !errors.As(err, &tooLarge) {
					t.Errorf("%s, limit %d, by %s: %v above the limit", tt.name, max, d.name, err)
				}
			}
		}
	}
}

// bomb returns a gzip stream of 1 GiB of zeros.
func bomb() []byte {
	var b bytes.Buffer
	w, _ := stdgzip.NewWriterLevel(&b, stdgzip.BestCompression)
	zeros := make([]byte, 1<<20)
	_, _ = w.Write(zeros)
	_ = w.Flush()
	start := b.Len()
	_, _ = w.Write(zeros)
	_ = w.Flush()
	block := bytes.Clone(b.Bytes()[start:]) // it refers to nothing but zeros before it
	for range 1022 {
		b.Write(block)
	}
	return append(b.Bytes(), compressed(nil)[10:]...) // nobody gets as far as the checksum
}

func TestF27Bomb(t *testing.T) {
	const max = 1 << 20
	stream := bomb()
	t.Logf("%d bytes of bomb", len(stream))
	for _, d := range decompressors[:4] {
		if d.name == "one byte at a time" {
			continue
		}
		p := &gzippool.Pool{MaxIdle: 1}
		best := time.Hour
		for range 5 {
			before := alloctest.LiveHeap()
			start := time.Now()
			got, err := d.read(p, stream, max)
			best = min(best, time.Since(start))
			var tooLarge *gzippool.TooLargeError
			if len(got) != max || !errors.As(err, &tooLarge) || tooLarge.Limit != max {
				t.Errorf("%s: %d bytes, %v", d.name, len(got), err)
			}
			if live := int64(alloctest.LiveHeap() - before); live > max+1<<20 && !alloctest.Skewed() {
				t.Errorf("%s: live heap grew by %d bytes", d.name, live)
			}
			runtime.KeepAlive(got)
		}
		if best > 100*time.Millisecond && !alloctest.Skewed() {
			t.Errorf("%s: took %v", d.name, best)
		}
		t.Logf("%s: %v", d.name, best)
	}
	runtime.KeepAlive(stream)
}

func TestBombDoesNotAllocateForReader(t *testing.T) {
	stream := bomb()
	var p gzippool.Pool
	alloctest.Gate(t, 1, 10, 1<<10, func() {
		r := p.Reader(bytes.NewReader(stream), 1<<20)
		_, _ = io.Copy(io.Discard, r)
		_ = r.Close()
	})
}

// The end of the stream does not end the use: only Close does.
func TestF2F3F4ReadAfterEnd(t *testing.T) {
	p := &gzippool.Pool{MaxIdle: 4}
	for _, tt := range []struct {
		name   string
		stream []byte
		want   error
	}{
		{"end", compressed([]byte("content")), io.EOF},
		{"cut off", compressed([]byte("content"))[:15], io.ErrUnexpectedEOF},
		{"not gzip", []byte("content"), io.ErrUnexpectedEOF},
		{"garbage", []byte("a longer content"), stdgzip.ErrHeader},
	} {
		idle := p.IdleReaders()
		r := p.Reader(bytes.NewReader(tt.stream), gzippool.NoLimit)
		inUse := max(idle-1, 0)
		_, _ = io.ReadAll(r)
		for range 3 {
			if n, err := r.Read(make([]byte, 8)); n != 0 || !errors.Is(err, tt.want) {
				t.Errorf("%s: Read after the end = %d, %v, want %v again", tt.name, n, err, tt.want)
			}
		}
		n, err := r.WriteTo(io.Discard)
		if n != 0 || err != tt.want && (err != nil || tt.want != io.EOF) {
			t.Errorf("%s: WriteTo after the end = %d, %v", tt.name, n, err)
		}
		if p.IdleReaders() != inUse {
			t.Errorf("%s: the reader was pooled before Close", tt.name)
		}
		for range 3 {
			if err := r.Close(); err != nil {
				t.Errorf("%s: Close = %v", tt.name, err)
			}
		}
		if p.IdleReaders() != inUse+1 {
			t.Errorf("%s: %d idle readers after three Closes, want %d", tt.name, p.IdleReaders(), inUse+1)
		}
		if n, err := r.Read(make([]byte, 8)); n != 0 || err == nil || err == io.EOF {
			t.Errorf("%s: Read after Close = %d, %v", tt.name, n, err)
		}
		if n, err := r.WriteTo(io.Discard); n != 0 || err == nil {
			t.Errorf("%s: WriteTo after Close = %d, %v", tt.name, n, err)
		}
	}
}

// Close before any Read, and after a header that was none.
func TestF6F7F8F39CloseEarly(t *testing.T) {
	p := &gzippool.Pool{MaxIdle: 4}
	for range 3 {
		r := p.Reader(strings.NewReader("no gzip at all"), gzippool.NoLimit)
		_ = r.Close()
		r = p.Reader(strings.NewReader("no gzip at all"), gzippool.NoLimit)
		if n, err := r.Read(make([]byte, 8)); n != 0 || !errors.Is(err, stdgzip.ErrHeader) {
			t.Errorf("Read = %d, %v", n, err)
		}
		_ = r.Close()
		_ = r.Close()
		if p.IdleReaders() != 1 {
			t.Fatalf("%d idle readers, want 1", p.IdleReaders())
		}
	}
	got, err := p.AppendDecompress(nil, compressed([]byte("content")), gzippool.NoLimit)
	if string(got) != "content" || err != nil {
		t.Errorf("after failed headers: %q, %v", got, err)
	}
}

func TestF1ConcurrentReaderClose(t *testing.T) {
	p := &gzippool.Pool{MaxIdle: 100}
	stream := compressed(corpus.Bulk(10_000))
	for range 200 {
		r := p.Reader(bytes.NewReader(stream), gzippool.NoLimit)
		var wg sync.WaitGroup
		wg.Go(func() { _, _ = io.Copy(io.Discard, r) })
		for range 4 {
			wg.Go(func() { _ = r.Close() })
		}
		wg.Wait()
		if got, err := p.AppendDecompress(nil, stream, gzippool.NoLimit); err != nil || len(got) != 10_000 {
			t.Fatalf("the next use gives %d bytes, %v", len(got), err)
		}
	}
	if p.IdleReaders() != 1 {
		t.Errorf("%d idle readers, want 1", p.IdleReaders())
	}
}

func TestF12G4CloseDuringRead(t *testing.T) {
	p := &gzippool.Pool{MaxIdle: 4}
	source := newBlocked()
	r := p.Reader(source, gzippool.NoLimit)
	done := make(chan error)
	go func() {
		_, err := r.Read(make([]byte, 8))
		done <- err
	}()
	<-source.entered
	if _, err := r.Read(make([]byte, 8)); err == nil || err == io.EOF {
		t.Errorf("a second Read at once = %v", err)
	}
	if err := r.Close(); err != nil {
		t.Errorf("Close = %v", err)
	}
	if p.IdleReaders() != 0 {
		t.Error("the reader is pooled while a Read uses it")
	}
	close(source.release)
	if err := <-done; !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("Read = %v", err)
	}
	if p.IdleReaders() != 1 {
		t.Errorf("%d idle readers, want 1", p.IdleReaders())
	}
}

func TestSourceErrors(t *testing.T) {
	stream := compressed(corpus.Bulk(10_000))
	p := &gzippool.Pool{MaxIdle: 1}
	for cut := range len(stream) {
		r := p.Reader(io.MultiReader(bytes.NewReader(stream[:cut]), iotest.ErrReader(errUser)), gzippool.NoLimit)
		_, err := io.ReadAll(r)
		if err != errUser {
			t.Fatalf("source failed after %d bytes: %v, want its own error", cut, err)
		}
		_ = r.Close()
	}
	for _, n := range []int{-1, 1 << 30} {
		r := p.Reader(readerFunc(func([]byte) (int, error) { return n, nil }), gzippool.NoLimit)
		if _, err := r.Read(make([]byte, 8)); err == nil {
			t.Errorf("a count of %d was accepted", n)
		}
		_ = r.Close()
	}
	r := p.Reader(readerFunc(func([]byte) (int, error) { return 0, nil }), gzippool.NoLimit)
	if _, err := r.Read(make([]byte, 8)); err != io.ErrNoProgress {
		t.Errorf("no progress: %v", err)
	}
	_ = r.Close()
	r = p.Reader(bytes.NewReader(stream), gzippool.NoLimit)
	for range 2 {
		if _, err := r.WriteTo(&failing{100}); err != errUser {
			t.Errorf("WriteTo = %v, want the writer's own error, and again", err)
		}
	}
	_ = r.Close()
}

func TestReadOfNoBytes(t *testing.T) {
	r := new(gzippool.Pool).Reader(strings.NewReader("garbage"), 0)
	if n, err := r.Read(nil); n != 0 || err != nil {
		t.Errorf("Read(nil) = %d, %v", n, err)
	}
}

func TestF20SourceNotPinned(t *testing.T) {
	for _, tt := range []struct {
		name    string
		content string
		fail    bool
	}{
		{"whole", string(compressed([]byte("content"))), false},
		{"bad header", "this is no gzip", false},
		{"failing", string(compressed([]byte("content"))[:15]), true},
		{"failing at once", "", true},
	} {
		p := &gzippool.Pool{MaxIdle: 1}
		r, source := usedReader(p, tt.content, tt.fail)
		runtime.GC()
		if p.IdleReaders() != 1 {
			t.Fatal("no reader is idle: nothing is tested")
		}
		if source.Value() != nil {
			t.Errorf("%s: the source is still reachable", tt.name)
		}
		runtime.KeepAlive(r)
	}
}

//go:noinline
func usedReader(p *gzippool.Pool, content string, fail bool) (*gzippool.Reader, weak.Pointer[pinned]) {
	source := &pinned{Reader: strings.NewReader(content), fail: fail}
	r := p.Reader(source, gzippool.NoLimit)
	_, _ = io.ReadAll(r)
	_ = r.Close()
	if fail {
		r = nil // it has the error
	}
	return r, weak.Make(source)
}

// A writer's io.EOF is an error of the writer, not the end of the stream.
func TestWriteToAWriterThatReturnsEOF(t *testing.T) {
	stream, err := new(gzippool.Pool).AppendCompress(nil, make([]byte, 1<<20))
	if err != nil {
		t.Fatal(err)
	}
	r := new(gzippool.Pool).Reader(bytes.NewReader(stream), gzippool.NoLimit)
	n, err := r.WriteTo(eofWriter{})
	if err == nil || n != 0 {
		t.Errorf("WriteTo = %d, %v; want an error", n, err)
	}
	if _, err := r.Read(make([]byte, 1)); err == nil || err == io.EOF { //nolint:errorlint // io.EOF itself would be the end
		t.Errorf("Read after that = %v", err)
	}
}

type eofWriter struct{}

func (eofWriter) Write([]byte) (int, error) { return 0, io.EOF }
