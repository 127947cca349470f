package statsdecode_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/lowalloc/lowalloc/statsdecode"
)

func ExampleDecoder_Indices() {
	answer := strings.NewReader(`{"indices": {
		"orders": {"health": "green", "primaries": {"docs": {"count": 42}, "store": {"size_in_bytes": 18022}}},
		"logs":   {"health": "yellow", "primaries": {"docs": {"count": 7}, "store": {"size_in_bytes": 4211}}}
	}}`)
	var decoder statsdecode.Decoder
	for ix, err := range decoder.Indices(answer) {
		if err != nil {
			fmt.Println(err)
		}
		if ix != nil {
			fmt.Println(ix.Name, ix.Health, ix.Primaries.Docs.Count, ix.Primaries.Store.SizeInBytes)
		}
	}
	// Output:
	// orders green 42 18022
	// logs yellow 7 4211
}

func ExampleDecoder_Nodes() {
	answer := strings.NewReader(`{"nodes": {"byoDEtBRSRGZyMKaIpmhCQ": {
		"name": "n0",
		"roles": ["data", "ingest"],
		"jvm": {"mem": {"heap_used_in_bytes": 805306368, "heap_max_in_bytes": 1073741824}},
		"thread_pool": {"search": {"queue": 3}, "write": {"queue": 0}}
	}}}`)
	var decoder statsdecode.Decoder
	for n, err := range decoder.Nodes(answer) {
		if err != nil {
			fmt.Println(err)
		}
		if n == nil {
			break
		}
		search, _ := n.ThreadPool.Get("search")
		if heap, ok := n.JVM.Mem.HeapUse(); ok {
			fmt.Printf("%s %v: heap %.0f %%, %d searches wait\n", n.Name, n.Roles, 100*heap, search.Queue)
		}
	}
	// Output:
	// n0 [data ingest]: heap 75 %, 3 searches wait
}

func ExampleDecoder_Settings() {
	answer := strings.NewReader(`{
		"logs":   {"settings": {"index": {"codec": "best_compression", "number_of_shards": "2", "number_of_replicas": "1"}}},
		"orders": {"settings": {"index": {"number_of_shards": "1", "number_of_replicas": "1"}}}
	}`)
	var decoder statsdecode.Decoder
	for s, err := range decoder.Settings(answer) {
		if err != nil {
			fmt.Println(err)
		}
		if s != nil {
			fmt.Printf("%s: codec %q, %d shards\n", s.Name, s.Codec, s.NumberOfShards*(1+s.NumberOfReplicas))
		}
	}
	// Output:
	// logs: codec "best_compression", 4 shards
	// orders: codec "", 2 shards
}

// The server sends the header before the entries.
func ExampleDecoder_Header() {
	answer := strings.NewReader(`{
		"_shards": {"total": 4, "successful": 2, "failed": 0},
		"_all": {"primaries": {"docs": {"count": 42}}},
		"indices": {"orders": {}}
	}`)
	var decoder statsdecode.Decoder
	for ix, err := range decoder.Indices(answer) {
		if err != nil {
			fmt.Println(err)
		}
		if ix != nil {
			h := decoder.Header()
			fmt.Printf("%s of %d documents, %d of %d shards\n", ix.Name, h.All.Primaries.Docs.Count, h.Shards.Successful, h.Shards.Total)
		}
	}
	// Output:
	// orders of 42 documents, 2 of 4 shards
}

// Entries walks an answer that this package has no types for.
func ExampleEntries() {
	type recoveries struct {
		Shards []struct {
			ID    int    `json:"id"`
			Stage string `json:"stage"`
		} `json:"shards"`
	}
	answer := strings.NewReader(`{"orders": {"shards": [{"id": 0, "stage": "DONE"}, {"id": 1, "stage": "TRANSLOG"}]}}`)
	for entry, err := range statsdecode.Entries[recoveries](nil, answer) {
		if err != nil {
			fmt.Println(err)
			continue
		}
		for _, shard := range entry.Value.Shards {
			fmt.Println(entry.Name, shard.ID, shard.Stage)
		}
	}
	// Output:
	// orders 0 DONE
	// orders 1 TRANSLOG
}

