package statsdecode

// CommonStats is what the server counts for an index, for a copy of a shard,
// or for all shards of a node. Its members are sections; which of them an
// answer carries depends on the server's version and on the request, and is
// in Present. A section that is absent is zero.
//
// Counters start at zero when a shard copy starts on a node: a relocated
// shard, a closed and reopened index and a restarted node count from zero
// again, which is what [Index.Continues] and [Node.Continues] are for.
// The operations of a section count shards, not requests: a search over five
// shards adds five to Search.QueryTotal.
//
// Any counter may be negative or implausibly large: servers have sent both.
// Values are kept as they were sent.
type CommonStats struct {
	Docs         Docs         `json:"docs"`
	ShardStats   ShardCount   `json:"shard_stats"`
	Store        Store        `json:"store"`
	Indexing     Indexing     `json:"indexing"`
	Get          Get          `json:"get"`
	Search       Search       `json:"search"`
	Merges       Merges       `json:"merges"`
	Refresh      Refresh      `json:"refresh"`
	Flush        Flush        `json:"flush"`
	Warmer       Warmer       `json:"warmer"`
	QueryCache   QueryCache   `json:"query_cache"`
	FilterCache  FilterCache  `json:"filter_cache"`
	IDCache      IDCache      `json:"id_cache"`
	Fielddata    Fielddata    `json:"fielddata"`
	Completion   Completion   `json:"completion"`
	Percolate    Percolate    `json:"percolate"`
	Suggest      Suggest      `json:"suggest"`
	Segments     Segments     `json:"segments"`
	Translog     Translog     `json:"translog"`
	RequestCache RequestCache `json:"request_cache"`
	Recovery     Recovery     `json:"recovery"`
	Bulk         Bulk         `json:"bulk"`
	Mappings     Mappings     `json:"mappings"`
	DenseVector  DenseVector  `json:"dense_vector"`
	SparseVector SparseVector `json:"sparse_vector"`

	// Present has a bit for each section the answer carried as an object.
	Present Sections `json:"-"`
}

// Docs counts documents, nested ones included: Lucene's view, not the user's.
type Docs struct {
	Count            int64 `json:"count"`               // live documents
	Deleted          int64 `json:"deleted"`             // deleted, not yet merged away
	TotalSizeInBytes int64 `json:"total_size_in_bytes"` // bytes of the segments' files; appeared between Elasticsearch 8.9 and 8.17
}

// ShardCount counts shards. Since Elasticsearch 7.15.
type ShardCount struct {
	TotalCount int64 `json:"total_count"` // shards that answered
}

// Store is what the shards take on disk.
type Store struct {
	SizeInBytes             int64 `json:"size_in_bytes"`                // bytes of all files, for a partially mounted index those cached here
	TotalDataSetSizeInBytes int64 `json:"total_data_set_size_in_bytes"` // bytes with those that stay in a repository; since Elasticsearch 7.13, not in OpenSearch
	ReservedInBytes         int64 `json:"reserved_in_bytes"`            // predicted growth by running recoveries, -1 unknown; since Elasticsearch 7.9
	ThrottleTimeInMillis    int64 `json:"throttle_time_in_millis"`      // milliseconds; until Elasticsearch 5
}

