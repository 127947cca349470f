package main

import "fmt"

// verdict is an answer of three values.
type verdict int8

const (
	cannotTell verdict = iota
	no
	yes
)

func (v verdict) String() string {
	switch v {
	case yes:
		return "yes"
	case no:
		return "no"
	}
	return "cannot tell"
}

// MarshalText makes JSON say what String says.
func (v verdict) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// and is no if any is no, else unknown if any is unknown, else yes.
func and(all ...verdict) verdict {
	result := yes
	for _, v := range all {
		switch v {
		case no:
			return no
		case cannotTell:
			result = cannotTell
		}
	}
	return result
}

// check is one of the conditions that together mean I/O bound.
type check struct {
	Name     string  `json:"check"` // the condition
	Holds    verdict `json:"holds"`
	Says     string  `json:"says"` // the figures, and the limits
	contrary string  // what is so if it does not hold
}

// judge fills in the verdict on a data node: searches are slow, though neither
// processors nor heap are short, memory holds a small part of the data, and
// the disks are read.
func (l *limits) judge(r *nodeReport) {
	switch {
	case !r.Data:
		return
	case r.Change != "":
		r.Why = []check{{Name: "the polls compare", Says: r.Change}}
		return
	case !r.Queries.known:
		r.Why = []check{{Name: "searches are counted", Says: "a search counter fell, as when a shard moves away or an index is closed, or it is missing"}}
		return
	case r.Queries.value < float64(l.queries):
		r.Why = []check{{Name: "searches are many enough", Says: fmt.Sprintf("%s query phases between the polls, %d are wanted", number(r.Queries), l.queries)}}
		return
	}
	r.Why = []check{l.searches(r), l.processors(r), l.heapAndGC(r), l.memory(r), l.disks(r)}
	var holds []verdict
	for _, c := range r.Why {
		holds = append(holds, c.Holds)
	}
	r.IOBound = and(holds...)
}

func (l *limits) searches(r *nodeReport) check {
	says := fmt.Sprintf("mean query time %s (slow from %s)", duration(r.MeanQuery), duration(known(millis(l.query))))
	if r.MeanFetch.known {
		says += ", mean fetch time " + duration(r.MeanFetch)
	}
	return check{"searches are slow", r.MeanQuery.atLeast(millis(l.query)), says, "searches are fast"}
}

func (l *limits) processors(r *nodeReport) check {
	holds := r.CPU.below(l.cpu)
	says := fmt.Sprintf("CPU %s (free below %s)", percent(r.CPU), limit(l.cpu))
	if r.quota {
		holds = and(holds, r.Throttled.below(l.throttled))
		says += fmt.Sprintf(", throttled in %s of the periods (free below %s)", percent(r.Throttled), limit(l.throttled))
	}
	return check{"processors are free", holds, says, "processors are busy"}
}

func (l *limits) heapAndGC(r *nodeReport) check {
	return check{"the heap is healthy", and(r.Heap.below(l.heap), r.GC.below(l.gc)),
		fmt.Sprintf("%s used (healthy below %s), garbage collection %s of the time (below %s)",
			percent(r.Heap), limit(l.heap), percent(r.GC), limit(l.gc)), "the heap is short"}
}

func (l *limits) memory(r *nodeReport) check {
	return check{"memory is small", r.PageCache.below(l.pageCache),
		fmt.Sprintf("page cache for %s of the store (small below %s), memory to storage %s",
			percent(r.PageCache), limit(l.pageCache), percent(r.MemoryToStorage)), "memory holds much of the data"}
}

// disks needs many reads for each search and in all, or busy devices.
func (l *limits) disks(r *nodeReport) check {
	says := fmt.Sprintf("%s reads per query (many from %s) at %s/s (from %s)",
		number(r.ReadsPerQuery), decimal(l.readsPerQuery), number(r.ReadRate), decimal(l.readRate))
	if r.Busy.known {
		says += fmt.Sprintf(", disks busy %s of the time (from %s)", percent(r.Busy), limit(l.busy))
	}
	holds := no
	switch {
	case r.diskFault != "":
		holds = cannotTell
		if !r.ReadRate.known {
			says = r.diskFault
		} else {
			says = r.diskFault + ": " + says
		}
	case and(r.ReadsPerQuery.atLeast(l.readsPerQuery), r.ReadRate.atLeast(l.readRate)) == yes || r.Busy.atLeast(l.busy) == yes:
		holds = yes
	}
	return check{"searches read from disk", holds, says, "searches read little from disk"}
}

// conclude weighs the nodes by their searches.
func conclude(nodes []nodeReport) verdict {
	all, of := searches(nodes)
	switch {
	case all == 0:
		return cannotTell
	case 2*of[yes] >= all:
		return yes
	case 2*of[no] > all:
		return no
	}
	return cannotTell
}

// searches returns the query phases of the data nodes, and those of the nodes
// with each verdict.
func searches(nodes []nodeReport) (all float64, of map[verdict]float64) {
	of = make(map[verdict]float64)
	for i := range nodes {
		if n := &nodes[i]; n.Data && n.Queries.known {
			all += n.Queries.value
			of[n.IOBound] += n.Queries.value
		}
	}
	return all, of
}
