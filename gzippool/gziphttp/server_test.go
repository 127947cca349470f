package gziphttp_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"net/http/httputil"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/lowalloc/lowalloc/gzippool/gziphttp"
	"github.com/lowalloc/lowalloc/internal/corpus"
	"github.com/lowalloc/lowalloc/pool"
)

// serve starts a real server on loopback, behind gziphttp.Handler, and returns
// a client whose requests compress themselves.
func serve(t *testing.T, http2 bool, next http.HandlerFunc) (*httptest.Server, *http.Client, *gziphttp.Transport) {
	t.Helper()
	server := httptest.NewUnstartedServer(gziphttp.Handler(nil, next, 0))
	server.EnableHTTP2 = http2
	if http2 {
		server.StartTLS()
	} else {
		server.Start()
	}
	t.Cleanup(server.Close)
	transport := &gziphttp.Transport{Base: server.Client().Transport, Buffers: &pool.Pool{MaxIdleBytes: 8 << 20}}
	return server, &http.Client{Transport: transport}, transport
}

func protocols(t *testing.T, f func(t *testing.T, http2 bool)) {
	for _, http2 := range []bool{false, true} {
		name := "HTTP1"
		if http2 {
			name = "HTTP2"
		}
		t.Run(name, func(t *testing.T) { f(t, http2) })
	}
}

// echoSum answers with the checksum of the body.
func echoSum(w http.ResponseWriter, r *http.Request) {
	sum := sha256.New()
	if _, err := io.Copy(sum, r.Body); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	_, _ = fmt.Fprintf(w, "%x", sum.Sum(nil))
}

func do(t *testing.T, client *http.Client, req *http.Request) string {
	t.Helper()
	res, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	b, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != 200 {
		t.Fatalf("%s, %q, %v", res.Status, b, err)
	}
	return string(b)
}

func request(t *testing.T, url string, body io.Reader) *http.Request {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), "POST", url, body)
	if err != nil {
		t.Fatal(err)
	}
	return req
}

// Many requests at once, of all sizes, streamed and not: what arrives is what
// was sent.
func TestServer(t *testing.T) {
	protocols(t, func(t *testing.T, http2 bool) {
		server, client, transport := serve(t, http2, echoSum)
		var wg sync.WaitGroup
		for g := range 6 {
			wg.Go(func() {
				for i, n := range []int{0, 10, 1023, 1024, 3000, 70_000, 500_000} {
					content := corpus.Bulk(n + g)
					body := io.Reader(bytes.NewReader(content))
					if (g+i)%3 == 0 {
						body = struct{ io.Reader }{body}
					}
					req, _ := http.NewRequest("POST", server.URL, body)
					res, err := client.Do(req)
					if err != nil {
						t.Error(err)
						return
					}
					got, _ := io.ReadAll(res.Body)
					_ = res.Body.Close()
					if want := fmt.Sprintf("%x", sha256.Sum256(content)); string(got) != want {
						t.Errorf("%d bytes: %q", n, got)
					}
				}
			})
		}
		wg.Wait()
		server.Close() // waits until no connection has a body
		client.CloseIdleConnections()
		if s := transport.Buffers.Stats(); s.Allocated == 0 || s.Idle+s.Discarded > s.Allocated {
			t.Errorf("Stats = %+v", s)
		}
	})
}

// A server that answers before it has read the body: the connection goes on
// reading it after RoundTrip has returned. In race builds the pool overwrites
// what comes back, so a body given back too early shows as another's bytes.
func TestF11F12ServerAnswersEarly(t *testing.T) {
	protocols(t, func(t *testing.T, http2 bool) {
		server, client, _ := serve(t, http2, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/early" {
				w.WriteHeader(http.StatusTeapot)
				return
			}
			echoSum(w, r)
		})
		large := randomBytes(2 << 20) // more than socket buffers take
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				for range 2 {
					for _, streamed := range []bool{false, true} {
						body := io.Reader(bytes.NewReader(large))
						if streamed {
							body = struct{ io.Reader }{body}
						}
						req, _ := http.NewRequest("POST", server.URL+"/early", body)
						res, err := client.Do(req)
						if err == nil { // a reset is an answer, too
							if res.StatusCode != http.StatusTeapot {
								t.Errorf("status %d", res.StatusCode)
							}
							_ = res.Body.Close()
						}
						content := corpus.Bulk(200_000)
						req, _ = http.NewRequest("POST", server.URL, bytes.NewReader(content))
						if res, err = client.Do(req); err != nil {
							t.Error(err)
							return
						}
						got, _ := io.ReadAll(res.Body)
						_ = res.Body.Close()
						if want := fmt.Sprintf("%x", sha256.Sum256(content)); string(got) != want {
							t.Errorf("after an early answer: %q", got)
						}
					}
				}
			})
		}
		wg.Wait()
	})
}

