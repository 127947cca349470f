package gziphttp_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/lowalloc/lowalloc/gzippool"
	"github.com/lowalloc/lowalloc/gzippool/gziphttp"
	"github.com/lowalloc/lowalloc/pool"
)

// The whole way: a client that compresses, and a server that need not know.
func Example() {
	server := httptest.NewServer(gziphttp.Handler(nil, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, err := io.ReadAll(r.Body)
		_, _ = fmt.Fprintf(w, "%d bytes, %v", len(b), err)
	}), 0))
	defer server.Close()

	client := &http.Client{Transport: &gziphttp.Transport{}}
	res, err := client.Post(server.URL, "text/plain", strings.NewReader(strings.Repeat("hello ", 1000)))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = res.Body.Close() }()
	answer, err := io.ReadAll(res.Body)
	fmt.Printf("%s %v\n", answer, err)
	// Output: 6000 bytes, <nil> <nil>
}

// A client under a memory limit: at most two idle writers of 1.1 MB, and 1 MiB of
// idle buffers.
func ExampleTransport() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = fmt.Fprintf(w, "%q", r.Header.Get("Content-Encoding"))
	}))
	defer server.Close()

	client := &http.Client{Transport: &gziphttp.Transport{
		Gzip:    &gzippool.Pool{Level: 6, MaxIdle: 2},
		Buffers: &pool.Pool{MaxIdleBytes: 1 << 20},
	}}
	for _, n := range []int{10, 10_000} { // what is short is not worth it
		res, err := client.Post(server.URL, "text/plain", strings.NewReader(strings.Repeat("x", n)))
		if err != nil {
			fmt.Println(err)
			return
		}
		answer, err := io.ReadAll(res.Body)
		_ = res.Body.Close()
		fmt.Printf("%s %v\n", answer, err)
	}
	// Output:
	// "" <nil>
	// "gzip" <nil>
}

// A limit holds for what a body decompresses to. Code that already answers 413 to
// an http.MaxBytesError needs no change.
func ExampleHandler() {
	handler := gziphttp.Handler(nil, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, err := io.Copy(io.Discard, r.Body)
		if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
			http.Error(w, "too large", http.StatusRequestEntityTooLarge)
			return
		}
		if err != nil {
			http.Error(w, "bad body", http.StatusBadRequest)
		}
	}), 1<<20)

	stream, _ := new(gzippool.Pool).AppendCompress(nil, make([]byte, 1<<24))
	for _, body := range []string{string(stream), "this is not gzip"} {
		r := httptest.NewRequest("POST", "/", strings.NewReader(body))
		r.Header.Set("Content-Encoding", "gzip")
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		fmt.Println(len(body) < 100_000, w.Code)
	}
	// Output:
	// true 413
	// true 400
}
