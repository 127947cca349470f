package gziphttp_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"

	"github.com/lowalloc/lowalloc/gzippool/gziphttp"
)

// A shipper posts batches of lines. Its body is one slice for all batches: the
// bytes are its own again when Do returns, whatever came of the request.
type shipper struct {
	url    string
	client http.Client
	body   []byte
}

func (s *shipper) add(line string) {
	s.body = append(append(s.body, line...), '\n')
}

func (s *shipper) ship() error {
	req, err := http.NewRequest(http.MethodPost, s.url, bytes.NewReader(s.body)) // has a length and a GetBody
	if err != nil {
		return err
	}
	res, err := s.client.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	if _, err := io.Copy(io.Discard, res.Body); err != nil { // to its end, so that the connection is used again
		return err
	}
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("ship: %s", res.Status)
	}
	s.body = s.body[:0]
	return nil
}

// This example shows a client whose requests share their memory.
func Example_shipper() {
	server := httptest.NewServer(gziphttp.Handler(nil, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		lines, err := io.ReadAll(r.Body)
		fmt.Println(bytes.Count(lines, []byte("\n")), "lines", err)
	}), 0))
	defer server.Close()

	s := shipper{url: server.URL, client: http.Client{Transport: &gziphttp.Transport{}}}
	for range 2 {
		for i := range 1000 {
			s.add(fmt.Sprintf(`{"line":%d}`, i))
		}
		if err := s.ship(); err != nil {
			fmt.Println(err)
		}
	}
	// Output:
	// 1000 lines <nil>
	// 1000 lines <nil>
}