// Entries below a path, in an array: the hits of a search.
func ExampleEntries_path() {
	type hit struct {
		Source struct {
			Message string `json:"message"`
		} `json:"_source"`
	}
	answer := strings.NewReader(`{"took": 3, "hits": {"total": {"value": 2}, "hits": [
		{"_id": "1", "_source": {"message": "started"}},
		{"_id": "2", "_source": {"message": "ready"}}
	]}}`)
	for entry, err := range statsdecode.Entries[hit](nil, answer, "hits", "hits") {
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(entry.Value.Source.Message)
	}
	// Output:
	// started
	// ready
}

func ExampleReadError() {
	body := strings.NewReader(`{"error": {"type": "index_not_found_exception", "reason": "no such index [orders]"}, "status": 404}`)
	err := statsdecode.ReadError(404, body)
	var refused *statsdecode.ResponseError
	if errors.As(err, &refused) {
		fmt.Println(refused.Status, refused.Type)
	}
	// Output:
	// 404 index_not_found_exception
}

// A server that could not ask one of its nodes says so, and sends the rest.
func ExamplePartialError() {
	answer := strings.NewReader(`{
		"_nodes": {"total": 2, "successful": 1, "failed": 1, "failures": [
			{"type": "failed_node_exception", "reason": "Failed node [n1]", "node_id": "n1"}
		]},
		"nodes": {"n0": {"name": "hot-0"}}
	}`)
	var decoder statsdecode.Decoder
	for n, err := range decoder.Nodes(answer) {
		var partial *statsdecode.PartialError
		switch {
		case errors.As(err, &partial):
			fmt.Println(partial.Failed, "of", partial.Total, "failed:", partial.Failures[0].NodeID)
		case err != nil:
			fmt.Println(err)
		}
		if n != nil {
			fmt.Println(n.Name)
		}
	}
	// Output:
	// hot-0
	// 1 of 2 failed: n1
}

// A cut answer is an error, after the entries that came whole.
func ExampleDecodeError() {
	answer := strings.NewReader(`{"indices": {"orders": {"primaries": {}}, "logs": {"prima`)
	var decoder statsdecode.Decoder
	for ix, err := range decoder.Indices(answer) {
		if ix != nil {
			fmt.Println(ix.Name)
		}
		var broken *statsdecode.DecodeError
		if errors.As(err, &broken) {
			fmt.Println(broken.Endpoint, broken.Name, broken.Offset, errors.Is(err, io.ErrUnexpectedEOF))
		}
	}
	// Output:
	// orders
	// _stats logs 57 true
}

func ExampleDecodeClusterHealth() {
	answer := strings.NewReader(`{"cluster_name": "shop", "status": "yellow", "active_shards": 11, "unassigned_shards": 2}`)
	var health statsdecode.ClusterHealth
	if err := statsdecode.DecodeClusterHealth(answer, &health); err != nil {
		fmt.Println(err)
	}
	fmt.Println(health.ClusterName, health.Status, health.ActiveShards, health.UnassignedShards)
	// Output:
	// shop yellow 11 2
}

func ExampleDecodeClusterStats() {
	answer := strings.NewReader(`{"cluster_name": "shop", "indices": {"count": 3, "docs": {"count": 42}}, "nodes": {"count": {"total": 2}}}`)
	var stats statsdecode.ClusterStats
	if err := statsdecode.DecodeClusterStats(answer, &stats); err != nil {
		fmt.Println(err)
	}
	fmt.Println(stats.ClusterName, stats.Nodes.Count.Total, stats.Indices.Count, stats.Indices.Docs.Count)
	// Output:
	// shop 2 3 42
}

