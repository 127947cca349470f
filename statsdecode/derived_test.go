package statsdecode_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/lowalloc/lowalloc/statsdecode"
)

const (
	minInt = math.MinInt64
	maxInt = math.MaxInt64
)

// counter is a pair of polls of one counter, and its growth. Every derived
// figure that subtracts goes through all of them.
var counters = []struct {
	name      string
	prev, now int64
	growth    int64
	ok        bool
}{
	{"at rest at zero", 0, 0, 0, true},
	{"at rest", 7, 7, 0, true},
	{"by one", 7, 8, 1, true},
	{"from zero", 0, 3000, 3000, true},
	{"to the largest", maxInt - 1, maxInt, 1, true},
	{"all the way", 0, maxInt, maxInt, true},
	{"fell by one", 8, 7, 0, false},
	{"fell to zero", maxInt, 0, 0, false},
	{"fell below zero", 0, -1, 0, false},
	{"from below zero", -1, 5, 0, false},
	{"at rest below zero", -1, -1, 0, false},
	{"smallest to largest", minInt, maxInt, 0, false},
	{"largest to smallest", maxInt, minInt, 0, false},
	{"at rest at the smallest", minInt, minInt, 0, false},
}

func TestRates(t *testing.T) {
	type rate func(prev, now int64, dt time.Duration) (float64, bool)
	for name, f := range map[string]struct {
		rate rate
		unit float64 // of the counter, in those of the figure
	}{
		"Search.QueryRate": {unit: 1, rate: func(prev, now int64, dt time.Duration) (float64, bool) {
			return statsdecode.Search{QueryTotal: now}.QueryRate(statsdecode.Search{QueryTotal: prev}, dt)
		}},
		"Indexing.IndexRate": {unit: 1, rate: func(prev, now int64, dt time.Duration) (float64, bool) {
			return statsdecode.Indexing{IndexTotal: now}.IndexRate(statsdecode.Indexing{IndexTotal: prev}, dt)
		}},
		"DiskIO.ReadRate": {unit: 1, rate: func(prev, now int64, dt time.Duration) (float64, bool) {
			return statsdecode.DiskIO{ReadOperations: now}.ReadRate(statsdecode.DiskIO{ReadOperations: prev}, dt)
		}},
		"DiskIO.Busy": {unit: 1e-3, rate: func(prev, now int64, dt time.Duration) (float64, bool) {
			return statsdecode.DiskIO{IOTimeInMillis: now}.Busy(statsdecode.DiskIO{IOTimeInMillis: prev}, dt)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			for _, c := range counters {
				for _, dt := range []time.Duration{1, time.Millisecond, time.Second, 30 * time.Second, maxInt} {
					got, ok := f.rate(c.prev, c.now, dt)
					want := float64(c.growth) / dt.Seconds() * f.unit
					if !near(got, want) || ok != c.ok {
						t.Errorf("%s: %d to %d in %v: %v, %t; want %v, %t", c.name, c.prev, c.now, dt, got, ok, want, c.ok)
					}
				}
				for _, dt := range []time.Duration{0, -1, -time.Second, minInt} {
					if got, ok := f.rate(c.prev, c.now, dt); got != 0 || ok {
						t.Errorf("%s: %d to %d in %v: %v, %t; want 0, false", c.name, c.prev, c.now, dt, got, ok)
					}
				}
			}
		})
	}
}

