package main

import (
	"math"
	"strings"
	"testing"

	"github.com/lowalloc/lowalloc/statsdecode"
)

// demoReport is the report on the demo after change; each is handed both polls.
func demoReport(t *testing.T, change func(before, now *snapshot)) *report {
	t.Helper()
	before, now := demoPoll(false), demoPoll(true)
	change(before, now)
	c, err := parse(nil, func(string) string { return "" })
	if err != nil {
		t.Fatal(err)
	}
	w := &watch{limits: c.limits}
	w.keep(before)
	return w.compare(now, nil)
}

// each changes all nodes of both polls.
func each(change func(before, now *statsdecode.Node)) func(before, now *snapshot) {
	return func(before, now *snapshot) {
		for i := range now.nodes {
			change(before.nodes[i].Node, now.nodes[i].Node)
		}
	}
}

func TestVerdict(t *testing.T) {
	type node = statsdecode.Node
	throttle := func(periods, throttled uint64) func(_, now *node) {
		return func(before, now *node) {
			before.Present |= statsdecode.NodeSectionCgroup
			now.Present |= statsdecode.NodeSectionCgroup
			before.OS.Cgroup.CPU.Stat.NumberOfElapsedPeriods = 1000
			now.OS.Cgroup.CPU.Stat.NumberOfElapsedPeriods = 1000 + periods
			now.OS.Cgroup.CPU.Stat.NumberOfTimesThrottled = throttled
		}
	}
	for _, tt := range []struct {
		name   string
		change func(before, now *node)
		want   verdict
		reason string
	}{
		{"the demo as it is", func(_, now *node) {}, yes, "searches are slow: mean query time 62 ms"},
		{"no searches between the polls", func(_, now *node) { now.Indices.Search = statsdecode.Search{} }, cannotTell, "figures of es-1: 0 query phases between the polls, 30 are wanted"},
		{"29 searches", func(_, now *node) { now.Indices.Search.QueryTotal = 29 }, cannotTell, "29 query phases"},
		{"30 searches", func(_, now *node) { now.Indices.Search.QueryTotal = 30 }, yes, ""},
		{"searches at the limit", func(_, now *node) { now.Indices.Search.QueryTimeInMillis = 20_000 }, yes, ""},
		{"searches below it", func(_, now *node) { now.Indices.Search.QueryTimeInMillis = 19_999 }, no, "searches are fast"},
		{"search counter fell", func(before, _ *node) { before.Indices.Search.QueryTotal = 1000 }, cannotTell, "a search counter fell"},
		{"time counter fell", func(before, _ *node) { before.Indices.Search.QueryTimeInMillis = 100_000 }, cannotTell, "cannot tell whether searches are slow"},

		{"CPU -1 in the later poll", func(_, now *node) { now.OS.CPU.Percent = -1 }, cannotTell, "cannot tell whether processors are free: CPU -"},
		{"CPU -1 in the earlier poll", func(before, _ *node) { before.OS.CPU.Percent = -1 }, cannotTell, "cannot tell whether processors are free"},
		{"CPU absent", func(_, now *node) { now.Present &^= statsdecode.NodeSectionCPU }, cannotTell, "cannot tell whether processors are free"},
		{"CPU busy in one poll of two", func(_, now *node) { now.OS.CPU.Percent = 82 }, no, "processors are busy: CPU 50.0 %"},
		{"CPU of Elasticsearch 2", func(before, now *node) {
			before.OS = statsdecode.OS{CPUPercent: 90, Mem: before.OS.Mem}
			now.OS = statsdecode.OS{CPUPercent: 90, Mem: now.OS.Mem}
		}, no, "CPU 90.0 %"},
		{"quota without throttling", throttle(600, 29), yes, "throttled in 4.8 % of the periods"},
		{"throttled", throttle(600, 30), no, "throttled in 5.0 % of the periods"},
		{"periods fell", throttle(math.MaxUint64-10, 0), cannotTell, "throttled in - of the periods"},
		{"periods not sent before", func(before, now *node) {
			throttle(600, 600)(before, now)
			before.Present &^= statsdecode.NodeSectionCgroup
		}, yes, "processors are free: CPU 18.0 % (free below 50 %)\n"},
		{"a control group without quota", throttle(0, 0), yes, ""},

		{"heap full", func(_, now *node) { now.JVM.Mem.HeapUsedInBytes = now.JVM.Mem.HeapMaxInBytes * 85 / 100 }, no, "the heap is short: 85.0 % used"},
		{"heap max unknown", func(_, now *node) { now.JVM.Mem.HeapMaxInBytes = 0 }, cannotTell, "cannot tell whether the heap is healthy: - used"},
		{"heap max -1", func(_, now *node) { now.JVM.Mem.HeapMaxInBytes = -1 }, cannotTell, "cannot tell whether memory is small"},
		{"collecting", func(_, now *node) { now.JVM.GC.Collectors[1].CollectionTimeInMillis = 3000 }, no, "garbage collection 5.5 % of the time"},
		{"collecting beside the program", func(before, now *node) {
			before.JVM.GC.Collectors = append(before.JVM.GC.Collectors, statsdecode.Collector{Name: "G1 Concurrent GC"})
			now.JVM.GC.Collectors = append(now.JVM.GC.Collectors, statsdecode.Collector{Name: "G1 Concurrent GC", CollectionTimeInMillis: 50_000})
		}, yes, "garbage collection 0.5 % of the time"},

		{"memory for half of the store", func(_, now *node) { now.OS.Mem.TotalInBytes = 630 * gb }, no, "page cache for 50.0 % of the store"},
		{"memory limited by the control group", func(_, now *node) {
			now.OS.Mem.TotalInBytes = 630 * gb
			now.OS.Cgroup.Memory.LimitInBytes = 60 * gb
		}, yes, "page cache for 2.5 % of the store (small below 50 %), memory to storage 5.0 %"},
		{"a limit that means none", func(_, now *node) { now.OS.Cgroup.Memory.LimitInBytes = 9223372036854771712 }, yes, "memory to storage 5.0 %"},
		{"memory adjusted", func(_, now *node) {
			now.OS.Mem.TotalInBytes = 630 * gb
			now.OS.Mem.AdjustedTotalInBytes = 60 * gb
		}, yes, "memory to storage 5.0 %"},
		{"memory unknown", func(_, now *node) { now.OS.Mem.TotalInBytes = 0 }, cannotTell, "page cache for - of the store"},
		{"store empty", func(_, now *node) { now.Indices.Store.SizeInBytes = 0 }, cannotTell, "cannot tell whether memory is small"},
		{"heap larger than the memory", func(_, now *node) { now.OS.Mem.TotalInBytes = 20 * gb }, yes, "page cache for 0.0 % of the store"},

		{"io_stats absent", func(_, now *node) {
			now.Present &^= statsdecode.NodeSectionIOStats | statsdecode.NodeSectionIOTime
		}, cannotTell, "cannot tell whether searches read from disk: the server sends no disk figures"},
		{"io_stats absent, but another check fails", func(_, now *node) {
			now.Present &^= statsdecode.NodeSectionIOStats | statsdecode.NodeSectionIOTime
			now.Indices.Search.QueryTimeInMillis = 0
		}, no, "searches are fast"},
		{"a read counter fell", func(before, _ *node) { before.FS.IOStats.Total.ReadOperations = 500_000 }, cannotTell, "a disk counter fell"},
		{"io_time wrapped", func(before, _ *node) { before.FS.IOStats.Total.IOTimeInMillis = math.MaxUint32 }, cannotTell, "a disk counter fell"},
		{"io_time not sent", func(before, now *node) {
			before.Present &^= statsdecode.NodeSectionIOTime
			now.Present &^= statsdecode.NodeSectionIOTime
		}, yes, "1,000 reads per query (many from 10) at 6,667/s (from 50)"},
		{"few reads, idle disks", func(_, now *node) {
			now.FS.IOStats.Total = statsdecode.DiskIO{ReadOperations: 3999, ReadKilobytes: 16_000, IOTimeInMillis: 17_999}
		}, no, "searches read little from disk: 10 reads per query"},
		{"few reads, busy disks", func(_, now *node) {
			now.FS.IOStats.Total = statsdecode.DiskIO{ReadOperations: 3999, ReadKilobytes: 16_000, IOTimeInMillis: 18_000}
		}, yes, "disks busy 30.0 % of the time"},
		{"no reads at all", func(_, now *node) { now.FS.IOStats.Total = statsdecode.DiskIO{} }, no, "0 reads per query"},
		{"merges read half", func(_, now *node) { now.Indices.Merges.TotalSizeInBytes = 1_600_000 * 1024 / 2 }, cannotTell, "merges may have caused half of the reads or more"},
		{"merges read less", func(_, now *node) { now.Indices.Merges.TotalSizeInBytes = 1_600_000*1024/2 - 1 }, yes, ""},
		{"merge counter fell", func(before, _ *node) { before.Indices.Merges.TotalSizeInBytes = 1 }, cannotTell, "the count of merged bytes fell"},

		{"nodes restarted", func(_, now *node) { now.JVM.UptimeInMillis = 1000 }, cannotTell, "es-6: restarted since the last poll"},
		{"a clock that stands", func(before, now *node) { now.Timestamp = before.Timestamp }, cannotTell, "its clock did not advance"},
		{"no data nodes", func(_, now *node) { now.Roles, now.Indices.Store.SizeInBytes = []string{"ingest"}, 0 }, cannotTell, "there is no data node"},
		{"data nodes by another role", func(_, now *node) { now.Roles = []string{"data_hot"} }, yes, ""},
		{"data nodes without roles", func(_, now *node) { now.Roles = nil }, yes, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := demoReport(t, each(tt.change))
			if r.IOBound != tt.want {
				t.Errorf("verdict %v, want %v; reasons:\n%s", r.IOBound, tt.want, text(r.Reasons))
			}
			if all := text(r.Reasons); !strings.Contains(all, tt.reason) {
				t.Errorf("no %q in the reasons:\n%s", tt.reason, all)
			}
			if (len(r.Advice) > 0) != (tt.want == yes) {
				t.Errorf("advice %q with verdict %v", r.Advice, r.IOBound)
			}
		})
	}
}

