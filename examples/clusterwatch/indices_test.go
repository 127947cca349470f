package main

import (
	"strings"
	"testing"
	"time"

	"github.com/lowalloc/lowalloc/statsdecode"
)

// indicesAfter is the index part of a report on two polls a minute apart, with
// one index that was searched 60 times, changed by change.
func indicesAfter(change func(before, now *index)) []indexReport {
	ix := index{
		name: "logs", uuid: "u1", listed: true, counted: true, docs: known(5), store: known(100),
		search: statsdecode.Search{QueryTotal: 100, QueryTimeInMillis: 1000}, settings: true,
	}
	before := &snapshot{counted: time.Unix(0, 0), indices: []index{ix}, indicesComplete: true}
	ix.search = statsdecode.Search{QueryTotal: 160, QueryTimeInMillis: 1600}
	now := &snapshot{counted: time.Unix(60, 0), indices: []index{ix}, indicesComplete: true}
	change(&before.indices[0], &now.indices[0])
	return compareIndices(before, now)
}

func TestIndexBetweenPolls(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(before, now *index)
		rate   figure
		mean   figure
		codec  string
		note   string
	}{
		{"searched", func(_, _ *index) {}, known(60), known(10), "default", ""},
		{"not searched", func(before, now *index) { now.search = before.search }, known(0), figure{}, "default", ""},
		{"recreated", func(_, now *index) { now.uuid = "u2" }, figure{}, figure{}, "default", "made anew under its old name"},
		{"new", func(before, _ *index) { before.name = "other" }, figure{}, figure{}, "default", "new"},
		{"relocated", func(_, now *index) { now.search = statsdecode.Search{QueryTotal: 3, QueryTimeInMillis: 9} }, figure{}, figure{}, "default", "counters fell: a shard moved, or it was reopened"},
		{"closed", func(_, now *index) { now.closed, now.codec = true, "best_compression" }, figure{}, figure{}, "best_compression", "closed"},
		{"closed, not in the stats", func(_, now *index) {
			*now = index{name: "logs", uuid: "u1", closed: true, settings: true, codec: "zlib"}
		}, figure{}, figure{}, "zlib", "closed"},
		{"logsdb", func(_, now *index) { now.mode = "logsdb" }, known(60), known(10), "best_compression", "logsdb"},
		{"logsdb with a codec", func(_, now *index) { now.mode, now.codec = "logsdb", "default" }, known(60), known(10), "default", "logsdb"},
		{"time series", func(_, now *index) { now.mode = "time_series" }, known(60), known(10), "default", "time_series"},
		{"without settings", func(_, now *index) { now.settings = false }, known(60), known(10), "", ""},
		{"without a uuid", func(before, now *index) { before.uuid, now.uuid = "", "" }, figure{}, figure{}, "default", ""},
		{"without a uuid before", func(before, _ *index) { before.uuid = "" }, figure{}, figure{}, "default", ""},
		{"without a uuid now", func(_, now *index) { now.uuid = "" }, figure{}, figure{}, "default", ""},
		{"not counted before", func(before, _ *index) { before.counted = false }, figure{}, figure{}, "default", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := indicesAfter(tt.change)[0]
			if r.SearchRate != tt.rate || r.MeanQuery != tt.mean || r.Codec != tt.codec || r.Note != tt.note {
				t.Errorf("got rate %v, mean %v, codec %q, note %q, want %v, %v, %q, %q",
					r.SearchRate, r.MeanQuery, r.Codec, r.Note, tt.rate, tt.mean, tt.codec, tt.note)
			}
		})
	}
}

func TestIndicesWorstFirst(t *testing.T) {
	poll := func(queries int64) *snapshot {
		s := &snapshot{counted: time.Unix(queries, 0), indicesComplete: true}
		for _, ix := range []struct {
			name   string
			millis int64
			store  float64
		}{{"fast", 1, 10}, {"idle-small", -1, 1}, {"slow", 9, 5}, {"idle-large", -1, 7}} {
			kept := index{name: ix.name, uuid: ix.name, counted: true, store: known(ix.store)}
			if ix.millis > 0 {
				kept.search = statsdecode.Search{QueryTotal: queries, QueryTimeInMillis: queries * ix.millis}
			}
			s.indices = append(s.indices, kept)
		}
		return s
	}
	var names []string
	for _, ix := range compareIndices(poll(10), poll(70)) {
		names = append(names, ix.Name)
	}
	if got, want := strings.Join(names, " "), "slow fast idle-large idle-small"; got != want {
		t.Errorf("order %q, want %q", got, want)
	}
}

func TestWriteIndices(t *testing.T) {
	all := []index{
		{name: ".ds-metrics-app-000002"}, {name: ".ds-metrics-app-000001"},
		{name: ".ds-logs-x-2026.01.31-000009"}, {name: ".ds-logs-x-2026.02.28-000010"},
		{name: "logs-000003"}, {name: ".ds-odd"},
	}
	got := writeIndices(all)
	if len(got) != 2 || got[".ds-metrics-app-000002"] != "metrics-app" || got[".ds-logs-x-2026.02.28-000010"] != "logs-x" {
		t.Errorf("writeIndices = %v", got)
	}
}

func TestAdvice(t *testing.T) {
	index := func(name, codec string, store, queries float64) indexReport {
		return indexReport{Name: name, Codec: codec, Store: known(store), queries: known(queries), SearchRate: known(queries)}
	}
	stream := index(".ds-app-000002", "default", 300, 5)
	stream.DataStream = "app"
	for _, tt := range []struct {
		name         string
		indices      []indexReport
		want, absent []string
	}{
		{"an index and a data stream", []indexReport{stream, index("big", "default", 600, 5)},
			[]string{"- big: 600 B", "- .ds-app-000002: 300 B, 5 searches/min, default, write index of the data stream app", "new segments", "force-merge", "by its template and a rollover"}, nil},
		{"only a data stream", []indexReport{stream}, []string{"rollover"}, []string{"close the index"}},
		{"only an index", []indexReport{index("big", "lz4", 600, 5)}, []string{"close the index"}, []string{"rollover"}},
		{"small, unsearched, unknown, compressed", []indexReport{
			index("small", "default", 9, 5), index("idle", "default", 900, 0), index("unknown", "", 900, 5),
			index("c1", "best_compression", 900, 5), index("c2", "zstd", 900, 5), index("c3", "zlib", 900, 5),
		}, []string{"What is left"}, []string{"small", "idle", "unknown", "c1", "c2", "c3"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := text(advise(tt.indices))
			for _, want := range tt.want {
				if !strings.Contains(got, want) {
					t.Errorf("no %q in:\n%s", want, got)
				}
			}
			for _, absent := range tt.absent {
				if strings.Contains(got, absent) {
					t.Errorf("%q in:\n%s", absent, got)
				}
			}
		})
	}
}

// A person gets the worst rows, a program all.
func TestManyIndices(t *testing.T) {
	many := func(_, now *snapshot) {
		for range 30 {
			now.indices = append(now.indices, index{name: "more"})
		}
	}
	r := demoReport(t, many)
	if len(r.Indices) != 35 {
		t.Errorf("%d indices in the report, want 35", len(r.Indices))
	}
	wantLines(t, r.text(), "and 15 more, all of them with -json")
}
