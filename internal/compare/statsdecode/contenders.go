package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/bytedance/sonic"
	experiment "github.com/go-json-experiment/json"
	goccy "github.com/goccy/go-json"
	"github.com/goccy/go-json/jsontext"
	goccyv2 "github.com/goccy/go-json/v2"
	jsoniter "github.com/json-iterator/go"
	"github.com/minio/simdjson-go"
	segmentio "github.com/segmentio/encoding/json"
	"github.com/valyala/fastjson"

	"github.com/lowalloc/lowalloc/statsdecode"
)

// tally is what a contender found: proof that all decode the same answer.
type tally struct {
	entries int
	sum     int64 // of one figure of each entry
}

func (t *tally) add(figure int64) {
	t.entries++
	t.sum += figure
}

// contender is a way to decode an answer.
type contender struct {
	name string
	what string // what it fills
	dom  bool   // it holds a tree or maps of the whole answer: too much memory for the largest one
	// decode returns besides the tally what a program would hold at the end, so
	// that it counts as live.
	decode func(answer []byte) (t tally, held any, err error)
}

// workload is an answer, and those who decode it.
type workload struct {
	name       string
	file, path string
	figure     []string // the figure of each entry, for those that have no types
	ours       func(d *statsdecode.Decoder, r io.Reader) (tally, error)
	whole      func(answer []byte, unmarshal func([]byte, any) error) (tally, any, error)
	tokens     func(answer []byte) (tally, any, error) // encoding/json, entry by entry
	jsontext   func(answer []byte) (tally, any, error) // goccy, entry by entry
}

type stats struct {
	Shards  statsdecode.Counts           `json:"_shards"`
	All     statsdecode.AllStats         `json:"_all"`
	Indices map[string]statsdecode.Index `json:"indices"`
}

type nodes struct {
	Counts      statsdecode.Counts          `json:"_nodes"`
	ClusterName string                      `json:"cluster_name"`
	Nodes       map[string]statsdecode.Node `json:"nodes"`
}

func figureOfIndex(ix *statsdecode.Index) int64 { return ix.Total.Search.QueryTotal }

func figureOfNode(n *statsdecode.Node) int64 { return n.Indices.Search.QueryTotal }

func statsWorkload(name, file string) workload {
	return workload{
		name: name, file: file, path: "indices", figure: []string{"total", "search", "query_total"},
		ours: func(d *statsdecode.Decoder, r io.Reader) (t tally, err error) {
			for ix, err := range d.Indices(r) {
				if err != nil {
					return t, err
				}
				t.add(figureOfIndex(ix))
			}
			return t, nil
		},
		whole: func(answer []byte, unmarshal func([]byte, any) error) (t tally, held any, err error) {
			var all stats
			err = unmarshal(answer, &all)
			for _, ix := range all.Indices {
				t.add(figureOfIndex(&ix))
			}
			return t, all, err
		},
		tokens:   tokenWalk("indices", figureOfIndex),
		jsontext: jsontextWalk("indices", figureOfIndex),
	}
}

func nodesWorkload() workload {
	return workload{
		name: "node stats", file: "nodes-stats", path: "nodes", figure: []string{"indices", "search", "query_total"},
		ours: func(d *statsdecode.Decoder, r io.Reader) (t tally, err error) {
			for n, err := range d.Nodes(r) {
				if err != nil {
					return t, err
				}
				t.add(figureOfNode(n))
			}
			return t, nil
		},
		whole: func(answer []byte, unmarshal func([]byte, any) error) (t tally, held any, err error) {
			var all nodes
			err = unmarshal(answer, &all)
			for _, n := range all.Nodes {
				t.add(figureOfNode(&n))
			}
			return t, all, err
		},
		tokens:   tokenWalk("nodes", figureOfNode),
		jsontext: jsontextWalk("nodes", figureOfNode),
	}
}

// contenders lists the ways to decode w. The first one is what the others are
// compared with.
func (w *workload) contenders() []contender {
	var ours, chunked statsdecode.Decoder
	whole := func(name string, unmarshal func([]byte, any) error) contender {
		return contender{name: name, what: "same structs, whole", decode: func(answer []byte) (tally, any, error) {
			return w.whole(answer, unmarshal)
		}}
	}
	return []contender{
		{name: "statsdecode", what: "structs, streamed", decode: func(answer []byte) (tally, any, error) {
			t, err := w.ours(&ours, bytes.NewReader(answer))
			return t, &ours, err
		}},
		{name: "statsdecode, reads of 32 KiB", what: "structs, streamed", decode: func(answer []byte) (tally, any, error) {
			t, err := w.ours(&chunked, chunks{bytes.NewReader(answer)})
			return t, &chunked, err
		}},
		{name: "encoding/json, token walk (elasticsearch_exporter)", what: "same structs, one by one", decode: w.tokens},
		whole("encoding/json Unmarshal", json.Unmarshal),
		{name: "encoding/json Unmarshal", what: "map[string]any", dom: true, decode: w.maps},
		{name: "goccy/go-json jsontext walk", what: "same structs, one by one", decode: w.jsontext},
		whole("goccy/go-json Unmarshal", goccy.Unmarshal),
		whole("go-json-experiment/json", func(b []byte, v any) error { return experiment.Unmarshal(b, v) }),
		whole("bytedance/sonic", sonic.Unmarshal),
		whole("json-iterator/go", jsoniter.ConfigCompatibleWithStandardLibrary.Unmarshal),
		whole("segmentio/encoding", segmentio.Unmarshal),
		{name: "valyala/fastjson", what: "tree, one figure read", dom: true, decode: w.fastjson()},
		{name: "minio/simdjson-go", what: "tape, one figure read", dom: true, decode: w.simdjson()},
	}
}

