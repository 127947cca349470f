package statsdecode_test

import (
	"bytes"
	"fmt"
	"io"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/lowalloc/lowalloc/internal/alloctest"
	"github.com/lowalloc/lowalloc/pool"
	"github.com/lowalloc/lowalloc/statsdecode"
)

// answerOf makes a _stats answer of n indices with distinct names and uuids as
// it is read: it takes no memory that grows with n.
func answerOf(n int) io.Reader {
	const outline = `{"_shards":{"total":1,"successful":1,"failed":0},"indices":{`
	i := 0
	var b bytes.Buffer
	b.WriteString(outline)
	return readerFunc(func(p []byte) (int, error) {
		for b.Len() < len(p) && i <= n {
			if i == n {
				b.WriteString("}}")
			} else {
				if i > 0 {
					b.WriteByte(',')
				}
				fmt.Fprintf(&b, `"logs-app.%07d-2026.11.30":{"uuid":"uuid-%017d","health":"green","status":"open","primaries":{"docs":{"count":%d}},"total":{"search":{"query_total":%d}}}`, i, i, i, 2*i)
			}
			i++
		}
		return b.Read(p)
	})
}

func count(t testing.TB, d *statsdecode.Decoder, r io.Reader) (n int) {
	for ix, err := range d.Indices(r) {
		if err != nil {
			t.Fatal(err)
		}
		if ix.Total.Search.QueryTotal != 2*ix.Primaries.Docs.Count || ix.Health != "green" {
			t.Fatalf("wrong figures: %+v", ix)
		}
		n++
	}
	return n
}

// The live heap does not grow with the number of indices, also where all have
// names that were never seen.
func TestLiveHeapIsFlatInTheNumberOfIndices(t *testing.T) {
	held := func(n int) uint64 {
		before := alloctest.LiveHeap()
		d := new(statsdecode.Decoder)
		if got := count(t, d, answerOf(n)); got != n {
			t.Fatalf("%d indices, want %d", got, n)
		}
		after := alloctest.LiveHeap()
		runtime.KeepAlive(d)
		return after - min(before, after)
	}
	few, many := held(100), held(10_000)
	t.Logf("after 100 indices %d bytes, after 10000 %d", few, many)
	if many > few+1<<20 {
		t.Errorf("live heap %d bytes after 100 indices, %d after 10000; want at most 1 MiB more", few, many)
	}
}

// Within a walk, too.
func TestLiveHeapIsFlatDuringAWalk(t *testing.T) {
	base := alloctest.LiveHeap()
	d := new(statsdecode.Decoder)
	n := 0
	var most uint64
	for _, err := range d.Indices(answerOf(10_000)) {
		if err != nil {
			t.Fatal(err)
		}
		if n++; n%2500 == 0 {
			most = max(most, alloctest.LiveHeap())
		}
	}
	if most > base+1<<20 {
		t.Errorf("live heap %d bytes above the start within the walk, want at most 1 MiB", most-base)
	}
}

// From the second answer with the same names on, at most one allocation an
// index, also past MaxNames; and with the recorded answers of real servers.
func TestAllocsPerIndex(t *testing.T) {
	for _, n := range []int{10, 1000, 6000} {
		t.Run(strconv.Itoa(n), func(t *testing.T) {
			answer, err := io.ReadAll(answerOf(n))
			if err != nil {
				t.Fatal(err)
			}
			var d statsdecode.Decoder
			r := bytes.NewReader(answer)
			alloctest.Gate(t, 3, uint64(3*(n+perAnswer)), 1<<30, func() {
				r.Reset(answer)
				count(t, &d, r)
			})
		})
	}
	eachRecorded(t, []string{"stats"}, func(t *testing.T, answer []byte) {
		var d statsdecode.Decoder
		n := len(keysInOrder(t, answer, "indices"))
		r := bytes.NewReader(answer)
		alloctest.Gate(t, 10, uint64(10*(n+perAnswer)), 1<<30, func() {
			r.Reset(answer)
			for _, err := range d.Indices(r) {
				if err != nil {
					t.Fatal(err)
				}
			}
		})
	})
}

// perAnswer is what a walk may allocate beside its entries.
const perAnswer = 16

