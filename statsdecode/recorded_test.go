package statsdecode_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/lowalloc/lowalloc/statsdecode"
)

// recorded returns the answers of real servers that are called name, by server.
func recorded(t testing.TB, name string) map[string][]byte {
	t.Helper()
	files, err := filepath.Glob("testdata/recorded/*/" + name + ".json.gz")
	if err != nil || len(files) == 0 {
		t.Fatalf("no recorded answers called %s (%v)", name, err)
	}
	answers := map[string][]byte{}
	for _, file := range files {
		f, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		z, err := gzip.NewReader(f)
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(z)
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		answers[filepath.Base(filepath.Dir(file))] = b
	}
	return answers
}

var (
	statsAnswers    = []string{"stats", "stats-open", "stats-filtered", "stats-shards", "second-stats"}
	nodesAnswers    = []string{"nodes-stats", "second-nodes-stats"}
	settingsAnswers = []string{"settings", "second-settings"}
)

// eachRecorded runs f on every recorded answer with one of the names.
func eachRecorded(t *testing.T, names []string, f func(t *testing.T, answer []byte)) {
	for _, name := range names {
		answers := recorded(t, name)
		for _, server := range slices.Sorted(maps.Keys(answers)) {
			t.Run(server+"/"+name, func(t *testing.T) { f(t, answers[server]) })
		}
	}
}

// item is what a walk yielded, kept.
type item[T any] struct {
	value T
	err   error
}

// indices, nodes and settings walk an answer and keep everything.
func indices(d *statsdecode.Decoder, r io.Reader) (items []item[statsdecode.Index]) {
	for ix, err := range d.Indices(r) {
		it := item[statsdecode.Index]{err: err}
		if ix != nil {
			it.value = *ix.Clone()
		}
		items = append(items, it)
	}
	return items
}

func nodes(d *statsdecode.Decoder, r io.Reader) (items []item[statsdecode.Node]) {
	for n, err := range d.Nodes(r) {
		it := item[statsdecode.Node]{err: err}
		if n != nil {
			it.value = *n.Clone()
		}
		items = append(items, it)
	}
	return items
}

func settings(d *statsdecode.Decoder, r io.Reader) (items []item[statsdecode.IndexSettings]) {
	for s, err := range d.Settings(r) {
		it := item[statsdecode.IndexSettings]{err: err}
		if s != nil {
			it.value = *s
		}
		items = append(items, it)
	}
	return items
}

// derivedFields are set by the walk, not by JSON.
func forgetIndex(ix *statsdecode.Index) {
	ix.Name = ""
	ix.Primaries.Present, ix.Total.Present = 0, 0
	if len(ix.Shards) == 0 {
		ix.Shards = nil
	}
	for i := range ix.Shards {
		for j := range ix.Shards[i].Copies {
			ix.Shards[i].Copies[j].Present = 0
		}
	}
}

func forgetNode(n *statsdecode.Node) {
	n.ID, n.IP, n.Present, n.Indices.Present = "", "", 0, 0
	for _, f := range []any{&n.IPs, &n.Roles, &n.Attributes, &n.JVM.Mem.Pools, &n.JVM.GC.Collectors, &n.JVM.BufferPools, &n.ThreadPool, &n.FS.Data, &n.FS.IOStats.Devices, &n.Breakers, &n.Ingest.Pipelines, &n.AdaptiveSelection} {
		if v := reflect.ValueOf(f).Elem(); v.Len() == 0 {
			v.SetZero()
		}
	}
	for i := range n.Ingest.Pipelines {
		if p := &n.Ingest.Pipelines[i]; len(p.Processors) == 0 {
			p.Processors = nil
		}
	}
}

