package statsdecode

import (
	"math"
	"strings"
	"time"
)

// The methods here derive figures from one poll, or from two: the receiver is
// the later one, prev the earlier. ok is false where a figure cannot be known:
// nothing happened, no time passed, a counter fell or a value means unknown.
//
// A pair of polls is comparable if both answers were complete (no
// PartialError) and Continues holds between them.

// Continues reports whether ix and prev count the same index from the same
// start, so that their counters may be subtracted: the same non-empty uuid.
// An index that was deleted and made anew has another one. Counters may fall
// even so, when a shard moves or the index was closed.
func (ix *Index) Continues(prev *Index) bool {
	return prev != nil && ix.UUID != "" && ix.UUID == prev.UUID
}

// Continues reports whether n and prev are the same run of the same node, so
// that their counters may be subtracted: the same id, and an uptime that is
// not lower. It does not see a restart when the new run is longer than the old
// one was at prev, which takes polls further apart than that.
func (n *Node) Continues(prev *Node) bool {
	return prev != nil && n.ID != "" && n.ID == prev.ID && n.JVM.UptimeInMillis >= prev.JVM.UptimeInMillis
}

// QueryRate returns query phases per second over dt.
func (s Search) QueryRate(prev Search, dt time.Duration) (perSecond float64, ok bool) {
	return rate(s.QueryTotal, prev.QueryTotal, dt)
}

// MeanQueryTime returns the mean time of the query phases since prev.
func (s Search) MeanQueryTime(prev Search) (time.Duration, bool) {
	return mean(s.QueryTimeInMillis, prev.QueryTimeInMillis, s.QueryTotal, prev.QueryTotal)
}

// MeanFetchTime returns the mean time of the fetch phases since prev. Reading
// stored fields, which index.codec compresses, is part of it.
func (s Search) MeanFetchTime(prev Search) (time.Duration, bool) {
	return mean(s.FetchTimeInMillis, prev.FetchTimeInMillis, s.FetchTotal, prev.FetchTotal)
}

// IndexRate returns index operations per second over dt.
func (s Indexing) IndexRate(prev Indexing, dt time.Duration) (perSecond float64, ok bool) {
	return rate(s.IndexTotal, prev.IndexTotal, dt)
}

// MeanIndexTime returns the mean time of the index operations since prev.
func (s Indexing) MeanIndexTime(prev Indexing) (time.Duration, bool) {
	return mean(s.IndexTimeInMillis, prev.IndexTimeInMillis, s.IndexTotal, prev.IndexTotal)
}

// HitRatio returns the part of the lookups since prev that hit, from 0 to 1.
func (c QueryCache) HitRatio(prev QueryCache) (float64, bool) {
	return share(c.HitCount, prev.HitCount, c.MissCount, prev.MissCount)
}

// HitRatio returns the part of the lookups since prev that hit, from 0 to 1.
func (c RequestCache) HitRatio(prev RequestCache) (float64, bool) {
	return share(c.HitCount, prev.HitCount, c.MissCount, prev.MissCount)
}

// RejectionRatio returns the part of the tasks since prev that was refused,
// from 0 to 1.
func (p ThreadPool) RejectionRatio(prev ThreadPool) (float64, bool) {
	return share(p.Rejected, prev.Rejected, p.Completed, prev.Completed)
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
// 1, unless the server contradicts itself.
func (m JVMMem) HeapUse() (float64, bool) {
	return ratio(m.HeapUsedInBytes, m.HeapMaxInBytes)
}

// concurrent reports whether the time of the collector called name is spent
// beside the program, not in its stead: G1 counts it as a collector of its own,
// ZGC and Shenandoah as cycles, next to one of their pauses
// (https://github.com/openjdk/jdk/pull/3483).
func concurrent(name string) bool {
	return name == "G1 Concurrent GC" || strings.HasSuffix(name, " Cycles")
}

// GCOverhead returns the part of the time since prev that the program stood
// still for garbage collection, from 0 to 1. The time of concurrent collection
// is not counted.
func (j JVM) GCOverhead(prev JVM) (float64, bool) {
	elapsed, ok := delta(j.UptimeInMillis, prev.UptimeInMillis)
	if !ok || elapsed == 0 || len(j.GC.Collectors) == 0 {
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
// held the control group back, from 0 to 1. ok is false without a quota too:
// no periods elapse then.
func (c CgroupCPUStat) ThrottledRatio(prev CgroupCPUStat) (float64, bool) {
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

// ReadRate returns completed reads per second over dt.
func (d DiskIO) ReadRate(prev DiskIO, dt time.Duration) (perSecond float64, ok bool) {
	return rate(d.ReadOperations, prev.ReadOperations, dt)
}

// Reads returns the reads completed, and the bytes read, since prev.
func (d DiskIO) Reads(prev DiskIO) (operations, bytes int64, ok bool) {
	operations, ok = delta(d.ReadOperations, prev.ReadOperations)
	kilobytes, ok2 := delta(d.ReadKilobytes, prev.ReadKilobytes)
	if !ok || !ok2 || kilobytes > math.MaxInt64/1024 {
		return 0, 0, false
	}
	return operations, kilobytes * 1024, true
}

// Busy returns the part of dt in which the devices had requests in flight,
// summed over the devices: several may add up to more than 1. See
// NodeSectionIOTime for servers that do not send it.
func (d DiskIO) Busy(prev DiskIO, dt time.Duration) (float64, bool) {
	perSecond, ok := rate(d.IOTimeInMillis, prev.IOTimeInMillis, dt)
	return perSecond / 1000, ok
}

// Memory returns the bytes of memory that the node may count with: the host's,
// or less where the node was told so or its control group has a limit.
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
// where several share a host, add up their stores first.
func (n *Node) MemoryToStorage() (float64, bool) {
	memory, ok := n.OS.Memory()
	if !ok {
		return 0, false
	}
	return ratio(memory, n.Indices.Store.SizeInBytes)
}

// PageCacheShare returns which part of the node's shards the page cache can
// hold: what memory the heap leaves, by the store. See MemoryToStorage for
// nodes that share a host.
func (n *Node) PageCacheShare() (float64, bool) {
	memory, ok := n.OS.Memory()
	if !ok || !plausible(n.JVM.Mem.HeapMaxInBytes) {
		return 0, false
	}
	return ratio(max(0, memory-n.JVM.Mem.HeapMaxInBytes), n.Indices.Store.SizeInBytes)
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

// mean divides the growth of a time in milliseconds by that of a count.
func mean(millis, millisBefore, count, countBefore int64) (time.Duration, bool) {
	dt, ok := delta(millis, millisBefore)
	n, ok2 := delta(count, countBefore)
	if !ok || !ok2 || n == 0 || dt > math.MaxInt64/int64(time.Millisecond) {
		return 0, false
	}
	return time.Duration(float64(dt) / float64(n) * float64(time.Millisecond)), true
}

// share returns the growth of a as a part of that of a and b together.
func share(a, aBefore, b, bBefore int64) (float64, bool) {
	da, ok := delta(a, aBefore)
	db, ok2 := delta(b, bBefore)
	if !ok || !ok2 || da+db <= 0 {
		return 0, false
	}
	return float64(da) / float64(da+db), true
}

// ratio divides a size by another.
func ratio(part, whole int64) (float64, bool) {
	if part < 0 || !plausible(whole) {
		return 0, false
	}
	return float64(part) / float64(whole), true
}