// A kept name keeps itself alive, not the answer or the window.
func TestKeptNameDoesNotKeepTheAnswer(t *testing.T) {
	var kept []string
	before := alloctest.LiveHeap()
	for i := range 100 {
		// A window of 1 MiB each: the padding is one large entry.
		answer := `{"indices":{"name-` + strconv.Itoa(i) + `":{"uuid":"u` + strconv.Itoa(i) + `","x":"` + strings.Repeat("y", 1<<19) + `"}}}`
		for ix, err := range new(statsdecode.Decoder).Indices(strings.NewReader(answer)) {
			if err != nil {
				t.Fatal(err)
			}
			kept = append(kept, ix.Name, ix.UUID)
		}
	}
	after := alloctest.LiveHeap()
	if after > before+1<<20 {
		t.Errorf("200 kept names hold %d bytes", after-before)
	}
	for i := range 100 {
		if kept[2*i] != "name-"+strconv.Itoa(i) || kept[2*i+1] != "u"+strconv.Itoa(i) {
			t.Fatalf("kept %q, %q", kept[2*i], kept[2*i+1])
		}
	}
}

// Strings of an item must be their own: the window is overwritten by the next
// answer, and given to others by the pool.
func TestStringsDoNotReferToTheWindow(t *testing.T) {
	for _, maxNames := range []int{0, -1, 3} {
		for server, answer := range recorded(t, "nodes-stats") {
			d := statsdecode.Decoder{MaxNames: maxNames, Buffers: &scribbler}
			got := nodes(&d, bytes.NewReader(answer))
			before := fmt.Sprintf("%+v", got)
			scribble()
			if after := fmt.Sprintf("%+v", got); after != before {
				t.Errorf("%s: nodes changed with the window", server)
			}
		}
		for server, answer := range recorded(t, "stats-shards") {
			d := statsdecode.Decoder{MaxNames: maxNames, Buffers: &scribbler}
			got := indices(&d, bytes.NewReader(answer))
			before := fmt.Sprintf("%+v", got)
			scribble()
			if after := fmt.Sprintf("%+v", got); after != before {
				t.Errorf("%s: indices changed with the window", server)
			}
		}
		for server, answer := range recorded(t, "settings") {
			d := statsdecode.Decoder{MaxNames: maxNames, Buffers: &scribbler}
			got := settings(&d, bytes.NewReader(answer))
			before := fmt.Sprintf("%+v", got)
			scribble()
			if after := fmt.Sprintf("%+v", got); after != before {
				t.Errorf("%s: settings changed with the window", server)
			}
		}
	}
}

var scribbler = pool.Pool{MaxSize: 4 << 20, MaxIdleBytes: 64 << 20}

// scribble overwrites every idle buffer of scribbler.
func scribble() {
	var bufs []*pool.Buffer
	for range 16 {
		b := scribbler.GetSize(64 << 10)
		b.B = b.B[:cap(b.B)]
		for i := range b.B {
			b.B[i] = 'X'
		}
		bufs = append(bufs, b)
	}
	for _, b := range bufs {
		scribbler.Put(b)
	}
}

// Names that are gone are forgotten: the table does not grow for ever.
func TestNamesAreForgotten(t *testing.T) {
	d := new(statsdecode.Decoder)
	before := alloctest.LiveHeap()
	for round := range 50 {
		var b strings.Builder
		b.WriteString(`{"indices":{`)
		for i := range 1000 {
			if i > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(&b, `"round-%d-index-%d":{}`, round, i)
		}
		b.WriteString(`}}`)
		if got := walkIndices(d, strings.NewReader(b.String())); got.end != nil {
			t.Fatal(got.end)
		}
	}
	after := alloctest.LiveHeap()
	if after > before+512<<10 {
		t.Errorf("after 50 answers of 1000 new names each %d bytes are held", after-before)
	}
	runtime.KeepAlive(d)
}

