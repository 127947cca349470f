package statsdecode

// Sections is a set of sections of [CommonStats]: those an answer carried, or
// those a request asks for. The zero value is the empty set.
type Sections uint64

// The sections of CommonStats.
const (
	SectionDocs Sections = 1 << iota
	SectionShardStats
	SectionStore
	SectionIndexing
	SectionGet
	SectionSearch
	SectionMerges
	SectionRefresh
	SectionFlush
	SectionWarmer
	SectionQueryCache
	SectionFilterCache
	SectionIDCache
	SectionFielddata
	SectionCompletion
	SectionPercolate
	SectionSuggest
	SectionSegments
	SectionTranslog
	SectionRequestCache
	SectionRecovery
	SectionBulk
	SectionMappings
	SectionDenseVector
	SectionSparseVector

	// Two figures of the section indexing, for which absent and zero differ.
	// Their bits mean that the answer has a number there. A request for one of
	// them asks for all of the section.
	SectionIndexFailed
	SectionWriteLoad
)

// Has reports whether s has every section of x.
func (s Sections) Has(x Sections) bool { return s&x == x }

// sectionNames gives each section its JSON key and, where that differs, its
// name as a metric in the path of a request. Order follows the bits.
var sectionNames = [...]struct{ key, metric string }{
	{"docs", "docs"},
	{"shard_stats", "shard_stats"},
	{"store", "store"},
	{"indexing", "indexing"},
	{"get", "get"},
	{"search", "search"},
	{"merges", "merge"},
	{"refresh", "refresh"},
	{"flush", "flush"},
	{"warmer", "warmer"},
	{"query_cache", "query_cache"},
	{"filter_cache", "filter_cache"},
	{"id_cache", "id_cache"},
	{"fielddata", "fielddata"},
	{"completion", "completion"},
	{"percolate", "percolate"},
	{"suggest", "suggest"},
	{"segments", "segments"},
	{"translog", "translog"},
	{"request_cache", "request_cache"},
	{"recovery", "recovery"},
	{"bulk", "bulk"},
	{"mappings", "mappings"},
	{"dense_vector", "dense_vector"},
	{"sparse_vector", "sparse_vector"},
}
