package main

import (
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
	earlier := make(map[string]*statsdecode.Node)
	if paired {
		for _, n := range before.nodes {
			earlier[n.ID] = n
		}
	}
	shared := memories(now.nodes)
	nodes := make([]nodeReport, 0, len(now.nodes))
	for _, n := range now.nodes {
		m := shared[memoryOf(n)]
		r := nodeReport{
			ID: n.ID, Name: n.Name, Data: holdsData(n),
			CPU:             cpuPercent(n),
			MemoryToStorage: m.toStorage().times(100),
			PageCache:       m.pageCache().times(100),
			disks:           disksOf(n),
		}
		heap, ok := n.JVM.Mem.HeapUse()
		r.Heap = maybe(100*heap, ok)
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

// since fills in what happened between two polls, if they are comparable.
func (r *nodeReport) since(n, prev *statsdecode.Node) {
	switch {
	case prev == nil:
		r.Change = "joined since the last poll"
		return
	case !n.Continues(prev):
		r.Change = "restarted since the last poll"
		return
	case n.Timestamp <= prev.Timestamp:
		r.Change = "its clock did not advance"
		return
	}
	dt := time.Duration(n.Timestamp-prev.Timestamp) * time.Millisecond

	search, earlier := n.Indices.Search, prev.Indices.Search
	rate, ok := search.QueryRate(earlier, dt)
	r.SearchRate = maybe(60*rate, ok)
	r.Queries = maybe(float64(search.QueryTotal-earlier.QueryTotal), ok)
	mean, ok := search.MeanQueryTime(earlier)
	r.MeanQuery = maybe(millis(mean), ok)
	mean, ok = search.MeanFetchTime(earlier)
	r.MeanFetch = maybe(millis(mean), ok)

	r.CPU = cpuPercent(n).plus(cpuPercent(prev)).times(0.5)
	r.throttling(n, prev)
	gc, ok := n.JVM.GCOverhead(prev.JVM)
	r.GC = maybe(100*gc, ok)
	r.reading(n, prev, dt)
	rejected, ok := n.ThreadPool.Rejected(prev.ThreadPool)
	r.Rejections = maybe(float64(rejected), ok && n.Present.Has(statsdecode.NodeSectionThreadPool))
}

// throttling looks at the CPU quota. Without one, no periods elapse.
func (r *nodeReport) throttling(n, prev *statsdecode.Node) {
	now, before := n.OS.Cgroup.CPU.Stat, prev.OS.Cgroup.CPU.Stat
	r.quota = now.NumberOfElapsedPeriods != before.NumberOfElapsedPeriods &&
		n.Present.Has(statsdecode.NodeSectionCgroup) && prev.Present.Has(statsdecode.NodeSectionCgroup)
	if r.quota {
		throttled, ok := now.ThrottledRatio(before)
		r.Throttled = maybe(100*throttled, ok)
	}
}

// reading looks at the disks.
func (r *nodeReport) reading(n, prev *statsdecode.Node, dt time.Duration) {
	if !n.Present.Has(statsdecode.NodeSectionIOStats) || !prev.Present.Has(statsdecode.NodeSectionIOStats) {
		r.diskFault = "the server sends no disk figures (fs.io_stats)"
		return
	}
	now, before := n.FS.IOStats.Total, prev.FS.IOStats.Total
	reads, bytes, ok := now.Reads(before)
	r.reads, r.readBytes = maybe(float64(reads), ok), maybe(float64(bytes), ok)
	rate, ok2 := now.ReadRate(before, dt)
	r.ReadRate = maybe(rate, ok2)
	busy, ok3 := now.Busy(before, dt)
	if n.Present.Has(statsdecode.NodeSectionIOTime) && prev.Present.Has(statsdecode.NodeSectionIOTime) {
		r.Busy = maybe(100*busy, ok3)
	} else {
		ok3 = true // an older server: reads alone count
	}
	if !ok || !ok2 || !ok3 {
		r.diskFault = "a disk counter fell"
	}
	merged := n.Indices.Merges.TotalSizeInBytes - prev.Indices.Merges.TotalSizeInBytes
	r.merged = maybe(float64(merged), merged >= 0)
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
		r.diskFault = "the count of merged bytes fell"
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
