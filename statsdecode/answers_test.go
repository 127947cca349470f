package statsdecode_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/lowalloc/lowalloc/statsdecode"
)

// outcome is what a walk gave: the names of its items, those that came with an
// error marked by a *, and the error that ended it.
type outcome struct {
	names string
	field *statsdecode.DecodeError // of the first marked item
	end   error
}

type walker func(d *statsdecode.Decoder, r io.Reader) outcome

func walk[T any](seq func(yield func(T, error) bool), name func(T) (string, bool)) (o outcome) {
	var names []string
	for v, err := range seq {
		n, ok := name(v)
		if !ok {
			if o.end != nil {
				panic("a walk went on after its end")
			}
			o.end = err
			continue
		}
		if err != nil {
			n += "*"
			if o.field == nil {
				errors.As(err, &o.field)
			}
		}
		names = append(names, n)
	}
	o.names = strings.Join(names, " ")
	return o
}

func walkIndices(d *statsdecode.Decoder, r io.Reader) outcome {
	return walk(d.Indices(r), func(ix *statsdecode.Index) (string, bool) {
		if ix == nil {
			return "", false
		}
		return ix.Name, true
	})
}

func walkNodes(d *statsdecode.Decoder, r io.Reader) outcome {
	return walk(d.Nodes(r), func(n *statsdecode.Node) (string, bool) {
		if n == nil {
			return "", false
		}
		return n.ID, true
	})
}

func walkSettings(d *statsdecode.Decoder, r io.Reader) outcome {
	return walk(d.Settings(r), func(s *statsdecode.IndexSettings) (string, bool) {
		if s == nil {
			return "", false
		}
		return s.Name, true
	})
}

// walkEntries walks whatever stands at path. The elements of an array have no
// name, and are called by a dash.
func walkEntries(path ...string) walker {
	return func(d *statsdecode.Decoder, r io.Reader) (o outcome) {
		var names []string
		for e, err := range statsdecode.Entries[map[string]any](d, r, path...) {
			var field *statsdecode.DecodeError
			switch {
			case errors.As(err, &field) && strings.HasPrefix(field.Err.Error(), "json: cannot unmarshal"):
				o.field = field
				names = append(names, e.Name+"*")
			case err != nil:
				o.end = err
			case e.Name == "":
				names = append(names, "-")
			default:
				names = append(names, e.Name)
			}
		}
		o.names = strings.Join(names, " ")
		return o
	}
}

// want says what kind of error ends a walk; nil for none.
type want func(t *testing.T, err error)

func noError(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Errorf("ended with %v, want no error", err)
	}
}

// decodeError wants a *DecodeError that wraps target, with offset and pointer.
func decodeError(target error, offset int64, pointer string) want {
	return func(t *testing.T, err error) {
		t.Helper()
		var e *statsdecode.DecodeError
		switch {
		case !errors.As(err, &e):
			t.Errorf("ended with %#v (%v), want a *DecodeError", err, err)
		case target != nil && !errors.Is(err, target):
			t.Errorf("ended with %v, want one that wraps %v", err, target)
		case e.Offset != offset || e.Pointer != pointer:
			t.Errorf("ended with %v: at byte %d (%q), want %d (%q)", err, e.Offset, e.Pointer, offset, pointer)
		case !strings.HasPrefix(err.Error(), "statsdecode: "+e.Endpoint+": "):
			t.Errorf("message %q does not begin with package and endpoint", err)
		}
	}
}

func responseError(want statsdecode.ResponseError) want {
	return func(t *testing.T, err error) {
		t.Helper()
		var e *statsdecode.ResponseError
		if !errors.As(err, &e) || e.Status != want.Status || e.Type != want.Type || e.Reason != want.Reason || e.Index != want.Index || len(e.RootCause) != len(want.RootCause) {
			t.Errorf("ended with %#v (%v), want %+v", err, err, want)
		}
	}
}

func partialError(total, successful, failed, failures int) want {
	return func(t *testing.T, err error) {
		t.Helper()
		var e *statsdecode.PartialError
		if !errors.As(err, &e) || e.Total != total || e.Successful != successful || e.Failed != failed || len(e.Failures) != failures {
			t.Errorf("ended with %#v (%v), want a *PartialError of %d, %d, %d with %d failures", err, err, total, successful, failed, failures)
		}
	}
}