// randomBytes returns n bytes that do not compress.
func randomBytes(n int) []byte {
	b := make([]byte, 0, n+sha256.Size)
	sum := sha256.Sum256(nil)
	for len(b) < n {
		sum = sha256.Sum256(sum[:])
		b = append(b, sum[:]...)
	}
	return b[:n]
}

func TestF13F14Redirect(t *testing.T) {
	protocols(t, func(t *testing.T, http2 bool) {
		for _, status := range []int{http.StatusTemporaryRedirect, http.StatusPermanentRedirect} {
			for _, n := range []int{100, 100_000} {
				content := corpus.Bulk(n)
				server, client, _ := serve(t, http2, func(w http.ResponseWriter, r *http.Request) {
					if r.URL.Path == "/" {
						http.Redirect(w, r, "/there", status)
						return
					}
					echoSum(w, r)
				})
				got := do(t, client, request(t, server.URL, bytes.NewReader(content)))
				if want := fmt.Sprintf("%x", sha256.Sum256(content)); got != want {
					t.Errorf("%d, %d bytes: %q", status, n, got)
				}
			}
		}
	})
}

// A kept connection that the server has closed: net/http tries again, with
// GetBody, if it knows that it may.
func TestF13RetryOnDroppedConnection(t *testing.T) {
	content := corpus.Bulk(100_000)
	var drop atomic.Bool
	server, client, _ := serve(t, false, echoSum)
	inner := server.Config.Handler
	server.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if drop.Swap(false) {
			_, _ = io.Copy(io.Discard, r.Body) // or the client fails at writing, which ends it
			conn, _, err := http.NewResponseController(w).Hijack()
			if err == nil {
				_ = conn.Close()
			}
			return
		}
		inner.ServeHTTP(w, r)
	})
	want := fmt.Sprintf("%x", sha256.Sum256(content))
	for range 5 {
		if got := do(t, client, request(t, server.URL, bytes.NewReader(content))); got != want {
			t.Fatalf("got %q", got)
		}
		drop.Store(true)
		req := request(t, server.URL, bytes.NewReader(content))
		req.Header.Set("Idempotency-Key", "1") // so that it may be sent twice
		if got := do(t, client, req); got != want {
			t.Fatalf("after a dropped connection: %q", got)
		}
		if drop.Load() {
			t.Fatal("no connection was dropped: nothing is tested")
		}
	}
}

func TestExpectContinue(t *testing.T) {
	content := corpus.Bulk(100_000)
	var read atomic.Bool
	server, client, _ := serve(t, false, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/refuse" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		read.Store(true)
		if r.Header.Get("Expect") != "100-continue" {
			t.Error("the Expect header is lost")
		}
		echoSum(w, r)
	})
	for _, path := range []string{"/", "/refuse"} {
		read.Store(false)
		continued := false
		req := request(t, server.URL+path, bytes.NewReader(content))
		req.Header.Set("Expect", "100-continue")
		req = req.WithContext(httptrace.WithClientTrace(req.Context(), &httptrace.ClientTrace{
			Got100Continue: func() { continued = true },
		}))
		res, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		got, _ := io.ReadAll(res.Body)
		_ = res.Body.Close()
		if continued != (path == "/") || read.Load() != continued {
			t.Errorf("%s: 100 Continue: %v", path, continued)
		}
		if path == "/" && string(got) != fmt.Sprintf("%x", sha256.Sum256(content)) {
			t.Errorf("got %q", got)
		}
	}
}

