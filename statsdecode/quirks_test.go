package statsdecode_test

import (
	"errors"
	"io"
	"math"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/lowalloc/lowalloc/statsdecode"
)

// What servers and proxies have sent that broke other decoders. The issue
// that reported it is named beside each; names and numbers are made up.

// node decodes an answer of one node, and the error that came with it.
func node(t *testing.T, body string) (statsdecode.Node, error) {
	t.Helper()
	items := nodes(new(statsdecode.Decoder), strings.NewReader(`{"nodes":{"n1":`+body+`}}`))
	if len(items) != 1 || items[0].value.ID != "n1" {
		t.Fatalf("%s: got %+v, want one node", body, items)
	}
	return items[0].value, items[0].err
}

// index decodes an answer of one index, and the error that came with it.
func index(t *testing.T, body string) (statsdecode.Index, error) {
	t.Helper()
	items := indices(new(statsdecode.Decoder), strings.NewReader(`{"indices":{"i1":`+body+`}}`))
	if len(items) != 1 || items[0].value.Name != "i1" {
		t.Fatalf("%s: got %+v, want one index", body, items)
	}
	return items[0].value, items[0].err
}

func check[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s = %v, want %v", what, got, want)
	}
}

func noErr(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Error(err)
	}
}

// An array among numbers lost the whole scrape.
// https://github.com/prometheus-community/elasticsearch_exporter/issues/600
func TestQuirk01ArrayAmongNumbers(t *testing.T) {
	n, err := node(t, `{"http":{"current_open":3,"clients":[{"id":7,"agent":"x"}],"total_opened":9}}`)
	noErr(t, err)
	check(t, "HTTP", n.HTTP, statsdecode.HTTP{CurrentOpen: 3, TotalOpened: 9})
}

// https://github.com/bosun-monitor/bosun/issues/1769
func TestQuirk02TimestampAndLoadAsText(t *testing.T) {
	n, err := node(t, `{"timestamp":1700000000123,"os":{"load_average":"0.2"}}`)
	noErr(t, err)
	check(t, "Timestamp", n.Timestamp, 1700000000123)
	check(t, "load", n.OS.LoadAverage, statsdecode.LoadAverage{OneMinute: 0.2})
}

// Texts for people beside the numbers, under keys without a unit.
// https://github.com/opensearch-project/OpenSearch/issues/16910
func TestQuirk03TextsForPeople(t *testing.T) {
	ix, err := index(t, `{"total":{"store":{"size":"9mb","size_in_bytes":9},"merges":{"total_size":"1kb","total_time":"2ms","total_time_in_millis":2}}}`)
	noErr(t, err)
	check(t, "SizeInBytes", ix.Total.Store.SizeInBytes, 9)
	check(t, "TotalTimeInMillis", ix.Total.Merges.TotalTimeInMillis, 2)
}

// https://github.com/olivere/elastic/issues/1494
func TestQuirk04FailureReasonIsTextOrObject(t *testing.T) {
	for _, tt := range []struct {
		answer string
		want   statsdecode.Failure
	}{
		{`{"_nodes":{"total":2,"successful":1,"failed":1,"failures":[{"type":"failed_node_exception","reason":"node n1 gone","node_id":"n1","caused_by":{"type":"timeout","reason":"15s"}}]},"nodes":{}}`,
			statsdecode.Failure{NodeID: "n1", Type: "failed_node_exception", Reason: "node n1 gone", Cause: statsdecode.Cause{Type: "timeout", Reason: "15s"}}},
		{`{"_shards":{"total":2,"successful":1,"failed":1,"failures":[{"shard":3,"index":"a","node":"n1","status":"BAD","reason":{"type":"t","reason":"r","caused_by":{"type":"c","reason":"why"}}}]},"nodes":{}}`,
			statsdecode.Failure{Index: "a", Shard: 3, NodeID: "n1", Type: "t", Reason: "r", Cause: statsdecode.Cause{Type: "c", Reason: "why"}}},
	} {
		got := walkNodes(new(statsdecode.Decoder), strings.NewReader(tt.answer))
		var e *statsdecode.PartialError
		if !errors.As(got.end, &e) || len(e.Failures) != 1 || e.Failures[0] != tt.want {
			t.Errorf("%#v, want the failure %+v", got.end, tt.want)
			continue
		}
		if msg := e.Error(); !strings.Contains(msg, "1 of 2") || !strings.Contains(msg, tt.want.Reason) || !strings.Contains(msg, tt.want.Cause.Reason) {
			t.Errorf("message %q lacks what failed", msg)
		}
	}
}