const (
	aStats  = `{"_shards":{"total":2,"successful":2,"failed":0},"_all":{"primaries":{"docs":{"count":3}},"total":{}},"indices":{"a":{"uuid":"u","primaries":{"docs":{"count":3}},"total":{}}}}`
	twoDocs = `{"indices":{"a":{"primaries":{"docs":{"count":1}}},"b":{"primaries":{"docs":{"count":2}}}}}`
)

// What each answer gives, row by row.
func TestAnswers(t *testing.T) {
	notJSON, unexpected, cut := statsdecode.ErrNotJSON, statsdecode.ErrUnexpectedAnswer, io.ErrUnexpectedEOF
	refused := statsdecode.ResponseError{Status: 404, Type: "index_not_found_exception", Reason: "no such index [x]", Index: "x", RootCause: make([]statsdecode.Cause, 1)}
	const refusal = `{"root_cause":[{"type":"index_not_found_exception","reason":"no such index [x]","index":"x"}],"type":"index_not_found_exception","reason":"no such index [x]","index":"x"}`

	for _, tt := range []struct {
		name   string
		walk   walker
		answer string
		names  string
		end    want
	}{
		{"complete", walkIndices, aStats, "a", noError},
		{"white space around", walkIndices, " \r\n\t" + aStats + "\n\n ", "a", noError},

		{"empty", walkIndices, "", "", decodeError(cut, 0, "")},
		{"only white space", walkIndices, " \n ", "", decodeError(cut, 3, "")},
		{"cut in the outline", walkIndices, `{"_shards":{"total":2},"indices"`, "", decodeError(cut, 32, "/indices")},
		{"cut before an entry", walkIndices, `{"indices":{"a":{},`, "a", decodeError(cut, 19, "/indices")},
		{"cut in an entry", walkIndices, `{"indices":{"a":{},"b":{"primaries":{"do`, "a", decodeError(cut, 40, "/indices/b")},
		{"cut after the entries", walkIndices, `{"indices":{"a":{}}`, "a", decodeError(cut, 19, "")},
		{"cut in a header", walkIndices, `{"_shards":{"total":2`, "", decodeError(cut, 21, "/_shards")},
		{"cut number", walkIndices, `{"status":40`, "", decodeError(cut, 12, "/status")},
		{"cut number in an entry", walkEntries("m"), `{"m":{"a":1,"b":12`, "a*", decodeError(cut, 18, "/m/b")},
		{"cut number in an array", walkEntries(), `[{},12`, "-", decodeError(cut, 6, "/1")},
		{"cut array", walkIndices, `[1,2`, "", decodeError(cut, 0, "")},
		{"cut literal", walkIndices, `nul`, "", decodeError(cut, 0, "")},

		{"HTML", walkIndices, "<html><body>502 Bad Gateway</body></html>", "", decodeError(notJSON, 0, "")},
		{"text", walkIndices, "404 page not found\n", "", decodeError(notJSON, 0, "")},
		{"text that begins as a literal", walkIndices, "nil pointer", "", decodeError(notJSON, 0, "")},
		{"text that begins as an array", walkIndices, "[2026-11-30T21:00:00] WARN", "", decodeError(notJSON, 0, "")},
		{"gzip", walkIndices, "\x1f\x8b\x08\x00\x00\x00\x00\x00", "", decodeError(notJSON, 0, "")},
		{"byte order mark", walkIndices, "\xef\xbb\xbf{}", "", decodeError(notJSON, 0, "")},

		{"null", walkIndices, "null", "", decodeError(unexpected, 0, "")},
		{"array", walkIndices, "[]", "", decodeError(unexpected, 0, "")},
		{"long array", walkIndices, "[" + strings.Repeat(`"x",`, 100), "", decodeError(unexpected, 0, "")},
		{"string", walkIndices, ` "text"`, "", decodeError(unexpected, 1, "")},
		{"number", walkIndices, "-1.5e3", "", decodeError(unexpected, 0, "")},
		{"true", walkIndices, "true\n", "", decodeError(unexpected, 0, "")},
		{"another endpoint", walkIndices, `{"took":3,"hits":{"hits":[]}}`, "", decodeError(unexpected, 0, "")},
		{"health for nodes", walkNodes, `{"cluster_name":"c","status":"green"}`, "", decodeError(unexpected, 0, "")},
		{"stats for nodes", walkNodes, aStats, "", decodeError(unexpected, 0, "")},
		{"nodes for settings", walkSettings, `{"_nodes":{"total":1},"cluster_name":"c","nodes":{"n":{"name":"x"}}}`, "", decodeError(unexpected, 0, "")},
		{"no such path", walkEntries("hits", "hits"), `{"took":1,"hits":{"total":0}}`, "", decodeError(unexpected, 0, "")},
		{"indices is no object", walkIndices, `{"indices":[{}]}`, "", decodeError(unexpected, 11, "/indices")},
		{"indices is null", walkIndices, `{"indices":null}`, "", decodeError(unexpected, 11, "/indices")},

		{"{}", walkIndices, `{}`, "", noError},
		{"{} of nodes", walkNodes, ` { } `, "", noError},
		{"{} of settings", walkSettings, `{}`, "", noError},
		{"{} of entries", walkEntries("a", "b"), `{}`, "", noError},
		{"[] of entries", walkEntries(), `[]`, "", noError},

		{"level=cluster", walkIndices, `{"_shards":{"total":1,"successful":1,"failed":0},"_all":{"primaries":{"docs":{"count":1}}}}`, "", noError},
		{"no indices", walkIndices, `{"_shards":{"total":0,"successful":0,"failed":0},"_all":{"primaries":{},"total":{}},"indices":{}}`, "", noError},

		{"more after the answer", walkIndices, aStats + "x", "a", decodeError(nil, int64(len(aStats)), "")},
		{"a second answer", walkIndices, aStats + "\n" + aStats, "a", decodeError(nil, int64(len(aStats))+1, "")},

		{"failed shards", walkIndices, `{"_shards":{"total":4,"successful":2,"failed":2,"failures":[{"shard":0,"index":"a","status":"INTERNAL_SERVER_ERROR","reason":{"type":"t","reason":"r"}}]},"indices":{"a":{}}}`, "a", partialError(4, 2, 2, 1)},
		{"unassigned shards", walkIndices, `{"_shards":{"total":4,"successful":2,"failed":0},"indices":{"a":{}}}`, "a", noError},

		{"error", walkIndices, `{"error":` + refusal + `,"status":404}`, "", responseError(refused)},
		{"error after status", walkIndices, `{"status":404,"error":` + refusal + `}`, "", responseError(refused)},
		{"error of nodes", walkNodes, `{"error":` + refusal + `,"status":404}`, "", responseError(refused)},
		{"error of settings", walkSettings, `{"error":` + refusal + `,"status":404}`, "", responseError(refused)},
		{"error of entries", walkEntries(), `{"status":404,"error":` + refusal + `}`, "", responseError(refused)},
		{"error text", walkIndices, `{"error":"IndexMissingException[[x] missing]","status":404}`, "", responseError(statsdecode.ResponseError{Status: 404, Reason: "IndexMissingException[[x] missing]"})},
		{"error text of settings", walkSettings, `{"error":"no","status":500}`, "", responseError(statsdecode.ResponseError{Status: 500, Reason: "no"})},
		{"status alone", walkIndices, `{"status":403}`, "", responseError(statsdecode.ResponseError{Status: 403})},
		{"error after data", walkIndices, `{"indices":{"a":{}},"error":"late"}`, "a", responseError(statsdecode.ResponseError{Reason: "late"})},
		{"an index called error", walkSettings, `{"error":{"settings":{"index":{"uuid":"u"}}},"status":{"settings":{"index":{}}}}`, "error status", noError},
		{"an index called error, entries", walkEntries(), `{"error":{"shards":[]},"a":{}}`, "error a", noError},
		{"null error", walkIndices, `{"error":null,"indices":{"a":{}}}`, "a", noError},

		{"field of the wrong type", walkIndices, `{"indices":{"a":{"primaries":{"docs":{"count":"many"}}},"b":{}}}`, "a* b", noError},
		{"entry of the wrong type", walkIndices, `{"indices":{"a":5,"b":[],"c":{},"d":null}}`, "a* b* c d", noError},
		{"header of the wrong type", walkIndices, `{"_shards":{"total":"x"},"indices":{"a":{}}}`, "a", decodeError(nil, 20, "/_shards/total")},

		{"syntax error in an entry", walkIndices, `{"indices":{"a":{},"b":{"uuid":tru},"c":{}}}`, "a", decodeError(nil, 34, "/indices/b/uuid")},
		{"bracket mismatch", walkIndices, `{"indices":{"a":{"primaries":[}},"b":{}}}`, "", decodeError(nil, 30, "/indices/a/primaries/0")},
		{"missing comma", walkIndices, `{"indices":{"a":{} "b":{}}}`, "a", decodeError(nil, 19, "/indices")},
		{"missing colon", walkIndices, `{"indices":{"a" {}}}`, "", decodeError(nil, 16, "/indices/a")},
		{"name is no string", walkIndices, `{"indices":{a:{}}}`, "", decodeError(nil, 12, "/indices")},
		{"comma too many", walkIndices, `{"indices":{"a":{},}}`, "a", decodeError(nil, 19, "/indices")},
		{"comma first", walkIndices, `{,"indices":{}}`, "", decodeError(nil, 1, "")},
		{"no value", walkIndices, `{"indices":{"a":,"b":{}}}`, "", decodeError(nil, 16, "/indices/a")},
		{"no value of a header", walkSettings, `{"error":,"status":1}`, "", decodeError(nil, 9, "/error")},
		{"control character in a name", walkIndices, "{\"indices\":{\"a\n\":{}}}", "", decodeError(nil, 14, "/indices")},
		{"string without end", walkIndices, `{"indices":{"a":{"uuid":"` + "\x01" + `x`, "", decodeError(nil, 25, "/indices/a/uuid")},
		{"two values in what is skipped", walkIndices, `{"x":01,"indices":{}}`, "", decodeError(nil, 5, "/x")},
		{"two literals", walkSettings, `{"x":truefalse}`, "", decodeError(nil, 5, "/x")},
		{"two values in an entry", walkIndices, `{"indices":{"a":01,"b":{}}}`, "", decodeError(nil, 16, "/indices/a")},
		{"two values in an entry of one's own", walkEntries(), `{"a":1true}`, "", decodeError(nil, 5, "/a")},
		{"a name of no length", walkIndices, `{"indices":{"":{"uuid":tru}}}`, "", decodeError(nil, 26, "/indices//uuid")},
		{"error, and one brace too many", walkIndices, `{"error":{"type":"x"},"status":403}}`, "", responseError(statsdecode.ResponseError{Status: 403, Type: "x"})},
		{"failures in the first of two headers", walkIndices, `{"_shards":{"total":5,"failed":1},"_shards":{"failed":0},"indices":{}}`, "", noError},
		{"syntax error in what is skipped", walkIndices, `{"new":{"a" 1},"indices":{}}`, "", decodeError(nil, 12, "/new/a")},

		{"elements", walkEntries(), `[{"a":1},{},3,{"b":2}]`, "- - * -", noError},
		{"array at a path", walkEntries("hits", "hits"), `{"took":1,"hits":{"total":2,"hits":[{"a":1},{}],"max":1}}`, "- -", noError},
		{"object at a path", walkEntries("x"), `{"y":{"n":{}},"x":{"n":{},"m":{}}}`, "n m", noError},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, r := range []io.Reader{strings.NewReader(tt.answer), iotest.OneByteReader(strings.NewReader(tt.answer)), iotest.DataErrReader(strings.NewReader(tt.answer))} {
				got := tt.walk(new(statsdecode.Decoder), r)
				if got.names != tt.names {
					t.Errorf("%s: items %q, want %q", tt.answer, got.names, tt.names)
				}
				tt.end(t, got.end)
				if t.Failed() {
					return
				}
			}
		})
	}
}