func TestHostAndTrailers(t *testing.T) {
	protocols(t, func(t *testing.T, http2 bool) {
		for _, n := range []int{100, 100_000} {
			for _, known := range []bool{false, true} {
				content := corpus.Bulk(n)
				server, client, _ := serve(t, http2, func(w http.ResponseWriter, r *http.Request) {
					echoSum(w, r)
					_, _ = fmt.Fprintf(w, " %s %s", r.Host, r.Trailer.Get("X-Sum"))
				})
				req := request(t, server.URL, nil)
				req.Host = "other.example"
				req.Trailer = http.Header{"X-Sum": nil}
				content2 := bytes.NewReader(content)
				req.Body = io.NopCloser(readerFunc(func(p []byte) (int, error) {
					n, err := content2.Read(p)
					if err == io.EOF {
						req.Trailer.Set("X-Sum", "42")
					}
					return n, err
				}))
				if req.ContentLength = -1; known {
					req.ContentLength = int64(n)
				}
				if got, want := do(t, client, req), fmt.Sprintf("%x other.example 42", sha256.Sum256(content)); got != want {
					t.Errorf("%d bytes, length known %v: got %q, want %q", n, known, got, want)
				}
			}
		}
	})
}

func TestCancellation(t *testing.T) {
	protocols(t, func(t *testing.T, http2 bool) {
		entered := make(chan struct{})
		server, client, _ := serve(t, http2, func(_ http.ResponseWriter, r *http.Request) {
			_, _ = r.Body.Read(make([]byte, 1)) // net/http watches for the client's end only then
			_, _ = io.Copy(io.Discard, r.Body)
			entered <- struct{}{}
			<-r.Context().Done()
		})
		for _, streamed := range []bool{false, true} {
			ctx, cancel := context.WithCancel(t.Context())
			body := io.Reader(bytes.NewReader(corpus.Bulk(100_000)))
			if streamed {
				body = struct{ io.Reader }{body}
			}
			req := request(t, server.URL, body).WithContext(ctx)
			go func() {
				<-entered
				cancel()
			}()
			if _, err := client.Do(req); !errors.Is(err, context.Canceled) {
				t.Errorf("streamed %v: %v, want context.Canceled", streamed, err)
			}
			cancel()
		}
	})
}

// A proxy whose transport compresses, in front of a server that knows gzip.
func TestReverseProxy(t *testing.T) {
	server, _, transport := serve(t, false, echoSum)
	target, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httptest.NewServer(&httputil.ReverseProxy{
		Rewrite:   func(r *httputil.ProxyRequest) { r.SetURL(target) },
		Transport: transport,
	})
	defer proxy.Close()
	for _, n := range []int{0, 100, 5000, 1 << 20} {
		for _, streamed := range []bool{false, true} {
			content := corpus.Bulk(n)
			body := io.Reader(bytes.NewReader(content))
			if streamed {
				body = struct{ io.Reader }{body}
			}
			got := do(t, proxy.Client(), request(t, proxy.URL, body))
			if want := fmt.Sprintf("%x", sha256.Sum256(content)); got != want {
				t.Errorf("%d bytes, streamed %v: %q", n, streamed, got)
			}
		}
	}
}

// A server that sends GOAWAY, as one that shuts down does, with requests under
// way that it has not begun.
func TestF15GoAway(t *testing.T) {
	content := corpus.Bulk(100_000)
	server, client, _ := serve(t, true, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Connection", "close") // HTTP/2: GOAWAY
		echoSum(w, r)
	})
	var conns atomic.Int32
	want := fmt.Sprintf("%x", sha256.Sum256(content))
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 5 {
				req, _ := http.NewRequest("POST", server.URL, bytes.NewReader(content))
				req = req.WithContext(httptrace.WithClientTrace(req.Context(), &httptrace.ClientTrace{
					GotConn: func(info httptrace.GotConnInfo) {
						if !info.Reused {
							conns.Add(1)
						}
					},
				}))
				res, err := client.Do(req)
				if err != nil {
					t.Error(err)
					return
				}
				got, _ := io.ReadAll(res.Body)
				_ = res.Body.Close()
				if res.ProtoMajor != 2 || string(got) != want {
					t.Errorf("%s: %q", res.Proto, got)
				}
			}
		})
	}
	wg.Wait()
	if conns.Load() < 2 {
		t.Errorf("%d connections: no GOAWAY came", conns.Load())
	}
}
