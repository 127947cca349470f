package statsdecode

import "io"

// ClusterHealth is a GET /_cluster/health answer. Elasticsearch sends HTTP
// status 408 with the same body when it was asked to wait and waited in vain:
// TimedOut is true then.
type ClusterHealth struct {
	ClusterName                 string  `json:"cluster_name"`
	Status                      string  `json:"status"`    // green, yellow or red
	TimedOut                    bool    `json:"timed_out"` // what was waited for did not come
	NumberOfNodes               int64   `json:"number_of_nodes"`
	NumberOfDataNodes           int64   `json:"number_of_data_nodes"`
	DiscoveredMaster            bool    `json:"discovered_master"`          // OpenSearch only
	DiscoveredClusterManager    bool    `json:"discovered_cluster_manager"` // OpenSearch only
	ActivePrimaryShards         int64   `json:"active_primary_shards"`
	ActiveShards                int64   `json:"active_shards"` // replicas too
	RelocatingShards            int64   `json:"relocating_shards"`
	InitializingShards          int64   `json:"initializing_shards"`
	UnassignedShards            int64   `json:"unassigned_shards"`
	UnassignedPrimaryShards     int64   `json:"unassigned_primary_shards"`        // since Elasticsearch 8
	DelayedUnassignedShards     int64   `json:"delayed_unassigned_shards"`        // of UnassignedShards, those that wait for their node; since Elasticsearch 1.6
	NumberOfPendingTasks        int64   `json:"number_of_pending_tasks"`          // changes of the cluster's state that wait
	NumberOfInFlightFetch       int64   `json:"number_of_in_flight_fetch"`        // fetches of shard information that run; since Elasticsearch 1.6
	TaskMaxWaitingInQueueMillis int64   `json:"task_max_waiting_in_queue_millis"` // milliseconds the oldest task waits; since Elasticsearch 1.6
	ActiveShardsPercentAsNumber float64 `json:"active_shards_percent_as_number"`  // percent of shards that are active; since Elasticsearch 1.6
}

// DecodeClusterHealth decodes the body of a GET /_cluster/health answer with
// HTTP status 200 or 408 into *dst, which it sets to zero first. It reads r to
// its end. What may go wrong is what may go wrong in a walk: see the package
// comment; after the wrong type of one field, all others are decoded.
func DecodeClusterHealth(r io.Reader, dst *ClusterHealth) error {
	*dst = ClusterHealth{}
	return decodeOne(r, healthEndpoint, dst)
}

var healthEndpoint = &endpoint{
	name:    "_cluster/health",
	members: []string{"cluster_name", "status", "timed_out", "number_of_nodes"},
}