func ExampleIndexStatsPath() {
	request := statsdecode.IndexStatsPath(statsdecode.SectionDocs, statsdecode.PathOptions{Target: "logs-*,orders"})
	fmt.Println(strings.ReplaceAll(request, "&", "\n\t&"))
	// Output:
	// /logs-*,orders/_stats?forbid_closed_indices=false
	// 	&expand_wildcards=all
	// 	&filter_path=error,status,_shards,_nodes,cluster_name,indices.*.uuid,indices.*.health,indices.*.status,indices.*.primaries.docs,indices.*.total.docs
}

func ExampleNodeStatsPath() {
	everything := statsdecode.NodeStatsPath(0, statsdecode.PathOptions{Target: "_local"})
	fmt.Println(everything)
	// Output:
	// /_nodes/_local/stats
}

func ExampleSettingsPath() {
	request := statsdecode.SettingsPath(statsdecode.PathOptions{Target: "<logs-{now/d}>"})
	before, _, _ := strings.Cut(request, "?")
	fmt.Println(before)
	// Output:
	// /%3Clogs-%7Bnow%2Fd%7D%3E/_settings
}

// Zero and absent are not the same.
func ExampleSections_Has() {
	answer := strings.NewReader(`{"indices": {
		"orders": {"total": {"search": {"query_total": 0}}},
		"logs":   {"total": {}}
	}}`)
	var decoder statsdecode.Decoder
	for ix, err := range decoder.Indices(answer) {
		if err != nil {
			fmt.Println(err)
		}
		if ix != nil {
			fmt.Println(ix.Name, ix.Total.Search.QueryTotal, ix.Total.Present.Has(statsdecode.SectionSearch))
		}
	}
	// Output:
	// orders 0 true
	// logs 0 false
}

// An idle processor and one that nobody could measure are not the same.
func ExampleNodeSections_Has() {
	answer := strings.NewReader(`{"nodes": {
		"n0": {"os": {"cpu": {"percent": 0}}},
		"n1": {"os": {"cpu": {}}}
	}}`)
	var decoder statsdecode.Decoder
	for n, err := range decoder.Nodes(answer) {
		if err != nil {
			fmt.Println(err)
		}
		if n != nil {
			fmt.Println(n.ID, n.OS.CPU.Percent, n.Present.Has(statsdecode.NodeSectionCPU))
		}
	}
	// Output:
	// n0 0 true
	// n1 0 false
}

// Clone keeps an index with its shards past the step that it belongs to.
func ExampleIndex_Clone() {
	answer := strings.NewReader(`{"indices": {
		"orders": {"shards": {"0": [{"docs": {"count": 42}}]}},
		"logs":   {"shards": {"0": [{"docs": {"count": 7}}]}}
	}}`)
	var decoder statsdecode.Decoder
	var kept []*statsdecode.Index
	for ix, err := range decoder.Indices(answer) {
		if err != nil {
			fmt.Println(err)
		}
		if ix != nil {
			kept = append(kept, ix.Clone())
		}
	}
	for _, ix := range kept {
		fmt.Println(ix.Name, ix.Shards[0].Copies[0].Docs.Count)
	}
	// Output:
	// orders 42
	// logs 7
}

// An index that was deleted and made anew starts to count from zero.
func ExampleIndex_Continues() {
	monday := statsdecode.Index{Name: "orders", UUID: "YTJ7tKUYQKmkzC2Vd7yC6Q"}
	tuesday := statsdecode.Index{Name: "orders", UUID: "22YnVxHWRJqJxj7-Bbzdeg"}
	fmt.Println(tuesday.Continues(&monday), tuesday.Continues(&tuesday))
	// Output:
	// false true
}

func ExampleNode_Continues() {
	before := &statsdecode.Node{ID: "n0", JVM: statsdecode.JVM{UptimeInMillis: 86_400_000}}
	now := &statsdecode.Node{ID: "n0", JVM: statsdecode.JVM{UptimeInMillis: 12_000}}
	fmt.Println("restarted:", !now.Continues(before))
	// Output:
	// restarted: true
}

