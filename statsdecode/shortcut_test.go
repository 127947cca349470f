package statsdecode_test

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/lowalloc/lowalloc/internal/alloctest"
	"github.com/lowalloc/lowalloc/statsdecode"
)

// The answers of real servers do not need the reference.
func TestRecordedAnswersTakeTheShortcut(t *testing.T) {
	eachRecorded(t, statsAnswers, func(t *testing.T, answer []byte) {
		var d statsdecode.Decoder
		n := len(indices(&d, bytes.NewReader(answer)))
		if n == 0 || d.Slow() > 0 {
			t.Errorf("%d of %d indices went to the reference", d.Slow(), n)
		}
	})
	eachRecorded(t, nodesAnswers, func(t *testing.T, answer []byte) {
		var d statsdecode.Decoder
		n := len(nodes(&d, bytes.NewReader(answer)))
		if n == 0 || d.Slow() > 0 {
			t.Errorf("%d of %d nodes went to the reference", d.Slow(), n)
		}
	})
}

// From the second answer on a walk allocates next to nothing, however many
// indices it has, over memory and over a reader that gives 32 KiB at a time.
func TestAllocsPerAnswer(t *testing.T) {
	const n = 1000
	answer := larger(t, "stats", "indices", n)
	for name, reader := range map[string]func(*bytes.Reader) io.Reader{
		"bytes":  func(r *bytes.Reader) io.Reader { return r },
		"reader": func(r *bytes.Reader) io.Reader { return &chunkReader{r, 32 << 10} },
	} {
		t.Run(name, func(t *testing.T) {
			var d statsdecode.Decoder
			alloctest.Gate(t, 3, 3*16, 3*8<<10, func() {
				got := 0
				for _, err := range d.Indices(reader(bytes.NewReader(answer))) {
					if err != nil {
						t.Fatal(err)
					}
					got++
				}
				if got != n {
					t.Fatalf("%d indices", got)
				}
			})
		})
	}
}

// The shortcut and the reference agree on every answer: the same values, the
// same presence bits, the same errors at the same places.
func checkShortcut(t *testing.T, used *statsdecode.Decoder, answer []byte, n uint8) {
	t.Helper()
	reference := func() *statsdecode.Decoder { return new(statsdecode.Decoder).Reference() }
	sameItems(t, indices(used, chunked(answer, n)), indices(reference(), bytes.NewReader(answer)))
	sameItems(t, nodes(used, chunked(answer, n)), nodes(reference(), bytes.NewReader(answer)))
}

// sameItems is compareWithFresh, quick where all is well.
func sameItems[T any](t *testing.T, shortcut, reference []item[T]) {
	t.Helper()
	if !slices.EqualFunc(shortcut, reference, func(a, b item[T]) bool {
		return a.err == nil && b.err == nil && reflect.DeepEqual(a.value, b.value)
	}) {
		compareWithFresh(t, "shortcut and reference", shortcut, reference)
	}
}

func FuzzShortcut(f *testing.F) {
	seeds(f, append(append(statsAnswers[:len(statsAnswers):len(statsAnswers)], nodesAnswers...), "stats-cluster", "error-404")...)
	for i, answer := range smallAnswers(f) {
		if len(answer) > 40<<10 {
			continue // slow to fuzz, and in the test of mutations
		}
		f.Add(answer, uint8(i))
		for seed := range 4 {
			f.Add(mutate(answer, uint64(seed)), uint8(i))
		}
	}
	used := new(statsdecode.Decoder)
	f.Fuzz(func(t *testing.T, answer []byte, n uint8) {
		checkShortcut(t, used, answer, n)
		// The input's own bytes choose how it is mutated, so that the fuzzer steers that.
		checkShortcut(t, used, mutate(answer, uint64(n)), n)
	})
}

// The same without a fuzzer: every recorded answer, mutated in many ways.
func TestShortcutEqualsReferenceOnMutations(t *testing.T) {
	rounds := 30
	if testing.Short() {
		rounds = 15
	}
	used := new(statsdecode.Decoder)
	shortcuts, entries := 0, 0
	for i, answer := range smallAnswers(t) {
		for seed := range rounds {
			mutated := mutate(answer, uint64(i*rounds+seed))
			before := used.Slow()
			checkShortcut(t, used, mutated, uint8(seed))
			entries++
			if used.Slow() == before {
				shortcuts++
			}
		}
	}
	if shortcuts == 0 || shortcuts == entries {
		t.Errorf("%d of %d answers took the shortcut: the mutations try one side alone", shortcuts, entries)
	}
}

// smallAnswers are recorded answers cut down to two entries each, with the whole
// of those.
func smallAnswers(tb testing.TB) (answers [][]byte) {
	answers = append(answers, []byte(aNodeWithPipelines))
	for name, path := range map[string]string{"stats": "indices", "stats-shards": "indices", "nodes-stats": "nodes"} {
		for _, answer := range recorded(tb, name) {
			var b bytes.Buffer
			fmt.Fprintf(&b, `{%q:{`, path)
			entries := oracle(answer, path)
			for i := range 3 { // one twice: the shape of the last entry is a shortcut of its own
				if i > 0 {
					b.WriteByte(',')
				}
				e := entries[min(i/2, len(entries)-1)]
				fmt.Fprintf(&b, "%q:%s", fmt.Sprint(e.name, i), e.value)
			}
			b.WriteString("}}")
			answers = append(answers, b.Bytes())
		}
	}
	return answers
}

