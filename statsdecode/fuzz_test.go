package statsdecode_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/lowalloc/lowalloc/statsdecode"
)

// member is one member of a JSON object.
type member struct {
	name  string
	value json.RawMessage
}

// membersOf lists the members of a valid object with encoding/json's tokens,
// duplicates included; ok is false for other values.
func membersOf(value []byte) (list []member, ok bool) {
	d := json.NewDecoder(bytes.NewReader(value))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, false
	}
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return nil, false
		}
		m := member{name: t.(string)}
		if err := d.Decode(&m.value); err != nil {
			return nil, false
		}
		list = append(list, m)
	}
	return list, true
}

// oracle lists the entries that a walk must yield of valid JSON, in order: the
// members of each member called path. It ends at one that is no object.
func oracle(answer []byte, path string) (entries []member) {
	outline, _ := membersOf(answer)
	for _, m := range outline {
		if m.name != path {
			continue
		}
		list, ok := membersOf(m.value)
		if !ok {
			return entries
		}
		entries = append(entries, list...)
	}
	return entries
}

// agree compares a walk with encoding/json: the same entries with the same
// values and an error where encoding/json has one, and an error at the end of
// whatever is not valid.
func agree[T any](t *testing.T, answer []byte, items []item[T], entries []member, name func(T) string, forget func(*T)) {
	t.Helper()
	valid := json.Valid(answer)
	n := 0
	for i, it := range items {
		if i == len(items)-1 && it.err != nil && reflect.ValueOf(it.value).IsZero() && (!valid || n == len(entries)) {
			break // the end
		}
		if !valid {
			n++
			continue // what came before the flaw is for the test of cuts to judge
		}
		if n >= len(entries) {
			t.Fatalf("item %d (%+v) is one too many of %d\n%q", i, it, len(entries), answer)
		}
		e := entries[n]
		n++
		var want T
		err := json.Unmarshal(e.value, &want)
		if (err != nil) != (it.err != nil) {
			t.Fatalf("entry %q: error %v, encoding/json says %v\n%q", e.name, it.err, err, answer)
		}
		if got := name(it.value); got != e.name {
			t.Fatalf("entry %q is called %q\n%q", e.name, got, answer)
		}
		if err != nil {
			continue // encoding/json stops at the first error of an UnmarshalJSON method, the walk does not
		}
		forget(&it.value)
		forget(&want)
		if !reflect.DeepEqual(it.value, want) {
			t.Fatalf("entry %q:\n got %+v\nwant %+v\n%q", e.name, it.value, want, answer)
		}
	}
	var end error
	if len(items) > 0 {
		end = items[len(items)-1].err
	}
	if !valid && end == nil {
		t.Fatalf("no error for what is not valid JSON\n%q", answer)
	}
	if valid && n != len(entries) {
		t.Fatalf("%d of %d entries, then %v\n%q", n, len(entries), end, answer)
	}
	var d *statsdecode.DecodeError
	if errors.As(end, &d) && (d.Offset < 0 || d.Offset > int64(len(answer))) {
		t.Fatalf("error at byte %d of %d: %v\n%q", d.Offset, len(answer), end, answer)
	}
}

// seeds are the recorded answers, shortened, and the quirks in small.
func seeds(f *testing.F, names ...string) {
	for _, name := range names {
		for _, answer := range recorded(f, name) {
			f.Add(answer[:min(len(answer), 4000)], uint8(0))
			if len(answer) < 8000 {
				f.Add(answer, uint8(7))
			}
		}
	}
	for _, s := range []string{
		``, `{}`, `null`, `[]`, `{"indices":{}}`, `{"nodes":{}}`, twoDocs, aStats,
		`{"error":"x","status":404}`, `{"error":{"type":"t","reason":"r","root_cause":[{}]},"status":400}`,
		`{"_shards":{"total":2,"successful":1,"failed":1,"failures":[{"reason":"x"},{"reason":{}}]},"indices":{"a":{}}}`,
		`{"indices":{"a":{"total":{"docs":{"count":1,"count":2},"DOCS":{"deleted":3}},"total":null}}}`,
		`{"indices":{"\u0061\ud83d\ude00\"\\":{"uu\u0069d":"x\ny","health":null}}}`,
		`{"indices":{"a":{"total":{"docs":{"count":1e2},"indexing":{"write_load":2.1E-5,"index_failed":9223372036854775808}}}}}`,
		`{"indices":{"a":{"shards":{"0":[{"docs":{},"routing":{"state":"STARTED"}},null],"1":null,"2":{}}}}}`,
		`{"nodes":{"n":{"ip":["a","b"],"os":{"load_average":[1,2,3],"cpu":{"load_average":{"1m":"x"}}},"roles":["a",null],"attributes":{"a":"b","a":1}}}}`,
		`{"nodes":{"n":{"os":{"cgroup":{"memory":{"limit_in_bytes":"max","usage_in_bytes":"7"},"cpuacct":{"usage_nanos":18446744073709551615}}}}}}`,
		`{"nodes":{"n":{"fs":{"data":[{"path":"p"}],"io_stats":{"devices":[{"device_name":"d","operations":1}],"total":{}}},"thread_pool":{"w":{"queue":1},"w":{}}}}}`,
		aNodeWithPipelines,
		`{"nodes":{"n":{"ingest":{"pipelines":{"p":{"processors":[{"set":{"count":1,"stats":{"count":2}},"b":null},{},null,3]}}},"adaptive_selection":{"o":{"rank":3.6},"p":{"rank":"NaN"}}}}}`,
		`{"a":{"settings":{"index":{"number_of_shards":"1","hidden":"true","version":{"created":"8"}}}},"error":{"settings":{}}}`,
		"{\"indices\":{\"a\xff\":{\"uuid\":\"\xff\"}}}",
	} {
		f.Add([]byte(s), uint8(1))
	}
}

