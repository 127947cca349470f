package statsdecode

import (
	"bytes"
	"reflect"
)

// The shortcut sets presence bits as it goes. marks tells it which values have
// one, by pointers to them.

func (s *CommonStats) marks(marks map[any]func()) {
	v := reflect.ValueOf(s).Elem()
	for i := range sectionNames { // the fields of CommonStats are in the order of the bits
		marks[v.Field(i).Addr().Interface()] = func() { s.Present |= 1 << i }
	}
	marks[&s.Indexing.IndexFailed] = func() { s.Present |= SectionIndexFailed }
	marks[&s.Indexing.WriteLoad] = func() { s.Present |= SectionWriteLoad }
}

func (n *Node) marks(marks map[any]func()) {
	n.Indices.marks(marks)
	for value, section := range map[any]NodeSections{
		&n.Indices: NodeSectionIndices, &n.OS: NodeSectionOS, &n.Process: NodeSectionProcess,
		&n.JVM: NodeSectionJVM, &n.ThreadPool: NodeSectionThreadPool, &n.FS: NodeSectionFS,
		&n.Transport: NodeSectionTransport, &n.HTTP: NodeSectionHTTP, &n.Breakers: NodeSectionBreakers,
		&n.Script: NodeSectionScript, &n.Discovery: NodeSectionDiscovery, &n.Ingest: NodeSectionIngest,
		&n.IndexingPressure: NodeSectionIndexingPressure, &n.AdaptiveSelection: NodeSectionAdaptiveSelection,

		&n.OS.CPU.Percent: NodeSectionCPU, &n.OS.CPUPercent: NodeSectionCPU, &n.OS.Cgroup: NodeSectionCgroup,
		&n.FS.IOStats.Total: NodeSectionIOStats, &n.FS.IOStats.Total.IOTimeInMillis: NodeSectionIOTime,
	} {
		marks[value] = func() { n.Present |= section }
	}
}

// A section is present where the answer has an object for it. The reference
// leaves no trace of that, so behind it these walk the same bytes, and match
// names as it does: in any case.

// markBoth marks the two sums of an index, or of all indices.
func markBoth(value []byte, primaries, total *CommonStats) {
	for key, v := range members(value) {
		switch {
		case named(key, "primaries"):
			primaries.mark(v)
		case named(key, "total"):
			total.mark(v)
		}
	}
}

func (s *CommonStats) mark(value []byte) {
	for key, v := range members(value) {
		section := sectionOf(key)
		if section == 0 || !isObject(v) {
			continue
		}
		s.Present |= section
		if section == SectionIndexing {
			s.markIndexing(v)
		}
	}
}

func (s *CommonStats) markIndexing(value []byte) {
	for key, v := range members(value) {
		switch {
		case named(key, "index_failed") && isNumber(v):
			s.Present |= SectionIndexFailed
		case named(key, "write_load") && isNumber(v):
			s.Present |= SectionWriteLoad
		}
	}
}

func (n *Node) mark(value []byte) {
	for key, v := range members(value) {
		section := nodeSectionOf(key)
		if section == 0 || !isObject(v) {
			continue
		}
		n.Present |= section
		switch section {
		case NodeSectionIndices:
			n.Indices.mark(v)
		case NodeSectionOS:
			n.markOS(v)
		case NodeSectionFS:
			n.markFS(v)
		}
	}
}

func (n *Node) markOS(value []byte) {
	for key, v := range members(value) {
		switch {
		case named(key, "cpu_percent") && isNumber(v):
			n.Present |= NodeSectionCPU
		case named(key, "cgroup") && isObject(v):
			n.Present |= NodeSectionCgroup
		case named(key, "cpu"):
			for key, v := range members(v) {
				if named(key, "percent") && isNumber(v) {
					n.Present |= NodeSectionCPU
				}
			}
		}
	}
}

func (n *Node) markFS(value []byte) {
	for key, v := range members(value) {
		if !named(key, "io_stats") {
			continue
		}
		for key, v := range members(v) {
			if !named(key, "total") || !isObject(v) {
				continue
			}
			n.Present |= NodeSectionIOStats
			for key, v := range members(v) {
				if named(key, "io_time_in_millis") && isNumber(v) {
					n.Present |= NodeSectionIOTime
				}
			}
		}
	}
}

// sectionOf returns the section that a quoted member name selects, or 0.
func sectionOf(quoted []byte) Sections {
	for i := range sectionNames {
		if string(quoted[1:len(quoted)-1]) == sectionNames[i].key {
			return 1 << i
		}
	}
	for i := range sectionNames {
		if named(quoted, sectionNames[i].key) {
			return 1 << i
		}
	}
	return 0
}

// nodeSectionOf returns the section that a quoted member name selects, or 0.
func nodeSectionOf(quoted []byte) NodeSections {
	for i := range nodeSectionNames {
		if named(quoted, nodeSectionNames[i].key) {
			return 1 << i
		}
	}
	return 0
}

// named reports whether a quoted member name selects the field called name.
func named(quoted []byte, name string) bool {
	return string(quoted[1:len(quoted)-1]) == name || bytes.EqualFold(unquote(quoted), []byte(name))
}
