package statsdecode_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/lowalloc/lowalloc/pool"
	"github.com/lowalloc/lowalloc/statsdecode"
)

// A Decoder goes by what came before: by the last entry's shape, by what the
// window holds, by the names it knows. So sequences of mutated entries, in
// windows and bounds that just do or just do not hold them, must be to a used
// Decoder what they are to the reference, which begins anew each time.
func TestSequencesEqualReference(t *testing.T) {
	rounds := 400
	if testing.Short() {
		rounds = 100
	}
	var entries [][]byte
	for _, answer := range smallAnswers(t) {
		for _, path := range []string{"indices", "nodes"} {
			for _, e := range oracle(answer, path) {
				entries = append(entries, append([]byte(path+":"), e.value...))
			}
		}
	}
	used := map[string]*statsdecode.Decoder{"indices": {}, "nodes": {}}
	for round := range rounds {
		checkSequence(t, entries, used, uint64(round))
		if t.Failed() {
			t.Fatalf("round %d", round)
		}
	}
}

func checkSequence(t *testing.T, entries [][]byte, used map[string]*statsdecode.Decoder, seed uint64) {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 114))
	begin := rng.IntN(len(entries))
	path, _, _ := strings.Cut(string(entries[begin]), ":")
	var answer bytes.Buffer
	fmt.Fprintf(&answer, `{%q:{`, path)
	if rng.IntN(4) == 0 {
		answer.WriteString(strings.Repeat(" ", rng.IntN(64<<10))) // the window ends anywhere
	}
	largest, count := 0, 0
	for i := 0; count < 2+rng.IntN(4) && i < 20; i++ {
		of, entry, _ := bytes.Cut(entries[(begin+rng.IntN(3))%len(entries)], []byte(":"))
		if string(of) != path {
			continue
		}
		if rng.IntN(3) > 0 {
			entry = mutate(entry, rng.Uint64())
		}
		if count > 0 {
			answer.WriteByte(',')
		}
		fmt.Fprintf(&answer, `"e%d":%s`, count, entry)
		largest = max(largest, len(entry))
		count++
	}
	answer.WriteString("}}")
	text := answer.Bytes()
	if rng.IntN(8) == 0 {
		text = text[:rng.IntN(len(text))]
	}

	d := used[path]
	reference := new(statsdecode.Decoder).Reference()
	switch rng.IntN(4) {
	case 0: // the bound is about that of the largest
		d = &statsdecode.Decoder{MaxEntryBytes: max(1, largest-2+rng.IntN(5))}
	case 1: // or far below it
		d = &statsdecode.Decoder{MaxEntryBytes: 1 + rng.IntN(largest)}
	case 2: // windows of exactly the size asked for, which are not used again
		d = &statsdecode.Decoder{Buffers: &pool.Pool{MaxSize: -1}, MaxNames: -1}
	}
	reference.MaxEntryBytes = d.MaxEntryBytes
	chunk := []int{0, 1, 7, 1000, 40_000}[rng.IntN(5)]
	if chunk == 1 && len(text) > 20_000 {
		chunk = 13
	}
	r := &chunkReader{bytes.NewReader(text), chunk}
	if path == "nodes" {
		sameItems(t, nodes(d, r), nodes(reference, bytes.NewReader(text)))
	} else {
		sameItems(t, indices(d, r), indices(reference, bytes.NewReader(text)))
	}
}
