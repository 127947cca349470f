package main

import (
	"context"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// server answers with the recorded polls: first the one, then always the other.
// A fault takes the place of an answer.
type server struct {
	*httptest.Server
	mu          sync.Mutex
	polls       int // health comes first in each
	connections int
	fault       func(w http.ResponseWriter, r *http.Request, poll int) bool
}

func newServer(t *testing.T, fault func(w http.ResponseWriter, r *http.Request, poll int) bool) *server {
	t.Helper()
	s := &server{fault: fault}
	s.Server = httptest.NewUnstartedServer(s)
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			s.mu.Lock()
			s.connections++
			s.mu.Unlock()
		}
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	if r.URL.Path == healthPath {
		s.polls++
	}
	poll := s.polls
	s.mu.Unlock()
	if s.fault != nil && s.fault(w, r, poll) {
		return
	}
	prefix := "recorded/"
	if poll > 1 {
		prefix += "second-"
	}
	file, ok := recordedFiles[r.URL.RequestURI()]
	if !ok {
		http.Error(w, "unexpected request "+r.URL.RequestURI(), http.StatusNotFound)
		return
	}
	f, err := openRecorded(prefix + file)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.Copy(w, f)
	_ = f.Close()
}

func TestLive(t *testing.T) {
	s := newServer(t, nil)
	s.Start()
	code, stdout, stderr := program(t, "-url", s.URL+"/", "-interval", "10ms", "-count", "1")
	if code != 0 || stderr != "" {
		t.Fatalf("run = %d, %q, want 0 and no error", code, stderr)
	}
	wantLines(t, stdout,
		fmt.Sprintf("Watching lowalloc at %s/: a report every 10ms, Ctrl-C ends.", s.URL),
		"lowalloc: green, 2 nodes (2 with data), 21 shards, 15,460 documents, 6.9 MB",
		"n0           2,505  0.94 ms  0.84 ms   50.0    24.9   0.8           132            >999         0    no",
		"I/O bound: no")
}

func TestLiveReusesTheConnection(t *testing.T) {
	s := newServer(t, nil)
	s.Start()
	code, stdout, stderr := program(t, "-url", s.URL, "-interval", "1ms", "-count", "4", "-json")
	if code != 0 || stderr != "" || strings.Count(stdout, "\n") != 4 {
		t.Fatalf("run = %d, %q, %q, want 0 and 4 lines", code, stdout, stderr)
	}
	if s.polls != 5 || s.connections != 1 {
		t.Errorf("%d polls over %d connections, want 5 over 1", s.polls, s.connections)
	}
	for line := range strings.Lines(stdout) {
		if !json.Valid([]byte(line)) || !strings.Contains(line, `"io_bound":"`) {
			t.Errorf("line is no JSON object with io_bound: %s", line)
		}
	}
}

// faults are answers that are none.
var faults = []struct {
	name  string
	fault func(w http.ResponseWriter, r *http.Request)
	want  string // in the message
}{
	{"401", func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = io.WriteString(w, `{"error":{"root_cause":[],"type":"security_exception","reason":"missing authentication credentials"},"status":401}`)
	}, "missing authentication credentials"},
	{"403 of a proxy", func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "<html>forbidden</html>", http.StatusForbidden)
	}, "status 403"},
	{"HTML", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "<html>\n<body>Please sign in</body></html>")
	}, "not JSON"},
	{"{}", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "{}") }, "the answer has no"},
	{"nothing", func(http.ResponseWriter, *http.Request) {}, ": the answer is empty"},
	{"a status and nothing", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) }, ": the answer has status 502 and is empty"},
	{"cut", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "1000")
		_, _ = io.WriteString(w, `{"cluster_name":"c","indices":{"a":{"uui`)
	}, "unexpected EOF"},
	{"cut by a server that says it is whole", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"cluster_name":"c","indices":{"a":{"uui`)
	}, "unexpected EOF"},
	{"no answer in time", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, "no complete answer within 1s"},
	{"an answer that stops", func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, `{"cluster_name":`)
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}, "no complete answer within 1s"},
	{"hung up", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, "EOF"},
}

// stalled reports whether a fault lasts until the timeout: one endpoint must do.
func stalled(want string) bool { return strings.HasPrefix(want, "no complete answer") }

func timeoutFor(want string) string {
	if stalled(want) {
		return "1s"
	}
	return "1m"
}

func TestFirstPollFails(t *testing.T) {
	for _, path := range []string{healthPath, nodesPath, indicesPath, settingsPath} {
		endpoint, _, _ := strings.Cut(path, "?")
		for _, f := range faults {
			if stalled(f.want) && path != nodesPath {
				continue
			}
			t.Run(f.name+" for "+endpoint, func(t *testing.T) {
				t.Parallel()
				s := newServer(t, func(w http.ResponseWriter, r *http.Request, _ int) bool {
					if r.URL.Path != endpoint {
						return false
					}
					f.fault(w, r)
					return true
				})
				s.Start()
				code, stdout, stderr := program(t, "-url", s.URL, "-timeout", timeoutFor(f.want), "-count", "1")
				if code != 1 || stdout != "" || strings.Count(stderr, "\n") != 1 ||
					!strings.HasPrefix(stderr, "clusterwatch: "+s.URL+": GET "+endpoint+": ") || !strings.Contains(stderr, f.want) {
					t.Errorf("run = %d, %q, %q, want 1 and one line about %s with %q", code, stdout, stderr, endpoint, f.want)
				}
				if f.name == "401" && !strings.Contains(stderr, envAPIKey) {
					t.Errorf("%q does not say where credentials come from", stderr)
				}
			})
		}
	}
}

