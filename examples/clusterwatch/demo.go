package main

import (
	"fmt"
	"time"

	"github.com/lowalloc/lowalloc/statsdecode"
)

const (
	demoSource = "synthetic: iobound"
	demoIntro  = `Two synthetic polls, one minute apart, of a made-up six-node cluster, modelled on an article about
best_compression. From the article, per node: 60 GB of memory, which is 5 % of its data, 1.76 TB of
disk, 400 searches a minute that take 62 ms each, and 400,000 page faults a minute, shown here as disk
reads, since the API reports no page faults; and 500 million documents in all. Assumed, per node: a
heap of 30 GB, 55 % used, CPU 18 %, garbage collection 0.5 % of the time, disks 55 % busy and 4 kB a
read. The indices and their figures are assumed, too.`
)

const (
	demoNodes = 6
	gb        = 1_000_000_000
	minute    = 60_000 // milliseconds
)

// demoPoll makes the first or the second poll.
func demoPoll(second bool) *snapshot {
	at := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	if second {
		at = at.Add(time.Minute)
	}
	s := &snapshot{
		at: at, counted: at, nodesComplete: true, indicesComplete: true,
		health: statsdecode.ClusterHealth{
			ClusterName: "demo", Status: "green", NumberOfNodes: demoNodes, NumberOfDataNodes: demoNodes, ActiveShards: 48,
		},
	}
	for i := range demoNodes {
		s.nodes = append(s.nodes, node{Node: demoNode(i+1, at, second)})
	}
	for _, ix := range []struct {
		name, codec     string
		docs, store     float64
		queries, millis int64
	}{
		{"articles-2025", "", 210e6, 3000 * gb, 1200, 78_000},
		{"articles-2024", "default", 170e6, 2400 * gb, 800, 50_400},
		{".ds-events-app-2026.01.01-000007", "", 90e6, 1500 * gb, 300, 16_500},
		{"archive-2023", "best_compression", 29e6, 290 * gb, 100, 3_900},
		{"dictionary", "", 1e6, 10 * gb, 0, 0},
	} {
		kept := index{
			name: ix.name, uuid: ix.name, docs: known(ix.docs), store: known(ix.store),
			listed: true, counted: true, settings: true, codec: ix.codec,
		}
		if second {
			kept.search = statsdecode.Search{QueryTotal: ix.queries, QueryTimeInMillis: ix.millis}
		}
		s.indices = append(s.indices, kept)
	}
	return s
}

func demoNode(number int, at time.Time, second bool) *statsdecode.Node {
	name := fmt.Sprintf("es-%d", number)
	uptime := int64(24 * 60 * minute)
	n := &statsdecode.Node{
		ID: name, Name: name, Host: name, Roles: []string{"data"}, Timestamp: at.UnixMilli(),
		OS: statsdecode.OS{
			CPU: statsdecode.OSCPU{Percent: 18},
			Mem: statsdecode.OSMem{TotalInBytes: 60 * gb},
		},
		JVM: statsdecode.JVM{
			Timestamp:      at.UnixMilli(),
			UptimeInMillis: uptime,
			Mem:            statsdecode.JVMMem{HeapUsedInBytes: 30 * gb * 55 / 100, HeapMaxInBytes: 30 * gb},
			GC:             statsdecode.GC{Collectors: statsdecode.Collectors{{Name: "young"}, {Name: "old"}}},
		},
		ThreadPool: statsdecode.ThreadPools{{Name: "search"}},
		FS:         statsdecode.FS{Total: statsdecode.FSTotal{TotalInBytes: 1760 * gb}},
		Indices: statsdecode.CommonStats{
			Store:   statsdecode.Store{SizeInBytes: 1200 * gb},
			Present: statsdecode.SectionStore | statsdecode.SectionSearch | statsdecode.SectionMerges,
		},
		Present: nodeSections | statsdecode.NodeSectionCPU |
			statsdecode.NodeSectionIOStats | statsdecode.NodeSectionIOTime,
	}
	if second {
		n.JVM.UptimeInMillis += minute
		n.JVM.GC.Collectors[0].CollectionTimeInMillis = minute * 5 / 1000
		n.Indices.Search = statsdecode.Search{QueryTotal: 400, QueryTimeInMillis: 24_800}
		n.FS.IOStats.Total = statsdecode.DiskIO{
			Operations: 400_000, ReadOperations: 400_000, ReadKilobytes: 1_600_000, IOTimeInMillis: minute * 55 / 100,
		}
	}
	return n
}