func TestMeanTimes(t *testing.T) {
	type mean func(prevMillis, millis, prevCount, count int64) (time.Duration, bool)
	for name, mean := range map[string]mean{
		"Search.MeanQueryTime": func(prevMillis, millis, prevCount, count int64) (time.Duration, bool) {
			prev := statsdecode.Search{QueryTotal: prevCount, QueryTimeInMillis: prevMillis}
			return statsdecode.Search{QueryTotal: count, QueryTimeInMillis: millis}.MeanQueryTime(prev)
		},
		"Search.MeanFetchTime": func(prevMillis, millis, prevCount, count int64) (time.Duration, bool) {
			prev := statsdecode.Search{FetchTotal: prevCount, FetchTimeInMillis: prevMillis}
			return statsdecode.Search{FetchTotal: count, FetchTimeInMillis: millis}.MeanFetchTime(prev)
		},
		"Indexing.MeanIndexTime": func(prevMillis, millis, prevCount, count int64) (time.Duration, bool) {
			prev := statsdecode.Indexing{IndexTotal: prevCount, IndexTimeInMillis: prevMillis}
			return statsdecode.Indexing{IndexTotal: count, IndexTimeInMillis: millis}.MeanIndexTime(prev)
		},
	} {
		t.Run(name, func(t *testing.T) {
			for _, c := range []struct {
				name                                 string
				prevMillis, millis, prevCount, count int64
				want                                 time.Duration
				ok                                   bool
			}{
				{"two operations in 3 ms", 100, 103, 10, 12, 1500 * time.Microsecond, true},
				{"a third of a millisecond", 0, 1, 0, 3, 333333, true},
				{"faster than the clock", 100, 100, 10, 12, 0, true},
				{"no operation", 100, 100, 10, 10, 0, false},
				{"time of operations not yet done", 100, 200, 10, 10, 0, false},
				{"the count fell", 100, 200, 10, 9, 0, false},
				{"the time fell", 100, 99, 10, 12, 0, false},
				{"both fell", 100, 5, 10, 1, 0, false},
				{"a count below zero", 100, 200, -1, 12, 0, false},
				{"a time below zero", -1, 200, 10, 12, 0, false},
				{"longest", 0, maxInt / int64(time.Millisecond), 0, 1, maxInt / time.Millisecond * time.Millisecond, true},
				{"longer than a Duration", 0, maxInt/int64(time.Millisecond) + 1, 0, 1, 0, false},
				{"far longer than a Duration", 0, maxInt, 0, 1, 0, false},
				{"most operations", 0, maxInt / int64(time.Millisecond), 0, maxInt, 0, true},
				{"smallest to largest", minInt, maxInt, minInt, maxInt, 0, false},
				{"largest to smallest", maxInt, minInt, maxInt, minInt, 0, false},
			} {
				got, ok := mean(c.prevMillis, c.millis, c.prevCount, c.count)
				if !near(float64(got), float64(c.want)) || ok != c.ok {
					t.Errorf("%s: %v, %t; want %v, %t", c.name, got, ok, c.want, c.ok)
				}
			}
		})
	}
}

// The part that one counter has of the growth of two.
func TestShares(t *testing.T) {
	type share func(prevA, a, prevB, b int64) (float64, bool)
	for name, share := range map[string]share{
		"QueryCache.HitRatio": func(prevA, a, prevB, b int64) (float64, bool) {
			prev := statsdecode.QueryCache{HitCount: prevA, MissCount: prevB}
			return statsdecode.QueryCache{HitCount: a, MissCount: b}.HitRatio(prev)
		},
		"RequestCache.HitRatio": func(prevA, a, prevB, b int64) (float64, bool) {
			prev := statsdecode.RequestCache{HitCount: prevA, MissCount: prevB}
			return statsdecode.RequestCache{HitCount: a, MissCount: b}.HitRatio(prev)
		},
		"ThreadPool.RejectionRatio": func(prevA, a, prevB, b int64) (float64, bool) {
			prev := statsdecode.ThreadPool{Rejected: prevA, Completed: prevB}
			return statsdecode.ThreadPool{Rejected: a, Completed: b}.RejectionRatio(prev)
		},
	} {
		t.Run(name, func(t *testing.T) {
			for _, c := range []struct {
				name               string
				prevA, a, prevB, b int64
				want               float64
				ok                 bool
			}{
				{"one of four", 10, 11, 20, 23, 0.25, true},
				{"all", 10, 11, 20, 20, 1, true},
				{"none", 10, 10, 20, 23, 0, true},
				{"nothing happened", 10, 10, 20, 20, 0, false},
				{"absent", 0, 0, 0, 0, 0, false},
				{"the first fell", 10, 9, 20, 23, 0, false},
				{"the second fell", 10, 11, 20, 19, 0, false},
				{"not measured", -1, -1, -1, -1, 0, false},
				{"largest", 0, maxInt, 0, 0, 1, true},
				{"sum too large", 0, maxInt, 0, 1, 0, false},
				{"sum far too large", 0, maxInt, 0, maxInt, 0, false},
				{"smallest to largest", minInt, maxInt, minInt, maxInt, 0, false},
				{"largest to smallest", maxInt, minInt, maxInt, minInt, 0, false},
			} {
				if got, ok := share(c.prevA, c.a, c.prevB, c.b); got != c.want || ok != c.ok {
					t.Errorf("%s: %v, %t; want %v, %t", c.name, got, ok, c.want, c.ok)
				}
			}
		})
	}
}

