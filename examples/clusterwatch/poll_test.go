package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lowalloc/lowalloc/statsdecode"
)

// answers is a server of given texts.
type answers map[string]string

func (a answers) poll(t *testing.T) (*snapshot, error) {
	t.Helper()
	p := &poller{get: func(_ context.Context, path string) (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader(a[path])), nil
	}}
	return p.poll(t.Context())
}

func smallCluster() answers {
	return answers{
		healthPath: `{"cluster_name":"c","status":"yellow","active_shards":3}`,
		nodesPath: `{"_nodes":{"total":1,"successful":1,"failed":0},"nodes":{"n":{"name":"one","timestamp":1,"roles":["data"],
			"os":{"cpu":{"percent":-1},"mem":{"total_in_bytes":8000},"cgroup":{"memory":{"limit_in_bytes":"9223372036854771712"}}},
			"fs":{"io_stats":{}},"indices":{"store":{"size_in_bytes":16000}},"jvm":{"mem":{"heap_max_in_bytes":4000}}}}}`,
		indicesPath: `{"_shards":{"total":3,"successful":3,"failed":0},"indices":{
			"logs":{"primaries":{"docs":{"count":2}},"total":{"store":{"size_in_bytes":9},"search":{"query_total":1}}},
			"shut":{"uuid":"s","status":"close","primaries":{},"total":{}}}}`,
		settingsPath: `{"logs":{"settings":{"index":{"uuid":"u","codec":"zstd","mode":"logsdb"}}},
			"shut":{"settings":{"index":{"uuid":"s","codec":"best_compression"}}},
			"old":{"settings":{"index":{"uuid":"o","codec":"best_compression","verified_before_close":"true"}}}}`,
	}
}

func TestPoll(t *testing.T) {
	s, err := smallCluster().poll(t)
	if err != nil {
		t.Fatal(err)
	}
	want := []index{
		{name: "logs", uuid: "u", listed: true, docs: known(2), store: known(9), search: statsdecode.Search{QueryTotal: 1}, counted: true, settings: true, codec: "zstd", mode: "logsdb"},
		{name: "shut", uuid: "s", listed: true, closed: true, settings: true, codec: "best_compression"},
		{name: "old", uuid: "o", closed: true, settings: true, codec: "best_compression"},
	}
	if len(s.indices) != len(want) {
		t.Fatalf("%d indices, want %d", len(s.indices), len(want))
	}
	for i := range want {
		if s.indices[i] != want[i] {
			t.Errorf("index %d is\n%+v, want\n%+v", i, s.indices[i], want[i])
		}
	}
	if !s.nodesComplete || !s.indicesComplete || len(s.flaws) > 0 {
		t.Errorf("nodes complete %v, indices %v, flaws %v, want all and none", s.nodesComplete, s.indicesComplete, s.flaws)
	}
}

// io_stats {} and the largest limit are what containers send.
func TestContainerWithoutIOStatsAndLimit(t *testing.T) {
	a := smallCluster()
	before, err := a.poll(t)
	if err != nil {
		t.Fatal(err)
	}
	a[nodesPath] = strings.Replace(a[nodesPath], `"timestamp":1`, `"timestamp":60001`, 1)
	now, err := a.poll(t)
	if err != nil {
		t.Fatal(err)
	}
	n := compareNodes(before, now)[0]
	if n.Change != "" || n.ReadRate.known || n.Busy.known || n.CPU.known || n.diskFault != "the server sends no disk figures (fs.io_stats)" {
		t.Errorf("got %+v, want no disk figures and no CPU", n)
	}
	if n.MemoryToStorage != known(50) || n.PageCache != known(25) {
		t.Errorf("memory to storage %v, page cache %v, want 50 and 25: the limit is none", n.MemoryToStorage, n.PageCache)
	}
}

func TestPartialAnswers(t *testing.T) {
	a := smallCluster()
	a[nodesPath] = strings.Replace(a[nodesPath], `"failed":0`, `"failed":1`, 1)
	a[indicesPath] = strings.Replace(a[indicesPath], `"failed":0`, `"failed":1`, 1)
	s, err := a.poll(t)
	if err != nil || len(s.nodes) != 1 || len(s.indices) != 3 || s.nodesComplete || s.indicesComplete || len(s.flaws) != 2 {
		t.Fatalf("poll = %+v, %v, want the data of what answered, as incomplete", s, err)
	}
	whole, err := smallCluster().poll(t)
	if err != nil {
		t.Fatal(err)
	}
	w := new(watch)
	w.keep(whole)
	r := w.compare(s, nil)
	if r.IOBound != cannotTell || len(r.Missed) != 2 || r.Nodes[0].SearchRate.known || r.Indices[0].SearchRate.known {
		t.Errorf("report %+v, want that it cannot tell, and what it missed", r)
	}
	if w.nodes != whole || w.indices != whole {
		t.Error("the incomplete poll replaced the complete one before it")
	}
}

