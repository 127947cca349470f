package statsdecode

import (
	"math"
	"strings"
	"time"
)

// The methods here derive figures from one poll, or from two: the receiver is
// the later one, prev the earlier. ok is false where a figure cannot be known:
// nothing happened, no time passed, a counter fell or a value means unknown.

// Continues reports whether ix and prev count the same index from the same
// start, so that their counters may be subtracted: the same non-empty uuid.
// An index that was deleted and made anew has another one. Before Elasticsearch
// 7 there is none, and the result always false. Counters may fall even so, when
// a shard moves or the index was closed.
func (ix *Index) Continues(prev *Index) bool {
	return prev != nil && ix.UUID != "" && ix.UUID == prev.UUID
}

// Continues reports whether n and prev are the same run of the same node, so
// that their counters may be subtracted: the same id, and an uptime that is
// not lower. It needs the section jvm of both (NodeSectionJVM): without it the
// ids alone are compared. It does not see a restart when the new run is longer
// than the old one was at prev, which takes polls further apart than that.
func (n *Node) Continues(prev *Node) bool {
	return prev != nil && n.ID != "" && n.ID == prev.ID && n.JVM.UptimeInMillis >= prev.JVM.UptimeInMillis
}

// QueryRate returns the query phases per second since prev. dt is the time
// measured between the two polls; for a node, the difference of their Timestamps.
// ok is false if dt is not positive or the counter fell.
func (s Search) QueryRate(prev Search, dt time.Duration) (perSecond float64, ok bool) {
	return rate(s.QueryTotal, prev.QueryTotal, dt)
}

// MeanQueryTime returns the mean time of the query phases since prev. ok is
// false if there were none, or a counter fell. The server counts whole
// milliseconds, so the mean of a few phases is coarse.
func (s Search) MeanQueryTime(prev Search) (mean time.Duration, ok bool) {
	return meanTime(s.QueryTimeInMillis, prev.QueryTimeInMillis, s.QueryTotal, prev.QueryTotal)
}

// MeanFetchTime returns the mean time of the fetch phases since prev, as
// MeanQueryTime does. Reading stored fields, which index.codec compresses, is
// part of it.
func (s Search) MeanFetchTime(prev Search) (mean time.Duration, ok bool) {
	return meanTime(s.FetchTimeInMillis, prev.FetchTimeInMillis, s.FetchTotal, prev.FetchTotal)
}

// IndexRate returns the index operations per second since prev, as
// [Search.QueryRate] does.
func (s Indexing) IndexRate(prev Indexing, dt time.Duration) (perSecond float64, ok bool) {
	return rate(s.IndexTotal, prev.IndexTotal, dt)
}

// MeanIndexTime returns the mean time of the index operations since prev, as
// [Search.MeanQueryTime] does.
func (s Indexing) MeanIndexTime(prev Indexing) (mean time.Duration, ok bool) {
	return meanTime(s.IndexTimeInMillis, prev.IndexTimeInMillis, s.IndexTotal, prev.IndexTotal)
}

// HitRatio returns the part of the lookups since prev that hit, from 0 to 1. ok
// is false if there were none, or a counter fell.
func (c QueryCache) HitRatio(prev QueryCache) (ratio float64, ok bool) {
	return portion(c.HitCount, prev.HitCount, c.MissCount, prev.MissCount)
}

// HitRatio returns the part of the lookups since prev that hit, from 0 to 1. ok
// is false if there were none, or a counter fell.
func (c RequestCache) HitRatio(prev RequestCache) (ratio float64, ok bool) {
	return portion(c.HitCount, prev.HitCount, c.MissCount, prev.MissCount)
}

// RejectionRatio returns the part of the tasks since prev that was refused,
// from 0 to 1. ok is false if there were none, or a counter fell.
func (p ThreadPool) RejectionRatio(prev ThreadPool) (ratio float64, ok bool) {
	return portion(p.Rejected, prev.Rejected, p.Completed, prev.Completed)
}

// Rejected returns how many tasks all pools refused since prev. ok is false if
// prev has no pools, one of them is gone or a counter fell.
func (s ThreadPools) Rejected(prev ThreadPools) (tasks int64, ok bool) {
	if len(prev) == 0 {
		return 0, false
	}
	for _, p := range prev {
		if _, found := s.Get(p.Name); !found {
			return 0, false
		}
	}
	for _, p := range s {
		before, _ := prev.Get(p.Name) // a pool made since counts from zero
		d, ok := delta(p.Rejected, before.Rejected)
		if !ok || d > math.MaxInt64-tasks {
			return 0, false
		}
		tasks += d
	}
	return tasks, true
}

// HeapUse returns the part of the heap that is used, garbage included: from 0 to
// 1, unless the server contradicts itself. ok is false if the size of the heap is
// not known.
func (m JVMMem) HeapUse() (ratio float64, ok bool) {
	return divide(m.HeapUsedInBytes, m.HeapMaxInBytes)
}

// concurrent reports whether the time of the collector called name is spent
// beside the program, not in its stead: G1 counts it as a collector of its own,
// ZGC and Shenandoah as cycles, next to one of their pauses
// (https://github.com/openjdk/jdk/pull/3483).
func concurrent(name string) bool {
	return name == "G1 Concurrent GC" || strings.HasSuffix(name, " Cycles")
}

