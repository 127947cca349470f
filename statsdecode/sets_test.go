package statsdecode_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	goccy "github.com/goccy/go-json"

	"github.com/lowalloc/lowalloc/internal/alloctest"
	"github.com/lowalloc/lowalloc/statsdecode"
)

// set is an open set of objects with one number, by the name of that number.
type set struct {
	key    string
	fresh  func() json.Unmarshaler
	lookup func(set json.Unmarshaler, name string) (number int64, ok bool)
}

var openSets = map[string]set{
	"ThreadPools": newSet("queue", func(s statsdecode.ThreadPools, name string) (int64, bool) {
		p, ok := s.Get(name)
		return p.Queue, ok
	}),
	"Breakers": newSet("tripped", func(s statsdecode.Breakers, name string) (int64, bool) {
		b, ok := s.Get(name)
		return b.Tripped, ok
	}),
	"Collectors": newSet("collection_count", func(s statsdecode.Collectors, name string) (int64, bool) {
		c, ok := s.Get(name)
		return c.CollectionCount, ok
	}),
	"MemoryPools": newSet("used_in_bytes", func(s statsdecode.MemoryPools, name string) (int64, bool) {
		p, ok := s.Get(name)
		return p.UsedInBytes, ok
	}),
	"BufferPools": newSet("count", func(s statsdecode.BufferPools, name string) (int64, bool) {
		p, ok := s.Get(name)
		return p.Count, ok
	}),
}

func newSet[S any, P interface {
	*S
	json.Unmarshaler
}](key string, lookup func(S, string) (int64, bool)) set {
	return set{
		key:   key,
		fresh: func() json.Unmarshaler { return P(new(S)) },
		lookup: func(s json.Unmarshaler, name string) (int64, bool) {
			return lookup(*s.(P), name)
		},
	}
}

// ways are the ways that lead to an UnmarshalJSON method.
var ways = map[string]func([]byte, json.Unmarshaler) error{
	"direct":        func(data []byte, dst json.Unmarshaler) error { return dst.UnmarshalJSON(data) },
	"encoding/json": func(data []byte, dst json.Unmarshaler) error { return json.Unmarshal(data, dst) },
	"go-json":       func(data []byte, dst json.Unmarshaler) error { return goccy.Unmarshal(data, dst) },
}

func TestSets(t *testing.T) {
	type figures map[string]int64
	for _, c := range []struct {
		name string
		json string // KEY stands for the key of the number
		want figures
		bad  bool // a type error is wanted
	}{
		{"two", `{"a": {"KEY": 1}, "b": {"KEY": 2}}`, figures{"a": 1, "b": 2}, false},
		{"none", `{}`, figures{}, false},
		{"none, with space", " {\n} ", figures{}, false},
		{"duplicates: the last", `{"a": {"KEY": 1}, "b": {"KEY": 2}, "a": {"KEY": 3}}`, figures{"a": 3, "b": 2}, false},
		{"a name of no letters", `{"": {"KEY": 1}, " ": {"KEY": 2}}`, figures{"": 1, " ": 2}, false},
		{"escapes in a name", `{"\u00fcber \"x\"": {"KEY": 1}, "\ud83d\ude00": {"KEY": 2}}`, figures{`über "x"`: 1, "😀": 2}, false},
		{"key in another case", `{"a": {"UPPER": 1}}`, figures{"a": 1}, false},
		{"unknown keys", `{"a": {"x": {"KEY": 9}, "KEY": 1, "y": [{}]}}`, figures{"a": 1}, false},
		{"null leaf", `{"a": {"KEY": null}, "b": {"KEY": 2}}`, figures{"a": 0, "b": 2}, false},
		{"null member", `{"a": null, "b": {"KEY": 2}}`, figures{"a": 0, "b": 2}, false},
		{"empty member", `{"a": {}, "b": {"KEY": 2}}`, figures{"a": 0, "b": 2}, false},
		{"largest", `{"a": {"KEY": 9223372036854775807}, "b": {"KEY": -9223372036854775808}}`, figures{"a": 1<<63 - 1, "b": -1 << 63}, false},
		{"leaf of the wrong type", `{"a": {"KEY": "1"}, "b": {"KEY": 2}}`, figures{"a": 0, "b": 2}, true},
		{"leaf too large", `{"a": {"KEY": 9223372036854775808}, "b": {"KEY": 2}}`, figures{"a": 0, "b": 2}, true},
		{"leaf not whole", `{"a": {"KEY": 1.5}, "b": {"KEY": 2}}`, figures{"a": 0, "b": 2}, true},
		{"member of the wrong type", `{"a": 5, "b": {"KEY": 2}}`, figures{"a": 0, "b": 2}, true},
	} {
		for name, s := range openSets {
			for way, unmarshal := range ways {
				text := strings.NewReplacer("KEY", s.key, "UPPER", strings.ToUpper(s.key)).Replace(c.json)
				dst := s.fresh()
				err := unmarshal([]byte(text), dst)
				if bad := isTypeError(err); bad != c.bad || err != nil && !bad {
					t.Errorf("%s, %s, %s: error %v, want a type error: %t", name, way, c.name, err, c.bad)
				}
				for member, want := range c.want {
					if got, ok := s.lookup(dst, member); got != want || !ok {
						t.Errorf("%s, %s, %s: %q has %d, %t; want %d, true", name, way, c.name, member, got, ok, want)
					}
				}
				if _, ok := s.lookup(dst, "gone"); ok {
					t.Errorf("%s, %s, %s: found what is not there", name, way, c.name)
				}
			}
		}
	}
}