// keysInOrder returns the names of the members of the object at path.
func keysInOrder(t *testing.T, answer []byte, path ...string) []string {
	t.Helper()
	for _, p := range path {
		var m map[string]json.RawMessage
		if err := json.Unmarshal(answer, &m); err != nil {
			t.Fatal(err)
		}
		answer = m[p]
	}
	d := json.NewDecoder(bytes.NewReader(answer))
	if _, err := d.Token(); err != nil {
		t.Fatal(err)
	}
	var keys []string
	for d.More() {
		key, err := d.Token()
		if err != nil {
			t.Fatal(err)
		}
		keys = append(keys, key.(string))
		var skip json.RawMessage
		if err := d.Decode(&skip); err != nil {
			t.Fatal(err)
		}
	}
	return keys
}

// Every field of every entry is what encoding/json makes of the same bytes.
func TestRecordedStatsEqualEncodingJSON(t *testing.T) {
	eachRecorded(t, statsAnswers, func(t *testing.T, answer []byte) {
		var want struct {
			Shards  statsdecode.Counts           `json:"_shards"`
			All     statsdecode.AllStats         `json:"_all"`
			Indices map[string]statsdecode.Index `json:"indices"`
		}
		if err := json.Unmarshal(answer, &want); err != nil {
			t.Fatal(err)
		}
		var d statsdecode.Decoder
		var names []string
		for _, it := range indices(&d, bytes.NewReader(answer)) {
			if it.err != nil {
				t.Fatalf("%s: %v", it.value.Name, it.err)
			}
			name := it.value.Name
			names = append(names, name)
			w := want.Indices[name]
			checkPresence(t, name, answer, &it.value)
			forgetIndex(&it.value)
			forgetIndex(&w)
			if !reflect.DeepEqual(it.value, w) {
				t.Errorf("%s:\n got %+v\nwant %+v", name, it.value, w)
			}
		}
		if want := keysInOrder(t, answer, "indices"); !slices.Equal(names, want) {
			t.Errorf("indices %q, want %q", names, want)
		}
		h := d.Header()
		h.All.Primaries.Present, h.All.Total.Present = 0, 0
		if h.Shards != want.Shards || h.All != want.All {
			t.Errorf("Header = %+v, want %+v", h, want)
		}
	})
}

// checkPresence compares the presence bits with a plain look at the answer.
func checkPresence(t *testing.T, name string, answer []byte, ix *statsdecode.Index) {
	t.Helper()
	var m struct {
		Indices map[string]map[string]any `json:"indices"`
	}
	if err := json.Unmarshal(answer, &m); err != nil {
		t.Fatal(err)
	}
	for part, stats := range map[string]statsdecode.CommonStats{"primaries": ix.Primaries, "total": ix.Total} {
		object, _ := m.Indices[name][part].(map[string]any)
		for f := range reflect.TypeFor[statsdecode.CommonStats]().Fields() {
			i := f.Index[0]
			if f.Type.Kind() != reflect.Struct {
				continue
			}
			_, want := object[f.Tag.Get("json")].(map[string]any)
			if got := stats.Present.Has(1 << i); got != want {
				t.Errorf("%s.%s: presence of %s is %v, want %v", name, part, f.Name, got, want)
			}
		}
		indexing, _ := object["indexing"].(map[string]any)
		for figure, section := range map[string]statsdecode.Sections{"index_failed": statsdecode.SectionIndexFailed, "write_load": statsdecode.SectionWriteLoad} {
			if _, want := indexing[figure]; stats.Present.Has(section) != want {
				t.Errorf("%s.%s: presence of %s is %v, want %v", name, part, figure, !want, want)
			}
		}
	}
}

