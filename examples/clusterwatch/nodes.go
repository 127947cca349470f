package main

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/lowalloc/lowalloc/statsdecode"
)

// nodeReport is what two polls say of a node.
type nodeReport struct {
	ID      string  `json:"id"`
	Name    string  `json:"name"`
	Data    bool    `json:"data"` // holds shards: others are not judged
	IOBound verdict `json:"io_bound"`
	Why     []check `json:"why,omitempty"`
	Change  string  `json:"change,omitempty"` // why nothing can be said about the time between the polls

	Queries         figure `json:"queries"` // query phases, one a shard
	SearchRate      figure `json:"search_rate_per_minute"`
	MeanQuery       figure `json:"mean_query_time_ms"`
	MeanFetch       figure `json:"mean_fetch_time_ms"`
	CPU             figure `json:"cpu_percent"` // mean of both polls
	Throttled       figure `json:"throttled_percent"`
	Heap            figure `json:"heap_percent"`
	GC              figure `json:"gc_percent"`
	ReadRate        figure `json:"disk_reads_per_second"`
	ReadsPerQuery   figure `json:"disk_reads_per_query"`
	Busy            figure `json:"disk_busy_percent"`
	MemoryToStorage figure `json:"memory_to_storage_percent"`
	PageCache       figure `json:"page_cache_percent"` // share of the store that fits
	Rejections      figure `json:"rejections"`

	quota     bool   // a CPU quota is in force: Throttled counts
	disks     string // the devices it reads from
	reads     figure
	readBytes figure
	merged    figure // bytes
	diskFault string // why the disk figures prove nothing
}

// compareNodes sets the nodes of a poll against those of an earlier one, which
// may be nil. Figures of the time between want two complete answers.
func compareNodes(before, now *snapshot) []nodeReport {
	paired := before != nil && now.nodesComplete
	earlier := make(map[string]node)
	if paired {
		for _, n := range before.nodes {
			earlier[n.ID] = n
		}
	}
	shared := memories(now.nodes)
	nodes := make([]nodeReport, 0, len(now.nodes))
	for _, n := range now.nodes {
		r := nodeReport{ID: n.ID, Name: cmp.Or(n.Name, n.ID), Data: holdsData(n.Node), disks: disksOf(n.Node)}
		if !n.flawed {
			r.state(n.Node, shared[memoryOf(n.Node)])
		}
		if paired {
			r.since(n, earlier[n.ID])
		} else {
			r.Change = "no complete answers"
		}
		nodes = append(nodes, r)
	}
	work := sharedDisks(nodes)
	for i := range nodes {
		if nodes[i].Data {
			nodes[i].attribute(work[nodes[i].disks])
		}
	}
	return nodes
}

// state fills in what is so at the time of the poll.
func (r *nodeReport) state(n *statsdecode.Node, m *memory) {
	r.CPU = cpuPercent(n)
	heap, ok := n.JVM.Mem.HeapUse()
	r.Heap = maybe(100*heap, ok)
	r.MemoryToStorage = m.toStorage().times(100)
	r.PageCache = m.pageCache().times(100)
}

// since fills in what happened between two polls, if they are comparable. A
// section that one of them lacks counts from zero, which must not be subtracted.
func (r *nodeReport) since(now, before node) {
	n, prev := now.Node, before.Node
	switch {
	case now.flawed:
		r.Change = "a field of its answer has the wrong type"
		return
	case prev == nil:
		r.Change = "joined since the last poll"
		return
	case before.flawed:
		r.Change = "a field of its last answer had the wrong type"
		return
	case !n.Present.Has(statsdecode.NodeSectionJVM) || !prev.Present.Has(statsdecode.NodeSectionJVM):
		r.Change = "the server does not send its uptime (jvm)"
		return
	case !n.Continues(prev):
		r.Change = "restarted since the last poll"
		return
	case n.Timestamp <= prev.Timestamp:
		r.Change = "its clock did not advance"
		return
	}
	dt := time.Duration(n.Timestamp-prev.Timestamp) * time.Millisecond
	both, indices := n.Present&prev.Present, n.Indices.Present&prev.Indices.Present

	r.CPU = cpuPercent(n).plus(cpuPercent(prev)).times(0.5)
	gc, ok := n.JVM.GCOverhead(prev.JVM)
	r.GC = maybe(100*gc, ok)
	if indices.Has(statsdecode.SectionSearch) {
		r.searching(n.Indices.Search, prev.Indices.Search, dt)
	}
	if indices.Has(statsdecode.SectionMerges) {
		merged := n.Indices.Merges.TotalSizeInBytes - prev.Indices.Merges.TotalSizeInBytes
		r.merged = maybe(float64(merged), merged >= 0)
	}
	if both.Has(statsdecode.NodeSectionCgroup) {
		r.throttling(n.OS.Cgroup.CPU.Stat, prev.OS.Cgroup.CPU.Stat)
	}
	if both.Has(statsdecode.NodeSectionIOStats) {
		r.reading(n.FS.IOStats.Total, prev.FS.IOStats.Total, both.Has(statsdecode.NodeSectionIOTime), dt)
	} else {
		r.diskFault = "the server sends no disk figures (fs.io_stats)"
	}
	rejected, ok := n.ThreadPool.Rejected(prev.ThreadPool)
	r.Rejections = maybe(float64(rejected), ok)
}

