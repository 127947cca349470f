package main

import (
	"testing"
)

// All contenders find the same in the same answer.
func TestContendersAgree(t *testing.T) {
	const dir = "../../../statsdecode/testdata/recorded/elasticsearch-9.2.2"
	for _, w := range []workload{statsWorkload("stats", "stats"), statsWorkload("shards", "stats-shards"), nodesWorkload()} {
		answer, err := larger(dir, w.file, w.path, 7)
		if err != nil {
			t.Fatal(err)
		}
		var want tally
		for i, c := range w.contenders() {
			if c.decode == nil {
				continue
			}
			got, _, err := c.decode(answer)
			if i == 0 {
				want = got
			}
			if err != nil || got != want || got.entries != 7 || got.sum == 0 {
				t.Errorf("%s, %s into %s: %+v, %v; want %+v", w.name, c.name, c.what, got, err, want)
			}
		}
	}
}