func TestRecordedNodesEqualEncodingJSON(t *testing.T) {
	eachRecorded(t, nodesAnswers, func(t *testing.T, answer []byte) {
		var want struct {
			ClusterName string                      `json:"cluster_name"`
			Counts      statsdecode.Counts          `json:"_nodes"`
			Nodes       map[string]statsdecode.Node `json:"nodes"`
		}
		if err := json.Unmarshal(answer, &want); err != nil {
			t.Fatal(err)
		}
		var d statsdecode.Decoder
		var ids []string
		for _, it := range nodes(&d, bytes.NewReader(answer)) {
			if it.err != nil {
				t.Fatalf("%s: %v", it.value.Name, it.err)
			}
			n := it.value
			ids = append(ids, n.ID)
			w := want.Nodes[n.ID]
			if n.IP != n.IPs[0] {
				t.Errorf("IP = %q, want the first of %q", n.IP, n.IPs)
			}
			forgetNode(&n)
			forgetNode(&w)
			if !reflect.DeepEqual(n, w) {
				t.Errorf("%s:\n got %+v\nwant %+v", n.Name, n, w)
			}
		}
		if want := keysInOrder(t, answer, "nodes"); !slices.Equal(ids, want) {
			t.Errorf("nodes %q, want %q", ids, want)
		}
		if h := d.Header(); h.ClusterName != want.ClusterName || h.Nodes != want.Counts {
			t.Errorf("Header = %+v, want %q %+v", h, want.ClusterName, want.Counts)
		}
	})
}

func TestRecordedSettingsEqualEncodingJSON(t *testing.T) {
	eachRecorded(t, settingsAnswers, func(t *testing.T, answer []byte) {
		var want map[string]struct {
			Settings struct {
				Index statsdecode.IndexSettings `json:"index"`
			} `json:"settings"`
		}
		if err := json.Unmarshal(answer, &want); err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, it := range settings(new(statsdecode.Decoder), bytes.NewReader(answer)) {
			if it.err != nil {
				t.Fatal(it.err)
			}
			names = append(names, it.value.Name)
			w := want[it.value.Name].Settings.Index
			w.Name = it.value.Name
			if it.value != w {
				t.Errorf("got %+v\nwant %+v", it.value, w)
			}
			if w.UUID == "" || w.NumberOfShards < 1 || w.CreationDate == 0 {
				t.Errorf("%s: settings a server always sends are missing: %+v", w.Name, w)
			}
		}
		if want := keysInOrder(t, answer); !slices.Equal(names, want) {
			t.Errorf("indices %q, want %q", names, want)
		}
	})
}

func TestRecordedClusterAnswersEqualEncodingJSON(t *testing.T) {
	eachRecorded(t, []string{"cluster-health", "second-cluster-health"}, func(t *testing.T, answer []byte) {
		var got, want statsdecode.ClusterHealth
		if err := json.Unmarshal(answer, &want); err != nil {
			t.Fatal(err)
		}
		if err := statsdecode.DecodeClusterHealth(bytes.NewReader(answer), &got); err != nil || got != want {
			t.Errorf("got %+v, %v\nwant %+v", got, err, want)
		}
		if want.NumberOfNodes == 0 || want.Status == "" || want.ActiveShardsPercentAsNumber == 0 {
			t.Errorf("figures a server always sends are missing: %+v", want)
		}
	})
	eachRecorded(t, []string{"cluster-stats"}, func(t *testing.T, answer []byte) {
		var got, want statsdecode.ClusterStats
		if err := json.Unmarshal(answer, &want); err != nil {
			t.Fatal(err)
		}
		if err := statsdecode.DecodeClusterStats(bytes.NewReader(answer), &got); err != nil || got != want {
			t.Errorf("got %+v, %v\nwant %+v", got, err, want)
		}
		if want.Indices.Count == 0 || want.Nodes.Count.Total == 0 || want.Nodes.JVM.Mem.HeapMaxInBytes == 0 {
			t.Errorf("figures a server always sends are missing: %+v", want)
		}
	})
}