// A negative figure makes the server refuse the whole answer.
// https://github.com/elastic/elasticsearch/issues/42157
// https://github.com/elastic/elasticsearch/issues/55434
func TestQuirk05and06NegativeSizeRefusesTheAnswer(t *testing.T) {
	const body = `{"error":{"root_cause":[],"type":"illegal_argument_exception","reason":"Values less than -1 bytes are not supported: -51200b","suppressed":[{"type":"x","reason":"unclosed object"}]},"status":400}`
	for _, err := range []error{
		walkNodes(new(statsdecode.Decoder), strings.NewReader(body)).end,
		walkIndices(new(statsdecode.Decoder), strings.NewReader(body)).end,
		statsdecode.ReadError(400, strings.NewReader(body)),
		statsdecode.DecodeClusterHealth(strings.NewReader(body), new(statsdecode.ClusterHealth)),
		statsdecode.DecodeClusterStats(strings.NewReader(body), new(statsdecode.ClusterStats)),
	} {
		responseError(statsdecode.ResponseError{Status: 400, Type: "illegal_argument_exception", Reason: "Values less than -1 bytes are not supported: -51200b"})(t, err)
	}
}

// https://github.com/elastic/elasticsearch/issues/57312
func TestQuirk07NegativeSpace(t *testing.T) {
	n, err := node(t, `{"fs":{"total":{"total_in_bytes":-4096,"free_in_bytes":-4096,"available":"-9223371986295221505b"}},"os":{"mem":{"total_in_bytes":0,"used_in_bytes":-1}}}`)
	noErr(t, err)
	check(t, "FreeInBytes", n.FS.Total.FreeInBytes, -4096)
	check(t, "UsedInBytes", n.OS.Mem.UsedInBytes, -1)
	if m, ok := n.OS.Memory(); ok {
		t.Errorf("Memory = %d, want unknown", m)
	}
}

// https://github.com/elastic/elasticsearch/issues/25595
func TestQuirk08GaugeBelowZero(t *testing.T) {
	ix, err := index(t, `{"total":{"search":{"query_current":-2}}}`)
	noErr(t, err)
	check(t, "QueryCurrent", ix.Total.Search.QueryCurrent, -2)
}

// https://github.com/elastic/elasticsearch/issues/24872
func TestQuirk09StatusFineDataGone(t *testing.T) {
	var d statsdecode.Decoder
	got := walkIndices(&d, strings.NewReader(`{"_shards":{"total":4,"successful":2,"failed":2},"_all":{"primaries":{},"total":{}},"indices":{}}`))
	check(t, "items", got.names, "")
	partialError(4, 2, 2, 0)(t, got.end)
	check(t, "Present", d.Header().All.Total.Present, 0)
}

// https://github.com/elastic/elasticsearch/issues/27046
func TestQuirk10ScrollTimeOverflowDropsANode(t *testing.T) {
	got := walkNodes(new(statsdecode.Decoder), strings.NewReader(`{"_nodes":{"total":2,"successful":1,"failed":1},"nodes":{"n1":{"indices":{"search":{"scroll_time_in_millis":9223372036854775}}}}}`))
	check(t, "items", got.names, "n1")
	partialError(2, 1, 1, 0)(t, got.end)
}

// https://github.com/elastic/elasticsearch/issues/93429
func TestQuirk11CgroupMemoryIsText(t *testing.T) {
	for limit, want := range map[string]struct {
		bytes int64
		ok    bool
	}{
		`"9223372036854771712"`: {9223372036854771712, false},
		`"max"`:                 {math.MaxInt64, false},
		`"1073741824"`:          {1 << 30, true},
		`1073741824`:            {1 << 30, true},
	} {
		n, err := node(t, `{"os":{"cgroup":{"memory":{"control_group":"/","limit_in_bytes":`+limit+`,"usage_in_bytes":"77"}}}}`)
		noErr(t, err)
		bytes, ok := n.OS.Cgroup.Memory.LimitInBytes.Limit()
		check(t, "limit "+limit, bytes, want.bytes)
		check(t, "limited "+limit, ok, want.ok)
		check(t, "usage", n.OS.Cgroup.Memory.UsageInBytes, 77)
	}
}