// A set takes up what an answer has, and nothing of what it held before. null
// leaves it, as encoding/json leaves a map.
func TestSetsReplaceWhatTheyHeld(t *testing.T) {
	for name, s := range openSets {
		for way, unmarshal := range ways {
			dst := s.fresh()
			text := func(format string) []byte { return []byte(strings.ReplaceAll(format, "KEY", s.key)) }
			for _, step := range []struct {
				json string
				want string // names found, of a, b and c, with their numbers
			}{
				{`{"a": {"KEY": 1}, "b": {"KEY": 2}, "c": {"KEY": 3}}`, "a1 b2 c3"},
				{`null`, "a1 b2 c3"},
				{`{"b": {}, "c": null}`, "b0 c0"},
				{`{"c": {"KEY": 5}, "b": {"KEY": 6}, "a": {"KEY": 7}}`, "a7 b6 c5"},
				{`{}`, ""},
				{`{"a": {"KEY": null}, "b": {"KEY": null}}`, "a0 b0"},
			} {
				if err := unmarshal(text(step.json), dst); err != nil {
					t.Errorf("%s, %s, %s: %v", name, way, step.json, err)
				}
				var found []string
				for _, member := range []string{"a", "b", "c"} {
					if n, ok := s.lookup(dst, member); ok {
						found = append(found, member+string(rune('0'+n)))
					}
				}
				if got := strings.Join(found, " "); got != step.want {
					t.Errorf("%s, %s, %s: %s, want %s", name, way, step.json, got, step.want)
				}
			}
		}
	}
}

// everyUnmarshaler is a fresh value of each type with an UnmarshalJSON method.
func everyUnmarshaler() []json.Unmarshaler {
	list := []json.Unmarshaler{
		new(statsdecode.Attributes), new(statsdecode.Shards), new(statsdecode.ShardCopies),
		new(statsdecode.Addresses), new(statsdecode.LoadAverage), new(statsdecode.CgroupBytes),
	}
	for _, s := range openSets {
		list = append(list, s.fresh())
	}
	return list
}