func TestFieldOfTheWrongType(t *testing.T) {
	a := smallCluster()
	a[nodesPath] = strings.Replace(a[nodesPath], `"name":"one"`, `"name":7`, 1)
	a[indicesPath] = strings.Replace(a[indicesPath], `"count":2`, `"count":"2"`, 1)
	a[settingsPath] = strings.Replace(a[settingsPath], `"codec":"best_compression"`, `"codec":7`, 1)
	s, err := a.poll(t)
	if err != nil || len(s.flaws) != 3 || !s.nodesComplete || !s.indicesComplete {
		t.Errorf("poll = %+v, %v, want the rest, and three flaws", s, err)
	}
	if shut := s.indices[1]; shut.settings || !shut.closed {
		t.Errorf("index with a flaw in its settings %+v, want its codec unknown", shut)
	}
	if logs := s.indices[0]; logs.docs.known || logs.store.known || logs.counted || logs.codec != "zstd" {
		t.Errorf("index with a flaw %+v, want its figures unknown and its codec", logs)
	}
	n := compareNodes(nil, s)[0]
	if n.Name != "n" || n.Heap.known || n.MemoryToStorage.known || n.PageCache.known {
		t.Errorf("node with a flaw %+v, want its id for the name and no figures", n)
	}
}

func TestNegativeSizes(t *testing.T) {
	a := smallCluster()
	a[indicesPath] = strings.NewReplacer(`"count":2`, `"count":-2`, `"size_in_bytes":9`, `"size_in_bytes":-9`).Replace(a[indicesPath])
	s, err := a.poll(t)
	if err != nil || s.indices[0].docs.known || s.indices[0].store.known {
		t.Errorf("poll = %+v, %v, want documents and store unknown", s.indices, err)
	}
}

// What a poll counts from zero, since a field has the wrong type or a section is
// missing, must not turn into a rate, neither in its report nor in the next.
func TestNoRateFromWhatWasNotSent(t *testing.T) {
	const (
		search = `"search":{"query_total":%d,"query_time_in_millis":%d,"fetch_total":5}`
		merges = `"merges":{"total_size_in_bytes":%d}`
		disks  = `"io_stats":{"total":{"read_operations":%d,"read_kilobytes":9,"io_time_in_millis":%d}}`
		uptime = `"uptime_in_millis":%d`
	)
	poll := func(t *testing.T, n int, change func(string) string) *snapshot {
		t.Helper()
		million := 1_000_000 + n
		a := smallCluster()
		a[nodesPath] = fmt.Sprintf(`{"nodes":{"n":{"name":"one","timestamp":%d,"roles":["data"],"os":{},`+
			`"thread_pool":{"search":{"rejected":%d}},`+
			`"fs":{`+disks+`},"indices":{`+search+`,`+merges+`},"jvm":{`+uptime+`}}}}`,
			n*minute, million, million, million, million, million, million, n*minute)
		a[indicesPath] = fmt.Sprintf(`{"indices":{"logs":{"uuid":"u","total":{`+search+`}}}}`, million, million)
		a[nodesPath], a[indicesPath] = change(a[nodesPath]), change(a[indicesPath])
		s, err := a.poll(t)
		if err != nil {
			t.Fatal(err)
		}
		s.counted = time.UnixMilli(int64(n) * minute)
		return s
	}
	without := func(section string) func(string) string {
		return func(answer string) string { return strings.ReplaceAll(answer, `"`+section+`":{`, `"absent":{`) }
	}
	// As a wild figure of the third report would be about a million, all are asked for less.
	figures := map[string]func(*report) figure{
		"searches":       func(r *report) figure { return r.Nodes[0].SearchRate },
		"index searches": func(r *report) figure { return r.Indices[0].SearchRate },
		"merged":         func(r *report) figure { return r.Nodes[0].merged },
		"rejections":     func(r *report) figure { return r.Nodes[0].Rejections },
		"reads":          func(r *report) figure { return r.Nodes[0].ReadRate },
	}
	for _, tt := range []struct {
		name   string
		change func(string) string
		lost   string // figures, in order
	}{
		{"nothing", strings.Clone, ""},
		{"query_total of the wrong type", func(answer string) string {
			return strings.ReplaceAll(answer, `"query_total":1000001`, `"query_total":"oops"`)
		}, "index searches, merged, reads, rejections, searches"},
		{"no search", without("search"), "index searches, rejections, searches"}, // the pool, too
		{"no merges", without("merges"), "merged"},
		{"no io_stats", without("io_stats"), "reads"},
		{"no thread_pool", without("thread_pool"), "rejections"},
		{"no jvm", without("jvm"), "merged, reads, rejections, searches"},
		{"no fs", without("fs"), "reads"},
		{"no indices", func(answer string) string {
			return strings.Replace(answer, `"indices":{"search"`, `"absent":{"search"`, 1)
		}, "merged, searches"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := new(watch)
			w.keep(poll(t, 0, strings.Clone))
			for n, change := range []func(string) string{tt.change, strings.Clone, strings.Clone} {
				r := w.compare(poll(t, n+1, change), nil)
				var lost []string
				for _, name := range slices.Sorted(maps.Keys(figures)) {
					switch f := figures[name](r); {
					case !f.known:
						lost = append(lost, name)
					case f.value > 1:
						t.Errorf("report %d: %s %v, want at most 1", n+1, name, f.value)
					}
				}
				want := tt.lost
				if n == 2 {
					want = "" // two whole polls again
				}
				if got := strings.Join(lost, ", "); got != want {
					t.Errorf("report %d: unknown %q, want %q", n+1, got, want)
				}
			}
		})
	}
}