func TestRejected(t *testing.T) {
	pools := func(names string, rejected ...int64) (s statsdecode.ThreadPools) {
		for i, name := range strings.Split(names, ",") {
			s = append(s, statsdecode.ThreadPool{Name: name, Rejected: rejected[i]})
		}
		return s
	}
	for _, c := range []struct {
		name      string
		prev, now statsdecode.ThreadPools
		want      int64
		ok        bool
	}{
		{"none refused", pools("search,write", 3, 4), pools("search,write", 3, 4), 0, true},
		{"sum over pools", pools("search,write", 3, 4), pools("search,write", 5, 14), 12, true},
		{"in another order", pools("search,write", 3, 4), pools("write,search", 14, 5), 12, true},
		{"a pool made since", pools("search", 3), pools("search,analyze", 4, 7), 8, true},
		{"a pool gone", pools("search,bulk", 3, 4), pools("search,write", 3, 4), 0, false},
		{"the counter of one fell", pools("search,write", 3, 4), pools("search,write", 2, 14), 0, false},
		{"not measured before", pools("search", -1), pools("search", 2), 0, false},
		{"not measured any more", pools("search", 1), pools("search", -1), 0, false},
		{"a new pool not measured", pools("search", 3), pools("search,analyze", 4, -1), 0, false},
		{"absent before: since start is not since prev", nil, pools("search", 4), 0, false},
		{"absent now", pools("search", 4), nil, 0, false},
		{"absent in both", nil, nil, 0, false},
		{"largest", pools("search", 0), pools("search", maxInt), maxInt, true},
		{"sum too large", pools("search,write", 0, 0), pools("search,write", maxInt, 1), 0, false},
		{"sum far too large", pools("search", 0), pools("search,analyze", maxInt, maxInt), 0, false},
		{"smallest to largest", pools("search", minInt), pools("search", maxInt), 0, false},
	} {
		if got, ok := c.now.Rejected(c.prev); got != c.want || ok != c.ok {
			t.Errorf("%s: Rejected = %d, %t; want %d, %t", c.name, got, ok, c.want, c.ok)
		}
	}
}

func TestHeapUse(t *testing.T) {
	for _, c := range []struct {
		used, limit int64
		want        float64
		ok          bool
	}{
		{used: 256, limit: 1024, want: 0.25, ok: true},
		{used: 0, limit: 1024, want: 0, ok: true},
		{used: 1024, limit: 1024, want: 1, ok: true},
		{used: 256, limit: 0},
		{used: 256, limit: -1}, // the virtual machine has no limit
		{used: -1, limit: 1024},
		{used: 0, limit: 0},
		{used: 1, limit: maxInt},
		{used: 1, limit: 1 << 62},
		{used: 1, limit: 1<<62 - 1, want: 1.0 / (1<<62 - 1), ok: true},
		{used: minInt, limit: minInt},
	} {
		m := statsdecode.JVMMem{HeapUsedInBytes: c.used, HeapMaxInBytes: c.limit}
		if got, ok := m.HeapUse(); got != c.want || ok != c.ok {
			t.Errorf("%d of %d: HeapUse = %v, %t; want %v, %t", c.used, c.limit, got, ok, c.want, c.ok)
		}
	}
}

