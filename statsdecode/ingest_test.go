package statsdecode_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/lowalloc/lowalloc/internal/alloctest"
	"github.com/lowalloc/lowalloc/statsdecode"
)

// The same processor may stand twice in a pipeline, and all kinds of names occur.
const aNodeWithPipelines = `{"nodes": {"n": {
	"ingest": {
		"total": {"count": 12, "time_in_millis": 7, "current": 1, "failed": 2},
		"pipelines": {
			"logs-default": {
				"count": 9, "time_in_millis": 5, "current": 1, "failed": 2,
				"ingested_as_first_pipeline_in_bytes": 4096, "produced_as_first_pipeline_in_bytes": 5120,
				"processors": [
					{"set": {"type": "set", "stats": {"count": 9, "time_in_millis": 1, "current": 0, "failed": 0}}},
					{"set:größe": {"type": "set", "stats": {"count": 8, "time_in_millis": 2, "current": 1, "failed": 2}}},
					{"set": {"type": "set", "stats": {"count": 6, "time_in_millis": 0, "current": 0, "failed": 0}}}
				]
			},
			"empty": {"count": 0, "time_in_millis": 0, "current": 0, "failed": 0, "processors": []},
			"old": {"count": 3, "time_in_millis": 2, "current": 0, "failed": 0}
		}
	},
	"adaptive_selection": {
		"n": {"outgoing_searches": 1, "avg_queue_size": 2, "avg_service_time_ns": 1870260, "avg_response_time_ns": 3556707, "rank": "3.6"},
		"o": {"outgoing_searches": 0, "avg_queue_size": 0, "avg_service_time_ns": 0, "avg_response_time_ns": 0, "rank": "0.0"}
	}
}}}`

func TestIngestPipelines(t *testing.T) {
	var d statsdecode.Decoder
	var got statsdecode.Node
	for n, err := range d.Nodes(strings.NewReader(aNodeWithPipelines)) {
		noErr(t, err)
		got = *n.Clone()
	}
	if d.Slow() > 0 {
		t.Error("the node went to the reference")
	}
	check(t, "present", got.Present, statsdecode.NodeSectionIngest|statsdecode.NodeSectionAdaptiveSelection)
	check(t, "total", got.Ingest.Total, statsdecode.IngestTotal{Count: 12, TimeInMillis: 7, Current: 1, Failed: 2})
	var names []string
	for _, p := range got.Ingest.Pipelines {
		names = append(names, p.Name)
	}
	check(t, "pipelines, in order", fmt.Sprint(names), "[logs-default empty old]")
	p, ok := got.Ingest.Pipelines.Get("logs-default")
	want := statsdecode.IngestPipeline{
		Name: "logs-default", Count: 9, TimeInMillis: 5, Current: 1, Failed: 2,
		IngestedAsFirstPipelineInBytes: 4096, ProducedAsFirstPipelineInBytes: 5120,
		Processors: statsdecode.IngestProcessors{
			{Name: "set", Type: "set", Stats: statsdecode.IngestTotal{Count: 9, TimeInMillis: 1}},
			{Name: "set:größe", Type: "set", Stats: statsdecode.IngestTotal{Count: 8, TimeInMillis: 2, Current: 1, Failed: 2}},
			{Name: "set", Type: "set", Stats: statsdecode.IngestTotal{Count: 6}},
		},
	}
	if !ok || !reflect.DeepEqual(p, want) {
		t.Errorf("Get = %+v, %t, want %+v", p, ok, want)
	}
	if last, ok := p.Processors.Get("set"); !ok || last.Stats.Count != 6 {
		t.Errorf("Get of two processors = %+v, %t, want the last", last, ok)
	}
	if none, ok := p.Processors.Get("remove"); ok {
		t.Errorf("Get of no processor = %+v", none)
	}
	other, ok := got.AdaptiveSelection.Get("n")
	if want := (statsdecode.SelectableNode{Name: "n", OutgoingSearches: 1, AvgQueueSize: 2, AvgServiceTimeNs: 1870260, AvgResponseTimeNs: 3556707, Rank: 3.6}); !ok || other != want {
		t.Errorf("Get = %+v, %t, want %+v", other, ok, want)
	}

	var whole struct{ Nodes map[string]statsdecode.Node }
	noErr(t, json.Unmarshal([]byte(aNodeWithPipelines), &whole))
	n := whole.Nodes["n"]
	forgetNode(&n)
	forgetNode(&got)
	if !reflect.DeepEqual(got, n) {
		t.Errorf("encoding/json gives\n%+v, Nodes\n%+v", n, got)
	}
}