// https://github.com/influxdata/telegraf/issues/430
func TestQuirk12SectionAbsent(t *testing.T) {
	n, err := node(t, `{"name":"x","jvm":{}}`)
	noErr(t, err)
	check(t, "Present", n.Present, statsdecode.NodeSectionJVM)
}

// https://github.com/influxdata/telegraf/issues/3896
func TestQuirk13MetricIsBreaker(t *testing.T) {
	p := statsdecode.NodeStatsPath(statsdecode.NodeSectionBreakers, statsdecode.PathOptions{Metrics: true})
	if !strings.HasPrefix(p, "/_nodes/stats/breaker?") || !strings.Contains(p, "nodes.*.breakers") {
		t.Errorf("path %s, want the metric breaker and the key breakers", p)
	}
}

// https://github.com/elastic/beats/issues/45144
func TestQuirk14PoolNamesDependOnTheCollector(t *testing.T) {
	n, err := node(t, `{"jvm":{"mem":{"pools":{"ZHeap":{"used_in_bytes":5}}},"gc":{"collectors":{"ZGC Cycles":{"collection_count":1,"collection_time_in_millis":2}}},"buffer_pools":{"mapped - 'non-volatile memory'":{"count":1}}}}`)
	noErr(t, err)
	p, ok := n.JVM.Mem.Pools.Get("ZHeap")
	check(t, "ZHeap", p.UsedInBytes, 5)
	check(t, "found", ok, true)
	_, ok = n.JVM.Mem.Pools.Get("old")
	check(t, "found old", ok, false)
	c, _ := n.JVM.GC.Collectors.Get("ZGC Cycles")
	check(t, "ZGC Cycles", c.CollectionTimeInMillis, 2)
	b, _ := n.JVM.BufferPools.Get("mapped - 'non-volatile memory'")
	check(t, "mapped", b.Count, 1)
}

// https://github.com/DataDog/integrations-core/issues/972
func TestQuirk15BreakerNames(t *testing.T) {
	n, err := node(t, `{"breakers":{"accounting":{"limit_size_in_bytes":-1,"limit_size":"-1b","overhead":1.05,"tripped":2},"inflight_requests":{"tripped":3}}}`)
	noErr(t, err)
	b, _ := n.Breakers.Get("accounting")
	check(t, "accounting", b, statsdecode.Breaker{Name: "accounting", LimitSizeInBytes: -1, Overhead: 1.05, Tripped: 2})
	b, ok := n.Breakers.Get("in_flight_requests")
	check(t, "old spelling", b.Tripped, 3)
	check(t, "old spelling found", ok, true)
}

// https://github.com/elastic/elasticsearch/pull/15932
func TestQuirk16LoadAverageShapes(t *testing.T) {
	for body, want := range map[string]statsdecode.LoadAverage{
		`{"os":{"load_average":[0.1,0.2,0.3]}}`:                       {OneMinute: 0.1, FiveMinutes: 0.2, FifteenMinutes: 0.3},
		`{"os":{"load_average":0.1}}`:                                 {OneMinute: 0.1},
		`{"os":{"load_average":-1.0}}`:                                {OneMinute: -1},
		`{"os":{"cpu":{"load_average":{"1m":0.1}}}}`:                  {OneMinute: 0.1},
		`{"os":{"cpu":{"load_average":{"1m":1,"5m":2E0,"15m":"3"}}}}`: {OneMinute: 1, FiveMinutes: 2, FifteenMinutes: 3},
		`{"os":{"cpu":{"percent":1}}}`:                                {},
	} {
		n, err := node(t, body)
		noErr(t, err)
		got := n.OS.LoadAverage
		if strings.Contains(body, `"cpu"`) {
			got = n.OS.CPU.LoadAverage
		}
		check(t, body, got, want)
	}
}