func TestGCOverhead(t *testing.T) {
	jvm := func(uptime int64, names string, millis ...int64) (j statsdecode.JVM) {
		j.UptimeInMillis = uptime
		for i, m := range millis {
			c := statsdecode.Collector{Name: strings.Split(names, ",")[i], CollectionTimeInMillis: m}
			j.GC.Collectors = append(j.GC.Collectors, c)
		}
		return j
	}
	for _, c := range []struct {
		name      string
		prev, now statsdecode.JVM
		want      float64
		ok        bool
	}{
		{"sum over collectors", jvm(1000, "young,old", 10, 20), jvm(2000, "young,old", 110, 170), 0.25, true},
		{"none", jvm(1000, "young,old", 10, 20), jvm(2000, "young,old", 10, 20), 0, true},
		{"concurrent time of G1",
			jvm(1000, "young,old,G1 Concurrent GC", 10, 20, 30),
			jvm(2000, "young,old,G1 Concurrent GC", 110, 20, 930), 0.1, true},
		{"a concurrent counter that fell", jvm(1000, "young,G1 Concurrent GC", 10, 30), jvm(2000, "young,G1 Concurrent GC", 110, 3), 0.1, true},
		{"cycles of ZGC", jvm(1000, "ZGC Cycles,ZGC Pauses", 10, 20), jvm(2000, "ZGC Cycles,ZGC Pauses", 910, 30), 0.01, true},
		{"cycles of generational ZGC",
			jvm(1000, "ZGC Minor Cycles,ZGC Minor Pauses,ZGC Major Cycles,ZGC Major Pauses", 0, 0, 0, 0),
			jvm(2000, "ZGC Minor Cycles,ZGC Minor Pauses,ZGC Major Cycles,ZGC Major Pauses", 600, 10, 900, 20), 0.03, true},
		{"cycles of Shenandoah", jvm(1000, "Shenandoah Cycles,Shenandoah Pauses", 0, 0), jvm(2000, "Shenandoah Cycles,Shenandoah Pauses", 800, 50), 0.05, true},
		{"stood still all the time", jvm(1000, "old", 0), jvm(2000, "old", 1000), 1, true},
		{"more than all the time", jvm(1000, "young,old", 0, 0), jvm(2000, "young,old", 600, 600), 1, true},
		{"a collector's counter fell", jvm(1000, "young,old", 10, 20), jvm(2000, "young,old", 9, 170), 0, false},
		{"unknown before", jvm(1000, "young", -1), jvm(2000, "young", 9), 0, false},
		{"another collector than before", jvm(1000, "young,old", 10, 20), jvm(2000, "ZGC Pauses", 30), 0, false},
		{"restarted", jvm(2000, "young", 10), jvm(1000, "young", 20), 0, false},
		{"no time passed", jvm(1000, "young", 10), jvm(1000, "young", 20), 0, false},
		{"uptime below zero", jvm(-1, "young", 10), jvm(1000, "young", 20), 0, false},
		{"absent now", jvm(1000, "young", 10), jvm(2000, ""), 0, false},
		{"absent in both", jvm(1000, ""), jvm(2000, ""), 0, false},
		{"largest", jvm(0, "young,old", 0, 0), jvm(maxInt, "young,old", maxInt, maxInt), 1, true},
		{"smallest to largest", jvm(minInt, "young", minInt), jvm(maxInt, "young", maxInt), 0, false},
	} {
		if got, ok := c.now.GCOverhead(c.prev); !near(got, c.want) || ok != c.ok {
			t.Errorf("%s: GCOverhead = %v, %t; want %v, %t", c.name, got, ok, c.want, c.ok)
		}
	}
}

func TestThrottledRatio(t *testing.T) {
	stat := func(periods, throttled uint64) statsdecode.CgroupCPUStat {
		return statsdecode.CgroupCPUStat{NumberOfElapsedPeriods: periods, NumberOfTimesThrottled: throttled}
	}
	for _, c := range []struct {
		name      string
		prev, now statsdecode.CgroupCPUStat
		want      float64
		ok        bool
	}{
		{"one of four", stat(100, 10), stat(104, 11), 0.25, true},
		{"never", stat(100, 10), stat(104, 10), 0, true},
		{"always", stat(100, 10), stat(104, 14), 1, true},
		{"no quota", stat(0, 0), stat(0, 0), 0, false},
		{"no period since", stat(100, 10), stat(100, 10), 0, false},
		{"periods fell", stat(100, 10), stat(99, 11), 0, false},
		{"throttled fell", stat(100, 10), stat(104, 9), 0, false},
		{"more often than there were periods", stat(100, 10), stat(104, 15), 0, false},
		{"largest", stat(0, 0), stat(math.MaxUint64, math.MaxUint64), 1, true},
		{"-1 as unsigned", stat(math.MaxUint64, math.MaxUint64), stat(4, 1), 0, false},
	} {
		if got, ok := c.now.ThrottledRatio(c.prev); got != c.want || ok != c.ok {
			t.Errorf("%s: ThrottledRatio = %v, %t; want %v, %t", c.name, got, ok, c.want, c.ok)
		}
	}
}

