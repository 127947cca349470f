package main

import (
	"io"
	"math/rand/v2"
	"strconv"
	"time"
)

// generator is an endless supply, up to its limit, of documents that look like
// the log of a service: the same ones each time. As an input it reads like a
// file of NDJSON that nobody had to write.
type generator struct {
	n, limit int
	random   *rand.Rand
	line     []byte // the present line
	rest     []byte // what of it was not read yet
}

func newGenerator(limit int) *generator {
	return &generator{limit: limit, random: rand.New(rand.NewPCG(16538, 2355))}
}

func (g *generator) Read(p []byte) (n int, err error) {
	for n < len(p) {
		if len(g.rest) == 0 {
			if g.n == g.limit {
				return n, io.EOF
			}
			g.line = g.appendDocument(g.line[:0])
			g.rest = g.line
			g.n++
		}
		moved := copy(p[n:], g.rest)
		g.rest = g.rest[moved:]
		n += moved
	}
	return n, nil
}

// generatorEpoch is when the generated log begins.
var generatorEpoch = time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)

func (g *generator) appendDocument(b []byte) []byte {
	b = append(b, `{"n":`...)
	b = strconv.AppendInt(b, int64(g.n), 10)
	b = append(b, `,"@timestamp":"`...)
	b = generatorEpoch.Add(time.Duration(g.n)*7*time.Millisecond).AppendFormat(b, "2006-01-02T15:04:05.000Z07:00")
	b = append(b, `","level":"`...)
	b = append(b, g.pick(levels)...)
	b = append(b, `","service":"`...)
	b = append(b, g.pick(services)...)
	b = append(b, `","host":"web-`...)
	b = strconv.AppendInt(b, g.random.Int64N(64), 10)
	b = append(b, `","trace":"`...)
	for range 16 {
		b = append(b, "0123456789abcdef"[g.random.IntN(16)])
	}
	b = append(b, `","took_ms":`...)
	b = strconv.AppendInt(b, g.random.Int64N(2000), 10)
	b = append(b, `,"message":"`...)
	for i := range 16 + g.random.IntN(13) {
		if i > 0 {
			b = append(b, ' ')
		}
		if g.random.IntN(6) == 0 {
			b = strconv.AppendInt(b, g.random.Int64N(100_000), 10)
		} else {
			b = append(b, g.pick(words)...)
		}
	}
	return append(b, "\"}\n"...)
}

func (g *generator) pick(from []string) string { return from[g.random.IntN(len(from))] }

var (
	levels   = []string{"info", "info", "info", "info", "info", "debug", "warn", "error"}
	services = []string{"checkout", "catalogue", "payment", "search", "session", "shipping", "stock", "gateway"}
	words    = []string{
		"request", "response", "answered", "accepted", "refused", "timeout", "after", "before", "customer", "order",
		"basket", "cache", "missed", "refreshed", "connection", "closed", "opened", "pool", "queue", "message",
		"retried", "upstream", "database", "replica", "primary", "query", "returned", "rows", "in", "of", "with",
		"without", "for", "the", "token", "expired", "renewed", "session", "started", "finished", "worker", "batch",
		"item", "price", "updated", "stored", "größer", "shard", "node", "joined", "left", "health", "check", "passed",
	}
)
