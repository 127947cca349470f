package gziphttp_test

import (
	"bytes"
	stdgzip "compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"time"

	"github.com/lowalloc/lowalloc/gzippool"
	"github.com/lowalloc/lowalloc/gzippool/gziphttp"
	"github.com/lowalloc/lowalloc/internal/alloctest"
	"github.com/lowalloc/lowalloc/internal/corpus"
	"github.com/lowalloc/lowalloc/pool"
)

// baseFunc is a RoundTripper.
type baseFunc func(*http.Request) (*http.Response, error)

func (f baseFunc) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func ok(r *http.Request) *http.Response {
	return &http.Response{StatusCode: 200, Header: http.Header{}, Body: http.NoBody, Request: r}
}

// sent is a request as Base saw it.
type sent struct {
	*http.Request
	raw []byte
}

// plain returns the body as its reader gets it.
func (s sent) plain(t *testing.T) []byte {
	t.Helper()
	if s.Header.Get("Content-Encoding") != "gzip" {
		return s.raw
	}
	r, err := stdgzip.NewReader(bytes.NewReader(s.raw))
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// recorder is a Base that reads and closes bodies, as it must.
type recorder struct{ last sent }

func (b *recorder) RoundTrip(r *http.Request) (*http.Response, error) {
	b.last = sent{Request: r}
	if r.Body != nil {
		defer func() { _ = r.Body.Close() }()
		var err error
		if b.last.raw, err = io.ReadAll(r.Body); err != nil {
			return nil, err
		}
	}
	return ok(r), nil
}

// tracked is a body that knows whether it was closed.
type tracked struct {
	io.Reader
	closed atomic.Int32
}

func (b *tracked) Close() error {
	b.closed.Add(1)
	return nil
}

func newRequest(t testing.TB, body io.Reader) *http.Request {
	t.Helper()
	r, err := http.NewRequest("POST", "http://127.0.0.1/_bulk", body)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Every form of body, at every length around MinSize.
func TestRoundTrip(t *testing.T) {
	for _, form := range []struct {
		name    string
		request func(content []byte, body *tracked) *http.Request
		streams bool
	}{
		{"length and GetBody", func(content []byte, body *tracked) *http.Request {
			r := newRequest(t, body)
			r.ContentLength = int64(len(content))
			r.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(content)), nil }
			return r
		}, false},
		{"length", func(content []byte, body *tracked) *http.Request {
			r := newRequest(t, body)
			r.ContentLength = int64(len(content))
			return r
		}, false},
		{"GetBody", func(content []byte, body *tracked) *http.Request {
			r := newRequest(t, body)
			r.ContentLength = -1
			r.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(content)), nil }
			return r
		}, false},
		{"F25 length -1", func(_ []byte, body *tracked) *http.Request {
			r := newRequest(t, body)
			r.ContentLength = -1
			return r
		}, true},
		{"G5 length 0, which means unknown", func(_ []byte, body *tracked) *http.Request {
			return newRequest(t, body)
		}, true},
	} {
		for _, minSize := range []int64{0, -1, 5000} {
			threshold := minSize
			switch minSize {
			case 0:
				threshold = 1024
			case -1:
				threshold = 1
			}
			for _, n := range []int64{0, 1, threshold - 1, threshold, threshold + 1, 4 << 10, 200 << 10} {
				t.Run(fmt.Sprintf("%s/MinSize=%d/%d", form.name, minSize, n), func(t *testing.T) {
					content := corpus.Bulk(int(n))
					body := &tracked{Reader: iotest.HalfReader(bytes.NewReader(content))}
					req := form.request(content, body)
					var base recorder
					base2 := baseFunc(func(r *http.Request) (*http.Response, error) {
						if !form.streams && body.closed.Load() != 1 {
							t.Error("Base is called before the body is read and closed")
						}
						return base.RoundTrip(r)
					})
					transport := &gziphttp.Transport{Base: base2, MinSize: minSize}
					res, err := transport.RoundTrip(req)
					if err != nil {
						t.Fatal(err)
					}
					if res.Request != req {
						t.Error("res.Request is not the caller's request")
					}
					if !bytes.Equal(base.last.plain(t), content) {
						t.Error("other content")
					}
					if body.closed.Load() != 1 {
						t.Errorf("the body was closed %d times, want once", body.closed.Load())
					}
					encoded := base.last.Header.Get("Content-Encoding") == "gzip"
					if encoded != (n >= threshold && n > 0) {
						t.Errorf("compressed %v", encoded)
					}
					switch length := base.last.ContentLength; {
					case encoded && form.streams:
						if length != -1 || base.last.GetBody != nil {
							t.Errorf("streamed with ContentLength %d, GetBody %v", length, base.last.GetBody != nil)
						}
					case length != int64(len(base.last.raw)):
						t.Errorf("ContentLength %d, but %d bytes", length, len(base.last.raw))
					case n == 0 && base.last.Body != http.NoBody:
						t.Error("an empty body is not http.NoBody")
					}
				})
			}
		}
	}
}