// A poller asks several endpoints in turn, and each remembers its names.
func TestEndpointsInTurnKeepTheirNames(t *testing.T) {
	var d statsdecode.Decoder
	stats, _ := io.ReadAll(answerOf(200))
	const other = `{"nodes":{"n1":{"name":"x"}}}`
	r := bytes.NewReader(nil)
	alloctest.Gate(t, 5, 5*(200+2*perAnswer), 1<<30, func() {
		r.Reset(stats)
		count(t, &d, r)
		r.Reset([]byte(other))
		for _, err := range d.Nodes(r) {
			if err != nil {
				t.Fatal(err)
			}
		}
	})
}

// Names are forgotten after an answer that is read whole, though it ends with an
// error: a shard that stays broken must not fill the table.
func TestNamesAreForgottenAfterAPartialAnswer(t *testing.T) {
	d := &statsdecode.Decoder{MaxNames: 10}
	const failed = `{"_shards":{"total":2,"successful":1,"failed":1},"indices":{`
	for round := range 5 {
		walkIndices(d, strings.NewReader(fmt.Sprintf(failed+`"a%d":{},"b%d":{},"c%d":{}}}`, round, round, round)))
	}
	answer := failed + `"x":{},"y":{},"z":{}}}`
	r := strings.NewReader(answer)
	walkIndices(d, r)
	alloctest.Gate(t, 10, 10*perAnswer, 1<<20, func() {
		r.Reset(answer)
		for ix, err := range d.Indices(r) {
			if ix != nil && err != nil {
				t.Fatal(err)
			}
		}
	})
}

// A hostile answer takes memory in proportion to its size, and none of it stays.
func TestHostileAnswerLeavesNothingBehind(t *testing.T) {
	d := new(statsdecode.Decoder)
	before := alloctest.LiveHeap()
	var b strings.Builder
	b.WriteString(`{"nodes":{"` + strings.Repeat("n", 1<<20) + `":{"thread_pool":{`)
	for i := range 100_000 {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `"p%d":{}`, i)
	}
	b.WriteString(`}},"m":{}}}`)
	got := walkNodes(d, strings.NewReader(b.String()))
	if got.end != nil || !strings.HasSuffix(got.names, "* m") {
		t.Fatal(got.end)
	}
	b.Reset()
	got = outcome{}
	walkNodes(d, strings.NewReader(`{}`))
	after := alloctest.LiveHeap()
	if after > before+1<<20 {
		t.Errorf("%d bytes are held after a hostile answer", after-before)
	}
	runtime.KeepAlive(d)
}

// The window over a large entry is not kept, and nothing of it is: not after a
// whole answer, a cut one, one that the reference decoded, and a walk broken off.
func TestIdleDecoderHoldsNoWindow(t *testing.T) {
	if alloctest.Skewed() {
		t.Skip("memory is not measurable in a race or coverage build")
	}
	large := `{"indices":{"a":{"uuid":"u","x":"` + strings.Repeat("x", 8<<20) + `"`
	for name, end := range map[string]string{"whole": `}}}`, "cut": ``, "by the reference": `,"UUID":"v"}}}`} {
		for _, broken := range []bool{false, true} {
			var d statsdecode.Decoder
			before := alloctest.LiveHeap()
			for ix := range d.Indices(strings.NewReader(large + end)) { //nolint:errcheck // one is cut
				if ix != nil && broken {
					break
				}
			}
			if after := alloctest.LiveHeap(); after > before+512<<10 {
				t.Errorf("%s, broken off %t: %d bytes are held", name, broken, after-before)
			}
			runtime.KeepAlive(&d)
		}
	}
}

