package livetest_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/lowalloc/lowalloc/internal/livetest"
	"github.com/lowalloc/lowalloc/statsdecode"
)

// What statsdecode makes of a real server's answers is what encoding/json
// makes of them, field by field, and what a test did to the server is what the
// figures of two polls differ by.
func TestStatsdecode(t *testing.T) {
	for _, server := range []livetest.Server{
		livetest.OpenSearch2, livetest.OpenSearch3,
		livetest.Elasticsearch7, livetest.Elasticsearch8, livetest.Elasticsearch9,
	} {
		t.Run(string(server), func(t *testing.T) { testStatsdecode(t, livetest.Start(t, server, 2)) })
	}
}

func testStatsdecode(t *testing.T, c *livetest.Cluster) {
	const (
		shards, replicas = 3, 1
		docs, searches   = 120, 11
		index, closed    = "größe.of-things_2026", "closed-1"
	)
	call := func(method, path, body string) string {
		t.Helper()
		answer, err := c.Call(method, path, body)
		if err != nil {
			t.Fatal(err)
		}
		return string(answer)
	}
	call("PUT", "/gr%C3%B6%C3%9Fe.of-things_2026", fmt.Sprintf(`{"settings":{"number_of_shards":%d,"number_of_replicas":%d,"codec":"best_compression"}}`, shards, replicas))
	call("PUT", "/"+closed, `{"settings":{"number_of_shards":1,"number_of_replicas":0}}`)
	call("PUT", "/.hidden", `{"settings":{"number_of_shards":1,"number_of_replicas":0,"index.hidden":true}}`)
	const green = "/_cluster/health?wait_for_status=green&wait_for_no_initializing_shards=true&timeout=60s"
	call("GET", green, "")
	call("POST", "/"+closed+"/_close", "")
	call("GET", green, "")

	var d statsdecode.Decoder
	first := poll(t, c, &d)
	if _, err := c.Index(index, docs, 7); err != nil {
		t.Fatal(err)
	}
	if err := c.Refresh(); err != nil {
		t.Fatal(err)
	}
	if err := c.Search(index, searches); err != nil {
		t.Fatal(err)
	}
	second := poll(t, c, &d)

	a, b := first.indices[index], second.indices[index]
	if !b.Continues(&a) {
		t.Errorf("uuid %q, then %q", a.UUID, b.UUID)
	}
	for _, tt := range []struct {
		name string
		got  int64
		want int64
	}{
		{"docs of the primaries", b.Primaries.Docs.Count - a.Primaries.Docs.Count, docs},
		{"docs of all copies", b.Total.Docs.Count - a.Total.Docs.Count, docs * (1 + replicas)},
		{"index operations of the primaries", b.Primaries.Indexing.IndexTotal - a.Primaries.Indexing.IndexTotal, docs},
		{"index operations of all copies", b.Total.Indexing.IndexTotal - a.Total.Indexing.IndexTotal, docs * (1 + replicas)},
		{"query phases", b.Total.Search.QueryTotal - a.Total.Search.QueryTotal, searches * shards},
		{"shards", first.settings[index].NumberOfShards, shards},
		{"replicas", first.settings[index].NumberOfReplicas, replicas},
	} {
		if tt.got != tt.want {
			t.Errorf("%s: %d, want %d", tt.name, tt.got, tt.want)
		}
	}
	if perSecond, ok := b.Total.Search.QueryRate(a.Total.Search, 2*time.Second); !ok || perSecond != searches*shards/2.0 {
		t.Errorf("QueryRate = %v, %v; want %v", perSecond, ok, searches*shards/2.0)
	}
	if _, ok := b.Total.Search.MeanQueryTime(a.Total.Search); !ok {
		t.Error("no mean query time after searches")
	}

	// The nodes together did what the indices did.
	var queries, indexed int64
	for id, n := range second.nodes {
		before := first.nodes[id]
		if !n.Continues(&before) {
			t.Errorf("node %s does not continue", id)
		}
		queries += n.Indices.Search.QueryTotal - before.Indices.Search.QueryTotal
		indexed += n.Indices.Indexing.IndexTotal - before.Indices.Indexing.IndexTotal
		if memory, ok := n.OS.Memory(); !ok || memory < 1<<28 {
			t.Errorf("Memory = %d, %v", memory, ok)
		}
		if use, ok := n.JVM.Mem.HeapUse(); !ok || use <= 0 || use > 1 {
			t.Errorf("HeapUse = %v, %v", use, ok)
		}
	}
	if queries < searches*shards || indexed < docs*(1+replicas) {
		t.Errorf("the nodes count %d queries and %d index operations, want at least %d and %d", queries, indexed, searches*shards, docs*(1+replicas))
	}
	if s := first.settings[index]; s.Codec != "best_compression" || s.UUID != a.UUID {
		t.Errorf("settings %+v", s)
	}
	if !first.settings[".hidden"].Hidden {
		t.Error("the hidden index is missing in the settings, or not hidden")
	}
	if _, ok := first.settings[closed]; !ok {
		t.Error("the closed index is missing in the settings")
	}
}