func (r *nodeReport) searching(now, before statsdecode.Search, dt time.Duration) {
	rate, ok := now.QueryRate(before, dt)
	r.SearchRate = maybe(60*rate, ok)
	r.Queries = maybe(float64(now.QueryTotal-before.QueryTotal), ok)
	mean, ok := now.MeanQueryTime(before)
	r.MeanQuery = maybe(millis(mean), ok)
	mean, ok = now.MeanFetchTime(before)
	r.MeanFetch = maybe(millis(mean), ok)
}

// throttling looks at the CPU quota. Without one, no periods elapse.
func (r *nodeReport) throttling(now, before statsdecode.CgroupCPUStat) {
	r.quota = now.NumberOfElapsedPeriods != before.NumberOfElapsedPeriods
	if r.quota {
		throttled, ok := now.ThrottledRatio(before)
		r.Throttled = maybe(100*throttled, ok)
	}
}

// reading looks at the disks. Older servers do not say how long they were busy.
func (r *nodeReport) reading(now, before statsdecode.DiskIO, timed bool, dt time.Duration) {
	reads, bytes, ok := now.Reads(before)
	r.reads, r.readBytes = maybe(float64(reads), ok), maybe(float64(bytes), ok)
	rate, ok2 := now.ReadRate(before, dt)
	r.ReadRate = maybe(rate, ok2)
	busy, ok3 := now.Busy(before, dt)
	r.Busy = maybe(100*busy, timed && ok3)
	if !ok || !ok2 || timed && !ok3 {
		r.diskFault = "a disk counter fell"
	}
}

// attribute asks whether the reads are those of searches: of all nodes that
// share the disks.
func (r *nodeReport) attribute(work *disks) {
	if r.Change != "" || r.diskFault != "" {
		return
	}
	switch {
	case !work.queries.known:
		r.diskFault = "another node on the same disks cannot be compared"
		return
	case !work.merged.known:
		r.diskFault = "the count of merged bytes fell or is missing"
	case work.merged.value > 0 && 2*work.merged.value >= r.readBytes.value:
		r.diskFault = "merges may have caused half of the reads or more"
	}
	r.ReadsPerQuery = maybe(r.reads.value/work.queries.value, work.queries.value > 0)
}

// clusterRates returns the disk reads and the query phases of all data nodes, a
// second, with disks that nodes share counted once.
func clusterRates(nodes []nodeReport) (reads, queries figure) {
	reads, queries = known(0), known(0)
	counted := make(map[string]bool)
	for i := range nodes {
		n := &nodes[i]
		if !n.Data {
			continue
		}
		queries = queries.plus(n.SearchRate.times(1.0 / 60))
		if !counted[n.disks] {
			counted[n.disks] = true
			reads = reads.plus(n.ReadRate)
		}
	}
	return reads, queries
}

// holdsData reports whether n is a data node. Its roles need not say so: there
// are none before Elasticsearch 5, and OpenSearch has search and warm.
func holdsData(n *statsdecode.Node) bool {
	return n.Indices.Store.SizeInBytes > 0 || slices.ContainsFunc(n.Roles, func(role string) bool {
		return role == "data" || strings.HasPrefix(role, "data_") // data_hot, data_content, ...
	})
}

// cpuPercent returns the host's CPU use. Elasticsearch 2 had it elsewhere.
func cpuPercent(n *statsdecode.Node) figure {
	percent := n.OS.CPU.Percent
	if percent == 0 {
		percent = n.OS.CPUPercent
	}
	return maybe(float64(percent), percent >= 0 && n.Present.Has(statsdecode.NodeSectionCPU))
}

func millis(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