// What takes much more memory than its bytes is refused, with the rest decoded.
func TestManyMembersAreRefused(t *testing.T) {
	n := 200_000
	if alloctest.Race {
		n = 20_000
	}
	many := strings.TrimSuffix(strings.Repeat(`{},`, n), ",")
	var named strings.Builder
	for i := range n {
		fmt.Fprintf(&named, `"%d":{},`, i)
	}
	members := strings.TrimSuffix(named.String(), ",")
	for _, tt := range []struct {
		name   string
		walk   walker
		answer string
		point  string
	}{
		{"copies of a shard", walkIndices, `{"indices":{"a":{"uuid":"u","shards":{"0":[` + many + `]}}}}`, "/indices/a/shards"},
		{"shards", walkIndices, `{"indices":{"a":{"uuid":"u","shards":{` + strings.ReplaceAll(members, "{}", "[{}]") + `}}}}`, "/indices/a/shards"},
		{"shards without copies", walkIndices, `{"indices":{"a":{"uuid":"u","shards":{` + strings.ReplaceAll(members, "{}", "[]") + `}}}}`, "/indices/a/shards"},
		{"thread pools", walkNodes, `{"nodes":{"a":{"name":"n","thread_pool":{` + members + `}}}}`, "/nodes/a/thread_pool"},
	} {
		var d statsdecode.Decoder
		before := alloctest.LiveHeap()
		got := tt.walk(&d, strings.NewReader(tt.answer))
		after := alloctest.LiveHeap()
		if got.names != "a*" || got.end != nil || got.field.Pointer != tt.point {
			t.Errorf("%s: %q, %v, %v; want an entry with an error at %s", tt.name, got.names, got.field, got.end, tt.point)
		}
		if after > before+32<<20 {
			t.Errorf("%s: %d bytes are held for %d", tt.name, after-before, len(tt.answer))
		}
		runtime.KeepAlive(&d)
	}
	// Just above the bound, the shortcut and the reference agree.
	for n, want := range map[int]string{4096: "a", 4200: "a*"} {
		answer := `{"indices":{"a":{"shards":{"0":[` + strings.TrimSuffix(strings.Repeat(`{},`, n), ",") + `]}}}}`
		if got := walkIndices(new(statsdecode.Decoder), strings.NewReader(answer)); got.names != want {
			t.Errorf("%d copies in %d bytes: %q, want %q", n, len(answer), got.names, want)
		}
	}
	// Copies of one index after the other do not add up in the Decoder.
	var b strings.Builder
	b.WriteString(`{"indices":{`)
	for k := range 20 {
		fmt.Fprintf(&b, `"i%d":{"shards":{`, k)
		for s := range 20 - k {
			fmt.Fprintf(&b, `"%d":[],`, s)
		}
		b.WriteString(`"x":[` + strings.TrimSuffix(strings.Repeat(`{},`, 4000), ",") + `]}},`)
	}
	b.WriteString(`"end":{}}}`)
	var d statsdecode.Decoder
	before := alloctest.LiveHeap()
	if got := walkIndices(&d, strings.NewReader(b.String())); got.end != nil || got.field != nil {
		t.Error(got.field, got.end)
	}
	if after := alloctest.LiveHeap(); after > before+16<<20 {
		t.Errorf("%d bytes are held after %d bytes of copies", after-before, b.Len())
	}
	runtime.KeepAlive(&d)
	// A real index has as many copies as this, even if a filter left little of each.
	copies := strings.TrimSuffix(strings.Repeat(`"0":[{"docs":{"count":1}},{}],`, 1024), ",")
	if got := walkIndices(new(statsdecode.Decoder), strings.NewReader(`{"indices":{"a":{"shards":{`+copies+`}}}}`)); got.names != "a" {
		t.Errorf("1024 shards of two copies: %v", got.field)
	}
}

// One error costs no more than a few times what its entry costs.
func TestErrorInAWideEntryIsCheap(t *testing.T) {
	if alloctest.Skewed() {
		t.Skip("allocations are not countable in a race or coverage build")
	}
	wide := strings.Repeat(`"q":1,`, 100_000)
	answer := `{"indices":{"a":{"primaries":{` + wide + `"docs":5}}}}`
	allocs, bytes := alloctest.Count(1, func() { walkIndices(new(statsdecode.Decoder), strings.NewReader(answer)) })
	if allocs > 2000 || bytes > 20*uint64(len(answer)) {
		t.Errorf("%d allocations and %d bytes for an error in %d bytes", allocs, bytes, len(answer))
	}
}

// Depth costs no stack and no more than its bytes.
func TestDeepNesting(t *testing.T) {
	for _, open := range []string{`[`, `{"a":`} {
		answer := `{"indices":{"a":{"x":` + strings.Repeat(open, 1<<20)
		got := walkIndices(new(statsdecode.Decoder), strings.NewReader(answer))
		if got.names != "" || got.end == nil {
			t.Errorf("%s: %.100s, %v", open, got.names, got.end)
		}
	}
}
