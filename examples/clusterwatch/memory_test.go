package main

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"time"
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
