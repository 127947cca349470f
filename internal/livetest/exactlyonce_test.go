package livetest_test

import (
	"bytes"
	"io"
	"iter"
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/lowalloc/lowalloc/internal/livetest"
)

// census is what is found where documents 0 to n-1 should be, each once with
// its number as _id.
type census struct {
	documents int
	missing   int // numbers of which there is no document
	repeated  int // documents beyond the first of a number
	strange   int // documents of other numbers, or with another _id
}

func takeCensus(n int, documents iter.Seq2[document, error]) (c census, err error) {
	seen := make([]bool, n)
	c.missing = n
	for d, err := range documents {
		if err != nil {
			return c, err
		}
		c.documents++
		switch {
		case d.n < 0 || d.n >= n:
			c.strange++
			continue
		case seen[d.n]:
			c.repeated++
		default:
			seen[d.n] = true
			c.missing--
		}
		if d.id != strconv.Itoa(d.n) {
			c.strange++
		}
	}
	return c, nil
}

// carelessly ships documents 0 to n-1 as one may at first: the server makes up
// the _id, what failed is sent again, and an answer of status 200 is success.
func carelessly(t *testing.T, url string, n int) {
	const batch = 25
	client := &http.Client{Transport: new(http.Transport), Timeout: 2 * time.Second}
	defer client.CloseIdleConnections()
	for begin := 0; begin < n; begin += batch {
		body := creates(begin, min(begin+batch, n), false)
		ok := false
		for attempts := 0; !ok; attempts++ {
			if attempts == 100 {
				t.Fatalf("documents from %d on: no success in %d attempts", begin, attempts)
			}
			res, err := client.Post(url+"/careless/_bulk", "application/x-ndjson", bytes.NewReader(body))
			if err != nil {
				continue
			}
			_, err = io.Copy(io.Discard, res.Body)
			_ = res.Body.Close()
			ok = err == nil && res.StatusCode == http.StatusOK
		}
	}
}

// The census finds what a careless client loses and repeats. Without faults
// the same client does neither, so it is the faults that are found.
func TestCensus(t *testing.T) {
	const docs = 2000
	for _, tt := range []struct {
		name              string
		rates             map[livetest.Fault]float64
		missing, repeated bool
	}{
		{"no faults", nil, false, false},
		{"lost before", map[livetest.Fault]float64{livetest.DropBefore: 0.2, livetest.Unavailable: 0.1}, false, false},
		{"lost after", map[livetest.Fault]float64{livetest.DropAfter: 0.2, livetest.CutChunked: 0.1}, false, true},
		{"misleading", map[livetest.Fault]float64{livetest.StrangeAnswer: 0.1, livetest.RejectDocuments: 0.1}, true, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := startOrigin(t)
			f := livetest.StartFlaky(t, o.URL, 3, tt.rates)
			carelessly(t, f.URL(), docs)
			c, err := takeCensus(docs, o.all())
			if err != nil {
				t.Fatal(err)
			}
			if c.missing > 0 != tt.missing || c.repeated > 0 != tt.repeated || c.documents != docs-c.missing+c.repeated {
				t.Errorf("%+v of %d documents, want missing ones: %v, repeated ones: %v", c, docs, tt.missing, tt.repeated)
			}
			if c.strange != c.documents { // the server made up the ids
				t.Errorf("%d documents have a strange _id, want all %d", c.strange, c.documents)
			}
		})
	}
}
