package main

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/lowalloc/lowalloc/statsdecode"
)

// A watch that runs for months holds as much after many polls as after a few,
// also where indices come and go.
func TestMemoryStaysFlat(t *testing.T) {
	const indices = 200
	round := 0
	p := &poller{get: func(_ context.Context, path string) (io.ReadCloser, error) {
		a := smallCluster()
		if path != indicesPath && path != settingsPath {
			return io.NopCloser(strings.NewReader(a[path])), nil
		}
		var b strings.Builder
		b.WriteString("{")
		if path == indicesPath {
			b.WriteString(`"indices":{`)
		}
		for i := range indices {
			if i > 0 {
				b.WriteString(",")
			}
			name := fmt.Sprintf("logs-%d-%d", round/3, i)
			if path == indicesPath {
				fmt.Fprintf(&b, `%q:{"uuid":%q,"primaries":{"docs":{"count":1}},"total":{"search":{"query_total":%d}}}`, name, name, round)
			} else {
				fmt.Fprintf(&b, `%q:{"settings":{"index":{"uuid":%q}}}`, name, name)
			}
		}
		b.WriteString("}")
		if path == indicesPath {
			b.WriteString("}")
		}
		return io.NopCloser(strings.NewReader(b.String())), nil
	}}
	w := new(watch)
	heapAfter := func(polls int) int64 {
		for range polls {
			s, err := p.poll(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			s.counted = time.Unix(int64(round), 0)
			if r := w.compare(s, nil); len(r.Indices) != indices {
				t.Fatalf("%d indices in the report, want %d", len(r.Indices), indices)
			}
			round++
		}
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	few := heapAfter(12)
	if many := heapAfter(30); many-few > 128<<10 {
		t.Errorf("heap grew from %d to %d bytes over 30 polls of %d indices", few, many, indices)
	}
	runtime.KeepAlive(w)
	runtime.KeepAlive(p)
}

// An answer of tiny entries without an end is given up at the bounds.
func TestEndlessAnswers(t *testing.T) {
	for _, tt := range []struct{ path, begin, entry, want string }{
		{nodesPath, `{"nodes":{`, `"N":{},`, "the answer has more than 10000 nodes"},
		{indicesPath, `{"indices":{`, `"N":{},`, "the answer has more than 100000 indices"},
		{settingsPath, `{`, `"%d":{"settings":{}},`, "the answer has more than 100000 indices"},
	} {
		endpoint, _, _ := strings.Cut(tt.path, "?")
		t.Run(endpoint+" "+tt.entry, func(t *testing.T) {
			var answer strings.Builder
			answer.WriteString(tt.begin)
			for i := range 2 * maxIndices {
				answer.WriteString(strings.ReplaceAll(tt.entry, "%d", strconv.Itoa(i)))
			}
			p := &poller{get: func(_ context.Context, path string) (io.ReadCloser, error) {
				if path == tt.path {
					return io.NopCloser(strings.NewReader(answer.String())), nil
				}
				return io.NopCloser(strings.NewReader(smallCluster()[path])), nil
			}}
			_, err := p.poll(t.Context())
			if want := "GET " + endpoint + ": " + tt.want; err == nil || err.Error() != want {
				t.Errorf("poll failed with %v, want %s", err, want)
			}
		})
	}
}

// A node is kept without the lists that no figure is made of.
func TestKeptNode(t *testing.T) {
	whole := &statsdecode.Node{
		ID: "n", IPs: statsdecode.Addresses{"a"}, Attributes: statsdecode.Attributes{{Name: "a"}},
		ThreadPool: statsdecode.ThreadPools{{Name: "search"}}, Breakers: statsdecode.Breakers{{Name: "parent"}},
	}
	kept := keep(whole)
	if kept.ID != "n" || len(kept.ThreadPool) != 1 || kept.IPs != nil || kept.Attributes != nil || kept.Breakers != nil {
		t.Errorf("kept %+v, want the id and the thread pools alone", kept)
	}
	if len(whole.IPs) != 1 || len(whole.Breakers) != 1 {
		t.Errorf("the node of the walk was changed to %+v", whole)
	}
}