// The nodes are weighed by their searches.
func TestVerdictOfTheCluster(t *testing.T) {
	fast := func(n *statsdecode.Node) { n.Indices.Search.QueryTimeInMillis = 0 }
	blind := func(n *statsdecode.Node) { n.OS.CPU.Percent = -1 }
	for _, tt := range []struct {
		name   string
		change func(before, now *snapshot)
		want   verdict
		line   string
	}{
		{"half of the searches on nodes that are not", func(_, now *snapshot) {
			fast(now.nodes[0].Node)
			fast(now.nodes[1].Node)
			fast(now.nodes[2].Node)
		}, yes, "no for es-1, es-2, es-3, with 50.0 % of the searches; figures of es-1:"},
		{"more than half", func(_, now *snapshot) {
			for _, n := range now.nodes[:4] {
				fast(n.Node)
			}
		}, no, "yes for es-5, es-6, with 33.3 % of the searches; figures of es-5:"},
		{"one node with most of the searches", func(_, now *snapshot) {
			fast(now.nodes[0].Node)
			now.nodes[0].Indices.Search.QueryTotal = 2001
		}, no, "no for es-1, with 50.0 % of the searches:"},
		{"neither", func(_, now *snapshot) {
			fast(now.nodes[0].Node)
			fast(now.nodes[1].Node)
			blind(now.nodes[2].Node)
			blind(now.nodes[3].Node)
		}, cannotTell, "cannot tell for es-3, es-4, with 33.3 % of the searches; figures of es-3:"},
		{"one node restarted", func(_, now *snapshot) { now.nodes[0].JVM.UptimeInMillis = 5 }, yes, "cannot tell for es-1: restarted since the last poll"},
		{"one node joined", func(before, _ *snapshot) { before.nodes = before.nodes[1:] }, yes, "cannot tell for es-1: joined since the last poll"},
		{"one node left", func(_, now *snapshot) { now.nodes = now.nodes[1:] }, yes, "left since the last poll: es-1"},
		{"a single node", func(before, now *snapshot) {
			before.nodes, now.nodes = before.nodes[:1], now.nodes[:1]
		}, yes, "yes for es-1, with 100 % of the searches:"},
		{"a node that only coordinates", func(_, now *snapshot) {
			now.nodes[0].Roles = []string{"ingest"}
			now.nodes[0].Indices = statsdecode.CommonStats{}
		}, yes, "yes for es-2, es-3, es-4, es-5, es-6, with 100 % of the searches; figures of es-2:"},
		{"the nodes' answer not complete", func(_, now *snapshot) { now.nodesComplete = false }, cannotTell, "a comparison wants two complete answers about the nodes"},
		{"the one before not complete", func(before, _ *snapshot) { before.nodesComplete = false }, cannotTell, "a comparison wants two complete answers about the nodes"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := demoReport(t, tt.change)
			if r.IOBound != tt.want {
				t.Errorf("verdict %v, want %v; reasons:\n%s", r.IOBound, tt.want, text(r.Reasons))
			}
			wantLines(t, text(r.Reasons), tt.line)
		})
	}
}

