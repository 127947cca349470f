package gziphttp_test

import (
	"bytes"
	stdgzip "compress/gzip"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/lowalloc/lowalloc/gzippool"
	"github.com/lowalloc/lowalloc/gzippool/gziphttp"
	"github.com/lowalloc/lowalloc/internal/alloctest"
	"github.com/lowalloc/lowalloc/internal/corpus"
)

func compress(content []byte) []byte {
	stream, err := new(gzippool.Pool).AppendCompress(nil, content)
	if err != nil {
		panic(err)
	}
	return stream
}

func post(coding []string, body io.Reader) *http.Request {
	r := httptest.NewRequest("POST", "/", body)
	if coding != nil {
		r.Header["Content-Encoding"] = coding
	}
	return r
}

func TestG8HandlerCodings(t *testing.T) {
	content := corpus.Bulk(10_000)
	stream := compress(content)
	for _, tt := range []struct {
		coding []string
		body   []byte
		status int
	}{
		{nil, content, 200},
		{[]string{""}, content, 200},
		{[]string{"identity"}, content, 200},
		{[]string{"gzip"}, stream, 200},
		{[]string{"GZip"}, stream, 200},
		{[]string{"x-gzip"}, stream, 200},
		{[]string{" gzip , identity"}, stream, 200},
		{[]string{"identity", "gzip"}, stream, 200},
		{[]string{"gzip, gzip"}, compress(stream), 415},
		{[]string{"gzip", "gzip"}, compress(stream), 415},
		{[]string{"br"}, content, 415},
		{[]string{"deflate, gzip"}, stream, 415},
	} {
		r := post(tt.coding, bytes.NewReader(tt.body))
		header := r.Header.Clone()
		called := false
		w := httptest.NewRecorder()
		gziphttp.Handler(nil, http.HandlerFunc(func(_ http.ResponseWriter, got *http.Request) {
			called = true
			b, err := io.ReadAll(got.Body)
			if err != nil || !bytes.Equal(b, content) {
				t.Errorf("%q: %d bytes, %v", tt.coding, len(b), err)
			}
			if bytes.Equal(tt.body, stream) && (got.ContentLength != -1 || got.Header["Content-Encoding"] != nil || got.Header["Content-Length"] != nil) {
				t.Errorf("%q: next sees length %d, header %v", tt.coding, got.ContentLength, got.Header)
			}
		}), 0).ServeHTTP(w, r)
		if w.Code != tt.status || called != (tt.status == 200) {
			t.Errorf("%q: status %d, next called: %v", tt.coding, w.Code, called)
		}
		if tt.status == 415 && w.Header().Get("Accept-Encoding") != "gzip" {
			t.Errorf("%q: header %v", tt.coding, w.Header())
		}
		if len(header) != len(r.Header) || r.ContentLength != int64(len(tt.body)) {
			t.Errorf("%q: the original request was changed", tt.coding)
		}
	}
}

// readAll has next read the whole body.
func readAll(h func(next http.Handler) http.Handler, r *http.Request) (b []byte, err error) {
	h(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		b, err = io.ReadAll(r.Body)
	})).ServeHTTP(httptest.NewRecorder(), r)
	return b, err
}

