package livetest

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"strings"
)

var words = strings.Fields(`service request timeout retry cache shard replica segment merge flush
	warning error checkout payment invoice customer order parcel warehouse delivery north south
	east west amber copper silver linen cotton marble granite walnut maple birch cedar`)

// Index writes n documents into an index or data stream by one _bulk request
// and returns its answer. The documents are new ones, and their text is the same
// for the same seed. Nothing is refreshed: see [Cluster.Refresh]. A document that
// was not written is an error.
//
// Each adds one to indexing.index_total of its primary, and in "total" one for
// each assigned replica as well.
func (c *Cluster) Index(index string, n int, seed uint64) ([]byte, error) {
	rng := rand.New(rand.NewPCG(seed, uint64(n)))
	var body strings.Builder
	for i := range n {
		body.WriteString("{\"create\":{}}\n{")
		fmt.Fprintf(&body, `"@timestamp":"2026-01-01T00:%02d:%02d.000Z","level":%d,"message":"`, i/60%60, i%60, rng.IntN(5))
		for range 12 + rng.IntN(24) {
			body.WriteString(words[rng.IntN(len(words))])
			body.WriteByte(' ')
		}
		body.WriteString("\"}\n")
	}
	answer, err := c.Call("POST", "/"+url.PathEscape(index)+"/_bulk", body.String())
	if err != nil {
		return answer, err
	}
	var result struct{ Errors bool }
	if err := json.Unmarshal(answer, &result); err != nil {
		return answer, fmt.Errorf("livetest: index: %w", err)
	}
	if result.Errors {
		return answer, fmt.Errorf("livetest: index: documents were refused: %.2000s", answer)
	}
	return answer, nil
}

// Search sends n requests for documents of one index or data stream, none of
// which is answered from the request cache. Each adds one to search.query_total
// in "total" for every shard of the index, on one copy of it, and one to
// search.fetch_total for every shard that has a document among the ten found.
func (c *Cluster) Search(index string, n int) error {
	for i := range n {
		query := fmt.Sprintf(`{"size":10,"query":{"match":{"message":"%s %s"}}}`, words[i%len(words)], words[i*7%len(words)])
		answer, err := c.Call("POST", "/"+url.PathEscape(index)+"/_search?request_cache=false", query)
		if err != nil {
			return err
		}
		var result struct {
			Shards struct{ Failed int } `json:"_shards"`
		}
		if err := json.Unmarshal(answer, &result); err != nil {
			return fmt.Errorf("livetest: search: %w", err)
		}
		if result.Shards.Failed > 0 {
			return errors.New("livetest: search: shards failed: " + string(answer))
		}
	}
	return nil
}

// Refresh makes what was written to all indices, hidden ones too, visible to
// searches and to docs.count.
func (c *Cluster) Refresh() error {
	_, err := c.Call("POST", "/_refresh?expand_wildcards=open,hidden", "")
	return err
}