func ExampleShards() {
	answer := strings.NewReader(`{"indices": {"orders": {"shards": {"0": [
		{"routing": {"node": "n0", "primary": true}, "store": {"size_in_bytes": 18022}},
		{"routing": {"node": "n1", "primary": false}, "store": {"size_in_bytes": 18164}}
	]}}}}`)
	var decoder statsdecode.Decoder
	for ix, err := range decoder.Indices(answer) {
		if err != nil {
			fmt.Println(err)
		}
		if ix == nil {
			break
		}
		for _, shard := range ix.Shards {
			for _, c := range shard.Copies {
				fmt.Println(ix.Name, shard.Name, c.Routing.Node, c.Routing.Primary, c.Store.SizeInBytes)
			}
		}
	}
	// Output:
	// orders 0 n0 true 18022
	// orders 0 n1 false 18164
}

func ExampleSearch_QueryRate() {
	before := statsdecode.Search{QueryTotal: 1000}
	now := statsdecode.Search{QueryTotal: 1600}
	rate, ok := now.QueryRate(before, 30*time.Second)
	fmt.Println(rate, ok)

	// After a restart, counters begin anew: there is no rate.
	rate, ok = before.QueryRate(now, 30*time.Second)
	fmt.Println(rate, ok)
	// Output:
	// 20 true
	// 0 false
}

func ExampleSearch_MeanQueryTime() {
	before := statsdecode.Search{QueryTotal: 1000, QueryTimeInMillis: 20_000}
	now := statsdecode.Search{QueryTotal: 1004, QueryTimeInMillis: 20_250}
	mean, ok := now.MeanQueryTime(before)
	fmt.Println(mean, ok)
	// Output:
	// 62.5ms true
}

func ExampleIndexing_IndexRate() {
	before := statsdecode.Indexing{IndexTotal: 1_000_000}
	now := statsdecode.Indexing{IndexTotal: 1_300_000}
	rate, ok := now.IndexRate(before, time.Minute)
	fmt.Println(rate, ok)
	// Output:
	// 5000 true
}

func ExampleQueryCache_HitRatio() {
	before := statsdecode.QueryCache{HitCount: 100, MissCount: 900}
	now := statsdecode.QueryCache{HitCount: 175, MissCount: 925}
	ratio, ok := now.HitRatio(before)
	fmt.Println(ratio, ok)
	// Output:
	// 0.75 true
}

func ExampleThreadPools_Rejected() {
	before := statsdecode.ThreadPools{{Name: "search", Rejected: 3}, {Name: "write", Rejected: 10}}
	now := statsdecode.ThreadPools{{Name: "search", Rejected: 5}, {Name: "write", Rejected: 40}}
	tasks, ok := now.Rejected(before)
	fmt.Println(tasks, ok)
	// Output:
	// 32 true
}

// A breaker is found by either spelling of its name.
func ExampleBreakers_Get() {
	breakers := statsdecode.Breakers{{Name: "inflight_requests", Tripped: 2}}
	b, ok := breakers.Get("in_flight_requests")
	fmt.Println(b.Tripped, ok)
	// Output:
	// 2 true
}

func ExampleJVM_GCOverhead() {
	jvm := func(uptime, young, concurrent int64) (j statsdecode.JVM) {
		j.UptimeInMillis = uptime
		j.GC.Collectors = statsdecode.Collectors{
			{Name: "young", CollectionTimeInMillis: young},
			{Name: "G1 Concurrent GC", CollectionTimeInMillis: concurrent},
		}
		return j
	}
	overhead, ok := jvm(60_000, 2500, 900).GCOverhead(jvm(50_000, 2000, 100))
	fmt.Println(overhead, ok)
	// Output:
	// 0.05 true
}

