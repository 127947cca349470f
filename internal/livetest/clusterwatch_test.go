package livetest_test

import (
	"context"
	"encoding/json"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lowalloc/lowalloc/internal/livetest"
)

// The example program watches a real cluster that is searched between its polls.
func TestClusterwatch(t *testing.T) {
	const shards, docs = 2, 200
	c := livetest.Start(t, livetest.OpenSearch2, 2)
	if _, err := c.Call("PUT", "/watched", `{"settings":{"number_of_shards":2,"number_of_replicas":1}}`); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Call("GET", "/_cluster/health/watched?wait_for_status=green&timeout=60s", ""); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Index("watched", docs, 1); err != nil {
		t.Fatal(err)
	}
	if err := c.Refresh(); err != nil {
		t.Fatal(err)
	}

	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	program := filepath.Join(t.TempDir(), "clusterwatch")
	build := exec.CommandContext(ctx, "go", "build", "-o", program, "github.com/lowalloc/lowalloc/examples/clusterwatch")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	var stdout, stderr strings.Builder
	watch := exec.CommandContext(ctx, program, "-url", c.URL(), "-count", "1", "-interval", "2s", "-json")
	watch.Stdout, watch.Stderr = &stdout, &stderr
	if err := watch.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- watch.Wait() }()
	searches := 0
	for running := true; running; {
		select {
		case err := <-ended:
			if err != nil || stderr.Len() > 0 {
				t.Fatalf("clusterwatch: %v\n%s", err, stderr.String())
			}
			running = false
		default:
			if err := c.Search("watched", 1); err != nil {
				t.Fatal(err)
			}
			searches++
		}
	}

	type figures struct {
		Name       string
		Documents  float64
		Queries    float64
		SearchRate *float64 `json:"search_rate_per_minute"`
	}
	var report struct {
		Nodes, Indices []figures
		IOBound        string `json:"io_bound"`
		Reasons        []string
		Missed         []string
	}
	if err := json.Unmarshal([]byte(stdout.String()), &report); err != nil {
		t.Fatalf("%v in %s", err, stdout.String())
	}
	if !slices.Contains([]string{"yes", "no", "cannot tell"}, report.IOBound) || len(report.Reasons) == 0 || len(report.Missed) > 0 {
		t.Errorf("io_bound %q for %q, missed %q, want a verdict with reasons and nothing missed", report.IOBound, report.Reasons, report.Missed)
	}
	var names []string
	var queries float64
	for _, n := range report.Nodes {
		names = append(names, n.Name)
		queries += n.Queries
		if n.SearchRate == nil || *n.SearchRate <= 0 {
			t.Errorf("search rate of node %s: not above 0", n.Name)
		}
	}
	if slices.Sort(names); !slices.Equal(names, []string{"n0", "n1"}) {
		t.Errorf("nodes %q, want n0 and n1", names)
	}
	if most := float64(searches * shards); queries <= 0 || queries > most {
		t.Errorf("%v query phases between the polls, want some of the %v that were sent", queries, most)
	}
	i := slices.IndexFunc(report.Indices, func(ix figures) bool { return ix.Name == "watched" })
	if i < 0 || report.Indices[i].Documents != docs || report.Indices[i].SearchRate == nil || *report.Indices[i].SearchRate <= 0 {
		t.Errorf("indices %+v, want watched with %d documents and a search rate above 0", report.Indices, docs)
	}
	t.Logf("%d searches while it ran, %v of %d query phases between the polls, I/O bound: %s", searches, queries, searches*shards, report.IOBound)
}