func TestReads(t *testing.T) {
	for _, ops := range counters {
		for _, kb := range counters {
			prev := statsdecode.DiskIO{ReadOperations: ops.prev, ReadKilobytes: kb.prev}
			now := statsdecode.DiskIO{ReadOperations: ops.now, ReadKilobytes: kb.now}
			wantOK := ops.ok && kb.ok && kb.growth <= maxInt/1024
			var wantOps, wantBytes int64
			if wantOK {
				wantOps, wantBytes = ops.growth, kb.growth*1024
			}
			if n, bytes, ok := now.Reads(prev); n != wantOps || bytes != wantBytes || ok != wantOK {
				t.Errorf("operations %s, kilobytes %s: Reads = %d, %d, %t; want %d, %d, %t",
					ops.name, kb.name, n, bytes, ok, wantOps, wantBytes, wantOK)
			}
		}
	}
	for kb, want := range map[int64]int64{maxInt / 1024: maxInt / 1024 * 1024, maxInt/1024 + 1: 0} {
		_, bytes, ok := statsdecode.DiskIO{ReadKilobytes: kb}.Reads(statsdecode.DiskIO{})
		if bytes != want || ok != (want != 0) {
			t.Errorf("%d kilobytes: Reads = %d bytes, %t; want %d", kb, bytes, ok, want)
		}
	}
}

// A machine with several disks may be busy for more than the time that passed.
func TestBusyOfSeveralDevices(t *testing.T) {
	prev, now := statsdecode.DiskIO{IOTimeInMillis: 1000}, statsdecode.DiskIO{IOTimeInMillis: 3500}
	if got, ok := now.Busy(prev, time.Second); got != 2.5 || !ok {
		t.Errorf("Busy = %v, %t; want 2.5, true", got, ok)
	}
}

const gib = 1 << 30

func TestMemory(t *testing.T) {
	for _, c := range []struct {
		name                   string
		total, adjusted, limit int64
		want                   int64
		ok                     bool
	}{
		{"of the host", 64 * gib, 0, 0, 64 * gib, true},
		{"as the node was told", 64 * gib, 8 * gib, 0, 8 * gib, true},
		{"told more than there is", 64 * gib, 128 * gib, 0, 64 * gib, true},
		{"limited by the control group", 64 * gib, 64 * gib, 4 * gib, 4 * gib, true},
		{"the lower of the two", 64 * gib, 2 * gib, 4 * gib, 2 * gib, true},
		{"a limit above the host's", 64 * gib, 64 * gib, 128 * gib, 64 * gib, true},
		{"no limit, cgroup v1", 64 * gib, 64 * gib, 9223372036854771712, 64 * gib, true},
		{"no limit, cgroup v2", 64 * gib, 64 * gib, maxInt, 64 * gib, true},
		{"a limit below zero", 64 * gib, 64 * gib, -1, 64 * gib, true},
		{"an adjusted size below zero", 64 * gib, -1, 0, 64 * gib, true},
		{"absent", 0, 0, 0, 0, false},
		{"below zero", -1, 0, 0, -1, false},
		{"too large to be meant", maxInt, 0, 0, maxInt, false},
		{"smallest", minInt, minInt, minInt, minInt, false},
	} {
		o := statsdecode.OS{Mem: statsdecode.OSMem{TotalInBytes: c.total, AdjustedTotalInBytes: c.adjusted}}
		o.Cgroup.Memory.LimitInBytes = statsdecode.CgroupBytes(c.limit)
		if got, ok := o.Memory(); ok != c.ok || ok && got != c.want {
			t.Errorf("%s: Memory = %d, %t; want %d, %t", c.name, got, ok, c.want, c.ok)
		}
	}
}