// answers are what one poll gave.
type answers struct {
	indices  map[string]statsdecode.Index
	nodes    map[string]statsdecode.Node
	settings map[string]statsdecode.IndexSettings
}

// poll asks for everything, compares all of it with encoding/json, and then
// asks once more for a few sections by each kind of path.
func poll(t *testing.T, c *livetest.Cluster, d *statsdecode.Decoder) answers {
	t.Helper()
	got := answers{map[string]statsdecode.Index{}, map[string]statsdecode.Node{}, map[string]statsdecode.IndexSettings{}}
	get := func(path string) string {
		answer, err := c.Call("GET", path, "")
		if err != nil {
			t.Fatal(err)
		}
		return string(answer)
	}

	for _, level := range []string{"shards", ""} {
		answer := get(statsdecode.IndexStatsPath(0, statsdecode.PathOptions{Level: level}))
		var stats struct {
			Indices map[string]statsdecode.Index `json:"indices"`
		}
		decode(t, answer, &stats)
		for ix, err := range d.Indices(strings.NewReader(answer)) {
			if err != nil {
				t.Fatal(err)
			}
			kept := ix.Clone()
			got.indices[ix.Name] = *kept
			bare := *kept
			bare.Name, bare.Primaries.Present, bare.Total.Present = "", 0, 0
			same(t, ix.Name, bare, stats.Indices[ix.Name])
			if level == "" && ix.Primaries.Present == 0 {
				t.Errorf("%s has no section", ix.Name)
			}
		}
		if len(got.indices) != len(stats.Indices) {
			t.Errorf("%d indices, want %d", len(got.indices), len(stats.Indices))
		}
	}

	answer := get(statsdecode.NodeStatsPath(0, statsdecode.PathOptions{}))
	var nodes struct {
		Nodes map[string]statsdecode.Node `json:"nodes"`
	}
	decode(t, answer, &nodes)
	for n, err := range d.Nodes(strings.NewReader(answer)) {
		if err != nil {
			t.Fatal(err)
		}
		kept := n.Clone()
		got.nodes[n.ID] = *kept
		bare := *kept
		bare.ID, bare.IP, bare.Present, bare.Indices.Present = "", "", 0, 0
		same(t, n.Name, bare, nodes.Nodes[n.ID])
	}
	if len(got.nodes) != 2 || len(nodes.Nodes) != 2 {
		t.Errorf("%d nodes, want 2", len(got.nodes))
	}

	answer = get(statsdecode.SettingsPath(statsdecode.PathOptions{}))
	var settings map[string]struct {
		Settings struct {
			Index statsdecode.IndexSettings `json:"index"`
		} `json:"settings"`
	}
	decode(t, answer, &settings)
	for s, err := range d.Settings(strings.NewReader(answer)) {
		if err != nil {
			t.Fatal(err)
		}
		got.settings[s.Name] = *s
		want := settings[s.Name].Settings.Index
		want.Name = s.Name
		same(t, s.Name, *s, want)
	}
	if len(got.settings) != len(got.indices) {
		t.Errorf("settings of %d indices, stats of %d", len(got.settings), len(got.indices))
	}

	answer = get("/_cluster/health")
	var health, wantHealth statsdecode.ClusterHealth
	decode(t, answer, &wantHealth)
	if err := statsdecode.DecodeClusterHealth(strings.NewReader(answer), &health); err != nil {
		t.Fatal(err)
	}
	same(t, "health", health, wantHealth)
	if health.NumberOfNodes != 2 || health.Status != "green" {
		t.Errorf("health %+v", health)
	}
	answer = get("/_cluster/stats")
	var cluster, wantCluster statsdecode.ClusterStats
	decode(t, answer, &wantCluster)
	if err := statsdecode.DecodeClusterStats(strings.NewReader(answer), &cluster); err != nil {
		t.Fatal(err)
	}
	same(t, "cluster stats", cluster, wantCluster)

	narrowed(t, c, d)
	return got
}

