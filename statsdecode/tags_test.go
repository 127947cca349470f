package statsdecode_test

import (
	"encoding/json"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/lowalloc/lowalloc/statsdecode"
)

var unmarshaler = reflect.TypeFor[json.Unmarshaler]()

// figures returns all struct types that a caller gets figures in, and, by
// those, the named types of their fields that are none.
func figures() (structs, others []reflect.Type) {
	var visit func(t reflect.Type)
	visit = func(t reflect.Type) {
		named := t.PkgPath() != ""
		switch t.Kind() {
		case reflect.Struct:
			if slices.Contains(structs, t) {
				return
			}
			structs = append(structs, t)
			for f := range t.Fields() {
				visit(f.Type)
			}
			return
		case reflect.Slice:
			visit(t.Elem())
		}
		if named && !slices.Contains(others, t) {
			others = append(others, t)
		}
	}
	for _, t := range []reflect.Type{
		reflect.TypeFor[statsdecode.Index](),
		reflect.TypeFor[statsdecode.Node](),
		reflect.TypeFor[statsdecode.IndexSettings](),
		reflect.TypeFor[statsdecode.ClusterHealth](),
		reflect.TypeFor[statsdecode.ClusterStats](),
		reflect.TypeFor[statsdecode.ShardCopy](),
	} {
		visit(t)
	}
	return structs, others
}

// notFromKey are the fields without a JSON key of their own: what they hold is
// the key of the object they are in, or is made from other fields.
var notFromKey = map[string]bool{
	"Index.Name": true, "Node.ID": true, "IndexSettings.Name": true, "Shard.Name": true,
	"ThreadPool.Name": true, "Breaker.Name": true, "Collector.Name": true, "MemoryPool.Name": true, "BufferPool.Name": true,
	"IngestPipeline.Name": true, "IngestProcessor.Name": true, "SelectableNode.Name": true,
	"Attribute.Name": true, "Attribute.Value": true, "Shard.Copies": true,
	"CommonStats.Present": true, "Node.Present": true,
	"Node.IP": true, // the first of IPs
}

// otherName are the fields whose Go name is not that of the key.
var otherName = map[string]string{
	"LoadAverage.OneMinute":      "1m", // a Go name does not begin with a digit
	"LoadAverage.FiveMinutes":    "5m",
	"LoadAverage.FifteenMinutes": "15m",
	"Node.IPs":                   "ip", // there may be several; IP is the first
}

var initialisms = []string{"id", "uuid", "os", "jvm", "fs", "gc", "cpu", "http", "ip"}

// camelCase is the Go name of a JSON key.
func camelCase(key string) string {
	var b strings.Builder
	for word := range strings.SplitSeq(key, "_") {
		switch {
		case slices.Contains(initialisms, word):
			word = strings.ToUpper(word)
		case word == "io": // of io_stats and io_time_in_millis: as much an initialism as the others
			word = "IO"
		case word == "cpuacct":
			word = "CPUAcct" // the kernel's own contraction of two words
		case word != "":
			word = strings.ToUpper(word[:1]) + word[1:]
		}
		b.WriteString(word)
	}
	return b.String()
}

func TestFieldsAreNamedForTheirKeys(t *testing.T) {
	structs, _ := figures()
	if len(structs) < 60 {
		t.Errorf("%d structs are reached, want all", len(structs))
	}
	seen := map[string]bool{}
	for _, s := range structs {
		for f := range s.Fields() {
			name := s.Name() + "." + f.Name
			tag, tagged := f.Tag.Lookup("json")
			key, options, _ := strings.Cut(tag, ",")
			switch {
			case !f.IsExported():
				t.Errorf("%s cannot be set by encoding/json", name)
			case f.Anonymous:
				if tagged || f.Type.Kind() != reflect.Struct {
					t.Errorf("%s is embedded, but its fields are not those of the object", name)
				}
				continue
			case s.Name() == "Shard": // has UnmarshalJSON for its parts
				if tagged || !notFromKey[name] {
					t.Errorf("%s has the tag %q, want none", name, tag)
				}
			case notFromKey[name]:
				if tag != "-" {
					t.Errorf("%s has the tag %q, want -", name, tag)
				}
			case otherName[name] != "":
				if key != otherName[name] {
					t.Errorf("%s has the key %q, want %q", name, key, otherName[name])
				}
			case !tagged || key == "" || key == "-":
				t.Errorf("%s has the tag %q, want a key", name, tag)
			case camelCase(key) != f.Name:
				t.Errorf("%s has the key %q, which wants the name %s", name, key, camelCase(key))
			}
			if wantOption := s.Name() == "IndexSettings" && f.Type.Kind() != reflect.String && f.Type.Kind() != reflect.Struct; (options == "string") != wantOption {
				t.Errorf("%s has the options %q; numbers are text in settings, and only there", name, options)
			}
			seen[name] = true
		}
	}
	for name := range notFromKey {
		if !seen[name] {
			t.Errorf("the exception %s is no field", name)
		}
	}
	for name := range otherName {
		if !seen[name] {
			t.Errorf("the exception %s is no field", name)
		}
	}
}

