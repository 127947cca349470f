package statsdecode_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"regexp"
	"testing"

	"github.com/lowalloc/lowalloc/statsdecode"
)

var (
	wholeNumber = regexp.MustCompile(`:[0-9]+\b`)
	uuidMember  = regexp.MustCompile(`"uuid":"[^"]*"`)
)

// larger makes the answer of a larger cluster from that of a real one: n
// entries below path that look like those, an index of 6 KB or a node of 28 KB,
// with names, uuids and numbers of their own. It is the same every time.
func larger(tb testing.TB, name, path string, n int) []byte {
	tb.Helper()
	answer := recorded(tb, name)["elasticsearch-9.2.2"]
	outline, _ := membersOf(answer)
	entries := outline
	var b bytes.Buffer
	b.WriteByte('{')
	if path != "" {
		entries = oracle(answer, path)
		for _, m := range outline {
			if m.name != path {
				fmt.Fprintf(&b, "%q:%s,", m.name, m.value)
			}
		}
		fmt.Fprintf(&b, "%q:{", path)
	}

	random := rand.NewChaCha8([32]byte{})
	numbers := rand.New(random)
	uuid := func() string {
		var b [16]byte
		_, _ = random.Read(b[:])
		return base64.RawURLEncoding.EncodeToString(b[:])
	}
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		entry := wholeNumber.ReplaceAllFunc(entries[i%len(entries)].value, func([]byte) []byte {
			return fmt.Appendf(nil, ":%d", numbers.Int64N(1<<numbers.IntN(24)))
		})
		entry = uuidMember.ReplaceAllFunc(entry, func([]byte) []byte {
			return fmt.Appendf(nil, `"uuid":%q`, uuid())
		})
		fmt.Fprintf(&b, "%q:%s", fmt.Sprintf("logs-%s-%06d", uuid()[:8], i), entry)
	}
	b.WriteByte('}')
	if path != "" {
		b.WriteByte('}')
	}
	return b.Bytes()
}

// tally is what a decoder found: proof that all decode the same.
type tally struct {
	entries int
	sum     float64 // of one figure of each entry
}

type contender struct {
	impl   string
	decode func(r io.Reader) (tally, error)
}

// compare runs the contenders over an answer of size entries, each on its own.
// The first one counts as right.
func compare(b *testing.B, size int, answer []byte, contenders ...contender) {
	want, err := contenders[0].decode(bytes.NewReader(answer))
	if err != nil || want.entries != size || want.sum == 0 {
		b.Fatalf("%s: %+v, %v; want %d entries", contenders[0].impl, want, err, size)
	}
	for _, c := range contenders {
		b.Run(fmt.Sprintf("impl=%s/size=%d", c.impl, size), func(b *testing.B) {
			r := bytes.NewReader(answer)
			b.SetBytes(int64(len(answer)))
			b.ReportAllocs()
			for b.Loop() {
				r.Reset(answer)
				if got, err := c.decode(r); got != want || err != nil {
					b.Fatalf("%+v, %v; want %+v", got, err, want)
				}
			}
		})
	}
}

func BenchmarkIndices(b *testing.B) {
	for _, size := range []int{10, 1000} {
		var d statsdecode.Decoder
		compare(b, size, larger(b, "stats", "indices", size),
			contender{"statsdecode", func(r io.Reader) (t tally, err error) {
				for ix, err := range d.Indices(r) {
					if err != nil {
						return t, err
					}
					t.add(ix.Total.Search.QueryTotal)
				}
				return t, nil
			}},
			contender{"json-struct", func(r io.Reader) (t tally, err error) {
				var answer struct {
					Shards  statsdecode.Counts           `json:"_shards"`
					All     statsdecode.AllStats         `json:"_all"`
					Indices map[string]statsdecode.Index `json:"indices"`
				}
				err = json.NewDecoder(r).Decode(&answer)
				for _, ix := range answer.Indices {
					t.add(ix.Total.Search.QueryTotal)
				}
				return t, err
			}},
			contender{"json-map", func(r io.Reader) (tally, error) {
				return tallyMap(r, "indices", "total", "search", "query_total")
			}},
		)
	}
}

func BenchmarkNodes(b *testing.B) {
	const size = 100
	var d statsdecode.Decoder
	compare(b, size, larger(b, "nodes-stats", "nodes", size),
		contender{"statsdecode", func(r io.Reader) (t tally, err error) {
			for n, err := range d.Nodes(r) {
				if err != nil {
					return t, err
				}
				t.add(n.Indices.Search.QueryTotal)
			}
			return t, nil
		}},
		contender{"json-struct", func(r io.Reader) (t tally, err error) {
			var answer struct {
				Counts      statsdecode.Counts          `json:"_nodes"`
				ClusterName string                      `json:"cluster_name"`
				Nodes       map[string]statsdecode.Node `json:"nodes"`
			}
			err = json.NewDecoder(r).Decode(&answer)
			for _, n := range answer.Nodes {
				t.add(n.Indices.Search.QueryTotal)
			}
			return t, err
		}},
		contender{"json-map", func(r io.Reader) (tally, error) {
			return tallyMap(r, "nodes", "indices", "search", "query_total")
		}},
	)
}

func BenchmarkSettings(b *testing.B) {
	const size = 1000
	var d statsdecode.Decoder
	compare(b, size, larger(b, "settings", "", size),
		contender{"statsdecode", func(r io.Reader) (t tally, err error) {
			for s, err := range d.Settings(r) {
				if err != nil {
					return t, err
				}
				t.add(s.NumberOfShards)
			}
			return t, nil
		}},
		contender{"json-struct", func(r io.Reader) (t tally, err error) {
			var answer map[string]struct {
				Settings struct {
					Index statsdecode.IndexSettings `json:"index"`
				} `json:"settings"`
			}
			err = json.NewDecoder(r).Decode(&answer)
			for _, s := range answer {
				t.add(s.Settings.Index.NumberOfShards)
			}
			return t, err
		}},
		contender{"json-map", func(r io.Reader) (t tally, err error) {
			var answer map[string]any
			err = json.NewDecoder(r).Decode(&answer)
			for _, entry := range answer {
				t.addText(dig(entry, "settings", "index", "number_of_shards"))
			}
			return t, err
		}},
	)
}

func (t *tally) add(n int64) {
	t.entries++
	t.sum += float64(n)
}

func (t *tally) addText(v any) {
	t.entries++
	var n float64
	if s, ok := v.(string); ok && json.Unmarshal([]byte(s), &n) == nil {
		t.sum += n
	}
}

// tallyMap decodes an answer into maps and adds up a figure of the entries
// below path, as programs do that have no types.
func tallyMap(r io.Reader, path string, figure ...string) (t tally, err error) {
	var answer map[string]any
	err = json.NewDecoder(r).Decode(&answer)
	entries, _ := answer[path].(map[string]any)
	for _, entry := range entries {
		n, _ := dig(entry, figure...).(float64)
		t.entries++
		t.sum += n
	}
	return t, err
}

// dig returns the value that the path of keys leads to, or nil.
func dig(v any, path ...string) any {
	for _, key := range path {
		m, _ := v.(map[string]any)
		v = m[key]
	}
	return v
}
