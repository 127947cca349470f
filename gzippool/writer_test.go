//nolint:errorlint // the very error is promised, not one that wraps it
package gzippool_test

import (
	"bytes"
	"errors"
	"io"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"weak"

	"github.com/lowalloc/lowalloc/gzippool"
	"github.com/lowalloc/lowalloc/internal/alloctest"
	"github.com/lowalloc/lowalloc/internal/corpus"
)

func TestWriter(t *testing.T) {
	body := corpus.Bulk(300 << 10)
	p := &gzippool.Pool{MaxIdle: 1}
	for _, tt := range []struct {
		name  string
		write func(w *gzippool.Writer) error
	}{
		{"Write", func(w *gzippool.Writer) error { _, err := w.Write(body); return err }},
		{"pieces", func(w *gzippool.Writer) error {
			for b := body; len(b) > 0; b = b[min(len(b), 777):] {
				if n, err := w.Write(b[:min(len(b), 777)]); err != nil || n != min(len(b), 777) {
					return errors.Join(err, errors.New("short Write"))
				}
			}
			return nil
		}},
		{"ReadFrom", func(w *gzippool.Writer) error {
			n, err := w.ReadFrom(bytes.NewReader(body))
			if n != int64(len(body)) {
				t.Errorf("ReadFrom = %d, want %d", n, len(body))
			}
			return err
		}},
		{"ReadFrom data with EOF", func(w *gzippool.Writer) error {
			_, err := w.ReadFrom(iotest.DataErrReader(bytes.NewReader(body)))
			return err
		}},
		{"io.Copy", func(w *gzippool.Writer) error {
			_, err := io.Copy(w, struct{ io.Reader }{bytes.NewReader(body)})
			return err
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var out bytes.Buffer
			w := p.Writer(&out)
			if err := tt.write(w); err != nil {
				t.Fatal(err)
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(plain(t, out.Bytes()), body) {
				t.Error("other content")
			}
		})
	}
	if p.IdleWriters() != 1 {
		t.Errorf("%d idle writers, want the one that all used", p.IdleWriters())
	}
}

func TestWriterFlush(t *testing.T) {
	var p gzippool.Pool
	var out bytes.Buffer
	w := p.Writer(&out)
	_, _ = w.Write([]byte("first"))
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	r := p.Reader(bytes.NewReader(out.Bytes()), gzippool.NoLimit)
	got := make([]byte, 5)
	if _, err := io.ReadFull(r, got); err != nil || string(got) != "first" {
		t.Errorf("after Flush a reader has %q, %v", got, err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if got := plain(t, out.Bytes()); string(got) != "first" {
		t.Errorf("got %q", got)
	}
}

func TestF1F5F38WriterIsDeadAfterClose(t *testing.T) {
	p := &gzippool.Pool{MaxIdle: 4}
	var first, second bytes.Buffer
	w := p.Writer(&first)
	_, _ = w.Write([]byte("first"))
	for range 3 {
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if p.IdleWriters() != 1 {
		t.Fatalf("%d idle writers after three Closes, want 1", p.IdleWriters())
	}
	other := p.Writer(&second) // has what w had
	size := first.Len()
	if _, err := w.Write([]byte("late")); err == nil {
		t.Error("Write after Close succeeded")
	}
	if _, err := w.ReadFrom(strings.NewReader("late")); err == nil {
		t.Error("ReadFrom after Close succeeded")
	}
	if err := w.Flush(); err == nil {
		t.Error("Flush after Close succeeded")
	}
	w.Abort()
	_ = w.Close()
	_, _ = other.Write([]byte("second"))
	if err := other.Close(); err != nil {
		t.Fatal(err)
	}
	if first.Len() != size {
		t.Error("bytes after the trailer")
	}
	if got := plain(t, second.Bytes()); string(got) != "second" {
		t.Errorf("the next user's stream has %q", got)
	}
	if p.IdleWriters() != 1 {
		t.Errorf("%d idle writers, want 1", p.IdleWriters())
	}
}

func TestAbort(t *testing.T) {
	p := &gzippool.Pool{MaxIdle: 4}
	var out bytes.Buffer
	w := p.Writer(&out)
	_, _ = w.Write([]byte("content"))
	w.Abort()
	w.Abort()
	if out.Len() > 10 { // a header may be out
		t.Errorf("Abort wrote: %d bytes are out", out.Len())
	}
	if p.IdleWriters() != 1 {
		t.Errorf("%d idle writers after two Aborts, want 1", p.IdleWriters())
	}
	if err := w.Close(); err == nil {
		t.Error("Close after Abort = nil, but the stream has no end")
	}
}

// Of many Closes at once one does the work, and the writer is pooled once.
func TestF1ConcurrentClose(t *testing.T) {
	p := &gzippool.Pool{MaxIdle: 100}
	for range 200 {
		var out bytes.Buffer
		w := p.Writer(&out)
		_, _ = w.Write([]byte("content"))
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				if err := w.Close(); err != nil {
					t.Errorf("Close = %v", err)
				}
			})
		}
		wg.Wait()
		if got := plain(t, out.Bytes()); string(got) != "content" {
			t.Fatalf("got %q", got)
		}
	}
	if p.IdleWriters() != 1 {
		t.Errorf("%d idle writers, want 1", p.IdleWriters())
	}
}

// blocked is a reader and writer whose first call waits for release.
type blocked struct {
	once             sync.Once
	entered, release chan struct{}
}

func newBlocked() *blocked {
	return &blocked{entered: make(chan struct{}), release: make(chan struct{})}
}

func (b *blocked) wait() {
	b.once.Do(func() { close(b.entered) })
	<-b.release
}

func (b *blocked) Write(p []byte) (int, error) {
	b.wait()
	return len(p), nil
}

func (b *blocked) Read([]byte) (int, error) {
	b.wait()
	return 0, io.EOF
}

// Neither Close nor Abort waits for a Write that blocks, and the memory goes
// back when that Write returns, not before.
func TestG4CloseDuringWrite(t *testing.T) {
	for _, tt := range []struct {
		name string
		end  func(w *gzippool.Writer) error
	}{
		{"Close", (*gzippool.Writer).Close},
		{"Abort", func(w *gzippool.Writer) error { w.Abort(); return w.Close() }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := &gzippool.Pool{MaxIdle: 4}
			sink := newBlocked()
			w := p.Writer(sink)
			done := make(chan error)
			go func() {
				_, err := w.Write([]byte("content"))
				done <- err
			}()
			<-sink.entered
			if _, err := w.Write([]byte("another")); err == nil {
				t.Error("a second Write at once succeeded")
			}
			if err := tt.end(w); err == nil {
				t.Error("ended during a Write without an error")
			}
			if p.IdleWriters() != 0 {
				t.Error("the writer is pooled while a Write uses it")
			}
			close(sink.release)
			if err := <-done; err != nil {
				t.Errorf("Write = %v", err)
			}
			if p.IdleWriters() != 1 {
				t.Errorf("%d idle writers, want 1", p.IdleWriters())
			}
			if err := w.Close(); err == nil {
				t.Error("later Close = nil, but the stream has no end")
			}
		})
	}
}