func TestFirstPollUnreachable(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	url := "http://" + l.Addr().String()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr := program(t, "-url", url)
	if code != 1 || stdout != "" || strings.Count(stderr, "\n") != 1 || strings.Count(stderr, url) != 1 || !strings.Contains(stderr, "refused") {
		t.Errorf("run = %d, %q, %q, want 1 and one line that says refused", code, stdout, stderr)
	}
}

// A later poll that fails costs its own report, and no more than it failed.
func TestLaterPollFails(t *testing.T) {
	for _, tt := range []struct {
		path string
		want string // verdict of the report on the poll that failed
	}{
		{healthPath, "cannot tell"}, {nodesPath, "cannot tell"}, {indicesPath, "no"}, {settingsPath, "no"},
	} {
		endpoint, _, _ := strings.Cut(tt.path, "?")
		for _, f := range faults {
			if f.name == "hung up" && tt.path == healthPath {
				continue // net/http asks again over a new connection, which counts as a poll here
			}
			if stalled(f.want) && tt.path != nodesPath {
				continue
			}
			t.Run(f.name+" for "+endpoint, func(t *testing.T) {
				t.Parallel()
				s := newServer(t, func(w http.ResponseWriter, r *http.Request, poll int) bool {
					if poll != 2 || r.URL.Path != endpoint {
						return false
					}
					f.fault(w, r)
					return true
				})
				s.Start()
				code, stdout, stderr := program(t, "-url", s.URL, "-interval", "1ms", "-timeout", timeoutFor(f.want), "-count", "2", "-json")
				if code != 0 || stderr != "" || strings.Count(stdout, "\n") != 2 {
					t.Fatalf("run = %d, %q, %q, want 0 and two lines", code, stdout, stderr)
				}
				failed, good, _ := strings.Cut(stdout, "\n")
				var r verdictOnly
				if err := json.Unmarshal([]byte(failed), &r); err != nil {
					t.Fatal(err)
				}
				if len(r.Missed) != 1 || !strings.HasPrefix(r.Missed[0], "GET "+endpoint+": ") || !strings.Contains(r.Missed[0], f.want) || r.IOBound != tt.want {
					t.Errorf("report on the poll that failed: %+v, want %q and %q for %s missed", r, tt.want, f.want, endpoint)
				}
				r = verdictOnly{}
				if err := json.Unmarshal([]byte(good), &r); err != nil {
					t.Fatal(err)
				}
				if len(r.Missed) > 0 {
					t.Errorf("report after it: %+v, want nothing missed", r)
				}
			})
		}
	}
}

// verdictOnly is what a program reads of a report.
type verdictOnly struct {
	IOBound string `json:"io_bound"`
	Missed  []string
}

func TestCredentials(t *testing.T) {
	for _, tt := range []struct {
		env  map[string]string
		want string
	}{
		{nil, ""},
		{map[string]string{envUsername: "elastic", envPassword: "secret"}, "Basic ZWxhc3RpYzpzZWNyZXQ="},
		{map[string]string{envAPIKey: "a2V5"}, "ApiKey a2V5"},
	} {
		s := newServer(t, func(w http.ResponseWriter, r *http.Request, _ int) bool {
			if got := r.Header.Get("Authorization"); got != tt.want {
				t.Errorf("%v: Authorization %q, want %q", tt.env, got, tt.want)
			}
			return false
		})
		s.Start()
		if code, _, stderr := programWith(t, tt.env, "-url", s.URL, "-interval", "1ms", "-count", "1"); code != 0 {
			t.Errorf("%v: run = %d, %q, want 0", tt.env, code, stderr)
		}
	}
}

func TestCertificateAuthority(t *testing.T) {
	s := newServer(t, nil)
	s.Config.ErrorLog = log.New(io.Discard, "", 0) // of the handshake that fails
	s.StartTLS()
	code, _, stderr := program(t, "-url", s.URL)
	if code != 1 || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, "-ca") {
		t.Errorf("run without -ca = %d, %q, want 1 and a line that names -ca", code, stderr)
	}
	file := filepath.Join(t.TempDir(), "ca.pem")
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := program(t, "-url", s.URL, "-ca", file, "-interval", "1ms", "-count", "1"); code != 0 {
		t.Errorf("run with -ca = %d, %q, want 0", code, stderr)
	}
}

// Ctrl-C ends the program at once, whether it waits for the next poll or for
// an answer, also the first one.
func TestInterrupt(t *testing.T) {
	for _, tt := range []struct {
		name string
		poll int // whose answer hangs; 0 none
	}{{"between polls", 0}, {"in the first poll", 1}, {"in a later poll", 2}} {
		t.Run(tt.name, func(t *testing.T) {
			ctx, interrupt := context.WithCancel(t.Context())
			defer interrupt()
			s := newServer(t, func(_ http.ResponseWriter, r *http.Request, poll int) bool {
				if poll == tt.poll {
					interrupt()
					<-r.Context().Done()
					return true
				}
				return false
			})
			s.Start()
			args := []string{"-url", s.URL, "-interval", "1ms"}
			if tt.poll == 0 {
				args = []string{"-url", s.URL, "-interval", "1h"}
			}
			var stderr strings.Builder
			stdout := writerFunc(func(p []byte) (int, error) {
				if tt.poll == 0 {
					interrupt() // the first line: it is about to wait
				}
				return len(p), nil
			})
			start := time.Now()
			code := run(ctx, args, func(string) string { return "" }, stdout, &stderr)
			if code != 0 || stderr.Len() > 0 || time.Since(start) > 5*time.Second {
				t.Errorf("run = %d, %q after %v, want 0 at once", code, stderr.String(), time.Since(start))
			}
		})
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }
