package gzippool_test

import (
	"bytes"
	stdgzip "compress/gzip"
	"io"
	"os"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lowalloc/lowalloc/gzippool"
	"github.com/lowalloc/lowalloc/internal/alloctest"
	"github.com/lowalloc/lowalloc/internal/corpus"
)

// collect runs a garbage collection, and waits for the cleanup that follows it:
// two collections in a row would run it once.
func collect() {
	runtime.GC()
	time.Sleep(time.Millisecond)
}

// useAtOnce has n writers and n readers in use at one time.
func useAtOnce(t *testing.T, p *gzippool.Pool, n int) {
	t.Helper()
	body := corpus.Bulk(1 << 16)
	stream := compressed(body)
	var wg, all sync.WaitGroup
	all.Add(n)
	for range n {
		wg.Go(func() {
			w, r := p.Writer(io.Discard), p.Reader(bytes.NewReader(stream), gzippool.NoLimit)
			_, _ = w.Write(body)
			_, _ = io.Copy(io.Discard, r)
			all.Done()
			all.Wait()
			if err := w.Close(); err != nil {
				t.Error(err)
			}
			_ = r.Close()
		})
	}
	wg.Wait()
}

func TestMaxIdle(t *testing.T) {
	p := &gzippool.Pool{MaxIdle: 4}
	for round := range 3 { // the wait for a collection must begin anew
		useAtOnce(t, p, 16)
		if w, r := p.IdleWriters(), p.IdleReaders(); w != 4 || r != 4 {
			t.Errorf("round %d: %d writers and %d readers idle, want 4", round, w, r)
		}
		collect()
		if w, r := p.IdleWriters(), p.IdleReaders(); w != 4 || r != 4 {
			t.Errorf("round %d: %d writers and %d readers idle after one collection, want 4 still", round, w, r)
		}
		collect()
		if w, r := p.IdleWriters(), p.IdleReaders(); w != 0 || r != 0 {
			t.Errorf("round %d: %d writers and %d readers idle after two collections, want none", round, w, r)
		}
	}
}

// One writer in steady use stays; the three of a burst go.
func TestMaxIdleLetsGoOfABurst(t *testing.T) {
	p := &gzippool.Pool{MaxIdle: 4}
	useAtOnce(t, p, 4)
	for range 3 {
		collect()
		useAtOnce(t, p, 1)
	}
	if w, r := p.IdleWriters(), p.IdleReaders(); w != 1 || r != 1 {
		t.Errorf("%d writers and %d readers idle, want the one of each that is in use", w, r)
	}
}

func TestNegativeMaxIdleKeepsNone(t *testing.T) {
	p := &gzippool.Pool{MaxIdle: -1}
	useAtOnce(t, p, 4)
	if w, r := p.IdleWriters(), p.IdleReaders(); w != 0 || r != 0 {
		t.Errorf("%d writers and %d readers idle, want none", w, r)
	}
}

// 64 uses at once, then quiet. With MaxIdle 4 the heap has four writers and four
// readers at most, as the package comment's table has them; without, everything
// is gone after two collections.
func TestIdleMemoryAfterABurst(t *testing.T) {
	if alloctest.Skewed() {
		t.Skip("memory is not measurable in a race or coverage build")
	}
	table := heldTable(t)
	limit := 4 * (table["1"].here + table["reader"].here + 8) // io.Copy used WriteTo
	for _, tt := range []struct {
		maxIdle, collections int
		limit                int64
	}{{4, 1, limit << 10}, {4, 3, 64 << 10}, {0, 2, 64 << 10}} { // what the second let go, the third frees
		p := &gzippool.Pool{MaxIdle: tt.maxIdle}
		before := alloctest.LiveHeap()
		useAtOnce(t, p, 64)
		for range tt.collections {
			collect()
		}
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		got := int64(m.HeapAlloc - before)
		runtime.KeepAlive(p)
		t.Logf("MaxIdle %d: %d KiB held after %d collections", tt.maxIdle, got>>10, tt.collections)
		if got > tt.limit+64<<10 {
			t.Errorf("MaxIdle %d: %d bytes held after %d collections, want at most %d", tt.maxIdle, got, tt.collections, tt.limit)
		}
	}
}

type held struct{ here, std int64 }

// heldTable reads the table of bytes held from the package comment.
func heldTable(t *testing.T) map[string]held {
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	table := map[string]held{}
	for _, m := range regexp.MustCompile(`(?m)^//\t(\S+) +(\d+) +(\d+)$`).FindAllSubmatch(doc, -1) {
		here, _ := strconv.ParseInt(string(m[2]), 10, 64)
		std, _ := strconv.ParseInt(string(m[3]), 10, 64)
		table[string(m[1])] = held{here, std}
	}
	if len(table) != 11 {
		t.Fatalf("the package comment's table has %d rows, want 11", len(table))
	}
	return table
}

func TestTableOfBytesHeld(t *testing.T) {
	if alloctest.Skewed() || strconv.IntSize != 64 {
		t.Skip("memory is not measurable in a race or coverage build; the table is for 64 bits")
	}
	const each = 4
	body := corpus.Bulk(1 << 20)
	stream := compressed(body)
	dst := make([]byte, 0, 2<<20)
	check := func(row, impl string, want int64, use func() (keep any)) {
		t.Helper()
		if impl != "here" && !strings.HasPrefix(runtime.Version(), "go1.26") {
			return // the table has Go 1.26 only
		}
		use()
		before := alloctest.LiveHeap()
		kept := make([]any, each)
		for i := range kept {
			kept[i] = use()
		}
		got := int64(alloctest.LiveHeap()-before) / each >> 10
		runtime.KeepAlive(kept)
		if diff := got - want; diff > want/20+1 || -diff > want/20+1 {
			t.Errorf("%s, %s: holds %d KiB, the table says %d", row, impl, got, want)
		}
	}
	for row, want := range heldTable(t) {
		if row == "reader" {
			check(row, "here", want.here, func() any {
				p := &gzippool.Pool{MaxIdle: 1}
				r := p.Reader(bytes.NewReader(stream), gzippool.NoLimit)
				_, _ = io.ReadFull(r, dst[:1<<20])
				return r
			})
			check(row, "compress/gzip", want.std, func() any {
				r, _ := stdgzip.NewReader(bytes.NewReader(stream))
				_, _ = io.ReadFull(r, dst[:1<<20])
				return r
			})
			continue
		}
		level, _ := strconv.Atoi(row)
		check(row, "here", want.here, func() any {
			p := &gzippool.Pool{Level: level}
			w := p.Writer(io.Discard)
			_, _ = w.Write(body)
			return w
		})
		check(row, "compress/gzip", want.std, func() any {
			w, _ := stdgzip.NewWriterLevel(io.Discard, level)
			_, _ = w.Write(body)
			return w
		})
	}
	runtime.KeepAlive(stream)
	runtime.KeepAlive(body)
	runtime.KeepAlive(dst)
}
