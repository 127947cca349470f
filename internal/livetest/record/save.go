package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"text/template"
	"time"

	"github.com/lowalloc/lowalloc/internal/livetest"
)

// everything makes _stats and _settings tell of hidden and closed indices too.
const everything = "expand_wildcards=all"

// snapshot is what a monitor polls.
var snapshot = []request{
	{"nodes-stats", "GET", "/_nodes/stats", ""},
	{"stats", "GET", "/_stats?" + everything + "&forbid_closed_indices=false", ""},
	{"settings", "GET", "/_settings?" + everything, ""},
	{"cluster-health", "GET", "/_cluster/health", ""},
}

func (r *recorder) first() error {
	if err := r.save("", snapshot...); err != nil {
		return err
	}
	return r.save("",
		request{"stats-open", "GET", "/_stats", ""},
		request{"stats-shards", "GET", "/_stats?level=shards&" + everything + "&forbid_closed_indices=false", ""},
		request{"stats-cluster", "GET", "/_stats?level=cluster&" + everything + "&forbid_closed_indices=false", ""},
		request{"stats-filtered", "GET", "/_stats?filter_path=_shards,indices.*.uuid,indices.*.primaries.docs,indices.*.total.store.size_in_bytes,indices.*.total.search.query_*", ""},
		request{"cluster-stats", "GET", "/_cluster/stats", ""},
		request{"recovery", "GET", "/_recovery", ""})
}

func (r *recorder) second() error { return r.save("second-", snapshot...) }

// errors comes last, since its bulk request makes an index.
func (r *recorder) errors() error {
	return r.save("",
		request{"bulk", "POST", "/bulk-answer/_bulk", bulk},
		request{"error-404", "GET", "/missing/_stats", ""},
		request{"error-400", "GET", "/_nodes/stats/breakers", ""},
		request{"error-400-parameter", "GET", "/_stats?levels=shards", ""},
		request{"error-400-closed", "GET", "/closed-2024/_stats", ""})
}

// bulk has an item of each kind: created, in conflict, updated, not found, not parsable, deleted.
const bulk = `{"index":{"_id":"1"}}
{"message":"first","level":1}
{"create":{"_id":"1"}}
{"message":"there is one"}
{"update":{"_id":"1"}}
{"doc":{"message":"second"}}
{"update":{"_id":"2"}}
{"doc":{"message":"there is none"}}
{"index":{"_id":"3"}}
{"level":{"not":"a number"}}
{"delete":{"_id":"1"}}
`

type request struct{ name, method, path, body string }

// An answer is a line of the README.
type answer struct {
	File, Request string
	Status, Size  int
}

// save records the answers to some requests, each in a file of its own.
func (r *recorder) save(prefix string, requests ...request) error {
	for _, q := range requests {
		body, status, err := r.Do(q.method, q.path, q.body)
		if err != nil {
			return err
		}
		if !json.Valid(body) {
			return fmt.Errorf("%s %s: not JSON: %.200q", q.method, q.path, body)
		}
		body = controlGroup.ReplaceAll(body, []byte(`"control_group":"/"`))
		a := answer{prefix + q.name + ".json.gz", q.method + " " + q.path, status, len(body)}
		if err := writeGzip(filepath.Join(r.dir, a.File), body); err != nil {
			return err
		}
		r.answers = append(r.answers, a)
	}
	return nil
}

// controlGroup is where the machine that records keeps its processes, which is nobody's business.
var controlGroup = regexp.MustCompile(`"control_group":"[^"]*"`)

// writeGzip writes no time and no name into the header, so the same answer gives the same file.
func writeGzip(name string, body []byte) error {
	var buf bytes.Buffer
	w, err := gzip.NewWriterLevel(&buf, gzip.BestCompression)
	if err != nil {
		return err
	}
	if _, err := w.Write(body); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	return os.WriteFile(name, buf.Bytes(), 0o644)
}

var readme = template.Must(template.New("README.md").Parse(`# Answers of {{.Product}} {{.Version}}

Recorded on {{.Date}} from a real cluster of {{len .Addresses}} nodes, which ran in one JVM: so both tell of the same
operating system, JVM and disk. The command, in internal/livetest:

    go run ./record -server {{.Server}}

The bodies are as they came, but for the names of control groups, which are replaced by ` + "`/`" + `, and are
gzip-compressed.

| file | request | status | bytes |
|---|---|---|---|
{{range .Answers}}| {{.File}} | ` + "`{{.Request}}`" + ` | {{.Status}} | {{.Size}} |
{{end}}
The first snapshot is ` + "`nodes-stats`, `stats`, `settings` and `cluster-health`" + `, the second one the files
that begin with ` + "`second-`" + `. In between came exactly the work below, ended by a refresh. A
request adds one to ` + "`query_total`" + ` for each shard of the index, on one copy of it; a document adds one
to ` + "`index_total`" + ` of the primaries, and in ` + "`total`" + ` one more for each replica. The node answers take in
both kinds of work too.

| index | settings | state | documents before | documents in between | searches in between |
|---|---|---|---|---|---|
{{range .Indices}}| {{.Name}} | ` + "`{{.Settings}}`" + ` | {{.State}} | {{.Docs}} | {{.Between}} | {{.Searches}} |
{{end}}`))

func (r *recorder) writeReadme(server livetest.Server) error {
	type row struct {
		Name, Settings, State   string
		Docs, Between, Searches int
	}
	var rows []row
	for _, x := range r.indices {
		rows = append(rows, row{x.name, x.settings, string(x.state), x.docs, x.between, x.searches})
	}
	var buf bytes.Buffer
	err := readme.Execute(&buf, map[string]any{
		"Product": r.Product, "Version": r.Version, "Addresses": r.Addresses, "Server": server,
		"Date": time.Now().UTC().Format(time.DateOnly), "Answers": r.answers, "Indices": rows,
	})
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(r.dir, "README.md"), buf.Bytes(), 0o644)
}
