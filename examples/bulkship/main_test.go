package main

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// TestMain lets the test binary be the parts of a comparison.
func TestMain(m *testing.M) {
	if os.Getenv(envChild) != "" {
		main()
	}
	os.Exit(m.Run())
}

func noEnv(string) string { return "" }

// result is what a run of the program left.
type result struct {
	code           int
	summary        map[string]string
	stdout, stderr string
	rejects        []reject
}

type reject struct {
	ID       string `json:"_id"`
	Status   int
	Type     string
	Reason   string
	Document json.RawMessage
}

// bulkship runs the program with a reject file of its own.
func bulkship(t *testing.T, signals <-chan os.Signal, stdin io.Reader, args ...string) result {
	t.Helper()
	path := filepath.Join(t.TempDir(), "rejected.ndjson")
	var stdout, stderr strings.Builder
	args = append([]string{"-rejects", path}, args...)
	r := result{summary: make(map[string]string)}
	r.code = run(signals, args, noEnv, stdin, &stdout, &stderr)
	r.stdout, r.stderr = stdout.String(), stderr.String()
	for line := range strings.Lines(r.stdout) {
		if f := strings.Fields(line); len(f) == 2 {
			r.summary[f[0]] = f[1]
		}
	}
	f, err := os.Open(path)
	if os.IsNotExist(err) {
		return r
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var one reject
		if err := json.Unmarshal(lines.Bytes(), &one); err != nil {
			t.Fatalf("%v in %s", err, lines.Bytes())
		}
		r.rejects = append(r.rejects, one)
	}
	return r
}

// want checks the counts of a run: all that was read is created or rejected.
func (r result) want(t *testing.T, code, created, rejected int) {
	t.Helper()
	read := strconv.Itoa(created + rejected)
	if r.code != code || r.summary["read"] != read || r.summary["created"] != strconv.Itoa(created) || r.summary["rejected"] != strconv.Itoa(rejected) {
		t.Errorf("exit %d, want %d; want %s read, %d created, %d rejected:\n%s%s", r.code, code, read, created, rejected, r.stdout, r.stderr)
	}
	if len(r.rejects) != rejected {
		t.Errorf("%d lines in the reject file, want %d: %v", len(r.rejects), rejected, r.rejects)
	}
}

// serve starts a server whose first answers are those of faults, in turn, and
// all others those of a sink.
func serve(t *testing.T, faults ...http.HandlerFunc) (url string, requests *atomic.Int64) {
	sink := newSink()
	requests = new(atomic.Int64)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if n := int(requests.Add(1)); n <= len(faults) && faults[n-1] != nil {
			faults[n-1](w, r)
			return
		}
		sink.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	return s.URL, requests
}