// Nodes that share a host each report all of its memory and its disks.
func TestNodesOnOneHost(t *testing.T) {
	share := func(jvms bool) func(before, now *snapshot) {
		return func(before, now *snapshot) {
			for _, s := range []*snapshot{before, now} {
				for i, n := range s.nodes {
					n.Host = "10.0.0.1"
					n.FS.IOStats.Devices = []statsdecode.Device{{DeviceName: "vda"}}
					n.Indices.Store.SizeInBytes = 200 * gb
					if !jvms {
						n.JVM.UptimeInMillis += int64(i) // as two readings of the clock may differ
						continue
					}
					n.JVM.UptimeInMillis += int64(1000 * i)
					n.JVM.Mem.HeapMaxInBytes, n.JVM.Mem.HeapUsedInBytes = 5*gb, 2*gb
				}
			}
		}
	}
	for _, tt := range []struct {
		name   string
		change func(before, now *snapshot)
		cache  float64
		reads  float64
	}{
		{"six JVMs of 5 GB", share(true), 2.5, 1000.0 / 6},
		{"one JVM of 30 GB", share(false), 2.5, 1000.0 / 6},
		{"one JVM, disks of their own", func(before, now *snapshot) {
			share(false)(before, now)
			for i := range now.nodes {
				now.nodes[i].FS.IOStats.Devices[0].DeviceName = now.nodes[i].Name
			}
		}, 2.5, 1000},
		{"control groups of their own", func(before, now *snapshot) {
			share(true)(before, now)
			for _, n := range now.nodes {
				n.OS.Cgroup.Memory = statsdecode.CgroupMemory{ControlGroup: n.Name, LimitInBytes: 10 * gb}
			}
		}, 2.5, 1000.0 / 6},
		{"memory set aside for each", func(before, now *snapshot) {
			share(true)(before, now)
			for _, n := range now.nodes {
				n.OS.Mem.AdjustedTotalInBytes = 10 * gb
			}
		}, 2.5, 1000.0 / 6},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := demoReport(t, tt.change)
			for _, n := range r.Nodes {
				if math.Abs(n.MemoryToStorage.value-5) > 1e-9 || math.Abs(n.PageCache.value-tt.cache) > 1e-9 || math.Abs(n.ReadsPerQuery.value-tt.reads) > 1e-9 {
					t.Errorf("%s: memory to storage %v, page cache %v, reads per query %v, want 5, %v, %v",
						n.Name, n.MemoryToStorage, n.PageCache, n.ReadsPerQuery, tt.cache, tt.reads)
				}
			}
			if r.IOBound != yes {
				t.Errorf("verdict %v, want yes", r.IOBound)
			}
		})
	}
	for name, change := range map[string]func(*node){
		"one of them with a flaw":     func(n *node) { n.flawed = true },
		"one of them without a store": func(n *node) { n.Indices.Present &^= statsdecode.SectionStore },
	} {
		t.Run(name, func(t *testing.T) {
			r := demoReport(t, func(before, now *snapshot) {
				share(false)(before, now)
				change(&now.nodes[0])
			})
			if n := r.Nodes[1]; n.MemoryToStorage.known || n.PageCache.known {
				t.Errorf("memory to storage %v, page cache %v of another, want them unknown", n.MemoryToStorage, n.PageCache)
			}
		})
	}
	t.Run("one of them joined", func(t *testing.T) {
		r := demoReport(t, func(before, now *snapshot) {
			share(false)(before, now)
			before.nodes = before.nodes[1:]
		})
		if r.IOBound != cannotTell || !strings.Contains(text(r.Reasons), "another node on the same disks cannot be compared") {
			t.Errorf("verdict %v, %q, want that it cannot tell whose reads they are", r.IOBound, r.Reasons)
		}
	})
}

func TestAnd(t *testing.T) {
	for _, tt := range []struct {
		all  []verdict
		want verdict
	}{
		{[]verdict{yes, yes}, yes},
		{[]verdict{yes, cannotTell}, cannotTell},
		{[]verdict{cannotTell, no}, no},
		{[]verdict{no, cannotTell, yes}, no},
	} {
		if got := and(tt.all...); got != tt.want {
			t.Errorf("and(%v) = %v, want %v", tt.all, got, tt.want)
		}
	}
}