// chunked reads answer in chunks of up to n bytes, 0 at once.
func chunked(answer []byte, n uint8) *chunkReader {
	return &chunkReader{bytes.NewReader(answer), int(n)}
}

type chunkReader struct {
	r *bytes.Reader
	n int
}

func (c *chunkReader) Read(p []byte) (int, error) {
	if c.n > 0 && len(p) > c.n {
		p = p[:c.n]
	}
	return c.r.Read(p)
}

func FuzzIndices(f *testing.F) {
	seeds(f, append(statsAnswers, "stats-cluster", "error-404")...)
	used := new(statsdecode.Decoder)
	f.Fuzz(func(t *testing.T, answer []byte, n uint8) {
		items := indices(used, chunked(answer, n))
		compareWithFresh(t, "used and fresh", items, indices(new(statsdecode.Decoder), bytes.NewReader(answer)))
		agree(t, answer, items, oracle(answer, "indices"), func(ix statsdecode.Index) string { return ix.Name }, forgetIndex)
	})
}

func FuzzNodes(f *testing.F) {
	seeds(f, nodesAnswers...)
	used := new(statsdecode.Decoder)
	f.Fuzz(func(t *testing.T, answer []byte, n uint8) {
		items := nodes(used, chunked(answer, n))
		compareWithFresh(t, "used and fresh", items, nodes(new(statsdecode.Decoder), bytes.NewReader(answer)))
		agree(t, answer, items, oracle(answer, "nodes"), func(n statsdecode.Node) string { return n.ID }, forgetNode)
	})
}

// The settings have their entries beside other members, so the names and
// values of what the walk takes for entries are compared one by one.
func FuzzSettings(f *testing.F) {
	seeds(f, settingsAnswers...)
	used := new(statsdecode.Decoder)
	type entry struct {
		Settings struct {
			Index statsdecode.IndexSettings `json:"index"`
		} `json:"settings"`
	}
	f.Fuzz(func(t *testing.T, answer []byte, n uint8) {
		items := settings(used, chunked(answer, n))
		if !json.Valid(answer) {
			if len(items) == 0 || items[len(items)-1].err == nil {
				t.Fatalf("no error for what is not valid JSON\n%q", answer)
			}
			return
		}
		outline, _ := membersOf(answer)
		for _, it := range items {
			if it.err != nil {
				return // of the wrong type, or the end
			}
			for len(outline) > 0 && !hasSettings(outline[0].value) {
				outline = outline[1:]
			}
			if len(outline) == 0 || outline[0].name != it.value.Name {
				t.Fatalf("%+v is not the next member with settings\n%q", it.value, answer)
			}
			var want entry
			if err := json.Unmarshal(outline[0].value, &want); err != nil {
				t.Fatalf("%+v, encoding/json says %v\n%q", it.value, err, answer)
			}
			want.Settings.Index.Name = it.value.Name
			if it.value != want.Settings.Index {
				t.Fatalf("got %+v\nwant %+v\n%q", it.value, want.Settings.Index, answer)
			}
			outline = outline[1:]
		}
	})
}

// hasSettings reports whether value has a member that encoding/json takes for
// settings.
func hasSettings(value []byte) bool {
	list, _ := membersOf(value)
	return slices.ContainsFunc(list, func(m member) bool { return strings.EqualFold(m.name, "settings") })
}

// Entries takes any answer: no panic, an error for whatever is not valid, and
// each entry as encoding/json has it.
func FuzzEntries(f *testing.F) {
	seeds(f, "recovery", "bulk")
	f.Fuzz(func(t *testing.T, answer []byte, n uint8) {
		var end error
		var got []any
		for e, err := range statsdecode.Entries[any](nil, chunked(answer, n), "items") {
			end = err
			if err == nil {
				got = append(got, e.Value)
			}
		}
		if !json.Valid(answer) {
			if end == nil {
				t.Fatalf("no error for what is not valid JSON\n%q", answer)
			}
			return
		}
		outline, _ := membersOf(answer)
		items := -1
		for i, m := range outline {
			if m.name == "items" {
				if items >= 0 {
					return // twice: the walk visits both
				}
				items = i
			}
		}
		if items < 0 {
			return
		}
		var want []any
		if json.Unmarshal(outline[items].value, &want) == nil && len(want) > 0 && !reflect.DeepEqual(got, want) {
			t.Fatalf("got %v\nwant %v\n%q", got, want, answer)
		}
	})
}

func FuzzReadError(f *testing.F) {
	for _, name := range []string{"error-404", "error-400", "error-400-parameter", "error-400-closed"} {
		seeds(f, name)
	}
	f.Fuzz(func(t *testing.T, body []byte, n uint8) {
		err := statsdecode.ReadError(500, chunked(body, n))
		var e *statsdecode.ResponseError
		if err == nil || errors.As(err, &e) && e.Status == 0 || !strings.HasPrefix(err.Error(), "statsdecode: ") {
			t.Fatalf("ReadError(500, %q) = %v", body, err)
		}
		_ = statsdecode.DecodeClusterHealth(chunked(body, n), new(statsdecode.ClusterHealth))
		_ = statsdecode.DecodeClusterStats(chunked(body, n), new(statsdecode.ClusterStats))
	})
}
