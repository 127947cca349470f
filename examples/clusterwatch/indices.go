package main

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// indexReport is what two polls say of an index.
type indexReport struct {
	Name       string `json:"name"`
	Docs       figure `json:"documents"`   // primaries
	Store      figure `json:"store_bytes"` // replicas too
	SearchRate figure `json:"search_rate_per_minute"`
	MeanQuery  figure `json:"mean_query_time_ms"`
	Codec      string `json:"codec,omitempty"`       // "" unknown
	Mode       string `json:"mode,omitempty"`        // "" standard, or unknown
	DataStream string `json:"data_stream,omitempty"` // whose write index it is
	Closed     bool   `json:"closed,omitempty"`
	Note       string `json:"note,omitempty"`

	queries figure
}

// compareIndices sets the indices of a poll against those of an earlier one,
// which may be nil, worst mean query time first. Figures of the time between
// want two complete answers.
func compareIndices(before, now *snapshot) []indexReport {
	paired := before != nil && now.indicesComplete
	earlier := make(map[string]*index)
	var dt time.Duration
	if paired {
		dt = now.counted.Sub(before.counted)
		for i := range before.indices {
			earlier[before.indices[i].name] = &before.indices[i]
		}
	}
	write := writeIndices(now.indices)
	all := make([]indexReport, 0, len(now.indices))
	for i := range now.indices {
		ix := &now.indices[i]
		r := indexReport{
			Name: ix.name, Docs: ix.docs, Store: ix.store,
			Codec: ix.codecInForce(), Mode: ix.mode, DataStream: write[ix.name], Closed: ix.closed,
		}
		if paired {
			r.since(ix, earlier[ix.name], dt)
		}
		switch {
		case ix.closed:
			r.Note = "closed"
		case r.Note == "" && r.DataStream != "":
			r.Note = "write index of " + r.DataStream
		case r.Note == "" && ix.mode != "":
			r.Note = ix.mode
		}
		all = append(all, r)
	}
	slices.SortStableFunc(all, func(a, b indexReport) int {
		return cmp.Or(
			descending(a.MeanQuery, b.MeanQuery),
			descending(a.Store, b.Store),
			strings.Compare(a.Name, b.Name),
		)
	})
	return all
}

// descending puts large before small before unknown.
func descending(a, b figure) int {
	if a.known != b.known {
		if a.known {
			return -1
		}
		return 1
	}
	return cmp.Compare(b.value, a.value)
}

// since fills in what happened between two polls, if they are comparable: the
// counters of another index under the same name must not be subtracted.
func (r *indexReport) since(ix, prev *index, dt time.Duration) {
	switch {
	case ix.closed || !ix.counted:
		return // frozen or absent
	case prev == nil:
		r.Note = "new"
		return
	case ix.uuid == "" || prev.uuid == "" || !prev.counted:
		return
	case ix.uuid != prev.uuid:
		r.Note = "made anew under its old name"
		return
	}
	rate, ok := ix.search.QueryRate(prev.search, dt)
	r.SearchRate = maybe(60*rate, ok)
	r.queries = maybe(float64(ix.search.QueryTotal-prev.search.QueryTotal), ok)
	mean, ok2 := ix.search.MeanQueryTime(prev.search)
	r.MeanQuery = maybe(millis(mean), ok2)
	if !ok && ix.search.QueryTotal < prev.search.QueryTotal {
		r.Note = "counters fell: a shard moved, or it was reopened"
	}
}

// codecInForce is the codec of new segments. An absent setting means default,
// but not in logsdb mode, which compresses from the start.
func (ix *index) codecInForce() string {
	switch {
	case !ix.settings:
		return ""
	case ix.codec != "":
		return ix.codec
	case ix.mode == "logsdb":
		return "best_compression"
	}
	return "default"
}

// backing matches the indices behind data streams: stream, perhaps a date, and
// the generation.
var backing = regexp.MustCompile(`^\.ds-(.+?)-(?:\d{4}\.\d{2}\.\d{2}-)?(\d{6,})$`)

// writeIndices maps the index that each data stream writes to, that is the one
// of the highest generation, to the data stream.
func writeIndices(all []index) map[string]string {
	type newest struct {
		name       string
		generation int
	}
	streams := make(map[string]newest)
	for i := range all {
		m := backing.FindStringSubmatch(all[i].name)
		if m == nil {
			continue
		}
		generation, err := strconv.Atoi(m[2])
		if err == nil && generation >= streams[m[1]].generation {
			streams[m[1]] = newest{all[i].name, generation}
		}
	}
	write := make(map[string]string, len(streams))
	for stream, n := range streams {
		write[n.name] = stream
	}
	return write
}
