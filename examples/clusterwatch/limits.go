package main

import (
	"flag"
	"time"
)

// The limits of the diagnosis, and why they are where they are. Each is the
// default of a flag.
const (
	// With fewer query phases in an interval, one slow search makes the mean.
	minQueries = 30

	// A query phase that finds its data in memory takes a few milliseconds;
	// from 50 ms on people notice, once several shards and the fetch add up.
	slowQuery = 50 * time.Millisecond

	// Above half, processors may be what searches wait for. A quota that holds
	// the node back does it at any load, since os.cpu is the host's.
	maxCPU       = 50.0
	maxThrottled = 5.0

	// A heap that is fuller at the moment of the poll leaves collections little
	// to work with, and pauses of a twentieth of the time show in every search.
	maxHeap = 85.0
	maxGC   = 5.0

	// Of the data that searches touch, the hot part is commonly less than half:
	// a page cache for more than that is not the shortage.
	maxPageCache = 50.0

	// Reads that only background work causes stay below both, a search that
	// misses the cache needs tens of them. A disk that is busy for a third of
	// the time has queues, however few and large its reads are.
	minReadsPerQuery = 10.0
	minReadRate      = 50.0
	minBusy          = 30.0
)

// limits are the limits in force.
type limits struct {
	queries       int
	query         time.Duration
	cpu           float64 // percent
	throttled     float64 // percent
	heap          float64 // percent
	gc            float64 // percent
	pageCache     float64 // percent
	readsPerQuery float64
	readRate      float64 // per second
	busy          float64 // percent
}

func (l *limits) flags(f *flag.FlagSet) {
	f.IntVar(&l.queries, "min-queries", minQueries, "judge a node from this `number` of query phases on")
	f.DurationVar(&l.query, "slow-query", slowQuery, "mean query time that is slow")
	f.Float64Var(&l.cpu, "max-cpu", maxCPU, "`percent` of CPU from which on processors may be the cause")
	f.Float64Var(&l.throttled, "max-throttled", maxThrottled, "`percent` of quota periods throttled from which on the quota may be the cause")
	f.Float64Var(&l.heap, "max-heap", maxHeap, "`percent` of the heap used from which on memory pressure may be the cause")
	f.Float64Var(&l.gc, "max-gc", maxGC, "`percent` of time in garbage collection from which on it may be the cause")
	f.Float64Var(&l.pageCache, "max-page-cache", maxPageCache, "`percent` of the store the page cache holds from which on it is large enough")
	f.Float64Var(&l.readsPerQuery, "min-reads-per-query", minReadsPerQuery, "disk `reads` per query phase that are many")
	f.Float64Var(&l.readRate, "min-reads-per-second", minReadRate, "disk `reads` per second that are many")
	f.Float64Var(&l.busy, "min-busy", minBusy, "`percent` of time with requests to the disk that is much")
}