func TestF23SentAsItIs(t *testing.T) {
	content := corpus.Bulk(5000)
	for _, tt := range []struct {
		name string
		set  func(r *http.Request)
	}{
		{"no body", func(r *http.Request) { r.Body, r.ContentLength, r.GetBody = nil, 0, nil }},
		{"NoBody", func(r *http.Request) { r.Body, r.ContentLength, r.GetBody = http.NoBody, 0, nil }},
		{"encoded", func(r *http.Request) { r.Header.Set("Content-Encoding", "zstd") }},
		{"opted out", func(r *http.Request) { r.Header.Set("Content-Encoding", "identity") }},
	} {
		var base recorder
		req := newRequest(t, bytes.NewReader(content))
		tt.set(req)
		if _, err := (&gziphttp.Transport{Base: &base, MinSize: -1}).RoundTrip(req); err != nil {
			t.Fatal(err)
		}
		if base.last.Request != req {
			t.Errorf("%s: Base got another request", tt.name)
		}
	}
}

// The request can be used again as it is, and the same request twice at once.
func TestF21RequestUnchanged(t *testing.T) {
	content := corpus.Bulk(5000)
	var base recorder
	transport := &gziphttp.Transport{Base: &base}
	req := newRequest(t, bytes.NewReader(content))
	req.Header.Set("X-Other", "value")
	req.Header.Set("Content-MD5", "digest")
	req.Host = "other.example"
	body, header, get := req.Body, maps.Clone(req.Header), req.GetBody
	for range 3 {
		if _, err := transport.RoundTrip(req); err != nil {
			t.Fatal(err)
		}
		if req.Body != body || req.ContentLength != 5000 || !maps.EqualFunc(req.Header, header, slices.Equal) {
			t.Fatal("the request was changed")
		}
		if !bytes.Equal(base.last.plain(t), content) {
			t.Fatal("other content")
		}
		var err error
		if req.Body, err = get(); err != nil {
			t.Fatal(err)
		}
		body = req.Body
	}
	got := base.last
	if got.Header.Get("X-Other") != "value" || got.Host != "other.example" || got.Header.Get("Content-MD5") != "" {
		t.Errorf("sent with header %v, host %q", got.Header, got.Host)
	}
}

func TestF13F14F15GetBody(t *testing.T) {
	content := corpus.Bulk(200_000)
	for _, n := range []int{500, 200_000} {
		transport := &gziphttp.Transport{Base: baseFunc(func(r *http.Request) (*http.Response, error) {
			first, _ := io.ReadAll(r.Body)
			for range 3 { // as a retry does: after the last body is closed
				_ = r.Body.Close()
				body, err := r.GetBody()
				if err != nil {
					t.Fatal(err)
				}
				r.Body = body
				again, err := io.ReadAll(iotest.OneByteReader(body))
				if err != nil || !bytes.Equal(first, again) || int64(len(again)) != r.ContentLength {
					t.Errorf("GetBody gives %d bytes, %v; want %d again", len(again), err, len(first))
				}
			}
			return ok(r), r.Body.Close()
		})}
		if _, err := transport.RoundTrip(newRequest(t, bytes.NewReader(content[:n]))); err != nil {
			t.Fatal(err)
		}
	}
}