// Counters that the server makes unsigned; all others are int64.
var unsigned = []string{
	"CgroupCPUAcct.UsageNanos",
	"CgroupCPUStat.NumberOfElapsedPeriods", "CgroupCPUStat.NumberOfTimesThrottled", "CgroupCPUStat.TimeThrottledNanos",
}

func TestNumbersHaveTheirWidthOnEverySystem(t *testing.T) {
	structs, others := figures()
	var gotUnsigned []string
	for _, s := range structs {
		for f := range s.Fields() {
			switch name := s.Name() + "." + f.Name; f.Type.Kind() {
			case reflect.Int64, reflect.Float64, reflect.String, reflect.Bool, reflect.Struct, reflect.Slice:
			case reflect.Uint64:
				if f.Type == reflect.TypeFor[uint64]() {
					gotUnsigned = append(gotUnsigned, name)
				} else if f.Type != reflect.TypeFor[statsdecode.Sections]() {
					t.Errorf("%s is %s", name, f.Type)
				}
			default:
				if f.Type != reflect.TypeFor[statsdecode.NodeSections]() {
					t.Errorf("%s is %s, which no field should be", name, f.Type)
				}
			}
		}
	}
	slices.Sort(gotUnsigned)
	if want := slices.Sorted(slices.Values(unsigned)); !slices.Equal(gotUnsigned, want) {
		t.Errorf("unsigned counters are %v, want %v", gotUnsigned, want)
	}
	if len(others) < 11 {
		t.Errorf("%d named types that are no structs are reached: %v", len(others), others)
	}
}

// Sets are slices with a Get; what is neither a set nor a lenient value is
// decoded by its fields alone, so that an embedding program can do so too.
func TestUnmarshalersAreSetsAndLenientValues(t *testing.T) {
	lenient := []reflect.Type{
		reflect.TypeFor[statsdecode.Addresses](), reflect.TypeFor[statsdecode.LoadAverage](),
		reflect.TypeFor[statsdecode.CgroupBytes](), reflect.TypeFor[statsdecode.Rank](), reflect.TypeFor[statsdecode.ShardCopies](),
	}
	bits := []reflect.Type{reflect.TypeFor[statsdecode.Sections](), reflect.TypeFor[statsdecode.NodeSections]()}
	structs, others := figures()
	for _, s := range structs {
		if !slices.Contains(lenient, s) && reflect.PointerTo(s).Implements(unmarshaler) {
			t.Errorf("%s has an UnmarshalJSON", s)
		}
	}
	sets := 0
	for _, o := range others {
		if slices.Contains(bits, o) {
			continue
		}
		if !reflect.PointerTo(o).Implements(unmarshaler) || o.Implements(unmarshaler) {
			t.Errorf("%s has no UnmarshalJSON with a pointer receiver", o)
		}
		if slices.Contains(lenient, o) {
			continue
		}
		sets++
		get, ok := o.MethodByName("Get")
		if !ok || o.Kind() != reflect.Slice {
			t.Errorf("%s is no set: a slice with a Get", o)
			continue
		}
		// func (S) Get(string) (E, bool)
		g := get.Type
		value := g.NumOut() == 2 && (g.Out(0) == o.Elem() || o == reflect.TypeFor[statsdecode.Attributes]() && g.Out(0).Kind() == reflect.String)
		if !value || g.NumIn() != 2 || g.In(1).Kind() != reflect.String || g.Out(1).Kind() != reflect.Bool {
			t.Errorf("%s.Get is a %s", o, g)
		}
	}
	if sets != 10 {
		t.Errorf("%d sets, want 10", sets)
	}
}