// _recovery, whose entries stand in the answer itself, and the items of _bulk,
// an array, into types of the caller's.
func TestRecordedEntriesEqualEncodingJSON(t *testing.T) {
	type recovery struct {
		Shards []struct {
			ID    int    `json:"id"`
			Stage string `json:"stage"`
		} `json:"shards"`
	}
	eachRecorded(t, []string{"recovery"}, func(t *testing.T, answer []byte) {
		var want map[string]recovery
		if err := json.Unmarshal(answer, &want); err != nil {
			t.Fatal(err)
		}
		got := map[string]recovery{}
		for e, err := range statsdecode.Entries[recovery](nil, bytes.NewReader(answer)) {
			if err != nil {
				t.Fatal(err)
			}
			got[e.Name] = e.Value
		}
		if len(want) == 0 || !reflect.DeepEqual(got, want) {
			t.Errorf("got %+v\nwant %+v", got, want)
		}
	})
	type result map[string]struct {
		ID     string `json:"_id"`
		Status int    `json:"status"`
	}
	eachRecorded(t, []string{"bulk"}, func(t *testing.T, answer []byte) {
		var want struct{ Items []result }
		if err := json.Unmarshal(answer, &want); err != nil {
			t.Fatal(err)
		}
		var got []result
		for e, err := range statsdecode.Entries[result](nil, bytes.NewReader(answer), "items") {
			if err != nil || e.Name != "" {
				t.Fatalf("%q, %v", e.Name, err)
			}
			got = append(got, e.Value)
		}
		if len(want.Items) == 0 || !reflect.DeepEqual(got, want.Items) {
			t.Errorf("got %+v\nwant %+v", got, want.Items)
		}
	})
}

func TestRecordedErrors(t *testing.T) {
	for name, want := range map[string]struct {
		status    int
		typ, text string
		index     string
	}{
		"error-404":           {404, "index_not_found_exception", "no such index [missing]", "missing"},
		"error-400":           {400, "illegal_argument_exception", "breakers", ""},
		"error-400-parameter": {400, "illegal_argument_exception", "levels", ""},
		"error-400-closed":    {400, "index_closed_exception", "closed", "closed-2024"},
	} {
		for server, answer := range recorded(t, name) {
			err := statsdecode.ReadError(want.status, bytes.NewReader(answer))
			var e *statsdecode.ResponseError
			if !errors.As(err, &e) || e.Status != want.status || e.Type != want.typ || !strings.Contains(e.Reason, want.text) || e.Index != want.index || len(e.RootCause) == 0 {
				t.Errorf("%s/%s: ReadError = %#v (%v), want %+v", server, name, err, err, want)
			}
			// Whoever forgets the status must not take the body for data.
			for _, it := range indices(new(statsdecode.Decoder), bytes.NewReader(answer)) {
				if !errors.As(it.err, &e) || e.Type != want.typ || e.Status != want.status {
					t.Errorf("%s/%s: Indices gave %#v", server, name, it)
				}
			}
		}
	}
}

// level=cluster has no indices.
func TestRecordedClusterLevel(t *testing.T) {
	eachRecorded(t, []string{"stats-cluster"}, func(t *testing.T, answer []byte) {
		var d statsdecode.Decoder
		if items := indices(&d, bytes.NewReader(answer)); len(items) != 0 {
			t.Errorf("got %d items, first %+v", len(items), items[0])
		}
		if h := d.Header(); h.All.Total.Docs.Count == 0 || h.Shards.Successful == 0 || !h.All.Total.Present.Has(statsdecode.SectionDocs|statsdecode.SectionSearch) {
			t.Errorf("Header = %+v", h)
		}
	})
}

// compareWithFresh compares what a used and a fresh Decoder make of one answer.
func compareWithFresh[T any](t *testing.T, what string, used, fresh []item[T]) {
	t.Helper()
	if len(used) != len(fresh) {
		t.Fatalf("%s: %d items used, %d fresh", what, len(used), len(fresh))
	}
	for i := range used {
		a := fmt.Sprintf("%+v %v", used[i].value, used[i].err)
		b := fmt.Sprintf("%+v %v", fresh[i].value, fresh[i].err)
		if a != b {
			t.Fatalf("%s: item %d\n used %s\nfresh %s", what, i, a, b)
		}
	}
}