func answer(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

func drop(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	panic(http.ErrAbortHandler)
}

const three = `{"n":1}` + "\r\n\n" + `{"n":2}` + "\n" + `  {"n":3}`

func TestWrongUsage(t *testing.T) {
	for _, args := range [][]string{
		{"-docs", "0"}, {"-bytes", "-1"}, {"-linger", "-1s"}, {"-in-flight", "0"}, {"-timeout", "0s"}, {"-index", "Upper"}, {"-index", ""},
		{"-generate", "0"}, {"-generate", "5", "file"}, {"-", "-"}, {"no such file"}, {t.TempDir()}, {"-compare", "-"}, {"-unknown"},
		{"-url", "127.0.0.1:9200"}, {"-url", "ftp://127.0.0.1"}, {"-url", "http://u:p@127.0.0.1"}, {"-url", "http://127.0.0.1?x"},
	} {
		r := bulkship(t, nil, strings.NewReader(""), args...)
		if r.code != 2 || r.stdout != "" || !strings.HasPrefix(r.stderr, "bulkship: ") || strings.Contains(r.stderr, "u:p@") {
			t.Errorf("%q: exit %d, %q, %q", args, r.code, r.stdout, r.stderr)
		}
	}
}

func TestHelp(t *testing.T) {
	if r := bulkship(t, nil, nil, "-h"); r.code != 0 || !strings.Contains(r.stdout, "-in-flight") || r.stderr != "" {
		t.Errorf("exit %d\n%s%s", r.code, r.stdout, r.stderr)
	}
}

func TestGenerated(t *testing.T) {
	bulkship(t, nil, nil, "-generate", "5000", "-docs", "300").want(t, 0, 5000, 0)
}

func TestLines(t *testing.T) {
	r := bulkship(t, nil, strings.NewReader(three+"\n[1]\n{\"n\":\n\"\xff\"\n{\"n\":4}"), "-")
	r.want(t, 0, 4, 3)
	for i, want := range []string{"line 5 of standard input", "line 6 of", "line 7 of"} {
		if !strings.Contains(r.rejects[i].Reason, want) {
			t.Errorf("reason %q, want %q", r.rejects[i].Reason, want)
		}
	}
}

// The _id is the value of a member. The second document of one _id is refused
// for what it is, and stands in the reject file as it was.
func TestIDs(t *testing.T) {
	in := `{"id":"a"}` + "\n" + `{"x":{"id":"no"},"id":7}` + "\n" + `{"id":"a","second":true}` + "\n" + `{"x":1}` + "\n" + `{"id":null}` + "\n"
	r := bulkship(t, nil, strings.NewReader(in), "-id", "id", "-")
	r.want(t, 0, 2, 3)
	for _, one := range r.rejects {
		if one.Status != 0 && (one.Status != http.StatusConflict || one.ID != "a" || string(one.Document) != `{"id":"a","second":true}`) {
			t.Errorf("rejected %+v", one)
		}
	}
}

// Whatever goes wrong with a request, each document is there once in the end.
func TestFaultsOfARequest(t *testing.T) {
	for name, fault := range map[string]http.HandlerFunc{
		"429":        answer(http.StatusTooManyRequests, `{"error":{"type":"es_rejected_execution_exception","reason":"full"},"status":429}`),
		"503":        answer(http.StatusServiceUnavailable, "<html>busy</html>"),
		"408":        answer(http.StatusRequestTimeout, ""),
		"html":       answer(http.StatusOK, "<html>hello</html>"),
		"empty":      answer(http.StatusOK, ""),
		"no items":   answer(http.StatusOK, "{}"),
		"few items":  answer(http.StatusOK, `{"items":[{"create":{"status":201}}]}`),
		"many items": answer(http.StatusOK, `{"items":[`+strings.Repeat(`{"create":{"status":201}},`, 3)+`{"create":{"status":201}}]}`),
		"no status":  answer(http.StatusOK, `{"items":[{"create":{}},{"create":{}},{"create":{}}]}`),
		"cut":        answer(http.StatusOK, `{"items":[{"create":{"status":201}},{"create":{"stat`),
		"dropped":    drop,
	} {
		t.Run(name, func(t *testing.T) {
			url, requests := serve(t, fault)
			r := bulkship(t, nil, strings.NewReader(three), "-url", url, "-")
			r.want(t, 0, 3, 0)
			if requests.Load() != 2 || r.summary["retries"] != "1" {
				t.Errorf("%d requests, %s retries", requests.Load(), r.summary["retries"])
			}
		})
	}
}

// A request that was carried out, but whose answer was lost, is sent again: the
// conflicts that it then meets are its own documents.
func TestConflictAfterALostAnswerIsSuccess(t *testing.T) {
	sink := newSink()
	var requests atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if requests.Add(1) == 1 {
			sink.ServeHTTP(httptest.NewRecorder(), r)
			panic(http.ErrAbortHandler)
		}
		sink.ServeHTTP(w, r)
	}))
	defer s.Close()
	bulkship(t, nil, strings.NewReader(three), "-url", s.URL, "-").want(t, 0, 3, 0)
}

