package main

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// program runs clusterwatch without an environment.
func program(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	return programWith(t, nil, args...)
}

func programWith(t *testing.T, env map[string]string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs strings.Builder
	code = run(t.Context(), args, func(name string) string { return env[name] }, &out, &errs)
	return code, out.String(), errs.String()
}

// wantLines checks that text has each line, white space at the end aside.
func wantLines(t *testing.T, text string, lines ...string) {
	t.Helper()
	have := make(map[string]bool)
	for line := range strings.Lines(text) {
		have[strings.TrimRight(line, " \n")] = true
	}
	for _, line := range lines {
		if !have[line] {
			t.Errorf("no line %q in:\n%s", line, text)
		}
	}
}

func TestReplayOfRecordedPolls(t *testing.T) {
	code, stdout, stderr := program(t)
	if code != 0 || stderr != "" {
		t.Fatalf("run() = %d, %q, want 0 and no error", code, stderr)
	}
	wantLines(t, stdout,
		"Replaying two polls that were recorded from a real server: OpenSearch 2.19.6 on 2026-11-30,",
		"2026-11-30 21:55:29 UTC, over 5.9 s",
		"lowalloc: green, 2 nodes (2 with data), 21 shards, 15,460 documents, 6.9 MB",
		"NODE  SEARCHES/MIN    QUERY    FETCH  CPU %  HEAP %  GC %  DISK READS/S  MEMORY/STORE %  REJECTED    I/O BOUND",
		"n0           2,505  0.94 ms  0.84 ms   50.0    24.9   0.8           132            >999         0    no",
		"n1           2,404  0.86 ms  0.82 ms   69.0    24.9   0.8           132            >999         0    no",
		"INDEX                   DOCUMENTS    STORE  SEARCHES/MIN    QUERY  CODEC",
		"logs-app.web-2026.01        4,600     2 MB           613   1.3 ms  best_compression",
		"größe-東京                    550   437 kB           102     1 ms  default",
		"archive-zlib                1,000   262 kB           307   0.6 ms  zlib",
		".ds-metrics-app-000002        300    416 B           204  0.55 ms  default           write index of metrics-app",
		".ds-metrics-app-000001      1,000   614 kB           204  0.45 ms  default",
		"closed-2024                   800   498 kB             -        -  best_compression  closed",
		"empty                           0    208 B             0        -  default",
		"I/O bound: no",
		"  no for n0, n1, with 100 % of the searches; figures of n0:",
		"  - searches are fast: mean query time 0.94 ms (slow from 50 ms), mean fetch time 0.84 ms",
	)
	if strings.Contains(stdout, "best_compression for these") {
		t.Errorf("advice although the verdict is no:\n%s", stdout)
	}
}

// What is replayed is what the library's own tests read.
func TestRecordedFilesAreTheLibrarys(t *testing.T) {
	for _, name := range recordedFiles {
		for _, name := range []string{name, "second-" + name} {
			have, err := recorded.ReadFile("recorded/" + name)
			if err != nil {
				t.Fatal(err)
			}
			want, err := os.ReadFile(filepath.Join("../../statsdecode/testdata/recorded/opensearch-2.19.6", name))
			if err != nil {
				t.Fatal(err)
			}
			if string(have) != string(want) {
				t.Errorf("recorded/%s is not the file of statsdecode/testdata: copy it again", name)
			}
		}
	}
}

func TestDemoIOBound(t *testing.T) {
	code, stdout, stderr := program(t, "-demo", "iobound")
	if code != 0 || stderr != "" {
		t.Fatalf("run(-demo iobound) = %d, %q, want 0 and no error", code, stderr)
	}
	wantLines(t, stdout,
		"Two synthetic polls, one minute apart, of a made-up six-node cluster, modelled on an article about",
		"demo: green, 6 nodes (6 with data), 48 shards, 500,000,000 documents, 7.2 TB",
		"es-1           400  62 ms      -   18.0    55.0   0.5         6,667             5.0         0    yes",
		"es-6           400  62 ms      -   18.0    55.0   0.5         6,667             5.0         0    yes",
		"articles-2025                     210,000,000    3 TB         1,200  65 ms  default",
		"archive-2023                       29,000,000  290 GB           100  39 ms  best_compression",
		"I/O bound: yes",
		"  yes for es-1, es-2, es-3, es-4, es-5, es-6, with 100 % of the searches; figures of es-1:",
		"  - searches are slow: mean query time 62 ms (slow from 50 ms)",
		"  - processors are free: CPU 18.0 % (free below 50 %)",
		"  - the heap is healthy: 55.0 % used (healthy below 85 %), garbage collection 0.5 % of the time (below 5 %)",
		"  - memory is small: page cache for 2.5 % of the store (small below 50 %), memory to storage 5.0 %",
		"  - searches read from disk: 1,000 reads per query (many from 10) at 6,667/s (from 50), disks busy 55.0 % of the time (from 30 %)",
		"Set index.codec: best_compression for these indices, large, searched and on another codec:",
		"- articles-2025: 3 TB, 1,200 searches/min, default",
		"- articles-2024: 2.4 TB, 800 searches/min, default",
		"- .ds-events-app-2026.01.01-000007: 1.5 TB, 300 searches/min, default, write index of the data stream events-app",
	)
	for _, absent := range []string{"- archive-2023", "- dictionary"} {
		if strings.Contains(stdout, absent) {
			t.Errorf("advice names %q, which is compressed, small or not searched:\n%s", absent, stdout)
		}
	}
}

