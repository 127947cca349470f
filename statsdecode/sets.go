package statsdecode

import (
	"fmt"
	"slices"

	"github.com/goccy/go-json"
)

// Some objects of an answer have names that no version of the server fixes:
// thread pools, breakers, memory pools. They are slices here, in the order of
// the answer, with a Get that looks a name up. A slice is refilled in place by
// the next answer without an allocation, which a map is not.
//
// A name that an answer gives twice is there twice, and Get finds the last.

// ThreadPools is the section thread_pool, one entry a pool. The set of names
// is open: bulk became write in Elasticsearch 6, plugins add their own.
type ThreadPools []ThreadPool

// ThreadPool is one thread pool of a node.
type ThreadPool struct {
	Name                 string `json:"-"`
	Threads              int64  `json:"threads"`                  // now
	Queue                int64  `json:"queue"`                    // tasks waiting now
	Active               int64  `json:"active"`                   // threads busy now
	Rejected             int64  `json:"rejected"`                 // tasks refused since start
	Largest              int64  `json:"largest"`                  // most threads at once since start
	Completed            int64  `json:"completed"`                // tasks done since start, refused ones not counted
	TotalWaitTimeInNanos int64  `json:"total_wait_time_in_nanos"` // nanoseconds in the queue, -1 not measured; OpenSearch only
}

// Get returns the pool called name and whether there is one.
func (s ThreadPools) Get(name string) (ThreadPool, bool) { return get(s, name) }

// UnmarshalJSON replaces the set by the members of an object. null leaves it.
func (s *ThreadPools) UnmarshalJSON(data []byte) error { return unmarshalSet((*[]ThreadPool)(s), data) }

func (e *ThreadPool) member() (*string, any) { return &e.Name, e }

// Breakers is the section breakers, one entry a circuit breaker.
type Breakers []Breaker

// Breaker is one circuit breaker of a node: it refuses requests that would
// take more memory than the limit.
type Breaker struct {
	Name                 string  `json:"-"`
	LimitSizeInBytes     int64   `json:"limit_size_in_bytes"`     // bytes, -1 no limit
	EstimatedSizeInBytes int64   `json:"estimated_size_in_bytes"` // bytes held now
	Overhead             float64 `json:"overhead"`                // factor on each estimate
	Tripped              int64   `json:"tripped"`                 // requests refused since start
}

// Get returns the breaker called name and whether there is one. The names
// in_flight_requests and inflight_requests find the same breaker: it changed
// its spelling with Elasticsearch 7.16.
func (s Breakers) Get(name string) (Breaker, bool) {
	if b, ok := get(s, name); ok {
		return b, true
	}
	switch name {
	case "in_flight_requests":
		return get(s, "inflight_requests")
	case "inflight_requests":
		return get(s, "in_flight_requests")
	}
	return Breaker{}, false
}

// UnmarshalJSON replaces the set by the members of an object. null leaves it.
func (s *Breakers) UnmarshalJSON(data []byte) error { return unmarshalSet((*[]Breaker)(s), data) }

func (e *Breaker) member() (*string, any) { return &e.Name, e }

// Collectors is the object jvm.gc.collectors, one entry a garbage collector.
// Names depend on the collector in use: young and old, "ZGC Cycles", and so on.
type Collectors []Collector

// Collector is one garbage collector of a node.
type Collector struct {
	Name                   string `json:"-"`
	CollectionCount        int64  `json:"collection_count"`          // since start
	CollectionTimeInMillis int64  `json:"collection_time_in_millis"` // milliseconds; for "G1 Concurrent GC" time beside the program, not pauses
}

// Get returns the collector called name and whether there is one.
func (s Collectors) Get(name string) (Collector, bool) { return get(s, name) }

// UnmarshalJSON replaces the set by the members of an object. null leaves it.
func (s *Collectors) UnmarshalJSON(data []byte) error { return unmarshalSet((*[]Collector)(s), data) }

func (e *Collector) member() (*string, any) { return &e.Name, e }

// MemoryPools is the object jvm.mem.pools, one entry a pool of the heap.
// young, survivor and old are usual, not guaranteed: ZGC has one pool
// (https://github.com/elastic/beats/issues/45144).
type MemoryPools []MemoryPool

// MemoryPool is one pool of a node's heap.
type MemoryPool struct {
	Name            string `json:"-"`
	UsedInBytes     int64  `json:"used_in_bytes"`      // bytes now
	MaxInBytes      int64  `json:"max_in_bytes"`       // bytes, 0 no limit of its own
	PeakUsedInBytes int64  `json:"peak_used_in_bytes"` // bytes, most since start
	PeakMaxInBytes  int64  `json:"peak_max_in_bytes"`  // bytes, 0 no limit of its own
}

// Get returns the pool called name and whether there is one.
func (s MemoryPools) Get(name string) (MemoryPool, bool) { return get(s, name) }