func TestFaultsOfDocuments(t *testing.T) {
	url, requests := serve(t,
		answer(http.StatusOK, `{"items":[{"create":{"status":429,"error":{"type":"es_rejected_execution_exception","reason":"full"}}},{"create":{"status":201}},`+
			`{"create":{"status":400,"error":{"type":"document_parsing_exception","reason":"no such date"}}}]}`))
	r := bulkship(t, nil, strings.NewReader(three), "-url", url, "-")
	r.want(t, 0, 2, 1)
	if got := r.rejects[0]; got.Status != 400 || got.Type != "document_parsing_exception" || got.Reason != "no such date" || string(got.Document) != `{"n":3}` {
		t.Errorf("rejected %+v", got)
	}
	if requests.Load() != 2 {
		t.Errorf("%d requests, want 2", requests.Load())
	}
}

// A request that is too large, or has one document that spoils it, is halved
// until only what is to blame is left.
func TestHalves(t *testing.T) {
	for _, status := range []int{http.StatusRequestEntityTooLarge, http.StatusBadRequest} {
		fault := answer(status, "no")
		url, _ := serve(t, fault, fault) // the three, and the first alone
		r := bulkship(t, nil, strings.NewReader(three), "-url", url, "-")
		r.want(t, 0, 2, 1)
		if string(r.rejects[0].Document) != `{"n":1}` || r.rejects[0].Status != status {
			t.Errorf("rejected %+v", r.rejects[0])
		}
	}
}

func TestServerThatTakesNothing(t *testing.T) {
	for _, status := range []int{http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusFound} {
		url, _ := serve(t, answer(status, ""))
		r := bulkship(t, nil, strings.NewReader(three), "-url", url, "-")
		r.want(t, 1, 0, 3)
		if !strings.Contains(r.stderr, strconv.Itoa(status)) {
			t.Errorf("%d: %s", status, r.stderr)
		}
	}
}

// Slow input does not wait for a full batch; Ctrl-C ships what was read, though
// standard input does not end.
func TestLingerAndCtrlC(t *testing.T) {
	url, requests := serve(t)
	in, out := io.Pipe()
	signals := make(chan os.Signal, 2)
	done := make(chan result)
	go func() { done <- bulkship(t, signals, in, "-url", url, "-linger", "1ms", "-") }()
	for i := range 3 {
		if _, err := io.WriteString(out, "{}\n"); err != nil {
			t.Fatal(err)
		}
		for deadline := time.Now().Add(10 * time.Second); int(requests.Load()) <= i; {
			if time.Now().After(deadline) {
				t.Fatalf("document %d is not shipped", i)
			}
			time.Sleep(time.Millisecond) // a real server and a real pipe
		}
	}
	signals <- syscall.SIGINT
	(<-done).want(t, 0, 3, 0)
}

// After a second Ctrl-C what cannot be shipped is in the reject file.
func TestSecondCtrlC(t *testing.T) {
	signals := make(chan os.Signal, 2)
	var once sync.Once
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		once.Do(func() {
			signals <- syscall.SIGINT
			signals <- syscall.SIGINT
		})
		answer(http.StatusServiceUnavailable, "")(w, r)
	}))
	defer s.Close()
	r := bulkship(t, signals, strings.NewReader(three), "-url", s.URL, "-")
	r.want(t, 1, 0, 3)
	if !strings.Contains(r.rejects[0].Reason, "interrupted") {
		t.Errorf("reason %q", r.rejects[0].Reason)
	}
}

// Each is a process of its own, and all that they say is there.
func TestCompare(t *testing.T) {
	if testing.Short() {
		t.Skip("six processes and their sinks")
	}
	r := bulkship(t, nil, nil, "-compare", "-generate", "2000")
	if r.code != 0 || !strings.HasPrefix(r.stdout, "2000 documents, ") || !strings.Contains(r.stdout, "MB of heap at most") {
		t.Errorf("exit %d\n%s%s", r.code, r.stdout, r.stderr)
	}
}