// After the last release nothing can be read, and the buffers are back.
func TestG7F11Release(t *testing.T) {
	buffers := &pool.Pool{MaxIdleBytes: 1 << 20}
	var body io.ReadCloser
	var get func() (io.ReadCloser, error)
	transport := &gziphttp.Transport{Buffers: buffers, Base: baseFunc(func(r *http.Request) (*http.Response, error) {
		body, get = r.Body, r.GetBody
		return ok(r), nil // like a server that answers at once
	})}
	content := corpus.Bulk(300_000)
	if _, err := transport.RoundTrip(newRequest(t, bytes.NewReader(content))); err != nil {
		t.Fatal(err)
	}
	if s := buffers.Stats(); s.Idle != 0 {
		t.Fatalf("%d buffers idle while a body over them is open", s.Idle)
	}
	second, err := get()
	if err != nil {
		t.Fatal(err)
	}
	raw, err := io.ReadAll(body)
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		_ = body.Close()
	}
	if _, err := body.Read(make([]byte, 1)); err == nil || err == io.EOF {
		t.Errorf("Read after Close = %v", err)
	}
	if s := buffers.Stats(); s.Idle != 0 {
		t.Fatalf("%d buffers idle while another body over them is open", s.Idle)
	}
	again, err := io.ReadAll(second)
	if err != nil || !bytes.Equal(raw, again) {
		t.Errorf("the second body has %d bytes, %v; want %d", len(again), err, len(raw))
	}
	if !bytes.Equal(sent{&http.Request{Header: http.Header{"Content-Encoding": {"gzip"}}}, again}.plain(t), content) {
		t.Error("other content")
	}
	_ = second.Close()
	if s := buffers.Stats(); s.Idle != s.Allocated {
		t.Errorf("%d of %d buffers came back", s.Idle, s.Allocated)
	}
	if _, err := get(); err == nil {
		t.Error("GetBody after the last release succeeded")
	}
}

type errBody struct {
	tracked
	err error
}

func (b *errBody) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	if err == io.EOF {
		err = b.err
	}
	return n, err
}

func TestF10F22BodyErrors(t *testing.T) {
	errRead := errors.New("read failed")
	content := corpus.Bulk(100_000)
	for _, tt := range []struct {
		name   string
		n      int
		length int64
		err    error
		text   string
	}{
		{"error, small", 10, 11, errRead, ""},
		{"error, large", 50_000, 60_000, errRead, ""},
		{"error, unknown length, small", 10, -1, errRead, ""},
		{"error, unknown length, large", 50_000, -1, errRead, ""},
		{"G5 shorter, small", 10, 11, nil, "ContentLength"},
		{"G5 shorter, large", 50_000, 50_001, nil, "ContentLength"},
		{"G5 longer, small", 11, 10, nil, "ContentLength"},
		{"G5 longer, large", 50_001, 50_000, nil, "ContentLength"},
		{"G5 longer, small becomes large", 5000, 10, nil, "ContentLength"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			buffers := &pool.Pool{MaxIdleBytes: 1 << 20}
			body := &errBody{err: tt.err}
			body.Reader = bytes.NewReader(content[:tt.n])
			if tt.err == nil {
				body.err = io.EOF
			}
			req := newRequest(t, body)
			req.ContentLength = tt.length
			called := false
			transport := &gziphttp.Transport{Buffers: buffers, Base: baseFunc(func(r *http.Request) (*http.Response, error) {
				called = true
				return new(recorder).RoundTrip(r)
			})}
			res, err := transport.RoundTrip(req)
			if err == nil || res != nil || tt.err != nil && !errors.Is(err, tt.err) || !strings.Contains(err.Error(), tt.text) {
				t.Errorf("RoundTrip = %v, %v", res, err)
			}
			if called != (tt.length < 0 && tt.n > 1024) {
				t.Errorf("Base called: %v", called)
			}
			if body.closed.Load() != 1 {
				t.Errorf("the body was closed %d times, want once", body.closed.Load())
			}
			if s := buffers.Stats(); s.Idle != s.Allocated {
				t.Errorf("%d of %d buffers came back", s.Idle, s.Allocated)
			}
		})
	}
}