type panicking struct{}

func (panicking) Write([]byte) (int, error) { panic("sink") }
func (panicking) Read([]byte) (int, error)  { panic("source") }

// When the sink or source panics, a deferred Close returns, and what was in the
// middle of something is not pooled.
func TestG4Panic(t *testing.T) {
	p := &gzippool.Pool{MaxIdle: 4}
	panics := func(what string, f func()) {
		t.Helper()
		defer func() {
			if recover() == nil {
				t.Errorf("%s did not panic", what)
			}
		}()
		f()
	}
	var w *gzippool.Writer
	panics("Write", func() {
		w = p.Writer(panicking{})
		defer func() { _ = w.Close() }()
		_, _ = w.Write([]byte("content"))
	})
	if _, err := w.Write(nil); err == nil {
		t.Error("Write after a panic succeeded")
	}
	panics("Close", func() {
		w := p.Writer(panicking{})
		defer w.Abort()
		_ = w.Close()
	})
	panics("ReadFrom", func() {
		w := p.Writer(io.Discard)
		defer w.Abort()
		_, _ = w.ReadFrom(panicking{})
	})
	panics("Read", func() {
		r := p.Reader(panicking{}, gzippool.NoLimit)
		defer func() { _ = r.Close() }()
		_, _ = r.Read(make([]byte, 1))
	})
	panics("WriteTo", func() {
		r := p.Reader(bytes.NewReader(compressed([]byte("content"))), gzippool.NoLimit)
		defer func() { _ = r.Close() }()
		_, _ = r.WriteTo(panicking{})
	})
	if p.IdleWriters() != 0 || p.IdleReaders() != 0 {
		t.Errorf("%d writers and %d readers pooled after panics", p.IdleWriters(), p.IdleReaders())
	}
}

var errUser = errors.New("user's error")

// failing takes n bytes, then fails.
type failing struct{ n int }

func (f *failing) Write(p []byte) (int, error) {
	if len(p) > f.n {
		n := f.n
		f.n = 0
		return n, errUser
	}
	f.n -= len(p)
	return len(p), nil
}

// A failed sink's error stays, whole, and the writer is good for the next use.
func TestF6F10F41SinkErrorThenReuse(t *testing.T) {
	body := corpus.Bulk(80 << 10) // more than a block
	for level := -2; level <= 9; level++ {
		p := &gzippool.Pool{Level: level, MaxIdle: 1}
		for _, n := range []int{0, 5, 10, 300, 4000} {
			w := p.Writer(&failing{n})
			_, err := w.Write(body)
			if err == nil {
				err = w.Flush()
			}
			if err != errUser {
				t.Fatalf("level %d: error after %d bytes = %v, want the sink's own", level, n, err)
			}
			if _, err := w.Write(body); err != errUser {
				t.Errorf("next Write = %v, want the same", err)
			}
			if err := w.Flush(); err != errUser {
				t.Errorf("next Flush = %v, want the same", err)
			}
			if _, err := w.ReadFrom(bytes.NewReader(body)); err != errUser {
				t.Errorf("next ReadFrom = %v, want the same", err)
			}
			for range 2 {
				if err := w.Close(); err != errUser {
					t.Errorf("Close = %v, want the same", err)
				}
			}
			if p.IdleWriters() != 1 {
				t.Fatalf("%d idle writers after a failed use, want 1", p.IdleWriters())
			}
			stream, err := p.AppendCompress(nil, body)
			if err != nil || !bytes.Equal(plain(t, stream), body) {
				t.Fatalf("level %d: after a sink's error: %v, or other content", level, err)
			}
		}
	}
}

