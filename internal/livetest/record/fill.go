package main

import (
	"fmt"
	"net/url"
	"time"
)

// An index, or a data stream, and the work done on it.
type index struct {
	name     string
	settings string // in PUT /name, the part below "index"
	state    state  // once it is filled
	docs     int    // indexed to fill it
	between  int    // documents indexed between the two snapshots
	searches int    // requests sent between the two snapshots
}

type state string

const (
	open         state = "open"
	closed       state = "closed"
	recompressed state = "closed, set to best_compression, opened, force-merged"
	stream       state = "data stream, rolled over"
)

// indices is what the cluster holds. The numbers of documents and searches are
// multiples of the number of rounds.
func indices(product string) []index {
	list := []index{
		{name: "products", state: open, settings: `"number_of_shards":2,"number_of_replicas":1`, docs: 3000, between: 400, searches: 120},
		{name: "logs-app.web-2026.01", state: open, settings: `"number_of_shards":1,"number_of_replicas":1,"codec":"best_compression"`, docs: 4000, between: 600, searches: 60},
		{name: "archive_2025", state: recompressed, settings: `"number_of_shards":1,"number_of_replicas":0`, docs: 2000, searches: 40},
		{name: "orders", state: open, settings: `"number_of_shards":3,"number_of_replicas":0,"codec":"default"`, docs: 1500, between: 200, searches: 20},
		{name: "größe-東京", state: open, settings: `"number_of_shards":1,"number_of_replicas":1`, docs: 500, between: 50, searches: 10},
		{name: ".audit", state: open, settings: `"number_of_shards":1,"number_of_replicas":0,"hidden":true`, docs: 100, between: 10},
		{name: "empty", state: open, settings: `"number_of_shards":1,"number_of_replicas":0`},
		{name: "closed-2024", state: closed, settings: `"number_of_shards":1,"number_of_replicas":1,"codec":"best_compression"`, docs: 800},
	}
	// Elasticsearch has neither the codec nor, without its x-pack plugins, data streams.
	if product == "opensearch" {
		list = append(list,
			index{name: "archive-zlib", state: open, settings: `"number_of_shards":1,"number_of_replicas":0,"codec":"zlib"`, docs: 1000, searches: 30},
			index{name: "metrics-app", state: stream, settings: `"number_of_shards":1,"number_of_replicas":1`, docs: 1000, between: 300, searches: 20},
		)
	}
	return list
}

// rounds divide the work between the snapshots, which takes at least as many half seconds.
const rounds = 10

// fill brings the cluster into the state of the first snapshot.
func (r *recorder) fill() error {
	for _, x := range r.indices {
		if err := r.create(x); err != nil {
			return err
		}
		if err := r.settle(x); err != nil {
			return err
		}
	}
	if err := r.do(awaitGreen, call{"POST", "/_refresh?expand_wildcards=open,hidden", ""}, call{"POST", "/_flush?expand_wildcards=open,hidden", ""}); err != nil {
		return err
	}
	return r.search(func(index) int { return rounds })
}

func (r *recorder) create(x index) error {
	path := "/" + url.PathEscape(x.name)
	create := []call{{"PUT", path, `{"settings":{"index":{` + x.settings + `}}}`}}
	if x.state == stream {
		create = []call{
			{"PUT", "/_index_template" + path, fmt.Sprintf(`{"index_patterns":[%q],"data_stream":{},"template":{"settings":{"index":{%s}}}}`, x.name, x.settings)},
			{"PUT", "/_data_stream" + path, ""},
		}
	}
	if err := r.do(create...); err != nil {
		return err
	}
	return r.index(x.name, x.docs)
}

// settle changes a filled index as its state says.
func (r *recorder) settle(x index) error {
	path := "/" + url.PathEscape(x.name)
	switch x.state {
	case closed:
		return r.do(awaitGreen, call{"POST", path + "/_close", ""})
	case recompressed: // opening it again also sets its counters to zero
		return r.do(awaitGreen,
			call{"POST", path + "/_close", ""},
			call{"PUT", path + "/_settings", `{"index":{"codec":"best_compression"}}`},
			call{"POST", path + "/_open", ""},
			awaitGreen,
			call{"POST", path + "/_forcemerge?max_num_segments=1", ""})
	case stream: // the work between the snapshots goes to its second index
		return r.do(call{"POST", path + "/_rollover", ""})
	}
	return nil
}

// work is what happens between the two snapshots.
func (r *recorder) work() error {
	pace := time.NewTicker(500 * time.Millisecond)
	defer pace.Stop()
	for range rounds {
		for _, x := range r.indices {
			if err := r.index(x.name, x.between/rounds); err != nil {
				return err
			}
		}
		if err := r.search(func(x index) int { return x.searches / rounds }); err != nil {
			return err
		}
		<-pace.C
	}
	return r.Refresh()
}

// index writes n documents, other ones each time.
func (r *recorder) index(name string, n int) error {
	for n > 0 {
		batch := min(n, 500)
		r.seed++
		if _, err := r.Index(name, batch, r.seed); err != nil {
			return err
		}
		n -= batch
	}
	return nil
}

// search sends the requests that are due to each index that is searched at all.
func (r *recorder) search(due func(index) int) error {
	for _, x := range r.indices {
		if x.searches == 0 {
			continue
		}
		if err := r.Search(x.name, due(x)); err != nil {
			return err
		}
	}
	return nil
}

// call is a request that must succeed.
type call struct{ method, path, body string }

var awaitGreen = call{"GET", "/_cluster/health?wait_for_status=green&wait_for_no_initializing_shards=true&timeout=60s", ""}

func (r *recorder) do(calls ...call) error {
	for _, c := range calls {
		if _, err := r.Call(c.method, c.path, c.body); err != nil {
			return err
		}
	}
	return nil
}
