package livetest_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/lowalloc/lowalloc/internal/livetest"
)

// everythingFails has each fault, and a third of the requests meet one.
var everythingFails = map[livetest.Fault]float64{
	livetest.DropBefore:      0.025,
	livetest.ResetBody:       0.025,
	livetest.TooMany:         0.025,
	livetest.TooManyWait:     0.015,
	livetest.Unavailable:     0.025,
	livetest.BadGateway:      0.025,
	livetest.StrangeAnswer:   0.025,
	livetest.RejectDocuments: 0.04,
	livetest.DropAfter:       0.03,
	livetest.GatewayTimeout:  0.025,
	livetest.Late:            0.008,
	livetest.Slow:            0.03,
	livetest.CutLength:       0.025,
	livetest.CutChunked:      0.025,
}

// flakySeed has each fault among the first 69 requests.
const flakySeed = 25

// The example program ships through a proxy on which everything fails, and
// each document is in the cluster once. LIVETEST_DOCUMENTS says how many.
func TestBulkship(t *testing.T) {
	docs := 100_000
	if text := os.Getenv("LIVETEST_DOCUMENTS"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 10_000 {
			t.Fatalf("LIVETEST_DOCUMENTS=%s: want a number from 10000", text)
		}
		docs = n
	}
	program := filepath.Join(t.TempDir(), "bulkship")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", program, "github.com/lowalloc/lowalloc/examples/bulkship").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	for _, tt := range []struct {
		server livetest.Server
		docs   int
	}{
		{livetest.OpenSearch2, docs},
		{livetest.Elasticsearch8, 10_000},
	} {
		t.Run(string(tt.server), func(t *testing.T) {
			c := livetest.Start(t, tt.server, 1)
			t.Run("generated", func(t *testing.T) { shipGenerated(t, c, program, tt.docs) })
			t.Run("refused", func(t *testing.T) { shipRefused(t, c, program) })
			t.Run("careless", func(t *testing.T) { shipCarelessly(t, c) })
		})
	}
}

// shipGenerated ships made-up documents and finds all of them, once.
func shipGenerated(t *testing.T, c *livetest.Cluster, program string, docs int) {
	f := livetest.StartFlaky(t, c.URL(), flakySeed, everythingFails)
	batch := min(docs/100, 1000) // at least 100 requests, so that each fault comes
	s := ship(t, program, "-url", f.URL(), "-index", "generated", "-generate", strconv.Itoa(docs), "-id", "n",
		"-docs", strconv.Itoa(batch), "-timeout", "5s")
	for _, name := range []string{"read", "created"} {
		if s.summary[name] != docs {
			t.Errorf("the summary says %s %d, want %d", name, s.summary[name], docs)
		}
	}
	if s.summary["rejected"] != 0 {
		t.Errorf("the summary says rejected %d, want 0", s.summary["rejected"])
	}
	if s.rejects != nil {
		t.Errorf("there is a file of rejected documents: %.2000s", s.rejects)
	}
	s.checkMemory(t, docs)

	s.checkFaults(t, f)

	began := time.Now()
	found, err := takeCensus(docs, allDocuments(c, "generated", false))
	if err != nil {
		t.Fatal(err)
	}
	if found != (census{documents: docs}) {
		t.Errorf("the index has %+v, want %d documents", found, docs)
	}
	t.Logf("census of %d documents: %+v, %.1f s", docs, found, time.Since(began).Seconds())

	// The program makes up the same documents each time: here they go to a server that is none.
	const some = 1000
	o := startOrigin(t)
	ship(t, program, "-url", o.URL, "-index", "generated", "-generate", strconv.Itoa(some), "-id", "n")
	same := 0
	for want, err := range o.all() {
		if err != nil {
			t.Fatal(err)
		}
		if got := source(t, c, "generated", want.id); got != want.source {
			t.Fatalf("document %s is %s, want %s", want.id, got, want.source)
		}
		same++
	}
	if same != some {
		t.Errorf("%d documents were compared, want %d", same, some)
	}
}