// Indexing counts index and delete operations. In Total of an [Index] each
// replica counts as well; Primaries has the logical figure.
type Indexing struct {
	IndexTotal                      int64   `json:"index_total"`                          // operations since start
	IndexTimeInMillis               int64   `json:"index_time_in_millis"`                 // milliseconds
	IndexCurrent                    int64   `json:"index_current"`                        // running now
	IndexFailed                     int64   `json:"index_failed"`                         // since Elasticsearch 2.1: see SectionIndexFailed
	IndexFailedDueToVersionConflict int64   `json:"index_failed_due_to_version_conflict"` // of IndexFailed; since Elasticsearch 8.18 and 9.0
	DeleteTotal                     int64   `json:"delete_total"`                         // operations since start
	DeleteTimeInMillis              int64   `json:"delete_time_in_millis"`                // milliseconds
	DeleteCurrent                   int64   `json:"delete_current"`                       // running now
	NoopUpdateTotal                 int64   `json:"noop_update_total"`                    // updates that changed nothing
	IsThrottled                     bool    `json:"is_throttled"`                         // merges hold back indexing now
	ThrottleTimeInMillis            int64   `json:"throttle_time_in_millis"`              // milliseconds held back
	WriteLoad                       float64 `json:"write_load"`                           // mean number of threads busy indexing, over the life of the shard; appeared between Elasticsearch 8.5 and 8.8: see SectionWriteLoad
	RecentWriteLoad                 float64 `json:"recent_write_load"`                    // the same, weighted to recent time; since Elasticsearch 8.19 and 9.1
	PeakWriteLoad                   float64 `json:"peak_write_load"`                      // the largest RecentWriteLoad seen; since Elasticsearch 8.19 and 9.1
	MaxLastIndexRequestTimestamp    int64   `json:"max_last_index_request_timestamp"`     // milliseconds since the epoch, 0 none; since OpenSearch 3.2
}

// Get counts reads of single documents by id.
type Get struct {
	Total               int64 `json:"total"`                  // operations since start
	TimeInMillis        int64 `json:"time_in_millis"`         // milliseconds
	ExistsTotal         int64 `json:"exists_total"`           // found
	ExistsTimeInMillis  int64 `json:"exists_time_in_millis"`  // milliseconds
	MissingTotal        int64 `json:"missing_total"`          // not found
	MissingTimeInMillis int64 `json:"missing_time_in_millis"` // milliseconds
	Current             int64 `json:"current"`                // running now
}

// Search counts the phases of searches, per shard. Gauges have been seen
// below zero (https://github.com/elastic/elasticsearch/issues/25595).
type Search struct {
	OpenContexts                   int64   `json:"open_contexts"`                      // now, scrolls and points in time included
	QueryTotal                     int64   `json:"query_total"`                        // query phases since start
	QueryTimeInMillis              int64   `json:"query_time_in_millis"`               // milliseconds
	QueryCurrent                   int64   `json:"query_current"`                      // running now
	QueryFailure                   int64   `json:"query_failure"`                      // since Elasticsearch 8.16
	QueryFailed                    int64   `json:"query_failed"`                       // since OpenSearch 3
	FetchTotal                     int64   `json:"fetch_total"`                        // fetch phases since start
	FetchTimeInMillis              int64   `json:"fetch_time_in_millis"`               // milliseconds
	FetchCurrent                   int64   `json:"fetch_current"`                      // running now
	FetchFailure                   int64   `json:"fetch_failure"`                      // since Elasticsearch 8.16
	ScrollTotal                    int64   `json:"scroll_total"`                       // since Elasticsearch 2.0
	ScrollTimeInMillis             int64   `json:"scroll_time_in_millis"`              // milliseconds a scroll was open, idle time included
	ScrollCurrent                  int64   `json:"scroll_current"`                     // open now
	SuggestTotal                   int64   `json:"suggest_total"`                      // since Elasticsearch 5.0; before, see CommonStats.Suggest
	SuggestTimeInMillis            int64   `json:"suggest_time_in_millis"`             // milliseconds
	SuggestCurrent                 int64   `json:"suggest_current"`                    // running now
	RecentSearchLoad               float64 `json:"recent_search_load"`                 // mean number of threads busy searching; since Elasticsearch 8.19 and 9.1
	ConcurrentQueryTotal           int64   `json:"concurrent_query_total"`             // query phases over several slices; since OpenSearch 2.10
	ConcurrentQueryTimeInMillis    int64   `json:"concurrent_query_time_in_millis"`    // milliseconds; since OpenSearch 2.10
	ConcurrentQueryCurrent         int64   `json:"concurrent_query_current"`           // running now; since OpenSearch 2.10
	ConcurrentAvgSliceCount        float64 `json:"concurrent_avg_slice_count"`         // slices per concurrent query; since OpenSearch 2.10
	StartreeQueryTotal             int64   `json:"startree_query_total"`               // since OpenSearch 3.2
	StartreeQueryTimeInMillis      int64   `json:"startree_query_time_in_millis"`      // milliseconds; since OpenSearch 3.2
	StartreeQueryCurrent           int64   `json:"startree_query_current"`             // running now; since OpenSearch 3.2
	StartreeQueryFailed            int64   `json:"startree_query_failed"`              // since OpenSearch 3.2
	PointInTimeTotal               int64   `json:"point_in_time_total"`                // since OpenSearch 2.4
	PointInTimeTimeInMillis        int64   `json:"point_in_time_time_in_millis"`       // milliseconds open; since OpenSearch 2.4
	PointInTimeCurrent             int64   `json:"point_in_time_current"`              // open now; since OpenSearch 2.4
	SearchIdleReactivateCountTotal int64   `json:"search_idle_reactivate_count_total"` // shards woken by a search; OpenSearch 2
}

