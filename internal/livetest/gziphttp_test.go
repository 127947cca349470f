package livetest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/elastic/go-elasticsearch/v7"
	"github.com/opensearch-project/opensearch-go/v4"

	"github.com/lowalloc/lowalloc/gzippool/gziphttp"
	"github.com/lowalloc/lowalloc/internal/livetest"
)

// Bulk and search requests of real clients, compressed by gziphttp.Transport,
// arrive whole: the server finds all documents, and their values add up.
func TestGziphttp(t *testing.T) {
	for _, server := range []livetest.Server{livetest.OpenSearch2, livetest.Elasticsearch7} {
		t.Run(string(server), func(t *testing.T) {
			c := livetest.Start(t, server, 1)
			base := new(counter)
			transport := &gziphttp.Transport{Base: base}
			target, err := url.Parse(c.URL())
			if err != nil {
				t.Fatal(err)
			}
			proxy := httptest.NewServer(&httputil.ReverseProxy{
				Rewrite:   func(r *httputil.ProxyRequest) { r.SetURL(target) },
				Transport: transport,
			})
			defer proxy.Close()

			perform := map[string]performer{
				"http":  overHTTP{&http.Client{Transport: transport}, c.URL()},
				"proxy": overHTTP{proxy.Client(), proxy.URL},
			}
			switch server {
			case livetest.OpenSearch2:
				perform["opensearch-go"], err = opensearch.NewClient(opensearch.Config{Addresses: []string{c.URL()}, Transport: transport})
			case livetest.Elasticsearch7:
				perform["go-elasticsearch"], err = elasticsearch.NewClient(elasticsearch.Config{Addresses: []string{c.URL()}, Transport: transport})
			}
			if err != nil {
				t.Fatal(err)
			}
			for name, p := range perform {
				t.Run(name, func(t *testing.T) {
					before := base.compressed.Load()
					bulkAndSearch(t, p, "gziphttp-"+name)
					if got := base.compressed.Load() - before; got != 3 {
						t.Errorf("%d requests were compressed, want the 2 bulks and the search", got)
					}
				})
			}
		})
	}
}

type performer interface {
	Perform(*http.Request) (*http.Response, error)
}

type overHTTP struct {
	*http.Client
	address string
}

func (c overHTTP) Perform(r *http.Request) (*http.Response, error) {
	u, err := url.Parse(c.address + r.URL.RequestURI())
	if err != nil {
		return nil, err
	}
	r.URL = u
	return c.Do(r)
}

// counter counts the compressed requests.
type counter struct{ compressed atomic.Int64 }

func (c *counter) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Header.Get("Content-Encoding") == "gzip" {
		c.compressed.Add(1)
	}
	return http.DefaultTransport.RoundTrip(r)
}

// bulkAndSearch indexes documents in one request of known length and one that
// is streamed, and has the server count and add them up.
func bulkAndSearch(t *testing.T, p performer, index string) {
	const docs = 5000 // a request
	call := func(method, path, contentType string, body io.Reader, into any) {
		t.Helper()
		req, err := http.NewRequestWithContext(context.Background(), method, path, body)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", contentType)
		res, err := p.Perform(req)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = res.Body.Close() }()
		answer, err := io.ReadAll(res.Body)
		if err != nil || res.StatusCode != 200 {
			t.Fatalf("%s %s: %s, %.500s, %v", method, path, res.Status, answer, err)
		}
		if err := json.Unmarshal(answer, into); err != nil {
			t.Fatal(err)
		}
	}
	sum := 0
	for round := range 2 {
		var body bytes.Buffer
		for i := range docs {
			n := round*docs + i
			sum += n
			_, _ = fmt.Fprintf(&body, `{"index":{"_id":"%d"}}`+"\n"+`{"n":%d,"text":"größe %d"}`+"\n", n, n, n)
		}
		var content io.Reader = &body
		if round == 1 {
			content = struct{ io.Reader }{&body} // of unknown length
		}
		var answer struct {
			Errors bool
			Items  []json.RawMessage
		}
		call("POST", "/"+index+"/_bulk?refresh=true", "application/x-ndjson", content, &answer)
		if answer.Errors || len(answer.Items) != docs {
			t.Fatalf("errors: %v, %d items, want %d", answer.Errors, len(answer.Items), docs)
		}
	}
	search := fmt.Sprintf(`{"size":0,"track_total_hits":true,"query":{"bool":{"must_not":{"terms":{"n":[%s-1]}}}},"aggs":{"sum":{"sum":{"field":"n"}}}}`,
		strings.Repeat("-1,", 500))
	var answer struct {
		Hits         struct{ Total struct{ Value int } }
		Aggregations struct{ Sum struct{ Value float64 } }
	}
	call("POST", "/"+index+"/_search", "application/json", strings.NewReader(search), &answer)
	if answer.Hits.Total.Value != 2*docs || int(answer.Aggregations.Sum.Value) != sum {
		t.Errorf("%d documents with sum %v, want %d and %d", answer.Hits.Total.Value, answer.Aggregations.Sum.Value, 2*docs, sum)
	}
}