// Many fields of the wrong type must not hide that shards failed.
func TestManyFlaws(t *testing.T) {
	a := smallCluster()
	var b strings.Builder
	for i := range mostFlaws + 2 {
		fmt.Fprintf(&b, `"i%d":{"uuid":7},`, i)
	}
	a[indicesPath] = strings.Replace(a[indicesPath], `"failed":0},"indices":{`, `"failed":1},"indices":{`+b.String(), 1)
	s, err := a.poll(t)
	if err != nil {
		t.Fatal(err)
	}
	got := missed(s, nil)
	if len(got) != mostFlaws+2 || !strings.Contains(got[mostFlaws], "1 of 3 failed") || got[mostFlaws+1] != "and 2 fields more" {
		t.Errorf("missed %q, want %d fields, the failure, and 2 fields more", got, mostFlaws)
	}
}

func TestAnswersThatMakeNoPoll(t *testing.T) {
	for _, path := range []string{healthPath, nodesPath, indicesPath, settingsPath} {
		endpoint, _, _ := strings.Cut(path, "?")
		for name, body := range map[string]string{
			"nothing": "", "empty": "{}", "null": "null", "HTML": "<html><body>Sign in</body></html>",
			"cut": smallCluster()[path][:len(smallCluster()[path])-1], "another": `{"tagline":"You Know, for Search"}`,
			"error": `{"error":{"type":"security_exception","reason":"no"},"status":403}`,
		} {
			t.Run(endpoint+" "+name, func(t *testing.T) {
				a := smallCluster()
				a[path] = body
				s, err := a.poll(t)
				if err == nil || !strings.HasPrefix(err.Error(), "GET "+endpoint+": ") {
					t.Errorf("poll with %s answer = %+v, %v, want an error about %s", name, s, err, endpoint)
				}
				if name == "cut" && !errors.Is(err, io.ErrUnexpectedEOF) {
					t.Errorf("poll with cut answer: %v, want io.ErrUnexpectedEOF", err)
				}
			})
		}
	}
}

// A cluster without an index is one.
func TestEmptyCluster(t *testing.T) {
	a := smallCluster()
	a[healthPath] = `{"cluster_name":"c","status":"green","active_shards":0}`
	a[indicesPath] = `{"_shards":{"total":0,"successful":0,"failed":0}}`
	a[settingsPath] = `{}`
	s, err := a.poll(t)
	if err != nil || len(s.indices) != 0 || !s.indicesComplete {
		t.Errorf("poll = %+v, %v, want no index and no error", s, err)
	}
	if c := clusterOf(s); c.Documents != known(0) || c.Store != known(0) {
		t.Errorf("documents %v, store %v, want 0", c.Documents, c.Store)
	}
}