func TestBodyWithoutProgress(t *testing.T) {
	for _, length := range []int64{-1, 10, 10_000} {
		body := &tracked{Reader: readerFunc(func([]byte) (int, error) { return 0, nil })}
		req := newRequest(t, body)
		req.ContentLength = length
		if _, err := (&gziphttp.Transport{Base: new(recorder)}).RoundTrip(req); err == nil || body.closed.Load() != 1 {
			t.Errorf("length %d: %v, closed %d times", length, err, body.closed.Load())
		}
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

func TestBodyPanics(t *testing.T) {
	gzip := &gzippool.Pool{MaxIdle: 1}
	for _, length := range []int64{-1, 10, 10_000} {
		body := &tracked{Reader: readerFunc(func([]byte) (int, error) { panic("body") })}
		req := newRequest(t, body)
		req.ContentLength = length
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("length %d: no panic", length)
				}
			}()
			_, _ = (&gziphttp.Transport{Base: new(recorder), Gzip: gzip}).RoundTrip(req)
		}()
		if body.closed.Load() != 1 {
			t.Errorf("length %d: the body was closed %d times, want once", length, body.closed.Load())
		}
	}
	var base recorder
	content := corpus.Bulk(10_000)
	if _, err := (&gziphttp.Transport{Base: &base, Gzip: gzip}).RoundTrip(newRequest(t, bytes.NewReader(content))); err != nil || !bytes.Equal(base.last.plain(t), content) {
		t.Errorf("after a panic: %v, or other content", err)
	}
}

func TestF9BadLevel(t *testing.T) {
	for _, length := range []int64{-1, 10_000} {
		body := &tracked{Reader: bytes.NewReader(corpus.Bulk(10_000))}
		req := newRequest(t, body)
		req.ContentLength = length
		transport := &gziphttp.Transport{Base: new(recorder), Gzip: &gzippool.Pool{Level: 77}}
		if _, err := transport.RoundTrip(req); err == nil || !strings.Contains(err.Error(), "77") || body.closed.Load() != 1 {
			t.Errorf("RoundTrip = %v, closed %d times", err, body.closed.Load())
		}
	}
}

// pipeBody blocks in Read until it is closed.
type pipeBody struct {
	*io.PipeReader
	closed atomic.Int32
}

func (b *pipeBody) Close() error {
	b.closed.Add(1)
	return b.PipeReader.Close()
}

func TestContextEndsWhileRoundTripReads(t *testing.T) {
	errCause := errors.New("cause")
	for _, length := range []int64{-1, 10, 10_000} {
		ctx, cancel := context.WithCancelCause(t.Context())
		pr, pw := io.Pipe()
		body := &pipeBody{PipeReader: pr}
		req := newRequest(t, body).WithContext(ctx)
		req.ContentLength = length
		go func() {
			_, _ = pw.Write([]byte("begin"))
			cancel(errCause)
		}()
		_, err := (&gziphttp.Transport{Base: new(recorder)}).RoundTrip(req)
		if !errors.Is(err, errCause) || body.closed.Load() != 1 {
			t.Errorf("length %d: %v, closed %d times", length, err, body.closed.Load())
		}
	}
}

// HTTP/2 closes a body while it is read; the read may wait for the caller.
func TestF12G4CloseDuringStreamedRead(t *testing.T) {
	buffers := &pool.Pool{MaxIdleBytes: 1 << 20}
	gzip := &gzippool.Pool{MaxIdle: 1}
	pr, pw := io.Pipe()
	body := &pipeBody{PipeReader: pr}
	req := newRequest(t, body)
	go func() { _, _ = pw.Write(corpus.Bulk(2000)) }()
	transport := &gziphttp.Transport{Buffers: buffers, Gzip: gzip, Base: baseFunc(func(r *http.Request) (*http.Response, error) {
		done := make(chan error)
		go func() {
			_, err := io.Copy(io.Discard, r.Body)
			done <- err
		}()
		time.Sleep(time.Millisecond) // so that it most likely blocks in Read; right either way
		_ = r.Body.Close()
		_ = r.Body.Close()
		if err := <-done; err == nil {
			t.Error("the read of a closed body ended without an error")
		}
		if _, err := r.Body.Read(make([]byte, 1)); err == nil || err == io.EOF {
			t.Errorf("Read after Close = %v", err)
		}
		return ok(r), nil
	})}
	if _, err := transport.RoundTrip(req); err != nil {
		t.Fatal(err)
	}
	if body.closed.Load() != 1 {
		t.Errorf("the body was closed %d times, want once", body.closed.Load())
	}
	if s := buffers.Stats(); s.Idle != s.Allocated {
		t.Errorf("%d of %d buffers came back", s.Idle, s.Allocated)
	}
}