// mutate changes valid JSON, mostly into other valid JSON: it knows names,
// numbers and brackets, which a fuzzer has to find.
func mutate(answer []byte, seed uint64) []byte {
	rng := rand.New(rand.NewPCG(seed, 16538))
	tokens := split(answer)
	if len(tokens) == 0 {
		return answer
	}
	for range 1 + rng.IntN(3) {
		at := rng.IntN(len(tokens))
		token := tokens[at]
		pick := func(of ...string) string { return of[rng.IntN(len(of))] }
		switch {
		case rng.IntN(12) == 0: // white space
			tokens[at] = pick(" ", "\n\t", "\r ", " ") + token
		case rng.IntN(40) == 0: // cut
			tokens = tokens[:at+1]
		case strings.HasPrefix(token, `"`) && len(token) > 2:
			inner := token[1 : len(token)-1]
			tokens[at] = pick(
				`"`+strings.ToUpper(inner)+`"`, `"`+inner[:1]+strings.ToUpper(inner[1:])+`"`,
				fmt.Sprintf(`"\u%04x%s"`, inner[0], inner[1:]), `"`+inner+"\xff\"", `"`+inner+"\x01\"", `"x`+inner+`"`,
				`"`+inner+`":1,"`+inner+`"`,             // twice
				`"unknown":{"a":[1,{"b":null}]},`+token, // beside it one that is not known
				`"unknown":[1,{"b":tru}],`+token,        // of no valid syntax
				`"unknown":01,`+token, `"k":"\q",`+token, `"k":"\"",`+token,
				`"ſ`+inner+`"`, strings.ReplaceAll(token, "s", "ſ"), strings.ReplaceAll(token, "k", "\u212a"),
				"null", "7", token+token, `"max"`, `"12"`, `"012"`, `""`,
			)
		case token != "" && (token[0] == '-' || token[0] >= '0' && token[0] <= '9'):
			tokens[at] = pick(
				"0", "-0", "00", "01", "-1", "1.0", "1e3", "1E-5", "2.1E-5", "0.1", ".5", "5.", "1e", "1e+", "-", "+1", "0x1", "1_0",
				"1234567", "12345678", "123456789012345", "1234567890123456", "9223372036854775807", "9223372036854775808", "-9223372036854775808",
				"18446744073709551615", "18446744073709551616", "99999999999999999999999", "0.04161191968419254", "123456789012345.6", "1e400", "-0.0", "1e-400",
				"null", `"5"`, "{}", "[]", "true", "{\"a\":1}",
			)
		case token == "{" || token == "[":
			tokens[at] = pick(token+"{", token+`"count":3,`, token+"]", "null", strings.Repeat("[", 40)+strings.Repeat("]", 40), `{"a":`+strings.Repeat(`{"a":`, 40)+"1"+strings.Repeat("}", 41)+",")
		case token == "true" || token == "false" || token == "null":
			tokens[at] = pick("true", "false", "null", "tru", "nul", "1", `"x"`, "{}", "[]", "truex")
		case token == ",":
			if next := rng.IntN(len(tokens)); tokens[next] == "," { // swap what follows the two
				swapMembers(tokens, min(at, next), max(at, next))
			} else {
				tokens[at] = pick(",,", "", ",\"docs\":{\"count\":5},", ", ")
			}
		default:
			tokens[at] = pick("", token+token, ",", token)
		}
	}
	return []byte(strings.Join(tokens, ""))
}

// swapMembers swaps the two tokens of name, colon and value behind two commas.
func swapMembers(tokens []string, a, b int) {
	for i := 1; i <= 3 && a+i < b && b+i < len(tokens); i++ {
		tokens[a+i], tokens[b+i] = tokens[b+i], tokens[a+i]
	}
}

// split cuts JSON into strings, other scalars and punctuation.
func split(answer []byte) (tokens []string) {
	for i := 0; i < len(answer); {
		start := i
		switch c := answer[i]; {
		case c == '"':
			for i++; i < len(answer) && answer[i] != '"'; i++ {
				if answer[i] == '\\' {
					i++
				}
			}
			i = min(i+1, len(answer))
		case strings.IndexByte("{}[]:, \t\r\n", c) >= 0:
			i++
		default:
			for i < len(answer) && strings.IndexByte("{}[]:, \t\r\n\"", answer[i]) < 0 {
				i++
			}
		}
		tokens = append(tokens, string(answer[start:i]))
	}
	return tokens
}

// The live heap does not grow with the number of names, to 100,000 of them.
func TestLiveHeapOfManyNames(t *testing.T) {
	held := func(n int) uint64 {
		before := alloctest.LiveHeap()
		d := new(statsdecode.Decoder)
		if got := count(t, d, answerOf(n)); got != n || d.Slow() > 0 {
			t.Fatalf("%d indices, want %d; %d went to the reference", got, n, d.Slow())
		}
		after := alloctest.LiveHeap()
		runtime.KeepAlive(d)
		return after - min(before, after)
	}
	if few, many := held(100), held(100_000); many > few+1<<20 {
		t.Errorf("live heap %d bytes after 100 indices, %d after 100,000; want at most 1 MiB more", few, many)
	}
}
