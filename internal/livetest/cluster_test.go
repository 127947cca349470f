package livetest_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/lowalloc/lowalloc/internal/livetest"
)

func get(t *testing.T, c *livetest.Cluster, path string, into any) {
	t.Helper()
	answer, err := c.Call("GET", path, "")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(answer, into); err != nil {
		t.Fatalf("GET %s: %v: %s", path, err, answer)
	}
}

func TestStart(t *testing.T) {
	for _, server := range []livetest.Server{
		livetest.OpenSearch2, livetest.OpenSearch3,
		livetest.Elasticsearch7, livetest.Elasticsearch8, livetest.Elasticsearch9,
	} {
		t.Run(string(server), func(t *testing.T) {
			c := livetest.Start(t, server, 2)

			product, major, _ := strings.Cut(string(server), "-")
			if c.Product != product || !strings.HasPrefix(c.Version, major+".") {
				t.Errorf("runs %s %s", c.Product, c.Version)
			}
			if len(c.Addresses) != 2 || !strings.HasPrefix(c.Addresses[1], "127.0.0.1:") {
				t.Errorf("addresses %q, want two at 127.0.0.1", c.Addresses)
			}
			// Not GET /, which Elasticsearch serves by a plugin since 8.
			var info struct {
				Nodes map[string]struct{ Version string }
			}
			get(t, c, "/_nodes", &info)
			for id, node := range info.Nodes {
				if node.Version != c.Version {
					t.Errorf("node %s says version %q, the process said %q", id, node.Version, c.Version)
				}
			}
			var health struct {
				Status string
				Nodes  int `json:"number_of_nodes"`
			}
			get(t, c, "/_cluster/health", &health)
			if health.Status != "green" || health.Nodes != 2 {
				t.Errorf("_cluster/health = %+v, want 2 nodes and green", health)
			}
		})
	}
}

// A known number of operations arrives in the counters, so that a test may
// compare a decoder's deltas with what it sent.
func TestCounters(t *testing.T) {
	const shards, docs, searches = 3, 40, 7
	c := livetest.Start(t, livetest.OpenSearch2, 2)
	if _, err := c.Call("PUT", "/counted", `{"settings":{"number_of_shards":3,"number_of_replicas":1}}`); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Call("GET", "/_cluster/health/counted?wait_for_status=green&timeout=60s", ""); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Index("counted", docs, 1); err != nil {
		t.Fatal(err)
	}
	if err := c.Refresh(); err != nil {
		t.Fatal(err)
	}
	if err := c.Search("counted", searches); err != nil {
		t.Fatal(err)
	}
	type counters struct {
		Docs     struct{ Count int }
		Indexing struct {
			Index int `json:"index_total"`
		}
		Search struct {
			Query int `json:"query_total"`
		}
	}
	var stats struct {
		Indices map[string]struct{ Primaries, Total counters }
	}
	get(t, c, "/counted/_stats", &stats)
	got := stats.Indices["counted"]
	for _, tt := range []struct {
		name      string
		got, want int
	}{
		{"primaries.docs.count", got.Primaries.Docs.Count, docs},
		{"total.docs.count", got.Total.Docs.Count, 2 * docs},
		{"primaries.indexing.index_total", got.Primaries.Indexing.Index, docs},
		{"total.indexing.index_total", got.Total.Indexing.Index, 2 * docs},
		{"total.search.query_total", got.Total.Search.Query, searches * shards},
	} {
		if tt.got != tt.want {
			t.Errorf("%s = %d, want %d", tt.name, tt.got, tt.want)
		}
	}
}

func TestStopLeavesNothing(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	var c *livetest.Cluster
	t.Run("use", func(t *testing.T) { c = livetest.Start(t, livetest.OpenSearch2, 1) })
	if c == nil {
		t.Skip("the server did not start")
	}
	if _, _, err := c.Do("GET", "/", ""); err == nil {
		t.Error("a stopped server answers")
	}
	left, err := os.ReadDir(os.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if len(left) > 0 {
		t.Errorf("left in the temporary folder: %v", left)
	}
}

// A test that is killed runs no cleanup. Its server ends all the same, since its standard input does.
func TestKilledTestLeavesNothing(t *testing.T) {
	if os.Getenv("LIVETEST_VICTIM") != "" {
		c := livetest.Start(t, livetest.OpenSearch2, 1)
		fmt.Println("http:", c.URL())
		time.Sleep(time.Minute)
		t.Fatal("was not killed")
	}
	if err := livetest.OpenSearch2.Resolve(); err != nil {
		t.Skip(err)
	}
	temp := t.TempDir()
	ctx, kill := context.WithCancel(t.Context())
	defer kill()
	victim := exec.CommandContext(ctx, os.Args[0], "-test.run=^TestKilledTestLeavesNothing$")
	victim.Env = append(os.Environ(), "LIVETEST_VICTIM=1", "TMPDIR="+temp)
	out, err := victim.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := victim.Start(); err != nil {
		t.Fatal(err)
	}
	var url string
	if _, err := fmt.Fscanf(out, "http: %s\n", &url); err != nil {
		t.Fatal(err)
	}
	get := func() error {
		resp, err := http.Get(url)
		if err == nil {
			err = resp.Body.Close()
		}
		return err
	}
	if err := get(); err != nil {
		t.Fatal(err)
	}
	kill()
	if err := victim.Wait(); err == nil {
		t.Fatal("the test ended well, want it killed")
	}
	for wait := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		left, err := os.ReadDir(temp)
		if err != nil {
			t.Fatal(err)
		}
		if get() != nil && len(left) == 0 {
			return
		}
		if time.Since(wait) > 30*time.Second {
			t.Fatalf("30 s later: GET %s: %v; left in the temporary folder: %v", url, get(), left)
		}
	}
}
