package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	gojson "github.com/goccy/go-json"

	"github.com/lowalloc/lowalloc/statsdecode"
)

type answerAll struct {
	Items []item `json:"items"`
}

func answerOf(n int) []byte {
	var b strings.Builder
	b.WriteString(`{"items":[`)
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(`{"create":{"status":201}}`)
	}
	b.WriteString(`]}`)
	return []byte(b.String())
}

func BenchmarkAnswer(b *testing.B) {
	const n = 1600
	answer := answerOf(n)
	docs := make([]document, n)
	run := func(name string, f func() error) {
		b.Run(fmt.Sprintf("impl=%s/items=%d", name, n), func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(answer)))
			for b.Loop() {
				if err := f(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	var d statsdecode.Decoder
	r := new(bytes.Reader)
	run("entries", func() error { r.Reset(answer); return readItems(&d, r, docs) })
	run("goccyDecoder", func() error {
		var all answerAll
		all.Items = make([]item, 0, n)
		r.Reset(answer)
		return gojson.NewDecoder(r).Decode(&all)
	})
	var all answerAll
	buf := new(bytes.Buffer)
	reused := func(name string, unmarshal func([]byte, any) error) {
		run(name, func() error {
			r.Reset(answer)
			buf.Reset()
			if _, err := buf.ReadFrom(r); err != nil {
				return err
			}
			all.Items = all.Items[:0]
			return unmarshal(buf.Bytes(), &all)
		})
	}
	reused("goccyReused", func(b []byte, v any) error { return gojson.Unmarshal(b, v) })
	reused("stdReused", json.Unmarshal)
	run("stdMap", func() error {
		r.Reset(answer)
		var m map[string]any
		return json.NewDecoder(r).Decode(&m)
	})
}