// selfExplanatory are the fields that say all in their names: texts, counts
// and ids without a unit, a version or a special value to tell of.
var selfExplanatory = []string{
	"Attribute.Name", "Attribute.Value",
	"BufferPool.Name", "Breaker.Name", "Collector.Name", "MemoryPool.Name", "ThreadPool.Name",
	"Cause.Reason", "Cause.Type",
	"ClusterHealth.ClusterName", "ClusterStats.ClusterName", "Header.ClusterName",
	"ClusterHealth.ActivePrimaryShards", "ClusterHealth.InitializingShards", "ClusterHealth.NumberOfDataNodes", "ClusterHealth.NumberOfNodes",
	"ClusterHealth.RelocatingShards", "ClusterHealth.UnassignedShards",
	"ClusterStateQueue.Committed", "ClusterStateQueue.Pending", "ClusterStateQueue.Total",
	"ClusterStatsJVM.Threads",
	"Commit.Generation", "Commit.ID",
	"Device.DeviceName",
	"Entry.Value",
	"LoadAverage.FifteenMinutes", "LoadAverage.FiveMinutes", "LoadAverage.OneMinute",
	"PublishedClusterStates.CompatibleDiffs", "PublishedClusterStates.FullStates", "PublishedClusterStates.IncompatibleDiffs",
	"RetentionLeases.PrimaryTerm", "RetentionLeases.Version",
	"SeqNo.GlobalCheckpoint", "SeqNo.LocalCheckpoint", "SeqNo.MaxSeqNo", // the type says what -1 and -2 mean
	"Shard.Copies",
	"ShardPath.DataPath", "ShardPath.IsCustomDataPath", "ShardPath.StatePath",
}

// Every exported name has a doc comment that begins with it, and every field a
// comment, unless the doc comment of its type tells what it is, or its name.
func TestEverythingIsExplained(t *testing.T) {
	fset := token.NewFileSet()
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var files []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(fset, name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	p, err := doc.NewFromFiles(fset, files, "github.com/lowalloc/lowalloc/statsdecode")
	if err != nil {
		t.Fatal(err)
	}
	begins := func(name, text string) {
		if want := regexp.MustCompile(`^(An? |The )?` + regexp.QuoteMeta(name) + `\b`); !want.MatchString(text) {
			t.Errorf("the doc comment of %s begins %.40q", name, text)
		}
	}
	if !strings.HasPrefix(p.Doc, "Package statsdecode ") {
		t.Errorf("the package comment begins %.40q", p.Doc)
	}
	for _, f := range p.Funcs {
		begins(f.Name, f.Doc)
	}
	for _, v := range slices.Concat(p.Consts, p.Vars) {
		explainValues(t, v)
	}
	unused := slices.Clone(selfExplanatory)
	for _, typ := range p.Types {
		begins(typ.Name, typ.Doc)
		for _, f := range slices.Concat(typ.Funcs, typ.Methods) {
			if typ.Name == "DecodeError" || typ.Name == "ResponseError" || typ.Name == "PartialError" {
				if f.Name == "Error" {
					continue // of interface error
				}
			}
			begins(f.Name, f.Doc)
		}
		for _, v := range slices.Concat(typ.Consts, typ.Vars) {
			explainValues(t, v)
		}
		s, ok := typ.Decl.Specs[0].(*ast.TypeSpec).Type.(*ast.StructType)
		if !ok {
			continue
		}
		for _, f := range s.Fields.List {
			for _, name := range f.Names {
				full := typ.Name + "." + name.Name
				i := slices.Index(unused, full)
				listed := i >= 0
				if listed {
					unused = slices.Delete(unused, i, i+1)
				}
				explained := f.Doc.Text() != "" || f.Comment.Text() != ""
				switch {
				case listed && explained:
					t.Errorf("%s has a comment, and is listed as self-explanatory", full)
				case !listed && !explained && !ownType(p, f.Type) && name.IsExported():
					t.Errorf("%s has no comment", full)
				}
			}
		}
	}
	if len(unused) > 0 {
		t.Errorf("listed as self-explanatory, but no fields: %v", unused)
	}
}

// explainValues checks that a group of constants or variables has a comment
// for all, or each has its own.
func explainValues(t *testing.T, v *doc.Value) {
	t.Helper()
	if v.Doc != "" {
		return
	}
	for _, spec := range v.Decl.Specs {
		if s := spec.(*ast.ValueSpec); s.Doc.Text() == "" && s.Comment.Text() == "" {
			t.Errorf("%s has no comment", s.Names[0].Name)
		}
	}
}

// ownType reports whether a field has a type of this package, whose doc comment
// tells what it is.
func ownType(p *doc.Package, e ast.Expr) bool {
	if list, ok := e.(*ast.ArrayType); ok {
		e = list.Elt
	}
	id, ok := e.(*ast.Ident)
	return ok && slices.ContainsFunc(p.Types, func(t *doc.Type) bool { return t.Name == id.Name })
}