// Each is an error of the field, and what stands beside it is there.
func TestProcessorsOfTheWrongType(t *testing.T) {
	for _, processors := range []string{
		`{}`, `1`, `"x"`, `[1]`, `["x"]`, `[[]]`, `[{"a":1}]`, `[{"a":[]}]`, `[{"a":{"type":1}}]`,
		`[{"a":{"stats":[]}}]`, `[{"a":{"stats":{"count":"1"}}}]`, `[{"a":{"count":1.5}}]`, `[{"a":{"failed":9223372036854775808}}]`,
	} {
		n, err := node(t, `{"ingest":{"pipelines":{"p":{"processors":`+processors+`,"count":5}},"total":{"count":7}}}`)
		if err == nil {
			t.Errorf("%s: no error", processors)
		}
		p, _ := n.Ingest.Pipelines.Get("p")
		check(t, processors, p.Count, 5)
		check(t, processors, n.Ingest.Total.Count, 7)
	}
	for _, processors := range []string{`null`, `[]`, `[null]`, `[{}]`, `[{"a":null}]`, `[{"a":{}}]`, `[{"a":{"stats":null,"type":null}}]`} {
		_, err := node(t, `{"ingest":{"pipelines":{"p":{"processors":`+processors+`}}}}`)
		if err != nil {
			t.Errorf("%s: %v", processors, err)
		}
	}
}

func TestRank(t *testing.T) {
	for text, want := range map[string]statsdecode.Rank{
		`"3.6"`: 3.6, `"0.0"`: 0, `"-1.5"`: -1.5, `"12"`: 12, `3.6`: 3.6, `1e2`: 100, `null`: 0,
	} {
		n, err := node(t, `{"adaptive_selection":{"o":{"rank":`+text+`}}}`)
		noErr(t, err)
		o, _ := n.AdaptiveSelection.Get("o")
		check(t, text, o.Rank, want)
	}
	for _, text := range []string{`""`, `"x"`, `"3.6x"`, `" 3.6"`, `"NaN"`, `"Infinity"`, `"0x1p-2"`, `"1_0"`, `"1e999"`, `"03"`, `{}`, `[]`, `true`} {
		if n, err := node(t, `{"adaptive_selection":{"o":{"rank":`+text+`}}}`); err == nil {
			t.Errorf("%s: %+v", text, n.AdaptiveSelection)
		}
	}
}

// A cluster has as many pipelines on each node as it has, so they must not cost
// an allocation each, nor what a node before had.
func TestPipelinesDoNotAllocate(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"nodes":{`)
	for i := range 20 {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `"node-%d":{"adaptive_selection":{`, i)
		for j := range 20 {
			if j > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(&b, `"node-%d":{"outgoing_searches":%d,"rank":"%d.%d"}`, j, i, i, j%10)
		}
		b.WriteString(`},"ingest":{"pipelines":{`)
		for j := range 50 {
			if j > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(&b, `"pipeline-%d":{"count":%d,"processors":[{"set":{"type":"set","stats":{"count":%d}}},{"remove:t%d":{"type":"remove","stats":{"failed":1}}}]}`, j, i, i, j)
		}
		b.WriteString(`}}}`)
	}
	b.WriteString(`}}`)
	answer := b.String()
	var d statsdecode.Decoder
	alloctest.Gate(t, 10, 10*3, 10*256, func() {
		n := 0
		for node, err := range d.Nodes(strings.NewReader(answer)) {
			if err != nil || len(node.Ingest.Pipelines) != 50 || len(node.Ingest.Pipelines[49].Processors) != 2 || len(node.AdaptiveSelection) != 20 {
				t.Fatalf("%d pipelines, %v", len(node.Ingest.Pipelines), err)
			}
			n++
		}
		if n != 20 || d.Slow() > 0 {
			t.Fatalf("%d nodes, %d of them by the reference", n, d.Slow())
		}
	})
}