// An answer of no use is quoted, so that a log shows what came instead.
func TestErrorsQuoteTheAnswer(t *testing.T) {
	for _, tt := range []struct{ answer, want string }{
		{"<html>" + strings.Repeat("x", 100), `"<html>` + strings.Repeat("x", 58) + `"`},
		{`{"Message":"User is not authorized"}`, `it begins with "{\"Message\":\"User is not authorized\"}"`},
	} {
		got := walkIndices(new(statsdecode.Decoder), strings.NewReader(tt.answer))
		if got.end == nil || !strings.HasSuffix(got.end.Error(), tt.want) {
			t.Errorf("%s: %v, want it to end with %s", tt.answer, got.end, tt.want)
		}
		err := statsdecode.ReadError(403, strings.NewReader(tt.answer))
		if !strings.HasSuffix(err.Error(), tt.want) || !strings.Contains(err.Error(), "403") {
			t.Errorf("ReadError(403, %s) = %v", tt.answer, err)
		}
	}
}

func TestReaderErrorIsWrapped(t *testing.T) {
	for _, cut := range []int{0, 1, 20, len(twoDocs) - 1, len(twoDocs)} {
		r := io.MultiReader(strings.NewReader(twoDocs[:cut]), iotest.ErrReader(context.Canceled))
		got := walkIndices(new(statsdecode.Decoder), r)
		var e *statsdecode.DecodeError
		if !errors.As(got.end, &e) || !errors.Is(got.end, context.Canceled) || e.Offset != int64(cut) {
			t.Errorf("after %d bytes: %v, want a *DecodeError that wraps context.Canceled", cut, got.end)
		}
	}
}