// Merges counts merges of segments.
type Merges struct {
	Current                           int64 `json:"current"`                              // running now
	CurrentDocs                       int64 `json:"current_docs"`                         // documents in running merges
	CurrentSizeInBytes                int64 `json:"current_size_in_bytes"`                // bytes in running merges
	Total                             int64 `json:"total"`                                // merges since start
	TotalTimeInMillis                 int64 `json:"total_time_in_millis"`                 // milliseconds
	TotalDocs                         int64 `json:"total_docs"`                           // documents merged
	TotalSizeInBytes                  int64 `json:"total_size_in_bytes"`                  // bytes merged
	TotalStoppedTimeInMillis          int64 `json:"total_stopped_time_in_millis"`         // milliseconds stopped; since Elasticsearch 2.0
	TotalThrottledTimeInMillis        int64 `json:"total_throttled_time_in_millis"`       // milliseconds throttled; since Elasticsearch 2.0
	TotalAutoThrottleInBytes          int64 `json:"total_auto_throttle_in_bytes"`         // bytes a second, summed over the shards; since Elasticsearch 2.0
	UnreferencedFileCleanupsPerformed int64 `json:"unreferenced_file_cleanups_performed"` // since OpenSearch 2.11
}

// Refresh counts refreshes, which make documents visible to searches.
type Refresh struct {
	Total                     int64 `json:"total"`                         // since start
	TotalTimeInMillis         int64 `json:"total_time_in_millis"`          // milliseconds
	ExternalTotal             int64 `json:"external_total"`                // those visible to searches; since Elasticsearch 7.2
	ExternalTotalTimeInMillis int64 `json:"external_total_time_in_millis"` // milliseconds; since Elasticsearch 7.2
	Listeners                 int64 `json:"listeners"`                     // requests that wait for one now; since Elasticsearch 5
}

// Flush counts flushes: commits that empty the translog.
type Flush struct {
	Total                                   int64 `json:"total"`                                          // since start
	Periodic                                int64 `json:"periodic"`                                       // those by translog size; since Elasticsearch 6.3
	TotalTimeInMillis                       int64 `json:"total_time_in_millis"`                           // milliseconds
	TotalTimeExcludingWaitingOnLockInMillis int64 `json:"total_time_excluding_waiting_on_lock_in_millis"` // milliseconds; appeared between Elasticsearch 8.9 and 8.17
}

// Warmer counts index warmers.
type Warmer struct {
	Current           int64 `json:"current"`              // running now
	Total             int64 `json:"total"`                // since start
	TotalTimeInMillis int64 `json:"total_time_in_millis"` // milliseconds
}