func TestJSON(t *testing.T) {
	for _, tt := range []struct {
		args   []string
		source string
		want   string
	}{
		{[]string{"-json"}, recordedSource, "no"},
		{[]string{"-json", "-demo", "iobound"}, demoSource, "yes"},
		{[]string{"-json", "-demo", "iobound", "-min-queries", "401"}, demoSource, "cannot tell"},
	} {
		code, stdout, stderr := program(t, tt.args...)
		if code != 0 || stderr != "" || strings.Count(stdout, "\n") != 1 {
			t.Fatalf("run(%q) = %d, %q, %q, want 0 and one line", tt.args, code, stdout, stderr)
		}
		var r struct {
			Source  string
			IOBound string `json:"io_bound"`
			Nodes   []struct {
				MeanQuery *float64 `json:"mean_query_time_ms"`
				MeanFetch *float64 `json:"mean_fetch_time_ms"`
			}
			Reasons []string
			Advice  []string
		}
		if err := json.Unmarshal([]byte(stdout), &r); err != nil {
			t.Fatalf("run(%q): %v in %s", tt.args, err, stdout)
		}
		if r.IOBound != tt.want || r.Source != tt.source || len(r.Reasons) == 0 || (len(r.Advice) > 0) != (tt.want == "yes") {
			t.Errorf("run(%q) = %+v, want io_bound %q of %q with reasons, and advice on yes", tt.args, r, tt.want, tt.source)
		}
		for _, sentence := range append(r.Reasons, r.Advice...) {
			if strings.HasPrefix(strings.TrimSpace(sentence), "- ") || strings.HasSuffix(sentence, ":") {
				t.Errorf("run(%q): %q is part of a list, want a sentence", tt.args, sentence)
			}
		}
		if tt.want == "yes" && (*r.Nodes[0].MeanQuery != 62 || r.Nodes[0].MeanFetch != nil) {
			t.Errorf("run(%q): mean times %v and %v, want 62 and null", tt.args, r.Nodes[0].MeanQuery, r.Nodes[0].MeanFetch)
		}
	}
}

// Each limit is a flag that turns the verdict of the demo.
func TestLimitFlags(t *testing.T) {
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"-min-queries", "400"}, "yes"},
		{[]string{"-min-queries", "401"}, "cannot tell"},
		{[]string{"-slow-query", "62ms"}, "yes"},
		{[]string{"-slow-query", "63ms"}, "no"},
		{[]string{"-max-cpu", "18"}, "no"},
		{[]string{"-max-heap", "55"}, "no"},
		{[]string{"-max-gc", "0.5"}, "no"},
		{[]string{"-max-page-cache", "2.5"}, "no"},
		{[]string{"-min-busy", "56"}, "yes"},
		{[]string{"-min-busy", "56", "-min-reads-per-query", "1001"}, "no"},
		{[]string{"-min-busy", "56", "-min-reads-per-second", "7000"}, "no"},
		{[]string{"-min-reads-per-query", "1001", "-min-reads-per-second", "7000"}, "yes"},
	} {
		code, stdout, _ := program(t, append([]string{"-demo", "iobound"}, tt.args...)...)
		if code != 0 {
			t.Fatalf("run(%q) = %d, want 0", tt.args, code)
		}
		t.Run(strings.Join(tt.args, " "), func(t *testing.T) { wantLines(t, stdout, "I/O bound: "+tt.want) })
	}
}

func TestHelp(t *testing.T) {
	code, stdout, stderr := program(t, "-h")
	if code != 0 || stderr != "" {
		t.Fatalf("run(-h) = %d, %q, want 0 and no error", code, stderr)
	}
	for _, want := range []string{"-demo iobound", "-url http://127.0.0.1:9200 -interval 60s -count 1", "-ca file", envUsername, envPassword, envAPIKey, "-slow-query", "null",
		"CPU percent at or above which processors may be the cause (default 50)",
		"judge only nodes with at least this number of query phases (default 30)",
	} {
		if !strings.Contains(stdout, want) {
			t.Errorf("no %q in:\n%s", want, stdout)
		}
	}
}