// shipRefused ships a file in which some documents do not fit the mapping: these,
// and no others, are in the file of rejected ones.
func shipRefused(t *testing.T, c *livetest.Cluster, program string) {
	const docs, index = 5000, "refused"
	if _, err := c.Call("PUT", "/"+index, `{"mappings":{"properties":{"n":{"type":"long"},"level":{"type":"long"},"host":{"type":"keyword"}}}}`); err != nil {
		t.Fatal(err)
	}
	var input bytes.Buffer
	wrong := make(map[int]string) // what the server must name in its reason
	lines := make([]string, docs)
	for n := range docs {
		level, host := strconv.Itoa(n%7), `"web-1"`
		switch {
		case n%97 == 5:
			level, wrong[n] = `"high"`, "level"
		case n%101 == 7:
			host, wrong[n] = `{"name":"web-1"}`, "host"
		}
		lines[n] = fmt.Sprintf(`{"n":%d,"level":%s,"host":%s,"text":"größe %d"}`, n, level, host, n)
		input.WriteString(lines[n] + "\n")
	}
	file := filepath.Join(t.TempDir(), "documents.ndjson")
	if err := os.WriteFile(file, input.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	f := livetest.StartFlaky(t, c.URL(), flakySeed, everythingFails)
	s := ship(t, program, "-url", f.URL(), "-index", index, "-id", "n", "-docs", "50", "-timeout", "5s", file)
	s.checkFaults(t, f)
	if s.summary["read"] != docs || s.summary["created"] != docs-len(wrong) || s.summary["rejected"] != len(wrong) {
		t.Errorf("summary %v, want read %d, created %d, rejected %d", s.summary, docs, docs-len(wrong), len(wrong))
	}
	rejected := make(map[int]bool)
	for line := range bytes.Lines(s.rejects) {
		var r struct {
			ID       string `json:"_id"`
			Status   int
			Type     string
			Reason   string
			Document json.RawMessage
		}
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		n, err := strconv.Atoi(r.ID)
		field := wrong[n]
		switch {
		case err != nil || field == "" || rejected[n]:
			t.Errorf("rejected, though it should not be, or twice: %s", line)
		case r.Status != 400 || !strings.HasSuffix(r.Type, "parsing_exception") || !strings.Contains(r.Reason, "["+field+"]"):
			t.Errorf("rejected document %d is without the server's reason about %s: %s", n, field, line)
		case string(r.Document) != lines[n]:
			t.Errorf("rejected document %d is %s, want %s", n, r.Document, lines[n])
		}
		rejected[n] = true
	}
	if len(rejected) != len(wrong) {
		t.Errorf("%d documents are in the file of rejected ones, want %d", len(rejected), len(wrong))
	}

	found, err := takeCensus(docs, func(yield func(document, error) bool) {
		for d, err := range allDocuments(c, index, true) {
			if err == nil && d.n < docs && d.source != lines[d.n] {
				t.Errorf("document %d is %s, want %s", d.n, d.source, lines[d.n])
			}
			if err == nil && wrong[d.n] != "" {
				t.Errorf("document %d is in the index", d.n)
			}
			if !yield(d, err) {
				return
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if want := (census{documents: docs - len(wrong), missing: len(wrong)}); found != want {
		t.Errorf("the index has %+v, want %+v", found, want)
	}
}

// shipCarelessly shows that the documents of a real server are counted in such
// a way that lost and repeated ones are found.
func shipCarelessly(t *testing.T, c *livetest.Cluster) {
	const docs = 2000
	f := livetest.StartFlaky(t, c.URL(), 1, map[livetest.Fault]float64{
		livetest.DropAfter: 0.15, livetest.CutChunked: 0.1, livetest.StrangeAnswer: 0.1, livetest.RejectDocuments: 0.1,
	})
	carelessly(t, f.URL(), docs)
	found, err := takeCensus(docs, allDocuments(c, "careless", false))
	if err != nil {
		t.Fatal(err)
	}
	if found.missing == 0 || found.repeated == 0 || found.documents != docs-found.missing+found.repeated {
		t.Errorf("the index has %+v of %d documents, want some missing and some repeated", found, docs)
	}
}

// shipment is what a run of the program left.
type shipment struct {
	summary map[string]int // the whole numbers in it
	highs   []float64      // heap high-water in MB after each 100,000 documents
	rejects []byte         // nil if there is no file
}

var progressLine = regexp.MustCompile(`(?m)^(\d+) documents, .*heap high-water (\d+\.\d+) MB`)

// ship runs the program, which must succeed.
func ship(t *testing.T, program string, args ...string) *shipment {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 8*time.Minute)
	defer cancel()
	rejects := filepath.Join(t.TempDir(), "rejected.ndjson")
	var stdout, stderr strings.Builder
	cmd := exec.CommandContext(ctx, program, append([]string{"-rejects", rejects}, args...)...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("bulkship: %v\n%s%s", err, stdout.String(), stderr.String())
	}
	t.Logf("bulkship %s\n%s%s", strings.Join(args, " "), stderr.String(), stdout.String())
	s := &shipment{summary: make(map[string]int)}
	lines := bufio.NewScanner(strings.NewReader(stdout.String()))
	for lines.Scan() {
		name, value, _ := strings.Cut(lines.Text(), " ")
		if n, err := strconv.Atoi(strings.TrimSpace(value)); err == nil {
			s.summary[name] = n
		}
	}
	done := 0
	for _, m := range progressLine.FindAllStringSubmatch(stderr.String(), -1) {
		n, _ := strconv.Atoi(m[1])
		if n/100_000 > done {
			done = n / 100_000
			high, _ := strconv.ParseFloat(m[2], 64)
			s.highs = append(s.highs, high)
		}
	}
	var err error
	if s.rejects, err = os.ReadFile(rejects); err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return s
}

// checkFaults checks that every fault occurred, and that the program noticed.
func (s *shipment) checkFaults(t *testing.T, f *livetest.Flaky) {
	t.Helper()
	counts := f.Counts()
	t.Logf("requests by fault: %v", counts)
	failed := 0
	for fault := range everythingFails {
		if counts[fault] == 0 {
			t.Errorf("no request met %s", fault)
		}
		if fault != livetest.Slow {
			failed += counts[fault]
		}
	}
	if s.summary["retries"] < failed {
		t.Errorf("the summary says %d retries, but %d requests failed", s.summary["retries"], failed)
	}
	if seen := failed + counts[livetest.Slow] + counts[livetest.None]; s.summary["requests"] < seen {
		t.Errorf("the summary says %d requests, but the proxy saw %d", s.summary["requests"], seen)
	}
}

// checkMemory checks that memory does not grow with the number of documents.
func (s *shipment) checkMemory(t *testing.T, docs int) {
	t.Helper()
	const mostMB, growthMB = 24, 6 // 100,000 documents are 30 MB
	end := float64(s.summary["heap_high_water"]) / 1e6
	if end == 0 || end > mostMB {
		t.Errorf("heap high-water is %.1f MB, want at most %d, and not 0", end, mostMB)
	}
	if len(s.highs) < docs/100_000-1 { // the summary may stand for the last
		t.Errorf("%d lines of progress in %d documents, want one for each 100,000", len(s.highs), docs)
	}
	if len(s.highs) > 0 && end-s.highs[0] > growthMB {
		t.Errorf("heap high-water is %.1f MB after 100,000 documents and %.1f MB at the end, want at most %d more", s.highs[0], end, growthMB)
	}
}

// allDocuments yields the documents of an index, with their source or without.
func allDocuments(c *livetest.Cluster, index string, withSource bool) iter.Seq2[document, error] {
	type page struct {
		ID   string `json:"_scroll_id"`
		Hits struct {
			Hits []struct {
				ID     string          `json:"_id"`
				Source json.RawMessage `json:"_source"`
				Fields struct{ N []int }
			}
		}
	}
	call := func(path, body string) (p page, err error) {
		text, err := c.Call("POST", path, body)
		if err == nil {
			err = json.Unmarshal(text, &p)
		}
		return p, err
	}
	return func(yield func(document, error) bool) {
		if err := c.Refresh(); err != nil {
			yield(document{}, err)
			return
		}
		p, err := call("/"+index+"/_search?scroll=1m", fmt.Sprintf(`{"size":10000,"sort":["_doc"],"_source":%v,"docvalue_fields":["n"]}`, withSource))
		for ; err == nil && len(p.Hits.Hits) > 0; p, err = call("/_search/scroll", fmt.Sprintf(`{"scroll":"1m","scroll_id":%q}`, p.ID)) {
			for _, hit := range p.Hits.Hits {
				if len(hit.Fields.N) != 1 {
					err = fmt.Errorf("document %s has numbers %v", hit.ID, hit.Fields.N)
				}
				if err != nil {
					break
				}
				if !yield(document{hit.ID, hit.Fields.N[0], string(hit.Source)}, nil) {
					return
				}
			}
		}
		if err != nil {
			yield(document{}, err)
		}
	}
}

// source returns one document, as it was sent.
func source(t *testing.T, c *livetest.Cluster, index, id string) string {
	t.Helper()
	text, err := c.Call("GET", "/"+index+"/_source/"+id, "")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
