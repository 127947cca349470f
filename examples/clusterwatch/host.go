package main

import (
	"cmp"
	"net"
	"strings"

	"github.com/lowalloc/lowalloc/statsdecode"
)

// Nodes may share a host, its memory and its disks, and tests even run several
// in one JVM. Each then reports the whole of what it shares, so memory and
// reads are set against the stores and the queries of all that share them.

// memory is what one or more nodes share.
type memory struct {
	bytes figure
	heap  figure // of all JVMs in it, other nodes than data nodes too
	store figure
	jvms  []jvm
}

// jvm tells virtual machines on one host apart.
type jvm struct{ start, heap int64 }

// startSlack is how far the start of one JVM may differ, as two of its nodes
// compute it from the clock and the uptime, in milliseconds.
const startSlack = 20

func memories(nodes []node) map[string]*memory {
	all := make(map[string]*memory)
	for _, n := range nodes {
		key := memoryOf(n.Node)
		m := all[key]
		if m == nil {
			bytes, ok := n.OS.Memory()
			m = &memory{bytes: maybe(float64(bytes), ok), heap: known(0), store: known(0)}
			all[key] = m
		}
		store := n.Indices.Store.SizeInBytes
		m.store = m.store.plus(maybe(float64(store), store >= 0 && !n.flawed && n.Indices.Present.Has(statsdecode.SectionStore)))
		v := jvm{n.JVM.Timestamp - n.JVM.UptimeInMillis, n.JVM.Mem.HeapMaxInBytes}
		if !m.has(v) {
			m.jvms = append(m.jvms, v)
			m.heap = m.heap.plus(maybe(float64(v.heap), v.heap > 0))
		}
	}
	return all
}

func (m *memory) has(v jvm) bool {
	for _, have := range m.jvms {
		d := v.start - have.start
		if have.heap == v.heap && -startSlack <= d && d <= startSlack {
			return true
		}
	}
	return false
}

// toStorage returns the memory for each byte of the store.
func (m *memory) toStorage() figure {
	return maybe(m.bytes.value/m.store.value, m.bytes.known && m.store.known && m.store.value > 0)
}

// pageCache returns which part of the store fits into what the heaps leave.
func (m *memory) pageCache() figure {
	left := max(0, m.bytes.value-m.heap.value)
	return maybe(left/m.store.value, m.bytes.known && m.heap.known && m.store.known && m.store.value > 0)
}

// memoryOf names the memory that n lives in: the host's, or a part of it that
// a control group or the node's configuration sets aside.
func memoryOf(n *statsdecode.Node) string {
	key := hostOf(n)
	bytes, _ := n.OS.Memory()
	switch mem := n.OS.Mem; {
	case bytes >= mem.TotalInBytes:
	case bytes == mem.AdjustedTotalInBytes:
		key += " " + n.ID
	default:
		key += " " + n.OS.Cgroup.Memory.ControlGroup
	}
	return key
}

func hostOf(n *statsdecode.Node) string {
	ip, _, err := net.SplitHostPort(n.IP)
	if err != nil {
		ip = n.IP
	}
	return cmp.Or(n.Host, ip, n.ID)
}

// disksOf names the devices that n reads from.
func disksOf(n *statsdecode.Node) string {
	var key strings.Builder
	key.WriteString(hostOf(n))
	for _, d := range n.FS.IOStats.Devices {
		key.WriteString(" " + d.DeviceName)
	}
	return key.String()
}

// disks is the work of all data nodes that share devices, between two polls.
type disks struct {
	queries figure
	merged  figure // bytes
}

func sharedDisks(nodes []nodeReport) map[string]*disks {
	all := make(map[string]*disks)
	for i := range nodes {
		n := &nodes[i]
		if !n.Data {
			continue
		}
		d := all[n.disks]
		if d == nil {
			d = &disks{queries: known(0), merged: known(0)}
			all[n.disks] = d
		}
		d.queries = d.queries.plus(n.Queries)
		d.merged = d.merged.plus(n.merged)
	}
	return all
}
