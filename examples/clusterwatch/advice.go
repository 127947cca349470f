package main

import (
	"cmp"
	"fmt"
	"slices"
)

// largeIndex is which part of the cluster's store makes an index large: below
// one percent each, better compression frees no memory that is noticed.
const largeIndex = 0.01

// advise says what helps a cluster that is I/O bound: data that takes less
// space on disk takes less space in the page cache.
func advise(indices []indexReport) []point {
	candidates := compressible(indices)
	if len(candidates) == 0 {
		return []point{
			{says: "No large index that is searched has a codec that a better one could replace."},
			{says: "What is left: more memory or more nodes for the same data, less data, or faster disks."},
		}
	}
	set := point{says: "Set index.codec: best_compression for these indices, large, searched and on another codec"}
	closable, streams := false, false
	for _, ix := range candidates {
		part := fmt.Sprintf("%s: %s, %s searches/min, %s", ix.Name, size(ix.Store), number(ix.SearchRate), ix.Codec)
		if ix.DataStream != "" {
			streams = true
			part += ", write index of the data stream " + ix.DataStream
		} else {
			closable = true
		}
		set.parts = append(set.parts, part)
	}
	apply := point{says: "It applies to new segments alone"}
	if closable {
		apply.parts = append(apply.parts, "reindex into a new index, or close the index, set the codec, open it and force-merge it to few segments: it serves no search while closed, and a merge reads and writes all of it")
	}
	if streams {
		apply.parts = append(apply.parts, "the write index of a data stream takes it by its template and a rollover instead: it must not be closed")
	}
	return []point{
		set,
		{says: "It compresses stored fields only (zstd in recent Elasticsearch, zlib-based before). About 25 % less on disk has been seen, and half the query time."},
		apply,
		{says: "Indexing and fetching then take more CPU, which is free here. Try one index first and compare its mean query and fetch time."},
	}
}

// compressible returns the indices worth another codec, largest first.
func compressible(indices []indexReport) []indexReport {
	var total float64
	for i := range indices {
		total += indices[i].Store.value
	}
	var found []indexReport
	for _, ix := range indices {
		if ix.Store.value >= largeIndex*total && ix.Store.value > 0 && ix.queries.value > 0 && ix.Codec != "" && !compresses(ix.Codec) {
			found = append(found, ix)
		}
	}
	slices.SortStableFunc(found, func(a, b indexReport) int { return cmp.Compare(b.Store.value, a.Store.value) })
	return found
}

// compresses reports whether a codec is best_compression or one as good, by any
// of the names that Elasticsearch and OpenSearch have for them.
func compresses(codec string) bool {
	switch codec {
	case "best_compression", "legacy_best_compression", "zlib", "zstd", "zstd_no_dict", "qat_deflate":
		return true
	}
	return false
}
