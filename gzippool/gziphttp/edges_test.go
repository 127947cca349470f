package gziphttp_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lowalloc/lowalloc/gzippool/gziphttp"
)

// bodyFunc is a request body of unknown length.
type bodyFunc func(p []byte) (int, error)

func (f bodyFunc) Read(p []byte) (int, error) { return f(p) }
func (f bodyFunc) Close() error               { return nil }

// received sends body through a Transport and returns the request that Base got,
// and what its body said, decompressed if it was compressed.
func received(t *testing.T, tr *gziphttp.Transport, body io.ReadCloser) (compressed bool, content []byte, err error) {
	t.Helper()
	tr.Base = baseFunc(func(r *http.Request) (*http.Response, error) {
		defer func() { _ = r.Body.Close() }()
		var src io.Reader = r.Body
		if compressed = r.Header.Get("Content-Encoding") == "gzip"; compressed {
			z, err := gzip.NewReader(r.Body)
			if err != nil {
				return nil, err
			}
			src = z
		}
		var err error
		content, err = io.ReadAll(src)
		return &http.Response{Body: http.NoBody}, err
	})
	req, err := http.NewRequest("POST", "http://127.0.0.1/", body)
	if err != nil {
		t.Fatal(err)
	}
	res, err := tr.RoundTrip(req)
	if err == nil {
		_ = res.Body.Close()
	}
	return compressed, content, err
}

// A body that breaks the rules of io.Reader is an error, not a panic, and sends
// nothing that it did not give.
func TestImpossibleCount(t *testing.T) {
	for _, count := range []func(p []byte) int{
		func([]byte) int { return -1 },
		func(p []byte) int { return len(p) + 100 },
		func(p []byte) int { return len(p) + 1<<20 },
	} {
		_, content, err := received(t, new(gziphttp.Transport), bodyFunc(func(p []byte) (int, error) { return count(p), nil }))
		if err == nil || !strings.HasPrefix(err.Error(), "gziphttp: ") || content != nil {
			t.Errorf("error %v, %d bytes sent", err, len(content))
		}
	}
}

// The last bytes may come together with the end, and the body is not read again.
func TestEndWithTheLastBytes(t *testing.T) {
	for _, size := range []int{1, 1023, 1024, 1025, 5000, 1024 + 32<<10, 1024 + 64<<10} {
		for _, minSize := range []int64{0, -1} {
			content := bytes.Repeat([]byte{'x'}, size)
			rest, ended := content, false
			body := bodyFunc(func(p []byte) (int, error) {
				if ended {
					return 0, errors.New("read after the end")
				}
				n := copy(p, rest)
				if rest = rest[n:]; len(rest) == 0 {
					ended = true
					return n, io.EOF
				}
				return n, nil
			})
			compressed, got, err := received(t, &gziphttp.Transport{MinSize: minSize}, body)
			if err != nil || !bytes.Equal(got, content) {
				t.Errorf("%d bytes, MinSize %d: %d bytes arrived, %v", size, minSize, len(got), err)
			}
			if want := minSize < 0 || size >= 1024; compressed != want {
				t.Errorf("%d bytes, MinSize %d: compressed is %v, want %v", size, minSize, compressed, want)
			}
		}
	}
}

// slowClose is a body whose Read blocks until Close, and then ends; and whose
// Close takes its time.
type slowClose struct {
	closing chan struct{}
	begun   atomic.Bool
	closed  atomic.Bool
}

func (b *slowClose) Read(p []byte) (int, error) {
	if !b.begun.Swap(true) {
		return copy(p, "begin"), nil
	}
	<-b.closing
	return 0, io.EOF
}

func (b *slowClose) Close() error {
	close(b.closing)
	time.Sleep(time.Minute)
	b.closed.Store(true)
	return nil
}

// A body that ends because the context did is not sent as if it were whole, and
// RoundTrip does not return before the body is closed.
func TestCancelledBodyIsNotSent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gone := errors.New("gone")
		ctx, cancel := context.WithCancelCause(t.Context())
		body := &slowClose{closing: make(chan struct{})}
		sent := false
		tr := &gziphttp.Transport{Base: baseFunc(func(*http.Request) (*http.Response, error) {
			sent = true
			return &http.Response{Body: http.NoBody}, nil
		})}
		req, err := http.NewRequestWithContext(ctx, "POST", "http://127.0.0.1/", body)
		if err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(time.Second, func() { cancel(gone) })
		_, err = tr.RoundTrip(req) //nolint:bodyclose // there is none
		if !errors.Is(err, gone) || sent {
			t.Errorf("RoundTrip = %v, sent: %v; want the cause, and nothing sent", err, sent)
		}
		if !body.closed.Load() {
			t.Error("RoundTrip returned while the body's Close was running")
		}
	})
}

func TestResponseRequestIsTheCallers(t *testing.T) {
	tr := &gziphttp.Transport{Base: baseFunc(func(r *http.Request) (*http.Response, error) {
		return &http.Response{Body: http.NoBody, Request: r.Clone(r.Context())}, nil
	})}
	for _, body := range []io.Reader{nil, strings.NewReader("short"), strings.NewReader(strings.Repeat("long", 1000))} {
		req, err := http.NewRequest("POST", "http://127.0.0.1/", body)
		if err != nil {
			t.Fatal(err)
		}
		res, err := tr.RoundTrip(req)
		if err != nil || res.Request != req {
			t.Errorf("body %v: response of another request, %v", body, err)
			continue
		}
		_ = res.Body.Close()
	}
}

// The server deletes the files of a form that came compressed.
func TestHandlerLeavesNoFormFiles(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	srv := httptest.NewServer(gziphttp.Handler(nil, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := r.ParseMultipartForm(1); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
		}
	}), 0))
	defer srv.Close()
	var body bytes.Buffer
	z := gzip.NewWriter(&body)
	form := multipart.NewWriter(z)
	file, err := form.CreateFormFile("f", "f")
	if err == nil {
		_, err = file.Write(make([]byte, 11<<20))
	}
	if err := errors.Join(err, form.Close(), z.Close()); err != nil {
		t.Fatal(err)
	}
	req, _ := http.NewRequest("POST", srv.URL, &body)
	req.Header.Set("Content-Type", form.FormDataContentType())
	req.Header.Set("Content-Encoding", "gzip")
	res, err := srv.Client().Do(req)
	if err != nil || res.StatusCode != http.StatusOK {
		t.Fatal(res, err)
	}
	_ = res.Body.Close()
	srv.Close()
	if left, err := os.ReadDir(os.TempDir()); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// HTTP/1 trailers need not be declared.
func TestHandlerKeepsUndeclaredTrailers(t *testing.T) {
	got := make(chan string, 1)
	srv := httptest.NewServer(gziphttp.Handler(nil, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		got <- r.Trailer.Get("X-T")
	}), 0))
	defer srv.Close()
	var body bytes.Buffer
	z := gzip.NewWriter(&body)
	_, _ = z.Write([]byte("content"))
	_ = z.Close()
	conn, err := net.Dial("tcp", srv.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	_, err = fmt.Fprintf(conn, "POST / HTTP/1.1\r\nHost: x\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\nX-T: v\r\n\r\n", body.Len(), body.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	if v := <-got; v != "v" {
		t.Errorf("trailer %q, want v", v)
	}
}
