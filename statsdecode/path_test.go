package statsdecode_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/lowalloc/lowalloc/statsdecode"
)

const always = "filter_path=error,status,_shards,_nodes,cluster_name"

func TestIndexStatsPath(t *testing.T) {
	const fixed = "?forbid_closed_indices=false&expand_wildcards=all"
	for _, c := range []struct {
		name string
		s    statsdecode.Sections
		o    statsdecode.PathOptions
		want string
	}{
		{"everything", 0, statsdecode.PathOptions{}, "/_stats" + fixed},
		{"everything has no metrics", 0, statsdecode.PathOptions{Metrics: true}, "/_stats" + fixed},
		{"a section of a later version of this package", 1 << 63, statsdecode.PathOptions{Metrics: true},
			"/_stats" + fixed + "&" + always + ",indices.*.uuid,indices.*.health,indices.*.status"},
		{"one section", statsdecode.SectionDocs, statsdecode.PathOptions{},
			"/_stats" + fixed + "&" + always + ",indices.*.uuid,indices.*.health,indices.*.status" +
				",indices.*.primaries.docs,indices.*.total.docs"},
		{"two sections of some indices, named", statsdecode.SectionSearch | statsdecode.SectionMerges, statsdecode.PathOptions{Target: "logs-*,-logs-old", Metrics: true},
			"/logs-*,-logs-old/_stats/search,merge" + fixed + "&" + always + ",indices.*.uuid,indices.*.health,indices.*.status" +
				",indices.*.primaries.search,indices.*.primaries.merges,indices.*.total.search,indices.*.total.merges"},
		{"figures bring their section", statsdecode.SectionIndexFailed | statsdecode.SectionWriteLoad, statsdecode.PathOptions{Metrics: true},
			"/_stats/indexing" + fixed + "&" + always + ",indices.*.uuid,indices.*.health,indices.*.status" +
				",indices.*.primaries.indexing,indices.*.total.indexing"},
		{"the sum alone", statsdecode.SectionStore, statsdecode.PathOptions{Level: "cluster"},
			"/_stats" + fixed + "&level=cluster&" + always + ",_all.primaries.store,_all.total.store"},
		{"all of the sum", 0, statsdecode.PathOptions{Level: "cluster"}, "/_stats" + fixed + "&level=cluster"},
		{"as the server does", statsdecode.SectionStore, statsdecode.PathOptions{Level: "indices"},
			"/_stats" + fixed + "&level=indices&" + always + ",indices.*.uuid,indices.*.health,indices.*.status" +
				",indices.*.primaries.store,indices.*.total.store"},
		{"shards", statsdecode.SectionStore, statsdecode.PathOptions{Level: "shards"},
			"/_stats" + fixed + "&level=shards&" + always + ",indices.*.uuid,indices.*.health,indices.*.status" +
				",indices.*.shards.*.routing,indices.*.shards.*.commit,indices.*.shards.*.seq_no" +
				",indices.*.shards.*.retention_leases,indices.*.shards.*.shard_path" +
				",indices.*.shards.*.search_idle,indices.*.shards.*.search_idle_time" +
				",indices.*.primaries.store,indices.*.total.store,indices.*.shards.*.store"},
	} {
		if got := statsdecode.IndexStatsPath(c.s, c.o); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
}

func TestNodeStatsPath(t *testing.T) {
	const identity = ",nodes.*.timestamp,nodes.*.name,nodes.*.transport_address,nodes.*.host,nodes.*.ip,nodes.*.roles,nodes.*.attributes"
	for _, c := range []struct {
		name string
		s    statsdecode.NodeSections
		o    statsdecode.PathOptions
		want string
	}{
		{"everything", 0, statsdecode.PathOptions{}, "/_nodes/stats"},
		{"everything of one node", 0, statsdecode.PathOptions{Target: "_local", Metrics: true}, "/_nodes/_local/stats"},
		{"one section", statsdecode.NodeSectionJVM, statsdecode.PathOptions{}, "/_nodes/stats?" + always + identity + ",nodes.*.jvm"},
		{"named, breaker in the singular", statsdecode.NodeSectionBreakers | statsdecode.NodeSectionFS, statsdecode.PathOptions{Target: "data:true,10.0.0.*", Metrics: true},
			"/_nodes/data:true,10.0.0.*/stats/fs,breaker?" + always + identity + ",nodes.*.fs,nodes.*.breakers"},
		{"parts bring their section", statsdecode.NodeSectionCPU | statsdecode.NodeSectionIOTime, statsdecode.PathOptions{},
			"/_nodes/stats?" + always + identity + ",nodes.*.os,nodes.*.fs"},
		{"other parts too", statsdecode.NodeSectionCgroup | statsdecode.NodeSectionIOStats, statsdecode.PathOptions{},
			"/_nodes/stats?" + always + identity + ",nodes.*.os,nodes.*.fs"},
		{"by index", statsdecode.NodeSectionIndices, statsdecode.PathOptions{Level: "indices"},
			"/_nodes/stats?level=indices&" + always + identity + ",nodes.*.indices"},
	} {
		if got := statsdecode.NodeStatsPath(c.s, c.o); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
}

func TestSettingsPath(t *testing.T) {
	const query = "?expand_wildcards=all&" + always +
		",*.settings.index.uuid,*.settings.index.provided_name,*.settings.index.codec,*.settings.index.mode" +
		",*.settings.index.number_of_shards,*.settings.index.number_of_replicas,*.settings.index.creation_date" +
		",*.settings.index.refresh_interval,*.settings.index.version,*.settings.index.hidden,*.settings.index.verified_before_close"
	for target, want := range map[string]string{
		"":            "/_settings" + query,
		"logs,metric": "/logs,metric/_settings" + query,
	} {
		if got := statsdecode.SettingsPath(statsdecode.PathOptions{Target: target}); got != want {
			t.Errorf("%q:\n got %s\nwant %s", target, got, want)
		}
	}
}

// What a caller puts into Target and Level stays where it belongs, and comes
// out as it went in.
func TestPathsHoldAnyTarget(t *testing.T) {
	for _, target := range []string{
		"logs", "logs-*", "a,b,-c*", "*", "_all", "*:logs", "cluster:logs,other:*",
		"<logs-{now/d}>", "<logs-{now/d{yyyy.MM.dd|+12:00}}>,other",
		"bücher", "索引-2024", "a b", "a+b", "a%2Cb", "100%", "a/b", "a?b=c", "a#b", "a&b", "a;b", `a"b\c`, "a\nb",
	} {
		for name, got := range map[string]string{
			"/_stats":    statsdecode.IndexStatsPath(statsdecode.SectionDocs, statsdecode.PathOptions{Target: target}),
			"/_settings": statsdecode.SettingsPath(statsdecode.PathOptions{Target: target}),
			"/stats":     statsdecode.NodeStatsPath(statsdecode.NodeSectionFS, statsdecode.PathOptions{Target: target}),
		} {
			u := parsePath(t, got)
			want := "/" + target + name
			if name == "/stats" {
				want = "/_nodes/" + target + name
			}
			if u.Path != want {
				t.Errorf("%s leads to %q, want %q", got, u.Path, want)
			}
			if n, want := strings.Count(u.EscapedPath(), "/"), strings.Count(want, "/")-strings.Count(target, "/"); n != want {
				t.Errorf("%s has %d segments, want %d", got, n, want)
			}
		}
	}
	for _, level := range []string{"cluster", "indices", "shards", "node", "a b&human=true", "ü", "%", "#"} {
		for _, got := range []string{
			statsdecode.IndexStatsPath(0, statsdecode.PathOptions{Level: level}),
			statsdecode.NodeStatsPath(0, statsdecode.PathOptions{Level: level}),
		} {
			if q := parsePath(t, got).Query(); q.Get("level") != level || q.Has("human") {
				t.Errorf("%s asks for level %q, want %q", got, q.Get("level"), level)
			}
		}
	}
}

// What holds for every path.
func TestPathsAreWellFormed(t *testing.T) {
	for _, got := range allPaths() {
		u := parsePath(t, got)
		query := u.Query()
		if query.Has("human") {
			t.Errorf("%s asks for figures made for people", got)
		}
		for name, values := range query {
			if len(values) != 1 || values[0] == "" {
				t.Errorf("%s has the parameter %s %d times: %q", got, name, len(values), values)
			}
		}
		if !query.Has("filter_path") {
			continue
		}
		filters := strings.Split(query.Get("filter_path"), ",")
		for _, f := range filters {
			if f == "" || strings.HasPrefix(f, "-") {
				t.Errorf("%s has the filter %q", got, f)
			}
		}
		for _, f := range []string{"error", "status", "_shards", "_nodes", "cluster_name"} {
			if !slices.Contains(filters, f) {
				t.Errorf("%s lets no %s through", got, f)
			}
		}
		slices.Sort(filters)
		if n := len(slices.Compact(slices.Clone(filters))); n != len(filters) {
			t.Errorf("%s repeats a filter", got)
		}
	}
}

// A server takes 4096 bytes in the first line of a request
// (http.max_initial_line_length).
func TestPathsFitARequestLine(t *testing.T) {
	longest := ""
	for _, got := range allPaths() {
		if len(got) > len(longest) {
			longest = got
		}
	}
	line := "GET " + longest + " HTTP/1.1\r\n"
	if len(line) >= 4096 {
		t.Errorf("a request line of %d bytes: %s", len(line), line)
	}
	if !strings.Contains(longest, "level=shards") || !strings.Contains(longest, "/_stats/docs,") {
		t.Errorf("the longest path is %s, want all sections of shards, named", longest)
	}
}

// allPaths returns the paths of every section alone, of all sections, and of
// none, with every combination of options.
func allPaths() (list []string) {
	var options []statsdecode.PathOptions
	for _, level := range []string{"", "cluster", "indices", "shards"} {
		for _, metrics := range []bool{false, true} {
			options = append(options, statsdecode.PathOptions{Level: level, Metrics: metrics})
		}
	}
	for _, o := range options {
		list = append(list, statsdecode.SettingsPath(o))
		for s := range sets(2 * statsdecode.SectionWriteLoad) {
			list = append(list, statsdecode.IndexStatsPath(s, o))
		}
		for s := range sets(2 * statsdecode.NodeSectionIOTime) {
			list = append(list, statsdecode.NodeStatsPath(s, o))
		}
	}
	return list
}

// sets walks the empty set, that of each bit below limit, and that of all.
func sets[S ~uint32 | ~uint64](limit S) func(func(S) bool) {
	return func(yield func(S) bool) {
		for s := S(1); s < limit; s <<= 1 {
			if !yield(s) {
				return
			}
		}
		_ = yield(0) && yield(limit-1)
	}
}

// parsePath parses a path as the client of a request does.
func parsePath(t *testing.T, path string) *url.URL {
	t.Helper()
	if !strings.HasPrefix(path, "/") || strings.HasPrefix(path, "//") {
		t.Errorf("%s does not stand behind the address of a server", path)
	}
	u, err := url.ParseRequestURI(path)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	if _, err := url.ParseQuery(u.RawQuery); err != nil {
		t.Errorf("%s: %v", path, err)
	}
	r, err := http.NewRequest("GET", "http://127.0.0.1:9200"+path, nil)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	if r.URL.RequestURI() != path || r.URL.Fragment != "" {
		t.Errorf("%s is requested as %s", path, r.URL.RequestURI())
	}
	return u
}

// metrics are the sections whose name in a path is not their JSON key.
var metrics = map[string]string{"merges": "merge", "breakers": "breaker"}

// Every section of the types has a bit, in the order of the fields; the path
// asks for exactly it; and an answer that has it sets that bit.
func TestSectionsFollowTheTypes(t *testing.T) {
	t.Run("CommonStats", func(t *testing.T) {
		fields := sectionFields(reflect.TypeFor[statsdecode.CommonStats]())
		checkConstants(t, "sections.go", "Section", fields, "SectionIndexFailed", "SectionWriteLoad")
		for i, f := range fields {
			s := statsdecode.Sections(1) << i
			key, metric := jsonKey(f), metricOf(jsonKey(f))
			got := statsdecode.IndexStatsPath(s, statsdecode.PathOptions{Metrics: true})
			if !strings.HasPrefix(got, "/_stats/"+metric+"?") {
				t.Errorf("%s: metric of %s, want %s", f.Name, got, metric)
			}
			if want := ",indices.*.primaries." + key + ",indices.*.total." + key; !strings.HasSuffix(got, want) {
				t.Errorf("%s: filter of %s, want %s", f.Name, got, want)
			}
			answer := fmt.Sprintf(`{"indices": {"a": {"primaries": {}, "total": {%q: {}}}}}`, key)
			for ix, err := range new(statsdecode.Decoder).Indices(strings.NewReader(answer)) {
				if err != nil || ix.Total.Present != s || ix.Primaries.Present != 0 {
					t.Errorf("%s: present %b, %b, %v; want %b, 0", answer, ix.Total.Present, ix.Primaries.Present, err, s)
				}
			}
		}
	})
	t.Run("Node", func(t *testing.T) {
		fields := sectionFields(reflect.TypeFor[statsdecode.Node]())
		checkConstants(t, "nodesections.go", "NodeSection", fields,
			"NodeSectionCPU", "NodeSectionCgroup", "NodeSectionIOStats", "NodeSectionIOTime")
		for i, f := range fields {
			s := statsdecode.NodeSections(1) << i
			key, metric := jsonKey(f), metricOf(jsonKey(f))
			got := statsdecode.NodeStatsPath(s, statsdecode.PathOptions{Metrics: true})
			if !strings.HasPrefix(got, "/_nodes/stats/"+metric+"?") {
				t.Errorf("%s: metric of %s, want %s", f.Name, got, metric)
			}
			if want := ",nodes.*.attributes,nodes.*." + key; !strings.HasSuffix(got, want) {
				t.Errorf("%s: filter of %s, want %s", f.Name, got, want)
			}
			answer := fmt.Sprintf(`{"nodes": {"a": {%q: {}}}}`, key)
			for n, err := range new(statsdecode.Decoder).Nodes(strings.NewReader(answer)) {
				if err != nil || n.Present != s {
					t.Errorf("%s: present %b, %v; want %b", answer, n.Present, err, s)
				}
			}
		}
	})
}

// The filters of a node let through what is not in a section.
func TestNodeFiltersFollowTheType(t *testing.T) {
	node := reflect.TypeFor[statsdecode.Node]()
	sections := sectionFields(node)
	var want []string
	for f := range node.Fields() {
		isSection := slices.ContainsFunc(sections, func(s reflect.StructField) bool { return s.Name == f.Name })
		if key := jsonKey(f); key != "-" && !isSection {
			want = append(want, "nodes.*."+key)
		}
	}
	got := statsdecode.NodeStatsPath(statsdecode.NodeSectionOS, statsdecode.PathOptions{})
	if want := always + "," + strings.Join(want, ",") + ",nodes.*.os"; !strings.HasSuffix(got, "?"+want) {
		t.Errorf("got %s, want ...%s", got, want)
	}
}

// The filters of an index let through what is not in a section.
func TestIndexFiltersFollowTheTypes(t *testing.T) {
	got := statsdecode.IndexStatsPath(statsdecode.SectionDocs, statsdecode.PathOptions{Level: "shards"})
	filters := strings.Split(parsePath(t, got).Query().Get("filter_path"), ",")
	var want []string
	for f := range reflect.TypeFor[statsdecode.Index]().Fields() {
		switch key := jsonKey(f); {
		case key == "-":
		case f.Type == reflect.TypeFor[statsdecode.CommonStats]():
			want = append(want, "indices.*."+key+".docs")
		case f.Type == reflect.TypeFor[statsdecode.Shards]():
			want = append(want, "indices.*."+key+".*.docs")
		default:
			want = append(want, "indices.*."+key)
		}
	}
	for f := range reflect.TypeFor[statsdecode.ShardCopy]().Fields() {
		if !f.Anonymous {
			want = append(want, "indices.*.shards.*."+jsonKey(f))
		}
	}
	for _, w := range want {
		if !slices.Contains(filters, w) {
			t.Errorf("%s lets no %s through", got, w)
		}
	}
}

func TestSettingsFiltersFollowTheType(t *testing.T) {
	var want []string
	for f := range reflect.TypeFor[statsdecode.IndexSettings]().Fields() {
		if key := jsonKey(f); key != "-" {
			want = append(want, "*.settings.index."+key)
		}
	}
	got := statsdecode.SettingsPath(statsdecode.PathOptions{})
	if want := always + "," + strings.Join(want, ","); !strings.HasSuffix(got, "&"+want) {
		t.Errorf("got %s, want ...%s", got, want)
	}
}

func metricOf(key string) string {
	if m, ok := metrics[key]; ok {
		return m
	}
	return key
}

// sectionFields returns the fields of a struct that are sections: objects,
// other than the attributes of a node.
func sectionFields(t reflect.Type) (list []reflect.StructField) {
	for f := range t.Fields() {
		named := f.Type.Kind() == reflect.Slice && f.Type.Elem().Kind() == reflect.Struct && f.Name != "Attributes"
		if f.Type.Kind() == reflect.Struct || named {
			list = append(list, f)
		}
	}
	return list
}

func jsonKey(f reflect.StructField) string {
	key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return key
}

// checkConstants checks that the constants of a file are those of the fields,
// in their order, and then the extra ones.
func checkConstants(t *testing.T, file, prefix string, fields []reflect.StructField, extra ...string) {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var got, want []string
	for n := range ast.Preorder(f) {
		if spec, ok := n.(*ast.ValueSpec); ok && strings.HasPrefix(spec.Names[0].Name, prefix) {
			got = append(got, spec.Names[0].Name)
		}
	}
	for _, f := range fields {
		want = append(want, prefix+f.Name)
	}
	if want = append(want, extra...); !slices.Equal(got, want) {
		t.Errorf("constants of %s:\n got %v\nwant %v", file, got, want)
	}
}

func TestSectionsHas(t *testing.T) {
	both := statsdecode.SectionDocs | statsdecode.SectionStore
	for _, c := range []struct {
		s, x statsdecode.Sections
		want bool
	}{
		{both, statsdecode.SectionDocs, true},
		{both, both, true},
		{statsdecode.SectionDocs, both, false},
		{both, statsdecode.SectionSearch, false},
		{both, 0, true},
		{0, statsdecode.SectionDocs, false},
	} {
		if got := c.s.Has(c.x); got != c.want {
			t.Errorf("Sections(%b).Has(%b) = %t", c.s, c.x, got)
		}
		if got := statsdecode.NodeSections(c.s).Has(statsdecode.NodeSections(c.x)); got != c.want {
			t.Errorf("NodeSections(%b).Has(%b) = %t", c.s, c.x, got)
		}
	}
}