// UnmarshalJSON replaces the set by the members of an object. null leaves it.
func (s *MemoryPools) UnmarshalJSON(data []byte) error { return unmarshalSet((*[]MemoryPool)(s), data) }

func (e *MemoryPool) member() (*string, any) { return &e.Name, e }

// BufferPools is the object jvm.buffer_pools: memory outside the heap.
type BufferPools []BufferPool

// BufferPool is one pool of buffers outside a node's heap.
type BufferPool struct {
	Name                 string `json:"-"`
	Count                int64  `json:"count"`                   // buffers now
	UsedInBytes          int64  `json:"used_in_bytes"`           // bytes now
	TotalCapacityInBytes int64  `json:"total_capacity_in_bytes"` // bytes now
}

// Get returns the pool called name and whether there is one.
func (s BufferPools) Get(name string) (BufferPool, bool) { return get(s, name) }

// UnmarshalJSON replaces the set by the members of an object. null leaves it.
func (s *BufferPools) UnmarshalJSON(data []byte) error { return unmarshalSet((*[]BufferPool)(s), data) }

func (e *BufferPool) member() (*string, any) { return &e.Name, e }

// AdaptiveSelection is the section adaptive_selection, one entry for each node
// that this one has sent searches to, by its id: by these figures it chooses which
// copy of a shard to ask. Over a whole cluster they grow with the square of the
// number of nodes.
type AdaptiveSelection []SelectableNode

// SelectableNode is what a node knows of another, as one to ask. Averages are
// moving ones, with more weight on what is recent.
type SelectableNode struct {
	Name              string `json:"-"`                    // the other node's id
	OutgoingSearches  int64  `json:"outgoing_searches"`    // requests under way to it now
	AvgQueueSize      int64  `json:"avg_queue_size"`       // searches that waited there
	AvgServiceTimeNs  int64  `json:"avg_service_time_ns"`  // nanoseconds that a search took there
	AvgResponseTimeNs int64  `json:"avg_response_time_ns"` // nanoseconds until the answer was here
	Rank              Rank   `json:"rank"`                 // the lower, the sooner it is asked
}

// Get returns the node with the id name and whether there is one.
func (s AdaptiveSelection) Get(name string) (SelectableNode, bool) { return get(s, name) }

// UnmarshalJSON replaces the set by the members of an object. null leaves it.
func (s *AdaptiveSelection) UnmarshalJSON(data []byte) error {
	return unmarshalSet((*[]SelectableNode)(s), data)
}

func (e *SelectableNode) member() (*string, any) { return &e.Name, e }

// Attributes is the object attributes of a node: what node.attr settings and
// plugins put there.
type Attributes []Attribute

// Attribute is one attribute of a node.
type Attribute struct {
	Name  string `json:"-"`
	Value string `json:"-"`
}

// Get returns the value of the attribute called name and whether there is one.
func (s Attributes) Get(name string) (string, bool) {
	a, ok := get(s, name)
	return a.Value, ok
}

// UnmarshalJSON replaces the set by the members of an object. null leaves it.
func (s *Attributes) UnmarshalJSON(data []byte) error { return unmarshalSet((*[]Attribute)(s), data) }

func (e *Attribute) member() (*string, any) { return &e.Name, &e.Value }

// maxMembers bounds a set: nodes have a hundred thread pools at most, and an
// index a thousand shards. A hostile answer of {"a":{},"b":{},...} would else
// take many times its size, and quadratic time in [ThreadPools.Rejected].
const maxMembers = 10_000

var errTooMany = fmt.Errorf("statsdecode: more than %d members", maxMembers)

// element is what a set holds: something with a name that the JSON value of
// the member called so decodes into.
type element[E any] interface {
	*E
	member() (name *string, value any)
}

func get[E any, P element[E]](set []E, name string) (E, bool) {
	for i := range slices.Backward(set) {
		if n, _ := P(&set[i]).member(); *n == name {
			return set[i], true
		}
	}
	var none E
	return none, false
}

// unmarshalSet decodes the object data into *set. It decodes over the elements
// that the slice held before: a name that stands where it stood in the last
// answer costs no allocation.
func unmarshalSet[E any, P element[E]](set *[]E, data []byte) error {
	data, err := checked(data)
	if err != nil || isNull(data) {
		return err
	}
	if !isObject(data) {
		return wrongType(data, *set)
	}
	s := (*set)[:0]
	var first error
	for key, value := range members(data) {
		if len(s) == maxMembers {
			first = errTooMany
			break
		}
		if len(s) == cap(s) {
			s = slices.Grow(s, 1)
		}
		s = s[:len(s)+1]
		e := &s[len(s)-1]
		name, _ := P(e).member()
		old := *name
		var fresh E
		*e = fresh
		*name = unquoteOr(old, key)
		_, dst := P(e).member()
		if err := json.Unmarshal(value, dst); err != nil && first == nil {
			first = err
		}
	}
	*set = s
	return first
}