// QueryCache is the cache of query clauses. In Elasticsearch 1.x the same key
// held the shard request cache, and the clauses were in [FilterCache]; an
// answer with SectionFilterCache is such a one.
type QueryCache struct {
	MemorySizeInBytes int64 `json:"memory_size_in_bytes"` // bytes; seen negative (https://github.com/elastic/elasticsearch/issues/55434)
	TotalCount        int64 `json:"total_count"`          // lookups: HitCount + MissCount; since Elasticsearch 2.0
	HitCount          int64 `json:"hit_count"`            // lookups that hit
	MissCount         int64 `json:"miss_count"`           // lookups that missed
	CacheSize         int64 `json:"cache_size"`           // entries now; since Elasticsearch 2.0
	CacheCount        int64 `json:"cache_count"`          // entries ever; since Elasticsearch 2.0
	Evictions         int64 `json:"evictions"`            // since start
}

// FilterCache is the cache of filters. Elasticsearch 1.x only.
type FilterCache struct {
	MemorySizeInBytes int64 `json:"memory_size_in_bytes"` // bytes
	Evictions         int64 `json:"evictions"`            // since start
}

// IDCache is the cache of parent ids. Elasticsearch 1.x only.
type IDCache struct {
	MemorySizeInBytes int64 `json:"memory_size_in_bytes"` // bytes
}

// Fielddata is the cache of field values on the heap.
type Fielddata struct {
	MemorySizeInBytes int64          `json:"memory_size_in_bytes"` // bytes
	Evictions         int64          `json:"evictions"`            // since start
	GlobalOrdinals    GlobalOrdinals `json:"global_ordinals"`      // since Elasticsearch 8
}

// GlobalOrdinals is the cost of building global ordinals.
type GlobalOrdinals struct {
	BuildTimeInMillis int64 `json:"build_time_in_millis"` // milliseconds
}

// Completion is the memory of completion suggesters.
type Completion struct {
	SizeInBytes int64 `json:"size_in_bytes"` // bytes
}

// Percolate counts percolations. Until Elasticsearch 2.
type Percolate struct {
	Total             int64 `json:"total"`                // since start
	TimeInMillis      int64 `json:"time_in_millis"`       // milliseconds
	Current           int64 `json:"current"`              // running now
	MemorySizeInBytes int64 `json:"memory_size_in_bytes"` // bytes, -1 unknown
	Queries           int64 `json:"queries"`              // registered
}

// Suggest counts suggestions. Until Elasticsearch 2; later in [Search].
type Suggest struct {
	Total        int64 `json:"total"`          // since start
	TimeInMillis int64 `json:"time_in_millis"` // milliseconds
	Current      int64 `json:"current"`        // running now
}

// Segments counts Lucene segments and the memory they take on the heap.
// Elasticsearch 8.0 and later send zero for all memory but that of the index
// writer, the version map and the bit sets.
type Segments struct {
	Count                       int64 `json:"count"`                            // segments now
	MemoryInBytes               int64 `json:"memory_in_bytes"`                  // bytes
	TermsMemoryInBytes          int64 `json:"terms_memory_in_bytes"`            // bytes; since Elasticsearch 2.0
	StoredFieldsMemoryInBytes   int64 `json:"stored_fields_memory_in_bytes"`    // bytes; since Elasticsearch 2.0
	TermVectorsMemoryInBytes    int64 `json:"term_vectors_memory_in_bytes"`     // bytes; since Elasticsearch 2.0
	NormsMemoryInBytes          int64 `json:"norms_memory_in_bytes"`            // bytes; since Elasticsearch 2.0
	PointsMemoryInBytes         int64 `json:"points_memory_in_bytes"`           // bytes; since Elasticsearch 5.0
	DocValuesMemoryInBytes      int64 `json:"doc_values_memory_in_bytes"`       // bytes; since Elasticsearch 2.0
	IndexWriterMemoryInBytes    int64 `json:"index_writer_memory_in_bytes"`     // bytes
	IndexWriterMaxMemoryInBytes int64 `json:"index_writer_max_memory_in_bytes"` // bytes; until Elasticsearch 2
	VersionMapMemoryInBytes     int64 `json:"version_map_memory_in_bytes"`      // bytes
	FixedBitSetMemoryInBytes    int64 `json:"fixed_bit_set_memory_in_bytes"`    // bytes
	// MaxUnsafeAutoIDTimestamp is in milliseconds since the epoch. -1 and the
	// smallest int64 mean none; the latter reads as -9223372036854776000 from
	// decoders that go through float64.
	MaxUnsafeAutoIDTimestamp int64 `json:"max_unsafe_auto_id_timestamp"`
}