// A reader that breaks the rules of io.Reader must not break the decoder.
func TestReaderMisbehaves(t *testing.T) {
	for _, tt := range []struct {
		name string
		read func(p []byte) (int, error)
		want error
	}{
		{"nothing for ever", func([]byte) (int, error) { return 0, nil }, io.ErrNoProgress},
		{"negative", func([]byte) (int, error) { return -1, nil }, nil},
		{"too many", func(p []byte) (int, error) { return len(p) + 1, nil }, nil},
	} {
		got := walkIndices(new(statsdecode.Decoder), readerFunc(tt.read))
		var e *statsdecode.DecodeError
		if !errors.As(got.end, &e) || tt.want != nil && !errors.Is(got.end, tt.want) {
			t.Errorf("%s: %v", tt.name, got.end)
		}
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

func TestFieldErrorSaysWhere(t *testing.T) {
	for _, tt := range []struct {
		name   string
		walk   walker
		answer string
		at     string // the offending value, which occurs once
		point  string
	}{
		{"number", walkIndices, `{"indices":{"a/b~c":{"primaries":{"docs":{"count":"many"}}}}}`, `"many"`, "/indices/a~1b~0c/primaries/docs/count"},
		{"whole entry", walkIndices, `{"indices":{"a":"entry"}}`, `"entry"`, "/indices/a"},
		{"section", walkIndices, `{"indices":{"a":{"total":{"docs":[]}}}}`, `[]`, "/indices/a/total/docs"},
		{"other case", walkIndices, `{"indices":{"a":{"Total":{"DOCS":{"count":1.5}}}}}`, `1.5`, "/indices/a/Total/DOCS/count"},
		{"too large", walkIndices, `{"indices":{"a":{"total":{"docs":{"count":9223372036854775808}}}}}`, `9223372036854775808`, "/indices/a/total/docs/count"},
		{"set", walkNodes, `{"nodes":{"n":{"thread_pool":{"write":{"queue":1},"a.b":{"queue":true}}}}}`, `true`, "/nodes/n/thread_pool/a.b/queue"},
		{"element", walkNodes, `{"nodes":{"n":{"fs":{"io_stats":{"devices":[{"device_name":"sda"},{"operations":"x"}]}}}}}`, `"x"`, "/nodes/n/fs/io_stats/devices/1/operations"},
		{"lenient", walkNodes, `{"nodes":{"n":{"os":{"cgroup":{"memory":{"limit_in_bytes":"much"}}}}}}`, `"much"`, "/nodes/n/os/cgroup/memory/limit_in_bytes"},
		{"quoted number", walkSettings, `{"a":{"settings":{"index":{"number_of_shards":"few"}}}}`, `"few"`, "/a/settings/index/number_of_shards"},
		{"shard copy", walkIndices, `{"indices":{"a":{"shards":{"0":[{},{"seq_no":{"max_seq_no":"x"}}]}}}}`, `"x"`, "/indices/a/shards/0/1/seq_no/max_seq_no"},
		{"caller's type", walkEntries("m"), `{"m":{"e":7}}`, `7`, "/m/e"},
	} {
		got := tt.walk(new(statsdecode.Decoder), strings.NewReader(tt.answer))
		if got.field == nil || got.end != nil {
			t.Errorf("%s: %+v, want one item with an error", tt.name, got)
			continue
		}
		if want := int64(strings.Index(tt.answer, tt.at)); got.field.Pointer != tt.point || got.field.Offset != want {
			t.Errorf("%s: at byte %d (%s), want %d (%s): %v", tt.name, got.field.Offset, got.field.Pointer, want, tt.point, got.field)
		}
	}
}

// One bad field costs that field alone.
func TestFieldErrorKeepsTheRest(t *testing.T) {
	const answer = `{"indices":{"a":{"uuid":"u","primaries":{"docs":{"count":1,"deleted":"x"},"store":{"size_in_bytes":2}},"total":{"docs":{"count":3}}}}}`
	for ix, err := range new(statsdecode.Decoder).Indices(strings.NewReader(answer)) {
		if ix == nil || err == nil {
			t.Fatalf("got %v, %v", ix, err)
		}
		if ix.UUID != "u" || ix.Primaries.Docs.Count != 1 || ix.Primaries.Store.SizeInBytes != 2 || ix.Total.Docs.Count != 3 || !ix.Total.Present.Has(statsdecode.SectionDocs) {
			t.Errorf("the rest was lost: %+v", ix)
		}
	}
}

// Only an entry has a name.
func TestErrorOutsideOfEntriesHasNoName(t *testing.T) {
	for _, answer := range []string{`{"_shards":{"total":}}`, `{"_shards":{"total":"x"},"a":{"settings":{}}}`} {
		got := walkSettings(new(statsdecode.Decoder), strings.NewReader(answer))
		var e *statsdecode.DecodeError
		if !errors.As(got.end, &e) || e.Name != "" || !strings.HasPrefix(e.Pointer, "/_shards/total") {
			t.Errorf("%s: %v", answer, got.end)
		}
	}
}

// A message is a line of a log, whatever the server says; the fields are whole.
func TestMessagesAreShort(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	for _, answer := range []string{
		`{"error":"` + long + `"}`,
		`{"indices":{"` + long + `":5}}`,
		`{"_shards":{"failed":1,"total":1,"failures":[{"reason":{"reason":"` + long + `"}}]},"indices":{}}`,
	} {
		for _, it := range indices(new(statsdecode.Decoder), strings.NewReader(answer)) {
			if it.err == nil || len(it.err.Error()) > 3000 {
				t.Errorf("%.20s: a message of %d bytes", answer, len(fmt.Sprint(it.err)))
			}
		}
	}
	var e *statsdecode.ResponseError
	if err := statsdecode.ReadError(400, strings.NewReader(`{"error":"`+long[:1000]+`"}`)); !errors.As(err, &e) || e.Reason != long[:1000] {
		t.Errorf("the reason was cut: %.100v", err)
	}
}

// ReadError is for small bodies: it does not take in whatever a proxy sends.
func TestReadErrorReadsNoMoreThanItSays(t *testing.T) {
	for _, begin := range []string{`{"error":"`, `<html>`, `{"a":[`} {
		read := 0
		endless := readerFunc(func(p []byte) (int, error) {
			n := copy(p, begin)
			begin = ""
			for ; n < len(p); n++ {
				p[n] = ' '
			}
			read += n
			return n, nil
		})
		if err := statsdecode.ReadError(500, endless); err == nil || read > 2<<20 {
			t.Errorf("%v after %d bytes", err, read)
		}
	}
}

func TestEntryTooLarge(t *testing.T) {
	entry := `{"uuid":"` + strings.Repeat("x", 100) + `"}`
	answer := `{"indices":{"a":` + entry + `,"b":{"uuid":"` + strings.Repeat("y", 1000) + `"}}}`
	for _, tt := range []struct {
		max   int
		names string
		end   want
	}{
		{len(entry) - 1, "", decodeError(statsdecode.ErrEntryTooLarge, 16+int64(len(entry))-1, "/indices/a")},
		{len(entry), "a", decodeError(statsdecode.ErrEntryTooLarge, 16+int64(len(entry)+len(`,"b":`)+len(entry)), "/indices/b")},
		{2000, "a b", noError},
		{0, "a b", noError},
		{-1, "a b", noError},
	} {
		for _, chunk := range []uint8{0, 1, 100} { // where it ends does not depend on the reads
			got := walkIndices(&statsdecode.Decoder{MaxEntryBytes: tt.max}, chunked([]byte(answer), chunk))
			if got.names != tt.names {
				t.Errorf("max %d: items %q, want %q", tt.max, got.names, tt.names)
			}
			tt.end(t, got.end)
		}
	}
}

func TestBreakLeavesTheRestUnread(t *testing.T) {
	r := strings.NewReader(twoDocs + strings.Repeat(" ", 1<<20))
	var d statsdecode.Decoder
	for _, err := range d.Indices(r) {
		noErr(t, err)
		break
	}
	if r.Len() == 0 {
		t.Error("the answer was read to its end after a break")
	}
	// The Decoder is free for the next walk.
	if got := walkIndices(&d, strings.NewReader(twoDocs)); got.names != "a b" || got.end != nil {
		t.Errorf("after a break: %+v", got)
	}
}

func TestWholeWalkReadsToEOF(t *testing.T) {
	eof := false
	r := strings.NewReader(twoDocs)
	walkIndices(new(statsdecode.Decoder), readerFunc(func(p []byte) (int, error) {
		n, err := r.Read(p[:min(len(p), 1)])
		eof = eof || err == io.EOF
		return n, err
	}))
	if !eof {
		t.Error("the reader's io.EOF was not read: a connection would not be used again")
	}
}

func TestWalkInsideAWalkPanics(t *testing.T) {
	var d statsdecode.Decoder
	defer func() {
		if r := recover(); r == nil || !strings.HasPrefix(r.(string), "statsdecode: ") {
			t.Errorf("recovered %v, want the package's own panic", r)
		}
		// The outer walk ended with the panic: the Decoder is usable.
		if got := walkIndices(&d, strings.NewReader(twoDocs)); got.names != "a b" {
			t.Errorf("after the panic: %+v", got)
		}
	}()
	for _, err := range d.Indices(strings.NewReader(twoDocs)) {
		noErr(t, err)
		walkNodes(&d, strings.NewReader("{}"))
	}
}

func TestSequenceUsedTwiceIsNoSilentEmptyAnswer(t *testing.T) {
	seq := new(statsdecode.Decoder).Indices(strings.NewReader(twoDocs))
	for _, err := range seq {
		noErr(t, err)
	}
	for ix, err := range seq {
		if ix != nil || !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("second use gave %v, %v", ix, err)
		}
	}
}

func TestHeaderAsItIsRead(t *testing.T) {
	var d statsdecode.Decoder
	if d.Header() != (statsdecode.Header{}) {
		t.Error("a Header before the first walk")
	}
	for _, err := range d.Indices(strings.NewReader(aStats)) {
		noErr(t, err)
		if h := d.Header(); h.Shards.Total != 2 || h.All.Primaries.Docs.Count != 3 {
			t.Errorf("in the loop: %+v", h)
		}
	}
	for _, err := range d.Nodes(strings.NewReader(`{"nodes":{"n":{}},"_nodes":{"total":1,"successful":1},"cluster_name":"c\u0041"}`)) {
		noErr(t, err)
		if h := d.Header(); h != (statsdecode.Header{}) {
			t.Errorf("before it was read: %+v", h)
		}
	}
	if h := d.Header(); h.Nodes.Total != 1 || h.ClusterName != "cA" || h.Shards.Total != 0 {
		t.Errorf("after the loop: %+v", h)
	}
}

// A rich entry leaves nothing behind in a sparse one.
func TestNothingStale(t *testing.T) {
	for server, rich := range recorded(t, "nodes-stats") {
		var d statsdecode.Decoder
		nodes(&d, strings.NewReader(string(rich)))
		const sparse = `{"nodes":{"n":{"name":"x","roles":[null],"fs":{"data":[{"path":"p"}],"io_stats":{"devices":[{}]}},"jvm":{"mem":{"pools":{"young":{}}},"gc":{"collectors":{"young":null}}},"thread_pool":{"write":{}},"breakers":{"request":{}},"attributes":{"a":"b"},"ip":null}}}`
		compareWithFresh(t, server, nodes(&d, strings.NewReader(sparse)), nodes(new(statsdecode.Decoder), strings.NewReader(sparse)))
	}
	for server, rich := range recorded(t, "stats-shards") {
		var d statsdecode.Decoder
		indices(&d, strings.NewReader(string(rich)))
		const sparse = `{"indices":{"i":{"total":{"search":{"query_total":1}},"shards":{"0":[{"docs":{}},null],"1":[]}},"j":{}}}`
		compareWithFresh(t, server, indices(&d, strings.NewReader(sparse)), indices(new(statsdecode.Decoder), strings.NewReader(sparse)))
	}
	for server, rich := range recorded(t, "settings") {
		var d statsdecode.Decoder
		settings(&d, strings.NewReader(string(rich)))
		const sparse = `{"i":{"settings":{"index":{"codec":"x"}}},"j":{"settings":{}}}`
		compareWithFresh(t, server, settings(&d, strings.NewReader(sparse)), settings(new(statsdecode.Decoder), strings.NewReader(sparse)))
	}
}