// narrowed asks for a few sections alone: those come, and no others.
func narrowed(t *testing.T, c *livetest.Cluster, d *statsdecode.Decoder) {
	t.Helper()
	const want = statsdecode.SectionDocs | statsdecode.SectionSearch | statsdecode.SectionMerges
	for _, o := range []statsdecode.PathOptions{{}, {Metrics: true}, {Target: "*,-.hidden", Level: "shards"}} {
		path := statsdecode.IndexStatsPath(want, o)
		answer, err := c.Call("GET", path, "")
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for ix, err := range d.Indices(strings.NewReader(string(answer))) {
			if err != nil {
				t.Fatalf("%s: %v", path, err)
			}
			n++
			if ix.Primaries.Present&^want != 0 || ix.Primaries.Present != 0 && ix.Primaries.Present != want || ix.UUID == "" {
				t.Errorf("%s: %s has sections %b, want %b", path, ix.Name, ix.Primaries.Present, want)
			}
			if o.Level == "shards" && (len(ix.Shards) == 0 || ix.Shards[0].Copies[0].Routing.State != "STARTED") {
				t.Errorf("%s: %s has no shards: %+v", path, ix.Name, ix.Shards)
			}
		}
		if n == 0 || d.Header().Shards.Total == 0 {
			t.Errorf("%s: %d indices, header %+v", path, n, d.Header().Shards)
		}
	}
	const wantNode = statsdecode.NodeSectionOS | statsdecode.NodeSectionBreakers
	for _, o := range []statsdecode.PathOptions{{}, {Metrics: true}, {Target: "_all"}} {
		path := statsdecode.NodeStatsPath(wantNode, o)
		answer, err := c.Call("GET", path, "")
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for node, err := range d.Nodes(strings.NewReader(string(answer))) {
			if err != nil {
				t.Fatalf("%s: %v", path, err)
			}
			n++
			sections := node.Present &^ (statsdecode.NodeSectionCPU | statsdecode.NodeSectionCgroup)
			if _, ok := node.Breakers.Get("in_flight_requests"); sections != wantNode || !ok || node.Name == "" || node.Timestamp == 0 {
				t.Errorf("%s: %+v", path, node)
			}
		}
		if n != 2 {
			t.Errorf("%s: %d nodes", path, n)
		}
	}
	// A metric that the server does not know is refused, and says so.
	answer, status, err := c.Do("GET", "/_nodes/stats/breakers", "")
	if err != nil || status != 400 {
		t.Fatalf("status %d, %v", status, err)
	}
	if err := statsdecode.ReadError(status, strings.NewReader(string(answer))); !strings.Contains(err.Error(), "breaker") {
		t.Errorf("ReadError = %v", err)
	}
}

func decode(t *testing.T, answer string, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(answer), into); err != nil {
		t.Fatal(err)
	}
}

// same compares two values as they print, for which nil and empty are one.
func same(t *testing.T, what string, got, want any) {
	t.Helper()
	if g, w := fmt.Sprintf("%+v", got), fmt.Sprintf("%+v", want); g != w {
		t.Errorf("%s:\n got %s\nwant %s", what, g, w)
	}
}