func TestHandlerBodies(t *testing.T) {
	content := corpus.Bulk(10_000)
	stream := compress(content)
	handler := func(max int64) func(http.Handler) http.Handler {
		return func(next http.Handler) http.Handler { return gziphttp.Handler(nil, next, max) }
	}
	unknown := func(b []byte) io.Reader { return struct{ io.Reader }{bytes.NewReader(b)} }
	for _, tt := range []struct {
		name string
		body io.Reader
		max  int64
		want int
		err  error
	}{
		{"good", bytes.NewReader(stream), 0, len(content), nil},
		{"good, no limit", bytes.NewReader(stream), -1, len(content), nil},
		{"exactly the limit", bytes.NewReader(stream), int64(len(content)), len(content), nil},
		{"above it", bytes.NewReader(stream), int64(len(content)) - 1, len(content) - 1, errTooLarge},
		{"F24 empty member", bytes.NewReader(compress(nil)), 0, 0, nil},
		{"G2 no body", http.NoBody, 0, 0, nil},
		{"G2 no body, length unknown", unknown(nil), 0, 0, nil},
		{"cut off", bytes.NewReader(stream[:len(stream)-4]), 0, len(content), io.ErrUnexpectedEOF},
		{"cut off in the header", unknown(stream[:5]), 0, 0, io.ErrUnexpectedEOF},
		{"not gzip", strings.NewReader("this is not gzip"), 0, 0, stdgzip.ErrHeader},
		{"garbage behind", bytes.NewReader(append(bytes.Clone(stream), "this is garbage"...)), 0, len(content), stdgzip.ErrHeader},
	} {
		b, err := readAll(handler(tt.max), post([]string{"gzip"}, tt.body))
		if !bytes.Equal(b, content[:tt.want]) {
			t.Errorf("%s: %d bytes, want %d", tt.name, len(b), tt.want)
		}
		var ours *gzippool.TooLargeError
		var theirs *http.MaxBytesError
		switch {
		case tt.err == errTooLarge: //nolint:errorlint // a mark in the table
			if !errors.As(err, &ours) || !errors.As(err, &theirs) || ours.Limit != tt.max || theirs.Limit != tt.max {
				t.Errorf("%s: %v, want both errors, with the limit", tt.name, err)
			}
		case !errors.Is(err, tt.err):
			t.Errorf("%s: %v, want %v", tt.name, err, tt.err)
		}
	}
}

var errTooLarge = errors.New("want a TooLargeError")

// An existing handler, which knows http.MaxBytesError, answers 413 to a bomb.
func TestF27HandlerBomb(t *testing.T) {
	const max = 1 << 20
	size := 1 << 30
	if alloctest.Skewed() || strconv.IntSize == 32 {
		size = 1 << 24
	}
	bomb := compress(make([]byte, size))
	handler := gziphttp.Handler(nil, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, err := io.Copy(io.Discard, r.Body)
		var tooLarge *http.MaxBytesError
		if errors.As(err, &tooLarge) {
			http.Error(w, err.Error(), http.StatusRequestEntityTooLarge)
		}
	}), max)
	before := alloctest.LiveHeap()
	best := time.Hour
	for range 5 {
		w := httptest.NewRecorder()
		start := time.Now()
		handler.ServeHTTP(w, post([]string{"gzip"}, bytes.NewReader(bomb)))
		best = min(best, time.Since(start))
		if w.Code != 413 {
			t.Fatalf("status %d, want 413", w.Code)
		}
	}
	live := int64(alloctest.LiveHeap() - before)
	t.Logf("%d bytes of bomb: %v, live heap %+d", len(bomb), best, live)
	if !alloctest.Skewed() && (live > 1<<20 || best > 100*time.Millisecond) {
		t.Errorf("took %v, live heap grew by %d bytes", best, live)
	}
	runtime.KeepAlive(bomb)
}

// Nothing is read before next reads: the client may wait for 100 Continue.
func TestG9HandlerReadsLazily(t *testing.T) {
	read := false
	body := readerFunc(func([]byte) (int, error) { read = true; return 0, io.EOF })
	gziphttp.Handler(nil, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusUnauthorized)
	}), 0).ServeHTTP(httptest.NewRecorder(), post([]string{"gzip"}, body))
	if read {
		t.Error("the body was read although next did not")
	}
}

// The reader goes back when next panics, and a body that next leaked is dead.
func TestG8HandlerReleases(t *testing.T) {
	p := &gzippool.Pool{MaxIdle: 1}
	content := corpus.Bulk(100_000)
	var leaked io.ReadCloser
	handler := gziphttp.Handler(p, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		leaked = r.Body
		_, _ = r.Body.Read(make([]byte, 10))
		panic(http.ErrAbortHandler)
	}), 0)
	func() {
		defer func() {
			if recover() != http.ErrAbortHandler { //nolint:errorlint // the very value
				t.Error("the panic was not passed on")
			}
		}()
		handler.ServeHTTP(httptest.NewRecorder(), post([]string{"gzip"}, bytes.NewReader(compress(content))))
	}()
	r := p.Reader(bytes.NewReader(compress(content)), gzippool.NoLimit) // has what the leaked body had
	if n, err := leaked.Read(make([]byte, 10)); n != 0 || err == nil || err == io.EOF {
		t.Errorf("Read after the handler returned = %d, %v", n, err)
	}
	_ = leaked.Close()
	if b, err := io.ReadAll(r); err != nil || !bytes.Equal(b, content) {
		t.Errorf("the next user reads %d bytes, %v", len(b), err)
	}
}