// The last write, of the trailer, can be short as well.
func TestShortAndImpossibleWrites(t *testing.T) {
	var p gzippool.Pool
	stream, _ := p.AppendCompress(nil, []byte("content"))
	for _, tt := range []struct {
		name string
		sink io.Writer
		want error
	}{
		{"short", writerFunc(func(p []byte) (int, error) { return len(p) - 1, nil }), io.ErrShortWrite},
		{"trailer", &failing{len(stream) - 1}, errUser},
		{"negative", writerFunc(func([]byte) (int, error) { return -1, nil }), nil},
		{"too many", writerFunc(func(p []byte) (int, error) { return len(p) + 1, nil }), nil},
	} {
		w := p.Writer(tt.sink)
		_, _ = w.Write([]byte("content"))
		err := w.Close()
		if err == nil || tt.want != nil && err != tt.want {
			t.Errorf("%s: Close = %v, want %v", tt.name, err, tt.want)
		}
	}
}

type writerFunc func(p []byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

func TestReadFromErrors(t *testing.T) {
	var p gzippool.Pool
	for _, tt := range []struct {
		name string
		src  io.Reader
		want error
	}{
		{"error", io.MultiReader(strings.NewReader("good"), iotest.ErrReader(errUser)), errUser},
		{"no progress", readerFunc(func([]byte) (int, error) { return 0, nil }), io.ErrNoProgress},
	} {
		var out bytes.Buffer
		w := p.Writer(&out)
		if _, err := w.ReadFrom(tt.src); err != tt.want {
			t.Errorf("%s: ReadFrom = %v, want %v", tt.name, err, tt.want)
		}
		_, _ = w.Write([]byte(", more")) // the stream itself is in order
		if err := w.Close(); err != nil {
			t.Errorf("%s: Close = %v", tt.name, err)
		}
		if got := string(plain(t, out.Bytes())); !strings.HasSuffix(got, ", more") {
			t.Errorf("%s: got %q", tt.name, got)
		}
	}
	w := p.Writer(io.Discard)
	if _, err := w.ReadFrom(readerFunc(func([]byte) (int, error) { return -1, nil })); err == nil {
		t.Error("a count of -1 was accepted")
	}
	w.Abort()
}

// An idle writer must not keep the last destination alive, nor its error; not
// even while the dead handle is kept.
func TestF19SinkNotPinned(t *testing.T) {
	for _, fail := range []bool{false, true} {
		p := &gzippool.Pool{MaxIdle: 1}
		w, sink := usedWriter(p, fail)
		runtime.GC()
		if p.IdleWriters() != 1 {
			t.Fatal("no writer is idle: nothing is tested")
		}
		if sink.Value() != nil {
			t.Errorf("fail %v: the destination is still reachable", fail)
		}
		runtime.KeepAlive(w)
	}
}

// pinned is a sink and a source, and its errors refer to it.
type pinned struct {
	io.Reader
	fail bool
	_    [64]byte
}

func (s *pinned) Error() string { return "refers to its origin" }

func (s *pinned) Write(p []byte) (int, error) {
	if s.fail {
		return 0, s
	}
	return len(p), nil
}

func (s *pinned) Read(p []byte) (int, error) {
	n, err := s.Reader.Read(p)
	if err != nil && s.fail {
		err = s
	}
	return n, err
}

//go:noinline
func usedWriter(p *gzippool.Pool, fail bool) (*gzippool.Writer, weak.Pointer[pinned]) {
	sink := &pinned{fail: fail}
	w := p.Writer(sink)
	_, _ = w.Write([]byte("content"))
	_ = w.Close()
	if fail {
		w = nil // it has the error
	}
	return w, weak.Make(sink)
}

// A writer counts positions in 32 bits, and each use moves them by 32 KiB at
// least: they wrap (https://github.com/klauspost/compress/issues/217).
func TestF41LongReuse(t *testing.T) {
	p := &gzippool.Pool{MaxIdle: 1}
	body := corpus.Bulk(300)
	uses := 3 << 15
	if alloctest.Skewed() {
		uses = 1 << 10 // the race detector is no use here, and slow
	}
	want, err := p.AppendCompress(nil, body)
	if err != nil {
		t.Fatal(err)
	}
	var got []byte
	for i := range uses {
		if got, err = p.AppendCompress(got[:0], body); err != nil || !bytes.Equal(got, want) {
			t.Fatalf("use %d: %v, or another stream than the first", i, err)
		}
	}
}