func TestMemoryToStorageAndPageCacheShare(t *testing.T) {
	for _, c := range []struct {
		name                string
		memory, heap, store int64
		ratio               float64
		ratioOK             bool
		share               float64
		shareOK             bool
	}{
		{"five percent", 64 * gib, 32 * gib, 1280 * gib, 0.05, true, 0.025, true},
		{"all of the store fits", 64 * gib, 16 * gib, 24 * gib, 64.0 / 24, true, 2, true},
		{"the heap takes all", 64 * gib, 64 * gib, 128 * gib, 0.5, true, 0, true},
		{"a heap beyond the limit", 4 * gib, 31 * gib, 8 * gib, 0.5, true, 0, true},
		{"no heap known", 64 * gib, 0, 128 * gib, 0.5, true, 0, false},
		{"heap without a limit", 64 * gib, -1, 128 * gib, 0.5, true, 0, false},
		{"heap too large to be meant", 64 * gib, maxInt, 128 * gib, 0.5, true, 0, false},
		{"nothing stored", 64 * gib, 32 * gib, 0, 0, false, 0, false},
		{"store below zero", 64 * gib, 32 * gib, -1, 0, false, 0, false},
		{"store too large to be meant", 64 * gib, 32 * gib, maxInt, 0, false, 0, false},
		{"no memory known", 0, 32 * gib, 128 * gib, 0, false, 0, false},
		{"memory below zero", minInt, 32 * gib, 128 * gib, 0, false, 0, false},
		{"memory too large to be meant", maxInt, 32 * gib, 128 * gib, 0, false, 0, false},
	} {
		var n statsdecode.Node
		n.OS.Mem.TotalInBytes, n.JVM.Mem.HeapMaxInBytes, n.Indices.Store.SizeInBytes = c.memory, c.heap, c.store
		if got, ok := n.MemoryToStorage(); got != c.ratio || ok != c.ratioOK {
			t.Errorf("%s: MemoryToStorage = %v, %t; want %v, %t", c.name, got, ok, c.ratio, c.ratioOK)
		}
		if got, ok := n.PageCacheShare(); got != c.share || ok != c.shareOK {
			t.Errorf("%s: PageCacheShare = %v, %t; want %v, %t", c.name, got, ok, c.share, c.shareOK)
		}
	}
}

func TestIndexContinues(t *testing.T) {
	index := func(name, uuid string) *statsdecode.Index { return &statsdecode.Index{Name: name, UUID: uuid} }
	for _, c := range []struct {
		name      string
		prev, now *statsdecode.Index
		want      bool
	}{
		{"the same", index("logs", "a"), index("logs", "a"), true},
		{"made anew", index("logs", "a"), index("logs", "b"), false},
		{"before Elasticsearch 7", index("logs", ""), index("logs", ""), false},
		{"across an upgrade", index("logs", ""), index("logs", "a"), false},
		{"no earlier poll", nil, index("logs", "a"), false},
	} {
		if got := c.now.Continues(c.prev); got != c.want {
			t.Errorf("%s: Continues = %t, want %t", c.name, got, c.want)
		}
	}
}

func TestNodeContinues(t *testing.T) {
	node := func(id string, uptime int64) *statsdecode.Node {
		n := &statsdecode.Node{ID: id}
		n.JVM.UptimeInMillis = uptime
		return n
	}
	for _, c := range []struct {
		name      string
		prev, now *statsdecode.Node
		want      bool
	}{
		{"the same run", node("a", 1000), node("a", 2000), true},
		{"the same poll", node("a", 1000), node("a", 1000), true},
		{"restarted", node("a", 1000), node("a", 999), false},
		{"another node", node("a", 1000), node("b", 2000), false},
		{"no id", node("", 1000), node("", 2000), false},
		{"no earlier poll", nil, node("a", 2000), false},
	} {
		if got := c.now.Continues(c.prev); got != c.want {
			t.Errorf("%s: Continues = %t, want %t", c.name, got, c.want)
		}
	}
}

// near reports whether two figures differ by rounding alone.
func near(a, b float64) bool {
	return math.Abs(a-b) <= 1e-12*max(math.Abs(a), math.Abs(b))
}
