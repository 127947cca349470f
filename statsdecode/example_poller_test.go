package statsdecode_test

import (
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/lowalloc/lowalloc/statsdecode"
)

// A poller asks a cluster for the searches of its indices.
type poller struct {
	url     string
	decoder statsdecode.Decoder // one for the life of the poller: it remembers names
}

// A poll keeps of each index what the next poll is compared with.
type poll struct {
	at      time.Time
	indices map[string]searches
}

type searches struct {
	uuid  string
	total statsdecode.Search
}

func (p *poller) poll(at time.Time) (*poll, error) {
	path := statsdecode.IndexStatsPath(statsdecode.SectionSearch, statsdecode.PathOptions{})
	res, err := http.Get(p.url + path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusOK {
		return nil, statsdecode.ReadError(res.StatusCode, res.Body)
	}
	now := &poll{at: at, indices: make(map[string]searches)}
	for ix, err := range p.decoder.Indices(res.Body) {
		switch {
		case ix == nil:
			return nil, err // an answer in part is not compared with another
		case err != nil:
			log.Print(err) // nor is an index that lacks a field
		case ix.Total.Present.Has(statsdecode.SectionSearch):
			now.indices[ix.Name] = searches{ix.UUID, ix.Total.Search}
		}
	}
	return now, nil
}

// report prints what happened between two polls.
func (p *poll) report(before *poll) {
	for name, now := range p.indices {
		then, ok := before.indices[name]
		if !ok || now.uuid == "" || now.uuid != then.uuid {
			continue // new, or made anew
		}
		if rate, ok := now.total.QueryRate(then.total, p.at.Sub(before.at)); ok {
			fmt.Printf("%s: %.0f queries/s", name, rate)
		}
		if mean, ok := now.total.MeanQueryTime(then.total); ok {
			fmt.Printf(", %v each", mean)
		}
		fmt.Println()
	}
}

// This example shows two polls of a server, a minute apart, and what happened in
// between.
func Example_poller() {
	queries := 1000
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprintf(w, `{
			"_shards": {"total": 2, "successful": 2, "failed": 0},
			"indices": {"logs-2026.11.30": {
				"uuid": "YTJ7tKUYQKmkzC2Vd7yC6Q",
				"total": {"search": {"query_total": %d, "query_time_in_millis": %d}}
			}}
		}`, queries, 20*queries)
		queries += 600
	}))
	defer server.Close()

	p := &poller{url: server.URL}
	var before *poll
	for minute := range 2 {
		now, err := p.poll(time.Date(2026, 11, 30, 12, minute, 0, 0, time.UTC))
		if err != nil {
			log.Print(err) // the next poll is compared with the last good one
			continue
		}
		if before != nil {
			now.report(before)
		}
		before = now
	}
	// Output:
	// logs-2026.11.30: 10 queries/s, 20ms each
}
