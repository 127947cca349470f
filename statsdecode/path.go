package statsdecode

import (
	"math/bits"
	"net/url"
	"strings"
)

// PathOptions narrows or widens a request. The zero value asks for all indices
// or nodes. The sections that a request asks for go into its filter_path, by
// which every server narrows its answer.
type PathOptions struct {
	// Target is which indices or, for node stats, which nodes: names, patterns
	// and lists of them, as the server takes them. "" is all.
	Target string

	// Level is the server's level parameter: "cluster", "indices" or "shards",
	// for node stats "node", "indices" or "shards". "" is the server's default,
	// "indices" and "node".
	Level string

	// Metrics names the wanted sections in the path as well, so that the server
	// does not even make the others. A server that does not know one of them
	// answers 400: set it only for a version that is known to have all.
	Metrics bool
}

// IndexStatsPath returns the path and query of a GET request for the sections
// s of index stats, 0 for all, to be put behind the address of a server. Closed
// and hidden indices do not make it fail, and it stays below the 4096 bytes
// that a server takes in a request line, as long as the target does.
func IndexStatsPath(s Sections, o PathOptions) string {
	s = s.withOwners()
	keys, metrics := pick(uint64(s), sectionNames[:])
	p := newPath(o.Target, "_stats")
	if o.Metrics && len(metrics) > 0 {
		p.segment(metrics...)
	}
	p.param("forbid_closed_indices", "false")
	p.param("expand_wildcards", "all")
	p.level(o.Level)
	if s == 0 {
		return p.String()
	}
	filter := []string{"indices.*.uuid", "indices.*.health", "indices.*.status"}
	entries := []string{"indices.*.primaries.", "indices.*.total."}
	switch o.Level {
	case "cluster":
		filter = nil
		entries = []string{"_all.primaries.", "_all.total."}
	case "shards":
		for _, k := range shardNames {
			filter = append(filter, "indices.*.shards.*."+k)
		}
		entries = append(entries, "indices.*.shards.*.")
	}
	p.filter(filter, entries, keys)
	return p.String()
}

// NodeStatsPath returns the path and query of a GET request for the sections s
// of node stats, 0 for all, to be put behind the address of a server.
func NodeStatsPath(s NodeSections, o PathOptions) string {
	s = s.withOwners()
	keys, metrics := pick(uint64(s), nodeSectionNames[:])
	target := "_nodes"
	if o.Target != "" {
		target += "/" + escapeTarget(o.Target)
	}
	p := newPath("", target+"/stats")
	if o.Metrics && len(metrics) > 0 {
		p.segment(metrics...)
	}
	p.level(o.Level)
	if s == 0 {
		return p.String()
	}
	filter := []string{
		"nodes.*.timestamp", "nodes.*.name", "nodes.*.transport_address", "nodes.*.host", "nodes.*.ip",
		"nodes.*.roles", "nodes.*.attributes",
	}
	p.filter(filter, []string{"nodes.*."}, keys)
	return p.String()
}

// SettingsPath returns the path and query of a GET request for the settings
// that IndexSettings has, of all indices or of those of the target, closed and
// hidden ones too, to be put behind the address of a server.
func SettingsPath(o PathOptions) string {
	p := newPath(o.Target, "_settings")
	p.param("expand_wildcards", "all")
	p.filter(nil, []string{"*.settings.index."}, settingNames[:])
	return p.String()
}

// shardNames are the JSON keys of ShardCopy that are no sections: they have no
// presence bit, so a filter that dropped them would turn them into zeros.
var shardNames = [...]string{
	"routing", "commit", "seq_no", "retention_leases", "shard_path", "search_idle", "search_idle_time",
}

// settingNames are the JSON keys of IndexSettings.
var settingNames = [...]string{
	"uuid", "provided_name", "codec", "mode", "number_of_shards", "number_of_replicas", "creation_date",
	"refresh_interval", "version", "hidden", "verified_before_close",
}

// withOwners replaces the bits of single figures by those of their sections.
func (s Sections) withOwners() Sections {
	const figures = SectionIndexFailed | SectionWriteLoad
	if s&figures != 0 {
		s |= SectionIndexing
	}
	return s &^ figures
}

// withOwners replaces the bits of parts by those of their sections.
func (s NodeSections) withOwners() NodeSections {
	const parts = NodeSectionCPU | NodeSectionCgroup | NodeSectionIOStats | NodeSectionIOTime
	if s&(NodeSectionCPU|NodeSectionCgroup) != 0 {
		s |= NodeSectionOS
	}
	if s&(NodeSectionIOStats|NodeSectionIOTime) != 0 {
		s |= NodeSectionFS
	}
	return s &^ parts
}

// pick returns the JSON keys and the metrics of the sections in the set.
func pick(set uint64, names []struct{ key, metric string }) (keys, metrics []string) {
	for ; set != 0; set &= set - 1 {
		if i := bits.TrailingZeros64(set); i < len(names) {
			keys = append(keys, names[i].key)
			metrics = append(metrics, names[i].metric)
		}
	}
	return keys, metrics
}

// path is a request's path and query under construction.
type path struct {
	strings.Builder
	query bool
}

func newPath(target, api string) *path {
	p := new(path)
	if target != "" {
		p.segment(escapeTarget(target))
	}
	p.segment(api)
	return p
}

func (p *path) segment(list ...string) { p.WriteString("/" + strings.Join(list, ",")) }

// param adds a parameter. Neither names nor values need an escape.
func (p *path) param(name, value string) {
	sep := "?"
	if p.query {
		sep = "&"
	}
	p.query = true
	p.WriteString(sep + name + "=" + value)
}

func (p *path) level(level string) {
	if level != "" {
		p.param("level", url.QueryEscape(level))
	}
}

// filter adds a filter_path of the fields, and of the keys below each of the
// entries. It always lets through what tells of errors: a filter holds for the
// body of an error as well. Only positive filters are used, since a negative
// one drops empty arrays too (https://github.com/elastic/elasticsearch/issues/63842).
func (p *path) filter(fields, entries, keys []string) {
	list := append([]string{"error", "status", "_shards", "_nodes", "cluster_name"}, fields...)
	for _, e := range entries {
		for _, k := range keys {
			list = append(list, e+k)
		}
	}
	p.param("filter_path", strings.Join(list, ","))
}

// escapeTarget escapes what a path segment cannot hold, as in date math, and
// leaves lists and patterns readable.
func escapeTarget(target string) string {
	if target == "." || target == ".." { // no index is called so, and a path must not climb
		return strings.ReplaceAll(target, ".", "%2E")
	}
	return strings.NewReplacer("%2C", ",", "%2A", "*").Replace(url.PathEscape(target))
}