// Nothing is required.
// https://github.com/opensearch-project/opensearch-java/issues/47
// https://github.com/opensearch-project/opensearch-go/issues/505
// https://github.com/influxdata/telegraf/issues/4675
func TestQuirk17and18and40NothingIsRequired(t *testing.T) {
	n, err := node(t, `{"fs":{"data":[{"path":"/d","total_in_bytes":1}]},"search_backpressure":{"search_task":{}}}`)
	noErr(t, err)
	check(t, "data", n.FS.Data[0], statsdecode.FSData{Path: "/d", TotalInBytes: 1})
	var c statsdecode.ClusterStats
	noErr(t, statsdecode.DecodeClusterStats(strings.NewReader(`{"cluster_name":"c","nodes":{"count":{"total":1},"os":{}}}`), &c))
	check(t, "nodes", c.Nodes.Count.Total, 1)
}

// https://github.com/opensearch-project/OpenSearch/issues/10961
func TestQuirk19NullFieldNameRefusesTheAnswer(t *testing.T) {
	err := statsdecode.ReadError(400, strings.NewReader(`{"error":{"type":"null_pointer_exception","reason":null},"status":400}`))
	responseError(statsdecode.ResponseError{Status: 400, Type: "null_pointer_exception"})(t, err)
}

// https://github.com/elastic/elasticsearch-java/issues/482
// https://github.com/opensearch-project/OpenSearch/issues/13343
// https://github.com/prometheus-community/elasticsearch_exporter/issues/508
func TestQuirk20and28and31NodesFail(t *testing.T) {
	got := walkNodes(new(statsdecode.Decoder), strings.NewReader(`{"_nodes":{"total":1,"successful":0,"failed":1,"failures":[{"type":"failed_node_exception","reason":"Failed node [n1]","node_id":"n1","caused_by":{"type":"receive_timeout_transport_exception","reason":"timed out"}}]},"cluster_name":"c","nodes":{}}`))
	partialError(1, 0, 1, 1)(t, got.end)
	var e *statsdecode.PartialError
	if !errors.As(got.end, &e) || e.Failures[0].NodeID != "n1" || e.Failures[0].Cause.Type != "receive_timeout_transport_exception" {
		t.Errorf("failure %+v does not say which node and why", e)
	}
}

// https://github.com/elastic/beats/issues/36677
func TestQuirk21ClosedIndex(t *testing.T) {
	err := statsdecode.ReadError(400, strings.NewReader(`{"error":{"type":"index_closed_exception","reason":"closed","index":"old-1","index_uuid":"u"},"status":400}`))
	responseError(statsdecode.ResponseError{Status: 400, Type: "index_closed_exception", Reason: "closed", Index: "old-1"})(t, err)
	for _, o := range []statsdecode.PathOptions{{}, {Metrics: true}, {Target: "a,b"}, {Level: "shards"}} {
		if p := statsdecode.IndexStatsPath(statsdecode.SectionDocs, o); !strings.Contains(p, "forbid_closed_indices=false") {
			t.Errorf("path %s fails on a closed index", p)
		}
	}
}

// https://github.com/netdata/netdata/issues/2443
func TestQuirk22NoFileDescriptors(t *testing.T) {
	n, err := node(t, `{"process":{"open_file_descriptors":-1}}`)
	noErr(t, err)
	check(t, "Process", n.Process, statsdecode.Process{OpenFileDescriptors: -1})
}

// https://github.com/elastic/elasticsearch/issues/25018
func TestQuirk23ImplausibleSizes(t *testing.T) {
	n, err := node(t, `{"fs":{"total":{"total_in_bytes":9223372036854775807,"free_in_bytes":-9223372036854775808}},"os":{"mem":{"total_in_bytes":9223372036854775807}},"indices":{"store":{"size_in_bytes":5}}}`)
	noErr(t, err)
	check(t, "TotalInBytes", n.FS.Total.TotalInBytes, math.MaxInt64)
	check(t, "FreeInBytes", n.FS.Total.FreeInBytes, math.MinInt64)
	if r, ok := n.MemoryToStorage(); ok {
		t.Errorf("MemoryToStorage = %v of an implausible memory", r)
	}
}

// https://github.com/prometheus-community/elasticsearch_exporter/issues/415
func TestQuirk24SettingsOfEveryShape(t *testing.T) {
	items := settings(new(statsdecode.Decoder), strings.NewReader(`{"a":{"settings":{"index":{"codec":"best_compression","number_of_shards":"2","routing":{"allocation":{"total_shards_per_node":"1"}},"max_x":["y"],"sort":{"field":["a","b"]},"version":{"created":"1","upgraded":"2"}}}}}`))
	if len(items) != 1 || items[0].err != nil {
		t.Fatalf("%+v", items)
	}
	check(t, "settings", items[0].value, statsdecode.IndexSettings{Name: "a", Codec: "best_compression", NumberOfShards: 2, Version: statsdecode.SettingsVersion{Created: "1"}})
}

