package main

import (
	"flag"
	"math"
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
	f.IntVar(&l.queries, "min-queries", minQueries, "judge only nodes with at least this `number` of query phases")
	f.DurationVar(&l.query, "slow-query", slowQuery, "mean query `time` at or above which searches are slow")
	for _, t := range l.thresholds() {
		f.Float64Var(t.limit, t.name, t.initial, t.usage)
	}
}

// threshold is a limit from 0 to most.
type threshold struct {
	limit         *float64
	name          string
	initial, most float64
	usage         string
}

func (l *limits) thresholds() []threshold {
	const open = math.MaxFloat64
	return []threshold{
		{&l.cpu, "max-cpu", maxCPU, 100, "CPU `percent` at or above which processors may be the cause"},
		{&l.throttled, "max-throttled", maxThrottled, 100, "`percent` of throttled quota periods at or above which the quota may be the cause"},
		{&l.heap, "max-heap", maxHeap, 100, "heap `percent` at or above which memory pressure may be the cause"},
		{&l.gc, "max-gc", maxGC, 100, "`percent` of time in garbage collection at or above which it may be the cause"},
		{&l.pageCache, "max-page-cache", maxPageCache, 100, "`percent` of the store in the page cache at or above which memory is large enough"},
		{&l.readsPerQuery, "min-reads-per-query", minReadsPerQuery, open, "disk `reads` per query phase at or above which they are many"},
		{&l.readRate, "min-reads-per-second", minReadRate, open, "disk `reads` per second at or above which they are many"},
		{&l.busy, "min-busy", minBusy, 100, "`percent` of time with disk requests at or above which disks are busy"},
	}
}

// check refuses limits that no figure could be set against.
func (l *limits) check() error {
	switch {
	case l.queries < 0:
		return wrongUsage("-min-queries %d is negative", l.queries)
	case l.query < 0:
		return wrongUsage("-slow-query %v is negative", l.query)
	}
	for _, t := range l.thresholds() {
		switch v := *t.limit; {
		case v >= 0 && v <= t.most: // not so for NaN
		case t.most == 100:
			return wrongUsage("-%s %v is not from 0 to 100", t.name, v)
		default:
			return wrongUsage("-%s %v is not a number from 0 up", t.name, v)
		}
	}
	return nil
}