// Trailers are known only when the body has ended, and HTTP/1 sends none with a
// known length.
func TestG6Trailer(t *testing.T) {
	for _, n := range []int{0, 10, 10_000} {
		for _, length := range []int64{-1, int64(n)} {
			content := corpus.Bulk(n)
			body := &errBody{err: io.EOF}
			body.Reader = bytes.NewReader(content)
			req := newRequest(t, body)
			req.ContentLength = length
			req.Trailer = http.Header{"X-Sum": nil}
			req.Body = closeFunc{readerFunc(func(p []byte) (int, error) {
				n, err := body.Read(p)
				if errors.Is(err, io.EOF) {
					req.Trailer.Set("X-Sum", "42")
				}
				return n, err
			}), body.Close}
			var base recorder
			if _, err := (&gziphttp.Transport{Base: &base}).RoundTrip(req); err != nil {
				t.Fatal(err)
			}
			if base.last.ContentLength != -1 || base.last.Trailer.Get("X-Sum") != "42" || !bytes.Equal(base.last.plain(t), content) {
				t.Errorf("%d bytes, length %d: sent with ContentLength %d, Trailer %v", n, length, base.last.ContentLength, base.last.Trailer)
			}
		}
	}
}

type closeFunc struct {
	io.Reader
	close func() error
}

func (c closeFunc) Close() error { return c.close() }

func TestBaseFails(t *testing.T) {
	errBase := errors.New("base failed")
	buffers := &pool.Pool{MaxIdleBytes: 1 << 20}
	transport := &gziphttp.Transport{Buffers: buffers, Base: baseFunc(func(r *http.Request) (*http.Response, error) {
		_ = r.Body.Close()
		return nil, errBase
	})}
	for _, length := range []int64{-1, 10_000} {
		body := &tracked{Reader: bytes.NewReader(corpus.Bulk(10_000))}
		req := newRequest(t, body)
		req.ContentLength = length
		if res, err := transport.RoundTrip(req); res != nil || !errors.Is(err, errBase) || body.closed.Load() != 1 {
			t.Errorf("RoundTrip = %v, %v; closed %d times", res, err, body.closed.Load())
		}
		if s := buffers.Stats(); s.Idle != s.Allocated {
			t.Errorf("%d of %d buffers came back", s.Idle, s.Allocated)
		}
	}
}

type closesIdle struct {
	recorder
	closed int
}

func (c *closesIdle) CloseIdleConnections() { c.closed++ }

func TestCloseIdleConnections(t *testing.T) {
	var base closesIdle
	client := &http.Client{Transport: &gziphttp.Transport{Base: &base}}
	client.CloseIdleConnections()
	(&gziphttp.Transport{Base: new(recorder)}).CloseIdleConnections() // which has none
	if base.closed != 1 {
		t.Errorf("called %d times, want once", base.closed)
	}
}

// A body that is streamed takes constant memory.
func TestStreamedGiB(t *testing.T) {
	size := int64(1 << 30)
	if alloctest.Skewed() {
		size = 16 << 20
	}
	block := make([]byte, 1<<20) // of zeros, since only the time depends on it
	copy(block, corpus.Bulk(8<<10))
	var read int64
	var most uint64
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	before := m.HeapAlloc
	source := readerFunc(func(p []byte) (int, error) {
		n := min(int64(len(p)), size-read, int64(len(block))-read%int64(len(block)))
		if n == 0 {
			return 0, io.EOF
		}
		copy(p, block[read%int64(len(block)):][:n])
		if read%(64<<20) == 0 {
			runtime.ReadMemStats(&m)
			most = max(most, m.HeapAlloc)
		}
		read += n
		return int(n), nil
	})
	var got int64
	transport := &gziphttp.Transport{Base: baseFunc(func(r *http.Request) (*http.Response, error) {
		defer func() { _ = r.Body.Close() }()
		zr := new(gzippool.Pool).Reader(r.Body, gzippool.NoLimit)
		var err error
		got, err = io.Copy(io.Discard, zr)
		return ok(r), err
	})}
	if _, err := transport.RoundTrip(newRequest(t, source)); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d bytes, the heap grew by %d KiB at most", got, int64(most-before)>>10)
	if got != size {
		t.Errorf("%d bytes arrived, want %d", got, size)
	}
	if grown := int64(most - before); grown > 4<<20 && !alloctest.Skewed() {
		t.Errorf("the heap grew by %d bytes", grown)
	}
}