// GCOverhead returns the part of the time since prev for which the node was
// paused by garbage collection, from 0 to 1. The time of concurrent collection
// is not counted. ok is false if the collectors are not the same, the uptime did
// not grow or a counter fell.
func (j JVM) GCOverhead(prev JVM) (ratio float64, ok bool) {
	elapsed, ok := delta(j.UptimeInMillis, prev.UptimeInMillis)
	if !ok || elapsed == 0 || len(j.GC.Collectors) == 0 || len(j.GC.Collectors) != len(prev.GC.Collectors) {
		return 0, false
	}
	var spent float64
	for _, c := range j.GC.Collectors {
		if concurrent(c.Name) {
			continue
		}
		before, found := prev.GC.Collectors.Get(c.Name)
		d, ok := delta(c.CollectionTimeInMillis, before.CollectionTimeInMillis)
		if !found || !ok {
			return 0, false
		}
		spent += float64(d)
	}
	return min(1, spent/float64(elapsed)), true
}

// ThrottledRatio returns the part of the periods since prev in which the quota
// held the control group back, from 0 to 1. ok is false if no period elapsed, as
// without a quota, or a counter fell.
func (c CgroupCPUStat) ThrottledRatio(prev CgroupCPUStat) (ratio float64, ok bool) {
	if c.NumberOfElapsedPeriods <= prev.NumberOfElapsedPeriods || c.NumberOfTimesThrottled < prev.NumberOfTimesThrottled {
		return 0, false
	}
	periods := c.NumberOfElapsedPeriods - prev.NumberOfElapsedPeriods
	throttled := c.NumberOfTimesThrottled - prev.NumberOfTimesThrottled
	if throttled > periods {
		return 0, false
	}
	return float64(throttled) / float64(periods), true
}

// ReadRate returns the completed reads per second since prev, as
// [Search.QueryRate] does.
func (d DiskIO) ReadRate(prev DiskIO, dt time.Duration) (perSecond float64, ok bool) {
	return rate(d.ReadOperations, prev.ReadOperations, dt)
}

// Reads returns the reads completed, and the bytes read, since prev. ok is false
// if a counter fell.
func (d DiskIO) Reads(prev DiskIO) (operations, bytes int64, ok bool) {
	operations, ok = delta(d.ReadOperations, prev.ReadOperations)
	kilobytes, ok2 := delta(d.ReadKilobytes, prev.ReadKilobytes)
	if !ok || !ok2 || kilobytes > math.MaxInt64/1024 {
		return 0, 0, false
	}
	return operations, kilobytes * 1024, true
}

// Busy returns the part of dt in which the devices had requests in flight,
// summed over the devices: several may add up to more than 1. ok is false if dt
// is not positive or the counter fell. See NodeSectionIOTime for servers that do
// not send it.
func (d DiskIO) Busy(prev DiskIO, dt time.Duration) (ratio float64, ok bool) {
	perSecond, ok := rate(d.IOTimeInMillis, prev.IOTimeInMillis, dt)
	return perSecond / 1000, ok
}

// Memory returns the bytes of memory that the node may count with: the host's,
// or less where the node was told so or its control group has a limit. ok is
// false if none of them is known.
func (o OS) Memory() (bytes int64, ok bool) {
	limit, _ := o.Cgroup.Memory.LimitInBytes.Limit()
	for _, n := range [...]int64{o.Mem.TotalInBytes, o.Mem.AdjustedTotalInBytes, limit} {
		if plausible(n) && (!ok || n < bytes) {
			bytes, ok = n, true
		}
	}
	return bytes, ok
}

// MemoryToStorage returns how much memory there is for each byte that the
// node's shards take on disk. It counts all of a host's memory for one node;
// where several share a host, add up their stores first. ok is false if the
// memory or the store is not known, or nothing is stored.
func (n *Node) MemoryToStorage() (ratio float64, ok bool) {
	memory, ok := n.OS.Memory()
	if !ok {
		return 0, false
	}
	return divide(memory, n.Indices.Store.SizeInBytes)
}

// PageCacheShare returns which part of the node's shards the page cache can
// hold: what memory the heap leaves, by the store. See MemoryToStorage for
// nodes that share a host, and for ok.
func (n *Node) PageCacheShare() (ratio float64, ok bool) {
	memory, ok := n.OS.Memory()
	if !ok || !plausible(n.JVM.Mem.HeapMaxInBytes) {
		return 0, false
	}
	return divide(max(0, memory-n.JVM.Mem.HeapMaxInBytes), n.Indices.Store.SizeInBytes)
}

// plausible reports whether n is a size: file systems and systems that cannot
// tell send values below 1 or near the largest int64.
func plausible(n int64) bool { return n > 0 && n < noLimit }

// delta returns a counter's growth. Negative values and a fall are none.
func delta(now, before int64) (int64, bool) {
	return now - before, before >= 0 && now >= before
}

func rate(now, before int64, dt time.Duration) (perSecond float64, ok bool) {
	d, ok := delta(now, before)
	if !ok || dt <= 0 {
		return 0, false
	}
	return float64(d) / dt.Seconds(), true
}

// meanTime divides the growth of a time in milliseconds by that of a count.
func meanTime(millis, millisBefore, count, countBefore int64) (time.Duration, bool) {
	dt, ok := delta(millis, millisBefore)
	n, ok2 := delta(count, countBefore)
	if !ok || !ok2 || n == 0 || dt > math.MaxInt64/int64(time.Millisecond) {
		return 0, false
	}
	return time.Duration(float64(dt) / float64(n) * float64(time.Millisecond)), true
}

// portion returns the growth of a as a part of that of a and b together.
func portion(a, aBefore, b, bBefore int64) (float64, bool) {
	da, ok := delta(a, aBefore)
	db, ok2 := delta(b, bBefore)
	if !ok || !ok2 || da+db <= 0 {
		return 0, false
	}
	return float64(da) / float64(da+db), true
}

// divide divides a size by another.
func divide(part, whole int64) (float64, bool) {
	if part < 0 || !plausible(whole) {
		return 0, false
	}
	return float64(part) / float64(whole), true
}