// https://github.com/elastic/go-elasticsearch/issues/911
func TestQuirk25AddressShapesAndFilteredErrors(t *testing.T) {
	for ip, want := range map[string]string{`"127.0.0.1"`: "127.0.0.1", `["127.0.0.1","x"]`: "127.0.0.1", `[]`: "", `null`: ""} {
		n, err := node(t, `{"ip":`+ip+`,"name":"x"}`)
		noErr(t, err)
		check(t, "ip "+ip, n.IP, want)
		check(t, "name", n.Name, "x")
	}
	// A filter_path without error leaves this of a refusal.
	responseError(statsdecode.ResponseError{Status: 401})(t, walkIndices(new(statsdecode.Decoder), strings.NewReader(`{"status":401}`)).end)
	u, err := url.Parse(statsdecode.IndexStatsPath(statsdecode.SectionDocs, statsdecode.PathOptions{}))
	if err != nil || !strings.HasPrefix(u.Query().Get("filter_path"), "error,status,") {
		t.Errorf("filter_path of %s hides errors", u)
	}
}

// https://github.com/kuskoman/logstash-exporter/issues/216
func TestQuirk26CountersPast32Bits(t *testing.T) {
	ix, err := index(t, `{"total":{"search":{"query_total":4294967297},"docs":{"count":9223372036854775807}}}`)
	noErr(t, err)
	check(t, "QueryTotal", ix.Total.Search.QueryTotal, 1<<32+1)
	check(t, "Count", ix.Total.Docs.Count, math.MaxInt64)
}

// https://github.com/opensearch-project/OpenSearch/issues/12528
func TestQuirk27VersionIsTextOrArray(t *testing.T) {
	for _, version := range []string{`"2.12.0"`, `["2.13.0"]`} {
		var c statsdecode.ClusterStats
		noErr(t, statsdecode.DecodeClusterStats(strings.NewReader(`{"cluster_name":"c","nodes":{"count":{"total":2},"packaging_types":[{"opensearch_version":`+version+`}]}}`), &c))
		check(t, "nodes", c.Nodes.Count.Total, 2)
	}
}

// https://github.com/mindw/elasticsearch-prometheus-exporter/issues/109
func TestQuirk29IOTimeWraps(t *testing.T) {
	n, err := node(t, `{"fs":{"io_stats":{"total":{"io_time_in_millis":-1669444660}}}}`)
	noErr(t, err)
	check(t, "IOTimeInMillis", n.FS.IOStats.Total.IOTimeInMillis, -1669444660)
	if busy, ok := n.FS.IOStats.Total.Busy(statsdecode.DiskIO{IOTimeInMillis: 2147000000}, time.Second); ok {
		t.Errorf("Busy = %v over a wrap", busy)
	}
}

// https://github.com/elastic/elasticsearch/issues/72887
func TestQuirk30CPUUnknown(t *testing.T) {
	n, err := node(t, `{"os":{"cpu":{"percent":-1}},"process":{"cpu":{"percent":-1}}}`)
	noErr(t, err)
	check(t, "percent", n.OS.CPU.Percent, -1)
	check(t, "present", n.Present.Has(statsdecode.NodeSectionCPU), true)
	n, _ = node(t, `{"os":{"cpu":{"load_average":{"1m":1}}}}`)
	check(t, "present without a figure", n.Present.Has(statsdecode.NodeSectionCPU), false)
}

// https://github.com/prometheus-community/elasticsearch_exporter/issues/327
// https://github.com/elastic/elasticsearch/issues/77990
func TestQuirk32and33CountersFall(t *testing.T) {
	before := statsdecode.Index{UUID: "u1", Total: statsdecode.CommonStats{Search: statsdecode.Search{QueryTotal: 100}}}
	made := statsdecode.Index{UUID: "u2", Total: statsdecode.CommonStats{Search: statsdecode.Search{QueryTotal: 500}}}
	moved := statsdecode.Index{UUID: "u1", Total: statsdecode.CommonStats{Search: statsdecode.Search{QueryTotal: 40}}}
	check(t, "made anew continues", made.Continues(&before), false)
	check(t, "moved continues", moved.Continues(&before), true)
	if r, ok := moved.Total.Search.QueryRate(before.Total.Search, time.Second); ok {
		t.Errorf("QueryRate = %v over a fall", r)
	}
}

