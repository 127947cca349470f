package statsdecode

import "io"

// ClusterStats is a GET /_cluster/stats answer: sums over the cluster.
type ClusterStats struct {
	ClusterName string              `json:"cluster_name"`
	ClusterUUID string              `json:"cluster_uuid"` // since Elasticsearch 7
	Timestamp   int64               `json:"timestamp"`    // milliseconds since the epoch
	Status      string              `json:"status"`       // green, yellow or red
	Indices     ClusterStatsIndices `json:"indices"`
	Nodes       ClusterStatsNodes   `json:"nodes"`
}

// ClusterStatsIndices are sums over all indices.
type ClusterStatsIndices struct {
	Count      int64              `json:"count"` // indices
	Shards     ClusterStatsShards `json:"shards"`
	Docs       Docs               `json:"docs"`
	Store      Store              `json:"store"`
	Fielddata  Fielddata          `json:"fielddata"`
	QueryCache QueryCache         `json:"query_cache"`
	Completion Completion         `json:"completion"`
	Segments   Segments           `json:"segments"`
}

// ClusterStatsShards counts shards.
type ClusterStatsShards struct {
	Total       float64 `json:"total"`       // copies
	Primaries   float64 `json:"primaries"`   // primary shards
	Replication float64 `json:"replication"` // replicas per primary shard
}

// ClusterStatsNodes are sums over all nodes.
type ClusterStatsNodes struct {
	Count   ClusterStatsNodeCount `json:"count"`
	OS      ClusterStatsOS        `json:"os"`
	Process ClusterStatsProcess   `json:"process"`
	JVM     ClusterStatsJVM       `json:"jvm"`
	FS      FSTotal               `json:"fs"`
}

// ClusterStatsNodeCount counts nodes.
type ClusterStatsNodeCount struct {
	Total int64 `json:"total"` // nodes
	Data  int64 `json:"data"`  // nodes with the role data
}

// ClusterStatsOS are sums over the nodes' hosts; nodes that share one count it
// each.
type ClusterStatsOS struct {
	AvailableProcessors int64 `json:"available_processors"` // processors of the hosts
	AllocatedProcessors int64 `json:"allocated_processors"` // processors the nodes use
	Mem                 OSMem `json:"mem"`
}

// ClusterStatsProcess are sums over the nodes' processes.
type ClusterStatsProcess struct {
	CPU ClusterStatsCPU `json:"cpu"`
}

// ClusterStatsCPU is the use of processors.
type ClusterStatsCPU struct {
	Percent int64 `json:"percent"` // percent, summed over the nodes
}

// ClusterStatsJVM are sums over the nodes' virtual machines.
type ClusterStatsJVM struct {
	MaxUptimeInMillis int64           `json:"max_uptime_in_millis"` // milliseconds the oldest runs
	Mem               ClusterStatsMem `json:"mem"`
	Threads           int64           `json:"threads"`
}

// ClusterStatsMem is heap.
type ClusterStatsMem struct {
	HeapUsedInBytes int64 `json:"heap_used_in_bytes"` // bytes
	HeapMaxInBytes  int64 `json:"heap_max_in_bytes"`  // bytes
}

// DecodeClusterStats decodes the body of a GET /_cluster/stats answer into
// *dst, which it sets to zero first. It reads r to its end. What may go wrong
// is what may go wrong in a walk: see the package comment; after the wrong type
// of one field, all others are decoded. A PartialError comes with the data.
func DecodeClusterStats(r io.Reader, dst *ClusterStats) error {
	*dst = ClusterStats{}
	return decodeOne(r, clusterStatsEndpoint, dst)
}

var clusterStatsEndpoint = &endpoint{
	name:    "_cluster/stats",
	members: []string{"cluster_name", "cluster_uuid", "indices", "nodes"},
}
