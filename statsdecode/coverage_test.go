package statsdecode_test

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/lowalloc/lowalloc/statsdecode"
)

// leftOut says which members of recorded answers have no place in the types, and
// why. A * stands for one name, a path covers all below it; stats is a
// CommonStats wherever it stands, shard a copy of a shard.
var leftOut = map[string]string{
	"*.get.getTime":                  text,
	"*.indexing.doc_status":          "OpenSearch: an open set, by HTTP status",
	"*.merges.warmer":                openSearchOnly,
	"*.search.request":               "OpenSearch: by phase of a search, off by default",
	"*.segments.file_sizes":          "by file extension, only on request",
	"*.segments.remote_store":        openSearchOnly,
	"*.segments.segment_replication": "OpenSearch: numbers in 2.12 and later, text before",
	"*.translog.remote_store":        openSearchOnly,
	"stats.status_counter":           openSearchOnly,

	"shard.commit.user_data":        "for the server itself",
	"shard.retention_leases.leases": "for the server itself",

	"nodes.breakers.*.estimated_size":                  text,
	"nodes.breakers.*.limit_size":                      text,
	"nodes.transport.actions":                          "hundreds of names a node",
	"nodes.transport.inbound_handling_time_histogram":  "a histogram",
	"nodes.transport.outbound_handling_time_histogram": "a histogram",
	"nodes.http.clients":                               "one for each connection",
	"nodes.http.routes":                                "hundreds of names a node",
	"nodes.script.contexts":                            "by script context",
	"nodes.script_cache":                               "by script context",
	"nodes.allocations":                                "what the allocator expects, not what is",
	"nodes.repositories":                               "an object in Elasticsearch, an array in OpenSearch",
	"nodes.discovery.cluster_applier_stats":            "for developers of the server",
	"nodes.discovery.cluster_state_stats":              "for developers of the server",
	"nodes.discovery.cluster_state_update":             "for developers of the server",
	"nodes.discovery.serialized_cluster_states":        "for developers of the server",
	"nodes.admission_control":                          openSearchOnly,
	"nodes.caches":                                     openSearchOnly,
	"nodes.cluster_manager_throttling":                 openSearchOnly,
	"nodes.native_memory":                              openSearchOnly,
	"nodes.remote_store":                               openSearchOnly,
	"nodes.resource_usage_stats":                       openSearchOnly,
	"nodes.search_backpressure":                        openSearchOnly,
	"nodes.search_pipeline":                            openSearchOnly,
	"nodes.segment_replication_backpressure":           openSearchOnly,
	"nodes.shard_indexing_pressure":                    openSearchOnly,
	"nodes.task_cancellation":                          openSearchOnly,
	"nodes.weighted_routing":                           openSearchOnly,
	"nodes.jvm.mem.pools.*.last_gc_stats":              openSearchOnly,
}

const (
	text           = "text for people: a number stands beside it"
	openSearchOnly = "OpenSearch only"
)

// Every leaf of every recorded answer has a place in the types, or is left out
// on purpose; and nothing is left out that no server sends.
func TestEveryRecordedLeafIsDecodedOrLeftOutOnPurpose(t *testing.T) {
	missing := map[string]bool{}
	for path, set := range map[string]struct {
		names []string
		t     reflect.Type
	}{
		"indices": {statsAnswers, reflect.TypeFor[statsdecode.Index]()},
		"nodes":   {nodesAnswers, reflect.TypeFor[statsdecode.Node]()},
	} {
		eachRecorded(t, set.names, func(t *testing.T, answer []byte) {
			for _, e := range oracle(answer, path) {
				var value any
				if err := json.Unmarshal(e.value, &value); err != nil {
					t.Fatal(err)
				}
				undecoded(path, value, set.t, missing)
			}
		})
	}
	used := map[string]bool{}
	for _, path := range slices.Sorted(maps.Keys(missing)) {
		reason := ""
		for out := range leftOut {
			if covers(out, path) {
				reason = leftOut[out]
				used[out] = true
			}
		}
		if reason == "" {
			t.Errorf("%s has no place and no reason", path)
		}
	}
	for out := range leftOut {
		if !used[out] {
			t.Errorf("%s is left out, but no recorded answer has it", out)
		}
	}
}

// undecoded adds the paths of the leaves of value that a t has no place for.
func undecoded(path string, value any, t reflect.Type, missing map[string]bool) {
	switch t {
	case reflect.TypeFor[statsdecode.CommonStats]():
		path = "stats"
	case reflect.TypeFor[statsdecode.ShardCopy]():
		path = "shard"
	}
	switch v := value.(type) {
	case map[string]any:
		for name, value := range v {
			member, known := placeOf(t, name)
			switch {
			case known:
				undecoded(path+"."+name, value, member, missing)
			default:
				leaves(path+"."+name, value, missing)
			}
		}
	case []any:
		for _, value := range v {
			if t.Kind() == reflect.Slice {
				undecoded(path, value, t.Elem(), missing)
			}
		}
	}
}

// placeOf returns the type that the member called name of an object decodes into.
func placeOf(t reflect.Type, name string) (reflect.Type, bool) {
	switch t.Kind() {
	case reflect.Struct:
		for _, f := range reflect.VisibleFields(t) {
			if !f.Anonymous && f.Tag.Get("json") == name {
				return f.Type, true
			}
		}
	case reflect.Slice: // an open set
		if f, ok := t.Elem().FieldByName("Copies"); ok {
			return f.Type, true
		}
		return t.Elem(), true
	}
	return nil, false
}

func leaves(path string, value any, missing map[string]bool) {
	switch v := value.(type) {
	case map[string]any:
		for name, value := range v {
			leaves(path+"."+name, value, missing)
		}
		if len(v) > 0 {
			return
		}
	case []any:
		for _, value := range v {
			leaves(path, value, missing)
		}
		if len(v) > 0 {
			return
		}
	}
	missing[path] = true
}

// covers reports whether path is pattern or below it.
func covers(pattern, path string) bool {
	p, s := strings.Split(pattern, "."), strings.Split(path, ".")
	if len(p) > len(s) {
		return false
	}
	for i := range p {
		if p[i] != "*" && p[i] != s[i] {
			return false
		}
	}
	return true
}