func TestWrongUsage(t *testing.T) {
	noCertificate := filepath.Join(t.TempDir(), "empty.pem")
	if err := os.WriteFile(noCertificate, []byte("no certificate"), 0o600); err != nil {
		t.Fatal(err)
	}
	const url = "http://127.0.0.1:9"
	for _, tt := range []struct {
		args []string
		env  map[string]string
		want string // in the message
	}{
		{args: []string{"-nonsense"}, want: "-nonsense"},
		{args: []string{"-count", "x"}, want: "-count"},
		{args: []string{"extra"}, want: "extra"},
		{args: []string{"-demo", "other"}, want: "other"},
		{args: []string{"-demo", "iobound", "-url", url}, want: "exclude"},
		{args: []string{"-count", "3"}, want: "-url"},
		{args: []string{"-interval", "1s"}, want: "-url"},
		{args: []string{"-ca", "ca.pem"}, want: "-url"},
		{args: []string{"-url", url, "-count", "-1"}, want: "-count"},
		{args: []string{"-url", url, "-interval", "0s"}, want: "-interval"},
		{args: []string{"-url", url, "-timeout", "-1s"}, want: "-timeout"},
		{args: []string{"-url", "127.0.0.1:9200"}, want: "-url"},
		{args: []string{"-url", "ftp://127.0.0.1"}, want: "http://host:port"},
		{args: []string{"-url", ""}, want: "-url is empty"},
		{args: []string{"-url="}, want: "-url is empty"},
		{args: []string{"-demo", ""}, want: "-demo is empty"},
		{args: []string{"-url", url, "-ca", ""}, want: "-ca is empty"},
		{args: []string{"-url", url + "/?a=b"}, want: "query"},
		{args: []string{"-url", url + "?"}, want: "query"},
		{args: []string{"-url", url + "/#"}, want: "fragment"},
		{args: []string{"-url", url + "/#f"}, want: "fragment"},
		{args: []string{"-url", "http://:9200"}, want: "http://host:port"},
		{args: []string{"-url", "elastic:secret@127.0.0.1:9200"}, want: "http://host:port"},
		{args: []string{"-min-queries", "-5"}, want: "-min-queries"},
		{args: []string{"-slow-query", "-1s"}, want: "-slow-query"},
		{args: []string{"-max-cpu", "NaN"}, want: "-max-cpu NaN is not from 0 to 100"},
		{args: []string{"-max-cpu", "-1"}, want: "-max-cpu"},
		{args: []string{"-max-throttled", "100.1"}, want: "-max-throttled"},
		{args: []string{"-max-heap", "101"}, want: "-max-heap"},
		{args: []string{"-max-gc", "-0.1"}, want: "-max-gc"},
		{args: []string{"-max-page-cache", "200"}, want: "-max-page-cache"},
		{args: []string{"-min-busy", "Inf"}, want: "-min-busy"},
		{args: []string{"-min-reads-per-query", "-1"}, want: "-min-reads-per-query -1 is not a number from 0 up"},
		{args: []string{"-min-reads-per-query", "NaN"}, want: "-min-reads-per-query"},
		{args: []string{"-min-reads-per-second", "Inf"}, want: "-min-reads-per-second"},
		{args: []string{"-url", "http://elastic:secret@127.0.0.1:9200"}, want: envPassword},
		{args: []string{"-url", "http://elastic:secret@127.0.0.1:x"}, want: "-url"},
		{args: []string{"-url", url, "-ca", noCertificate}, want: "no PEM certificate"},
		{args: []string{"-url", url, "-ca", noCertificate + ".missing"}, want: "-ca"},
		{args: []string{"-url", url}, env: map[string]string{envPassword: "secret"}, want: envUsername},
		{args: []string{"-url", url}, env: map[string]string{envUsername: "u", envAPIKey: "secret"}, want: envAPIKey},
	} {
		code, stdout, stderr := programWith(t, tt.env, tt.args...)
		if code != 2 || stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, tt.want) {
			t.Errorf("run(%q) = %d, %q, %q, want 2 and one line on standard error with %q", tt.args, code, stdout, stderr, tt.want)
		}
		if strings.Contains(stderr, "secret") {
			t.Errorf("run(%q) prints the password: %q", tt.args, stderr)
		}
	}
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

func TestOutputThatFails(t *testing.T) {
	for _, args := range [][]string{nil, {"-json"}} {
		var stderr strings.Builder
		code := run(t.Context(), args, os.Getenv, brokenPipe{}, &stderr)
		if code != 1 || !strings.Contains(stderr.String(), "broken pipe") {
			t.Errorf("run(%q) with a broken standard output = %d, %q, want 1 and the reason", args, code, stderr.String())
		}
	}
}