func ExampleCgroupCPUStat_ThrottledRatio() {
	before := statsdecode.CgroupCPUStat{NumberOfElapsedPeriods: 1000, NumberOfTimesThrottled: 10}
	now := statsdecode.CgroupCPUStat{NumberOfElapsedPeriods: 1100, NumberOfTimesThrottled: 40}
	ratio, ok := now.ThrottledRatio(before)
	fmt.Println(ratio, ok)
	// Output:
	// 0.3 true
}

func ExampleDiskIO_Reads() {
	before := statsdecode.DiskIO{ReadOperations: 1000, ReadKilobytes: 64_000}
	now := statsdecode.DiskIO{ReadOperations: 1200, ReadKilobytes: 67_200}
	reads, size, ok := now.Reads(before)
	fmt.Println(reads, size/reads, ok)
	// Output:
	// 200 16384 true
}

// How much of what a node stores its page cache can hold.
func ExampleNode_PageCacheShare() {
	const gib = 1 << 30
	var n statsdecode.Node
	n.OS.Mem.TotalInBytes = 64 * gib
	n.JVM.Mem.HeapMaxInBytes = 30 * gib
	n.Indices.Store.SizeInBytes = 680 * gib
	share, ok := n.PageCacheShare()
	fmt.Println(share, ok)
	// Output:
	// 0.05 true
}

// A control group without a limit says so in words.
func ExampleCgroupBytes_Limit() {
	answer := strings.NewReader(`{"nodes": {
		"n0": {"os": {"cgroup": {"memory": {"limit_in_bytes": "4294967296"}}}},
		"n1": {"os": {"cgroup": {"memory": {"limit_in_bytes": "max"}}}}
	}}`)
	var decoder statsdecode.Decoder
	for n, err := range decoder.Nodes(answer) {
		if err != nil {
			fmt.Println(err)
		}
		if n == nil {
			break
		}
		if limit, ok := n.OS.Cgroup.Memory.LimitInBytes.Limit(); ok {
			fmt.Println(n.ID, limit)
		} else {
			fmt.Println(n.ID, "no limit")
		}
	}
	// Output:
	// n0 4294967296
	// n1 no limit
}

// Which processor of which pipeline takes the time.
func ExampleIngestPipelines() {
	answer := strings.NewReader(`{"nodes": {"n0": {"ingest": {"pipelines": {"logs": {
		"count": 1000, "time_in_millis": 2300, "failed": 3,
		"processors": [
			{"grok": {"type": "grok", "stats": {"count": 1000, "time_in_millis": 2200, "failed": 3}}},
			{"date": {"type": "date", "stats": {"count": 997, "time_in_millis": 90}}}
		]
	}}}}}}`)
	var d statsdecode.Decoder
	for n, err := range d.Nodes(answer) {
		if err != nil {
			fmt.Println(err)
			return
		}
		for _, pipeline := range n.Ingest.Pipelines {
			for _, p := range pipeline.Processors {
				fmt.Printf("%s/%s: %d ms of %d, %d failed\n", pipeline.Name, p.Name, p.Stats.TimeInMillis, pipeline.TimeInMillis, p.Stats.Failed)
			}
		}
	}
	// Output:
	// logs/grok: 2200 ms of 2300, 3 failed
	// logs/date: 90 ms of 2300, 0 failed
}

func ExampleAdaptiveSelection() {
	answer := strings.NewReader(`{"nodes": {"n0": {"adaptive_selection": {
		"n0": {"avg_response_time_ns": 3556707, "rank": "3.6"},
		"n1": {"avg_response_time_ns": 91000000, "rank": "412.7"}
	}}}}`)
	var d statsdecode.Decoder
	for n, err := range d.Nodes(answer) {
		if err != nil {
			fmt.Println(err)
			return
		}
		for _, other := range n.AdaptiveSelection {
			fmt.Println(other.Name, time.Duration(other.AvgResponseTimeNs), other.Rank)
		}
	}
	// Output:
	// n0 3.556707ms 3.6
	// n1 91ms 412.7
}
