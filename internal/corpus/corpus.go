// Package corpus makes request bodies as clients of Elasticsearch send them, the
// same ones on every run, for tests and benchmarks of compression.
package corpus

import (
	"fmt"
	"math/rand/v2"
)

// Bulk returns n bytes of a _bulk request: an action line and a log document in
// turn. Only the last line may be cut.
//
// Its share of random digits makes it compress six- to sevenfold, about what
// logs do: a body of repeated lines would flatter every compressor.
func Bulk(n int) []byte {
	rnd := rand.New(rand.NewPCG(1, uint64(n)))
	body := make([]byte, 0, n+1024)
	for i := 0; len(body) < n; i++ {
		body = append(body, `{"index":{"_index":"logs-app-2026.10"}}`+"\n"...)
		body = fmt.Appendf(body, `{"@timestamp":"2026-10-02T14:%02d:%02d.%03dZ","log.level":%q,"service.name":%q,`+
			`"host.name":"node-%02d.example.internal","trace.id":"%016x","http.request.method":%q,"url.path":"/api/v1/%s/%d",`+
			`"http.response.status_code":%d,"event.duration":%d,"client.ip":"10.%d.%d.%d","message":%q}`+"\n",
			i/3600%60, i/60%60, rnd.IntN(1000), pick(rnd, levels), pick(rnd, services),
			rnd.IntN(40), rnd.Uint64(), pick(rnd, methods), pick(rnd, resources), rnd.IntN(100_000),
			pick(rnd, statuses), rnd.IntN(2_000_000_000), rnd.IntN(4), rnd.IntN(256), rnd.IntN(256), pick(rnd, messages))
	}
	return body[:n]
}

// Search returns a _search request of about n bytes: filters, a text query and
// aggregations, with more terms in the filter as n grows.
func Search(n int) []byte {
	rnd := rand.New(rand.NewPCG(2, uint64(n)))
	body := []byte(`{"size":25,"track_total_hits":false,"_source":["@timestamp","message","service.name","trace.id"],` +
		`"query":{"bool":{"must":[{"match":{"message":{"query":"connection reset by peer","operator":"and"}}}],"filter":[` +
		`{"range":{"@timestamp":{"gte":"now-15m","lt":"now","format":"strict_date_optional_time"}}},{"terms":{"service.name":[`)
	const rest = `]}}]}},"aggs":{"per_minute":{"date_histogram":{"field":"@timestamp","fixed_interval":"1m"},"aggs":` +
		`{"p99":{"percentiles":{"field":"event.duration","percents":[50,95,99]}}}},"by_host":{"terms":{"field":"host.name","size":10}}},` +
		`"sort":[{"@timestamp":{"order":"desc"}}]}`
	for i := 0; i == 0 || len(body)+len(rest) < n; i++ {
		if i > 0 {
			body = append(body, ',')
		}
		body = fmt.Appendf(body, `"%s-%04d"`, pick(rnd, services), rnd.IntN(10_000))
	}
	return append(body, rest...)
}

func pick[T any](rnd *rand.Rand, from []T) T { return from[rnd.IntN(len(from))] }

var (
	levels    = []string{"INFO", "INFO", "INFO", "INFO", "WARN", "DEBUG", "ERROR"}
	services  = []string{"checkout", "catalog", "payment-gateway", "auth", "search-frontend", "inventory"}
	methods   = []string{"GET", "GET", "GET", "POST", "PUT", "DELETE"}
	resources = []string{"orders", "users", "products", "carts", "sessions", "invoices"}
	statuses  = []int{200, 200, 200, 200, 201, 204, 304, 400, 404, 500, 503}
	messages  = []string{
		"request completed",
		"connection reset by peer while reading response header from upstream",
		"cache miss, falling back to the primary store",
		"slow query: the planner chose a sequential scan",
		"user session refreshed",
		"retrying after timeout, attempt 2 of 5",
		"payment authorised by provider",
	}
)
