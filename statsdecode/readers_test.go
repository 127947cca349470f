package statsdecode_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/lowalloc/lowalloc/internal/alloctest"
	"github.com/lowalloc/lowalloc/statsdecode"
)

// everyAnswer is every recorded answer with the walk that it is for.
func everyAnswer(t *testing.T, f func(t *testing.T, walk walker, answer []byte)) {
	for _, set := range []struct {
		names []string
		walk  walker
	}{
		{statsAnswers, walkIndices},
		{[]string{"stats-cluster"}, walkIndices},
		{nodesAnswers, walkNodes},
		{settingsAnswers, walkSettings},
		{[]string{"recovery"}, walkEntries()},
		{[]string{"bulk"}, walkEntries("items")},
		{[]string{"cluster-health"}, one(statsdecode.DecodeClusterHealth)},
		{[]string{"cluster-stats"}, one(statsdecode.DecodeClusterStats)},
	} {
		eachRecorded(t, set.names, func(t *testing.T, answer []byte) { f(t, set.walk, answer) })
	}
}

// one makes a walk of a function that decodes a single object.
func one[T any](decode func(io.Reader, *T) error) walker {
	return func(_ *statsdecode.Decoder, r io.Reader) (o outcome) {
		var v T
		o.end = decode(r, &v)
		o.names = fmt.Sprintf("%+v", v)
		return o
	}
}

var allCuts = flag.Bool("allcuts", false, "cut the large recorded answers at every byte too: takes minutes")

// A cut answer is an error wherever it is cut, and never a short success: at
// every byte up to 64 KB; above, at every structural byte and each 97th. The
// work grows with the square of the size, so without -allcuts only the smaller
// answers are cut so, and the others here and there.
func TestEveryCutIsAnError(t *testing.T) {
	everyAnswer(t, func(t *testing.T, walk walker, answer []byte) {
		every, step := *allCuts || len(answer) < 8<<10, 97
		if !*allCuts && (len(answer) > 100<<10 || alloctest.Race) {
			every, step = every && len(answer) < 1<<10, 997
		}
		answer = bytes.TrimSpace(answer)
		var d statsdecode.Decoder
		cuts := 0
		for i := range answer {
			structural := strings.IndexByte(`{}[],:"`, answer[i]) >= 0
			if cut := i%step == 0 || every && (i < 64<<10 || structural); !cut {
				continue
			}
			cuts++
			got := walk(&d, bytes.NewReader(answer[:i]))
			var e *statsdecode.DecodeError
			if !errors.As(got.end, &e) || !errors.Is(got.end, io.ErrUnexpectedEOF) {
				t.Fatalf("cut after %d of %d bytes: %v, want a *DecodeError that wraps io.ErrUnexpectedEOF", i, len(answer), got.end)
			}
			if got.field != nil {
				t.Fatalf("cut after %d bytes: an item with %v", i, got.field)
			}
		}
		t.Logf("%d cuts of %d bytes", cuts, len(answer))
	})
}

// How an answer is split into reads does not matter.
func TestChunksGiveTheSame(t *testing.T) {
	everyAnswer(t, func(t *testing.T, walk walker, answer []byte) {
		want := walk(new(statsdecode.Decoder), bytes.NewReader(answer))
		if want.end != nil || want.field != nil {
			t.Fatalf("%+v", want)
		}
		rng := rand.New(rand.NewPCG(1, uint64(len(answer))))
		for name, r := range map[string]io.Reader{
			"one byte":      iotest.OneByteReader(bytes.NewReader(answer)),
			"data with EOF": iotest.DataErrReader(bytes.NewReader(answer)),
			"random": readerOf(answer, func() int {
				return 1 + rng.IntN(5000)
			}),
			"empty reads": readerOf(answer, func() int { return rng.IntN(3) * 1000 }),
		} {
			if got := walk(new(statsdecode.Decoder), r); got != want {
				t.Errorf("%s: got %+v, want %+v", name, got, want)
			}
		}
	})
}

// readerOf reads answer in chunks of the sizes that size gives.
func readerOf(answer []byte, size func() int) io.Reader {
	rest := answer
	return readerFunc(func(p []byte) (int, error) {
		if len(rest) == 0 {
			return 0, io.EOF
		}
		n := copy(p[:min(len(p), size())], rest)
		rest = rest[n:]
		return n, nil
	})
}

// Contents, not just names, are the same for chunks.
func TestChunksGiveTheSameContents(t *testing.T) {
	eachRecorded(t, []string{"stats-shards"}, func(t *testing.T, answer []byte) {
		compareWithFresh(t, "one byte at a time",
			indices(new(statsdecode.Decoder), iotest.OneByteReader(bytes.NewReader(answer))),
			indices(new(statsdecode.Decoder), bytes.NewReader(answer)))
	})
	eachRecorded(t, nodesAnswers, func(t *testing.T, answer []byte) {
		compareWithFresh(t, "one byte at a time",
			nodes(new(statsdecode.Decoder), iotest.OneByteReader(bytes.NewReader(answer))),
			nodes(new(statsdecode.Decoder), bytes.NewReader(answer)))
	})
}

// A decoder that begins an entry anew with each read, or moves its window with
// each, does work that grows with the square of an entry: for 4 MiB that would
// be hours, where a linear one is done in a moment.
func TestOneByteReadsAreLinear(t *testing.T) {
	entry := `{"x":"` + strings.Repeat("y", 4<<20) + `"}`
	got := walkIndices(new(statsdecode.Decoder), iotest.OneByteReader(strings.NewReader(`{"indices":{"a":`+entry+`}}`)))
	if got.names != "a" || got.end != nil {
		t.Errorf("%.200v", got)
	}
}