// chunks reads as a network connection does.
type chunks struct{ r io.Reader }

func (c chunks) Read(p []byte) (int, error) { return c.r.Read(p[:min(len(p), 32<<10)]) }

// tokenWalk reads an answer the way the exporter does since 1.11: a json.Decoder
// goes by tokens to the entries, and decodes them one at a time.
func tokenWalk[T any](path string, figure func(*T) int64) func([]byte) (tally, any, error) {
	return func(answer []byte) (t tally, held any, err error) {
		d := json.NewDecoder(bytes.NewReader(answer))
		if _, err := d.Token(); err != nil {
			return t, nil, err
		}
		for d.More() {
			key, err := d.Token()
			if err != nil {
				return t, nil, err
			}
			if key != path {
				var skipped json.RawMessage
				if err := d.Decode(&skipped); err != nil {
					return t, nil, err
				}
				continue
			}
			if _, err := d.Token(); err != nil {
				return t, nil, err
			}
			for d.More() {
				if _, err := d.Token(); err != nil {
					return t, nil, err
				}
				var entry T
				if err := d.Decode(&entry); err != nil {
					return t, nil, err
				}
				t.add(figure(&entry))
			}
			if _, err := d.Token(); err != nil {
				return t, nil, err
			}
		}
		return t, d, nil
	}
}

func jsontextWalk[T any](path string, figure func(*T) int64) func([]byte) (tally, any, error) {
	return func(answer []byte) (t tally, held any, err error) {
		d := jsontext.NewDecoder(bytes.NewReader(answer), jsontext.AllowDuplicateNames(true))
		if _, err := d.ReadToken(); err != nil {
			return t, nil, err
		}
		for d.PeekKind() == '"' {
			key, err := d.ReadToken()
			if err != nil {
				return t, nil, err
			}
			if key.String() != path {
				if err := d.SkipValue(); err != nil {
					return t, nil, err
				}
				continue
			}
			if _, err := d.ReadToken(); err != nil {
				return t, nil, err
			}
			for d.PeekKind() == '"' {
				if _, err := d.ReadToken(); err != nil {
					return t, nil, err
				}
				var entry T
				if err := goccyv2.UnmarshalDecode(d, &entry); err != nil {
					return t, nil, err
				}
				t.add(figure(&entry))
			}
			if _, err := d.ReadToken(); err != nil {
				return t, nil, err
			}
		}
		return t, d, nil
	}
}

func (w *workload) maps(answer []byte) (t tally, held any, err error) {
	var all map[string]any
	if err := json.Unmarshal(answer, &all); err != nil {
		return t, nil, err
	}
	entries, _ := all[w.path].(map[string]any)
	for _, entry := range entries {
		for _, key := range w.figure {
			m, _ := entry.(map[string]any)
			entry = m[key]
		}
		figure, _ := entry.(float64)
		t.add(int64(figure))
	}
	return t, all, nil
}

func (w *workload) fastjson() func([]byte) (tally, any, error) {
	var p fastjson.Parser
	return func(answer []byte) (t tally, held any, err error) {
		v, err := p.ParseBytes(answer)
		if err != nil {
			return t, nil, err
		}
		entries, err := v.Get(w.path).Object()
		if err != nil {
			return t, nil, err
		}
		entries.Visit(func(_ []byte, entry *fastjson.Value) {
			t.add(entry.GetInt64(w.figure...))
		})
		return t, &p, nil
	}
}

func (w *workload) simdjson() func([]byte) (tally, any, error) {
	if !simdjson.SupportedCPU() {
		return nil
	}
	var parsed *simdjson.ParsedJson
	return func(answer []byte) (t tally, held any, err error) {
		parsed, err = simdjson.Parse(answer, parsed)
		if err != nil {
			return t, nil, err
		}
		iter := parsed.Iter()
		var entries simdjson.Element
		if _, err := iter.FindElement(&entries, w.path); err != nil {
			return t, nil, err
		}
		object, err := entries.Iter.Object(nil)
		if err != nil {
			return t, nil, err
		}
		var figure simdjson.Element
		var element simdjson.Iter
		for {
			_, kind, err := object.NextElementBytes(&element)
			if err != nil {
				return t, nil, err
			}
			if kind == simdjson.TypeNone {
				return t, parsed, nil
			}
			if _, err := element.FindElement(&figure, w.figure...); err != nil {
				return t, nil, fmt.Errorf("entry %d: %w", t.entries, err)
			}
			n, err := figure.Iter.Int()
			if err != nil {
				return t, nil, err
			}
			t.add(n)
		}
	}
}

var errDiffers = errors.New("it found another sum than statsdecode")
