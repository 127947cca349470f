package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"
)

// report is what is written for each poll but the first.
type report struct {
	Time        time.Time      `json:"time"`
	Source      string         `json:"source"` // the address, or that it is recorded or synthetic
	Seconds     figure         `json:"seconds"`
	Cluster     *clusterReport `json:"cluster"` // null if the poll got no answer
	Nodes       []nodeReport   `json:"nodes"`
	Indices     []indexReport  `json:"indices"` // worst mean query time first
	IOBound     verdict        `json:"io_bound"`
	Reasons     []point        `json:"reasons"`
	Correlation figure         `json:"correlation"` // of disk reads and searches: never decides
	Advice      []point        `json:"advice,omitempty"`
	Missed      []string       `json:"missed,omitempty"`
}

type clusterReport struct {
	Name       string `json:"name"`
	Health     string `json:"health"`
	Nodes      int64  `json:"nodes"`
	DataNodes  int64  `json:"data_nodes"`
	Shards     int64  `json:"shards"`
	Unassigned int64  `json:"unassigned_shards"`
	Documents  figure `json:"documents"`   // primaries, nested ones included
	Store      figure `json:"store_bytes"` // replicas too
}

func clusterOf(s *snapshot) *clusterReport {
	h := &s.health
	if h.Status == "" {
		return nil
	}
	c := &clusterReport{
		Name: h.ClusterName, Health: h.Status, Nodes: h.NumberOfNodes, DataNodes: h.NumberOfDataNodes,
		Shards: h.ActiveShards, Unassigned: h.UnassignedShards,
	}
	if len(s.indices) == 0 && h.ActiveShards > 0 {
		return c // not asked
	}
	c.Documents, c.Store = known(0), known(0)
	for i := range s.indices {
		if ix := &s.indices[i]; ix.listed {
			c.Documents, c.Store = c.Documents.plus(ix.docs), c.Store.plus(ix.store)
		}
	}
	return c
}

// printer writes reports.
type printer struct {
	w    io.Writer
	json bool
}

func (p printer) write(r *report) error {
	if p.json {
		e := json.NewEncoder(p.w)
		e.SetEscapeHTML(false)
		return e.Encode(r)
	}
	_, err := io.WriteString(p.w, r.text())
	return err
}

// say writes a line for people; JSON has no place for it.
func (p printer) say(format string, args ...any) error {
	if p.json {
		return nil
	}
	_, err := fmt.Fprintf(p.w, format+"\n", args...)
	return err
}

func (r *report) text() string {
	var b strings.Builder
	line := func(format string, args ...any) {
		b.WriteString(printable(fmt.Sprintf(format, args...)))
		b.WriteByte('\n')
	}
	line("")
	over := ""
	if r.Seconds.known {
		over = ", over " + duration(r.Seconds.times(1000))
	}
	line("%s%s", r.Time.Format("2006-01-02 15:04:05 MST"), over)
	for _, m := range r.Missed {
		line("missed: %s", m)
	}
	if c := r.Cluster; c != nil {
		line("%s: %s, %d nodes (%d with data), %s shards%s, %s documents, %s",
			c.Name, c.Health, c.Nodes, c.DataNodes, decimal(float64(c.Shards)), c.unassigned(), number(c.Documents), size(c.Store))
	}
	if len(r.Nodes) > 0 {
		line("")
		b.WriteString(r.nodeTable().String())
	}
	if len(r.Indices) > 0 {
		line("")
		b.WriteString(r.indexTable().String())
		if more := len(r.Indices) - mostIndices; more > 0 {
			line("and %d more, all of them with -json", more)
		}
	}
	line("")
	line("I/O bound: %s", r.IOBound)
	for _, p := range r.Reasons {
		for _, s := range p.lines() {
			line("  %s", s)
		}
	}
	if r.Correlation.known {
		line("  disk reads follow the search rate with a correlation of %.2f so far", r.Correlation.value)
	}
	for i, p := range r.Advice {
		if i == 0 {
			line("")
		}
		for _, s := range p.lines() {
			line("%s", s)
		}
	}
	return b.String()
}

func (c *clusterReport) unassigned() string {
	if c.Unassigned == 0 {
		return ""
	}
	return fmt.Sprintf(" (%d unassigned)", c.Unassigned)
}

func (r *report) nodeTable() *table {
	t := &table{left: map[int]bool{0: true, 11: true}}
	t.row("NODE", "SEARCHES/MIN", "QUERY", "FETCH", "CPU %", "HEAP %", "GC %", "DISK READS/S", "MEMORY/STORE %", "REJECTED", "", "I/O BOUND")
	for i := range r.Nodes {
		n := &r.Nodes[i]
		verdict := n.IOBound.String()
		switch {
		case !n.Data:
			verdict = "no data"
		case n.Change != "":
			verdict += ": " + n.Change
		}
		t.row(n.Name, number(n.SearchRate), duration(n.MeanQuery), duration(n.MeanFetch),
			percentNumber(n.CPU), percentNumber(n.Heap), percentNumber(n.GC),
			number(n.ReadRate), percentNumber(n.MemoryToStorage), number(n.Rejections), "", verdict)
	}
	return t
}

// mostIndices is how many rows a person reads.
const mostIndices = 20

func (r *report) indexTable() *table {
	t := &table{left: map[int]bool{0: true, 5: true, 6: true}}
	t.row("INDEX", "DOCUMENTS", "STORE", "SEARCHES/MIN", "QUERY", "CODEC", "")
	for _, ix := range r.Indices[:min(len(r.Indices), mostIndices)] {
		codec := ix.Codec
		if codec == "" {
			codec = unknown
		}
		t.row(ix.Name, number(ix.Docs), size(ix.Store), number(ix.SearchRate), duration(ix.MeanQuery), codec, ix.Note)
	}
	return t
}