// What is no JSON is an error, never a panic, and leaves the value as it was.
func TestUnmarshalJSONOfNoJSON(t *testing.T) {
	for _, text := range []string{
		"", " ", "{", "}", "[", "]", `"`, `"\`, `"a`, "{]", "[}", `{"`, `{"a`, `{"a"`, `{"a":`, `{"a":}`, `{"a":1`, `{"a":1,`, `{"a":1,}`,
		`{"a" 1}`, `{"a":{}`, `{"a":{"count":}}`, `{,}`, `{a:1}`, `{"a":01}`, `[1,]`, `[1 2]`, "[,]", "nul", "nullx", "null null", "{} {}", "{}x",
		"-", "+1", "01", "1.", "1e", "0x10", "Infinity", "NaN", "tru", "'a'", "\x00", "\xff", "{\"a\x01\":1}", "{\"a\n\":1}", `{"\x":1}`, `{"\u12":1}`,
		"\xef\xbb\xbf{}", strings.Repeat("[", 20000), strings.Repeat(`{"a":`, 20000),
	} {
		for _, dst := range everyUnmarshaler() {
			for way, unmarshal := range ways {
				if way == "go-json" && text == "" {
					continue // it returns before it looks for the method
				}
				err := unmarshal([]byte(text), dst)
				if err == nil {
					t.Errorf("%T, %s: no error for %.40q", dst, way, text)
				}
				if v := reflect.ValueOf(dst).Elem(); !v.IsZero() {
					t.Errorf("%T, %s: %.40q made it %v", dst, way, text, v)
				}
			}
		}
	}
}

// What is JSON of another shape is a type error, and leaves the value as it was.
func TestUnmarshalJSONOfAnotherShape(t *testing.T) {
	const object, array, text, number, boolean = `{"a": {}}`, `[{}]`, `"a"`, `17`, `true`
	for _, c := range []struct {
		dst  json.Unmarshaler
		json []string
	}{
		{new(statsdecode.Attributes), []string{array, text, number, boolean}},
		{new(statsdecode.Shards), []string{array, text, number, boolean}},
		{new(statsdecode.ShardCopies), []string{object, text, number, boolean}},
		{new(statsdecode.Addresses), []string{object, number, boolean}},
		{new(statsdecode.LoadAverage), []string{text, boolean}},
		{new(statsdecode.CgroupBytes), []string{object, array, text, boolean}},
		{new(statsdecode.ThreadPools), []string{array, text, number, boolean}},
		{new(statsdecode.Breakers), []string{array, text, number, boolean}},
		{new(statsdecode.Collectors), []string{array, text, number, boolean}},
		{new(statsdecode.MemoryPools), []string{array, text, number, boolean}},
		{new(statsdecode.BufferPools), []string{array, text, number, boolean}},
	} {
		for _, text := range c.json {
			for way, unmarshal := range ways {
				if err := unmarshal([]byte(text), c.dst); !isTypeError(err) {
					t.Errorf("%T, %s: %s: error %v, want a type error", c.dst, way, text, err)
				}
				if v := reflect.ValueOf(c.dst).Elem(); !v.IsZero() {
					t.Errorf("%T, %s: %s made it %v", c.dst, way, text, v)
				}
			}
		}
	}
}

func isTypeError(err error) bool {
	var std *json.UnmarshalTypeError
	var fast *goccy.UnmarshalTypeError
	return errors.As(err, &std) || errors.As(err, &fast)
}

func TestBreakersGet(t *testing.T) {
	for _, c := range []struct {
		json, name string
		tripped    int64
		ok         bool
	}{
		{`{"in_flight_requests": {"tripped": 1}}`, "in_flight_requests", 1, true},
		{`{"in_flight_requests": {"tripped": 1}}`, "inflight_requests", 1, true},
		{`{"inflight_requests": {"tripped": 2}}`, "in_flight_requests", 2, true},
		{`{"inflight_requests": {"tripped": 2}}`, "inflight_requests", 2, true},
		{`{"in_flight_requests": {"tripped": 1}, "inflight_requests": {"tripped": 2}}`, "in_flight_requests", 1, true},
		{`{"in_flight_requests": {"tripped": 1}, "inflight_requests": {"tripped": 2}}`, "inflight_requests", 2, true},
		{`{"parent": {"tripped": 3}}`, "parent", 3, true},
		{`{"parent": {"tripped": 3}}`, "in_flight_requests", 0, false},
		{`{"parent": {"tripped": 3}}`, "inflight_requests", 0, false},
		{`{"parent": {"tripped": 3}}`, "Parent", 0, false},
		{`{}`, "parent", 0, false},
	} {
		var s statsdecode.Breakers
		if err := json.Unmarshal([]byte(c.json), &s); err != nil {
			t.Fatal(err)
		}
		if b, ok := s.Get(c.name); b.Tripped != c.tripped || ok != c.ok || ok != (b.Name != "") {
			t.Errorf("%s: Get(%q) = %+v, %t; want %d tripped, %t", c.json, c.name, b, ok, c.tripped, c.ok)
		}
	}
}

func TestAttributes(t *testing.T) {
	for _, c := range []struct {
		json string
		want statsdecode.Attributes
		bad  bool
	}{
		{`{"zone": "a", "ml.machine_memory": "33623232512"}`, statsdecode.Attributes{{"zone", "a"}, {"ml.machine_memory", "33623232512"}}, false},
		{`{"zone": "\u00fc\n", "empty": ""}`, statsdecode.Attributes{{"zone", "ü\n"}, {"empty", ""}}, false},
		{`{"zone": "a", "zone": "b"}`, statsdecode.Attributes{{"zone", "a"}, {"zone", "b"}}, false},
		{`{"zone": null, "rack": "r"}`, statsdecode.Attributes{{"zone", ""}, {"rack", "r"}}, false},
		{`{"zone": 5, "rack": "r"}`, statsdecode.Attributes{{"zone", ""}, {"rack", "r"}}, true},
		{`{"zone": {"a": 1}, "rack": "r"}`, statsdecode.Attributes{{"zone", ""}, {"rack", "r"}}, true},
		{`{}`, nil, false},
	} {
		for way, unmarshal := range ways {
			var got statsdecode.Attributes
			err := unmarshal([]byte(c.json), &got)
			if !slices.Equal(got, c.want) || isTypeError(err) != c.bad || err != nil && !c.bad {
				t.Errorf("%s, %s: %v, %v; want %v, type error %t", way, c.json, got, err, c.want, c.bad)
			}
			for i, a := range c.want {
				last := true
				for _, later := range c.want[i+1:] {
					last = last && later.Name != a.Name
				}
				if v, ok := got.Get(a.Name); !ok || last && v != a.Value {
					t.Errorf("%s, %s: Get(%q) = %q, %t; want %q, true", way, c.json, a.Name, v, ok, a.Value)
				}
			}
			if v, ok := got.Get("gone"); v != "" || ok {
				t.Errorf(`%s, %s: Get("gone") = %q, %t`, way, c.json, v, ok)
			}
		}
	}
}

func TestShards(t *testing.T) {
	const answer = `{
		"0": [{"docs": {"count": 5}, "routing": {"state": "STARTED", "primary": true, "node": "n1", "relocating_node": null}, "seq_no": {"max_seq_no": -1}},
		      {"docs": {"count": 6}, "indexing": {"index_failed": 0}, "routing": {"node": "n2"}, "search_idle": true, "search_idle_time": 17}],
		"1": [],
		"2": null
	}`
	for way, unmarshal := range ways {
		var s statsdecode.Shards
		if err := unmarshal([]byte(answer), &s); err != nil {
			t.Errorf("%s: %v", way, err)
		}
		if len(s) != 3 {
			t.Fatalf("%s: %d shards, want 3", way, len(s))
		}
		shard, ok := s.Get("0")
		if !ok || shard.Name != "0" || len(shard.Copies) != 2 {
			t.Fatalf("%s: Get(0) = %+v, %t", way, shard, ok)
		}
		primary, replica := shard.Copies[0], shard.Copies[1]
		if want := (statsdecode.Routing{State: "STARTED", Primary: true, Node: "n1"}); primary.Routing != want {
			t.Errorf("%s: routing of the primary %+v, want %+v", way, primary.Routing, want)
		}
		if primary.Docs.Count != 5 || primary.SeqNo.MaxSeqNo != -1 || primary.Present != statsdecode.SectionDocs {
			t.Errorf("%s: primary %+v", way, primary)
		}
		wantPresent := statsdecode.SectionDocs | statsdecode.SectionIndexing | statsdecode.SectionIndexFailed
		if replica.Docs.Count != 6 || !replica.SearchIdle || replica.SearchIdleTime != 17 || replica.Present != wantPresent {
			t.Errorf("%s: replica %+v", way, replica)
		}
		for _, name := range []string{"1", "2"} {
			if shard, ok := s.Get(name); !ok || len(shard.Copies) != 0 {
				t.Errorf("%s: Get(%s) = %+v, %t; want no copies, true", way, name, shard, ok)
			}
		}
		if _, ok := s.Get("3"); ok {
			t.Errorf("%s: found a shard that is not there", way)
		}
	}
}

// A copy of the wrong type costs no other: neither of the shard nor of others.
func TestShardsOfWrongTypes(t *testing.T) {
	const answer = `{"0": [{"docs": {"count": "5"}, "store": {"size_in_bytes": 1}}, 7, {"docs": {"count": 6}}], "1": 8, "2": [{"docs": {"count": 9}}]}`
	for way, unmarshal := range ways {
		var s statsdecode.Shards
		if err := unmarshal([]byte(answer), &s); !isTypeError(err) {
			t.Errorf("%s: error %v, want a type error", way, err)
		}
		zero, _ := s.Get("0")
		one, ok := s.Get("1")
		two, _ := s.Get("2")
		if len(zero.Copies) != 3 || len(one.Copies) != 0 || !ok || len(two.Copies) != 1 {
			t.Fatalf("%s: %+v", way, s)
		}
		if c := zero.Copies[0]; c.Docs.Count != 0 || c.Store.SizeInBytes != 1 || c.Present != statsdecode.SectionDocs|statsdecode.SectionStore {
			t.Errorf("%s: the first copy is %+v", way, c)
		}
		if zero.Copies[1].Present != 0 || zero.Copies[2].Docs.Count != 6 || two.Copies[0].Docs.Count != 9 {
			t.Errorf("%s: %+v", way, s)
		}
	}
}

// A set that is filled again with the names that it held allocates nothing for
// itself: neither names nor elements. What encoding/json takes for the same
// object into no fields is not counted.
func TestSetsKeepTheirMemory(t *testing.T) {
	const names = `{"a": {"KEY": 1}, "a name that is not short": {"KEY": 2}, "c": {"KEY": 3}}`
	for name, s := range openSets {
		t.Run(name, func(t *testing.T) {
			data := []byte(strings.ReplaceAll(names, "KEY", s.key))
			dst := s.fresh()
			alloctest.Gate(t, 1000, 0, 0, func() {
				if err := dst.UnmarshalJSON(data); err != nil {
					t.Fatal(err)
				}
			})
		})
	}
}