// A number in a string costs that field alone.
func TestQuirk34NumberInAString(t *testing.T) {
	ix, err := index(t, `{"total":{"store":{"size_in_bytes":"12345","reserved_in_bytes":6},"docs":{"count":7}}}`)
	var e *statsdecode.DecodeError
	if !errors.As(err, &e) || e.Pointer != "/indices/i1/total/store/size_in_bytes" {
		t.Errorf("error %v", err)
	}
	check(t, "store", ix.Total.Store, statsdecode.Store{ReservedInBytes: 6})
	check(t, "docs", ix.Total.Docs.Count, 7)
}

// https://github.com/prometheus-community/elasticsearch_exporter/issues/647
func TestQuirk35RefusalsAreNoEmptyCluster(t *testing.T) {
	var h statsdecode.ClusterHealth
	err := statsdecode.DecodeClusterHealth(strings.NewReader(`{"error":{"root_cause":[{"type":"security_exception","reason":"no"}],"type":"security_exception","reason":"no"},"status":403}`), &h)
	responseError(statsdecode.ResponseError{Status: 403, Type: "security_exception", Reason: "no", RootCause: make([]statsdecode.Cause, 1)})(t, err)
	check(t, "health", h, statsdecode.ClusterHealth{})
	if err := statsdecode.ReadError(502, strings.NewReader("<html>")); !errors.Is(err, statsdecode.ErrNotJSON) {
		t.Errorf("a proxy's page gave %v", err)
	}
}

// OpenSearch 2.10 sent sizes as text, 2.12 as numbers.
func TestQuirk36SegmentReplication(t *testing.T) {
	for _, v := range []string{`"0b"`, `0`} {
		ix, err := index(t, `{"total":{"segments":{"count":4,"segment_replication":{"max_bytes_behind":`+v+`}}}}`)
		noErr(t, err)
		check(t, "count", ix.Total.Segments.Count, 4)
	}
}

// Chunked answers are cut with status 200 when a node fails midway.
// https://github.com/elastic/elasticsearch/pull/90097
func TestQuirk37CutWithStatus200(t *testing.T) {
	got := walkNodes(new(statsdecode.Decoder), strings.NewReader(`{"_nodes":{"total":2,"successful":2,"failed":0},"nodes":{"n1":{"name":"a"},"n2":{"name":"b","os":{"cpu":`))
	check(t, "items", got.names, "n1")
	decodeError(io.ErrUnexpectedEOF, 104, "/nodes/n2")(t, got.end)
}

// https://github.com/elastic/elasticsearch/issues/63842
// https://github.com/elastic/beats/issues/36019
func TestQuirk38and43Paths(t *testing.T) {
	for _, p := range []string{
		statsdecode.IndexStatsPath(statsdecode.SectionDocs|statsdecode.SectionSearch, statsdecode.PathOptions{Level: "cluster"}),
		statsdecode.NodeStatsPath(statsdecode.NodeSectionOS, statsdecode.PathOptions{Level: "node"}),
		statsdecode.SettingsPath(statsdecode.PathOptions{}),
	} {
		u, err := url.Parse(p)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(u.Query().Get("filter_path"), "-") {
			t.Errorf("%s has a negative filter", p)
		}
	}
	p := statsdecode.IndexStatsPath(statsdecode.SectionDocs, statsdecode.PathOptions{Level: "cluster"})
	if !strings.Contains(p, "level=cluster") || strings.Contains(p, "indices.*") {
		t.Errorf("%s asks for indices, or not for the cluster", p)
	}
}

// https://github.com/influxdata/telegraf/pull/2332
func TestQuirk39SmallestInt64(t *testing.T) {
	ix, err := index(t, `{"total":{"segments":{"max_unsafe_auto_id_timestamp":-9223372036854775808}}}`)
	noErr(t, err)
	check(t, "timestamp", ix.Total.Segments.MaxUnsafeAutoIDTimestamp, math.MinInt64)
}