// Translog is the log of operations not yet in a commit.
type Translog struct {
	Operations              int64 `json:"operations"`                 // kept
	SizeInBytes             int64 `json:"size_in_bytes"`              // bytes
	UncommittedOperations   int64 `json:"uncommitted_operations"`     // since Elasticsearch 6
	UncommittedSizeInBytes  int64 `json:"uncommitted_size_in_bytes"`  // bytes; since Elasticsearch 6
	EarliestLastModifiedAge int64 `json:"earliest_last_modified_age"` // milliseconds; since Elasticsearch 6
}

// RequestCache is the cache of whole shard results. Since Elasticsearch 2.0.
type RequestCache struct {
	MemorySizeInBytes int64 `json:"memory_size_in_bytes"` // bytes; seen negative
	Evictions         int64 `json:"evictions"`            // since start
	HitCount          int64 `json:"hit_count"`            // lookups that hit
	MissCount         int64 `json:"miss_count"`           // lookups that missed
}

// Recovery counts recoveries of shards.
type Recovery struct {
	CurrentAsSource      int64 `json:"current_as_source"`       // from here, now
	CurrentAsTarget      int64 `json:"current_as_target"`       // to here, now
	ThrottleTimeInMillis int64 `json:"throttle_time_in_millis"` // milliseconds throttled
}

// Bulk counts bulk requests per shard. Since Elasticsearch 8.0.
type Bulk struct {
	TotalOperations   int64 `json:"total_operations"`     // since start
	TotalTimeInMillis int64 `json:"total_time_in_millis"` // milliseconds
	TotalSizeInBytes  int64 `json:"total_size_in_bytes"`  // bytes
	AvgTimeInMillis   int64 `json:"avg_time_in_millis"`   // milliseconds, a decaying average: not to be diffed
	AvgSizeInBytes    int64 `json:"avg_size_in_bytes"`    // bytes, a decaying average: not to be diffed
}

// Mappings counts field mappers. Since Elasticsearch 8.5, in node stats.
type Mappings struct {
	TotalCount                    int64 `json:"total_count"`                       // mappers
	TotalEstimatedOverheadInBytes int64 `json:"total_estimated_overhead_in_bytes"` // bytes of heap
	TotalSegments                 int64 `json:"total_segments"`                    // since Elasticsearch 8.16
	TotalSegmentFields            int64 `json:"total_segment_fields"`              // since Elasticsearch 8.16
	AverageFieldsPerSegment       int64 `json:"average_fields_per_segment"`        // since Elasticsearch 8.16
}

// DenseVector counts dense vectors. Since Elasticsearch 8.10.
type DenseVector struct {
	ValueCount int64   `json:"value_count"` // vectors
	OffHeap    OffHeap `json:"off_heap"`    // since Elasticsearch 8.19 and 9.1
}

// OffHeap is the size of the files that vector searches want in the page
// cache, by file kind.
type OffHeap struct {
	TotalSizeBytes    int64 `json:"total_size_bytes"`     // bytes
	TotalVebSizeBytes int64 `json:"total_veb_size_bytes"` // bytes of binary quantised vectors
	TotalVecSizeBytes int64 `json:"total_vec_size_bytes"` // bytes of raw vectors
	TotalVeqSizeBytes int64 `json:"total_veq_size_bytes"` // bytes of scalar quantised vectors
	TotalVexSizeBytes int64 `json:"total_vex_size_bytes"` // bytes of graphs
}

// SparseVector counts sparse vectors. Since Elasticsearch 8.15.
type SparseVector struct {
	ValueCount int64 `json:"value_count"` // vectors
}