// https://github.com/elastic/elasticsearch/issues/80763
func TestQuirk42IngestProcessors(t *testing.T) {
	for processors, want := range map[string]statsdecode.IngestProcessor{
		`[{"set:tag1":{"type":"set","stats":{"count":1}}}]`: {Name: "set:tag1", Type: "set", Stats: statsdecode.IngestTotal{Count: 1}},
		`[{"set":{"count":1,"failed":2}}]`:                  {Name: "set", Stats: statsdecode.IngestTotal{Count: 1, Failed: 2}},
	} {
		n, err := node(t, `{"ingest":{"total":{"count":5,"failed":1},"pipelines":{"p":{"count":5,"processors":`+processors+`}}}}`)
		noErr(t, err)
		check(t, "ingest", n.Ingest.Total, statsdecode.IngestTotal{Count: 5, Failed: 1})
		p, ok := n.Ingest.Pipelines.Get("p")
		if !ok || p.Count != 5 || len(p.Processors) != 1 {
			t.Fatalf("pipeline %+v %t", p, ok)
		}
		check(t, "processor", p.Processors[0], want)
	}
}

// https://github.com/elastic/elasticsearch/issues/112274
func TestQuirk44UnsignedCgroupCounters(t *testing.T) {
	n, err := node(t, `{"os":{"cgroup":{"cpuacct":{"usage_nanos":18446744073709551615},"cpu":{"cfs_quota_micros":-1,"stat":{"number_of_elapsed_periods":1,"number_of_times_throttled":18446744073709551615,"time_throttled_nanos":18446744073709551615}}}}}`)
	noErr(t, err)
	check(t, "usage", n.OS.Cgroup.CPUAcct.UsageNanos, math.MaxUint64)
	check(t, "stat", n.OS.Cgroup.CPU.Stat, statsdecode.CgroupCPUStat{NumberOfElapsedPeriods: 1, NumberOfTimesThrottled: math.MaxUint64, TimeThrottledNanos: math.MaxUint64})
	check(t, "present", n.Present.Has(statsdecode.NodeSectionCgroup), true)
}

// io_stats is {} in many containers, or without io_time.
func TestIOStatsPresence(t *testing.T) {
	for body, want := range map[string]statsdecode.NodeSections{
		`{"fs":{"io_stats":{}}}`: statsdecode.NodeSectionFS,
		`{"fs":{}}`:              statsdecode.NodeSectionFS,
		`{"fs":{"io_stats":{"devices":[],"total":{"read_operations":1}}}}`: statsdecode.NodeSectionFS | statsdecode.NodeSectionIOStats,
		`{"fs":{"io_stats":{"total":{"io_time_in_millis":0}}}}`:            statsdecode.NodeSectionFS | statsdecode.NodeSectionIOStats | statsdecode.NodeSectionIOTime,
	} {
		n, err := node(t, body)
		noErr(t, err)
		check(t, body, n.Present, want)
	}
}

// Keys match as in encoding/json: in any case, escaped, twice.
func TestPresenceFollowsTheKeysThatDecode(t *testing.T) {
	for body, want := range map[string]statsdecode.Sections{
		`{"total":{"docs":{}}}`:                                   statsdecode.SectionDocs,
		`{"TOTAL":{"Docs":{"count":1}}}`:                          statsdecode.SectionDocs,
		`{"tot\u0061l":{"d\u006fcs":{}}}`:                         statsdecode.SectionDocs,
		`{"total":{"docs":{},"docs":null}}`:                       statsdecode.SectionDocs,
		`{"total":{"docs":{}},"total":{"store":{}}}`:              statsdecode.SectionDocs | statsdecode.SectionStore,
		`{"total":{"docs":null,"store":[],"get":1,"search":"x"}}`: 0,
		`{"total":null}`:                                          0,
		`{"total":{"indexing":{"index_failed":0}}}`:               statsdecode.SectionIndexing | statsdecode.SectionIndexFailed,
		`{"total":{"indexing":{"write_load":2.1E-5}}}`:            statsdecode.SectionIndexing | statsdecode.SectionWriteLoad,
		`{"total":{"indexing":{"write_load":null}}}`:              statsdecode.SectionIndexing,
	} {
		ix, _ := index(t, body)
		check(t, body, ix.Total.Present, want)
	}
}
