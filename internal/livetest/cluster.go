package livetest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

const (
	startLimit = 2 * time.Minute // a cluster of two takes 5 to 10 s on two idle cores
	stopLimit  = 30 * time.Second
	logTail    = 16 << 10
)

// Cluster is a running cluster in a process of its own. Its methods may be
// called concurrently. The process ends with [Cluster.Stop], or by itself when
// the process that started it is gone.
type Cluster struct {
	Product   string   // "opensearch" or "elasticsearch"
	Version   string   // such as "2.19.6"
	Addresses []string // host:port of each node's HTTP interface, in order of the names n0, n1, ...

	home   string // the nodes' files
	cmd    *exec.Cmd
	stdin  io.Closer // the process ends when it closes
	log    *tail
	client *http.Client
}

// Start runs a cluster of s for one test and stops it when the test ends. It
// skips the test, with the reason, where s cannot run for lack of artifacts,
// Maven or a JDK. With LOWALLOC_LIVE=1 in the environment it fails the test
// instead, unless the machine's only lack is a newer JDK. When the test fails,
// its log shows the end of the server's.
func Start(tb testing.TB, s Server, nodes int) *Cluster {
	tb.Helper()
	if err := s.Resolve(); err != nil {
		if os.Getenv("LOWALLOC_LIVE") == "1" && !errors.Is(err, errOldJava) {
			tb.Fatal(err)
		}
		tb.Skip(err)
	}
	c, err := Run(s, nodes)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := c.Stop(); err != nil {
			tb.Error(err)
		}
		if tb.Failed() {
			tb.Logf("the last lines of %s:\n%s", s, c.log)
		}
	})
	return c
}

// Run starts a cluster of s, which must have been resolved, and returns once
// it is green, or fails after two minutes. The caller must call [Cluster.Stop].
func Run(s Server, nodes int) (*Cluster, error) {
	home, err := os.MkdirTemp("", "lowalloc-node-")
	if err != nil {
		return nil, fmt.Errorf("livetest: %w", err)
	}
	c := &Cluster{
		home:   home,
		cmd:    exec.Command(s.program(), strconv.Itoa(nodes), home),
		log:    new(tail),
		client: &http.Client{Transport: new(http.Transport), Timeout: time.Minute},
	}
	if err := c.start(); err != nil {
		return nil, errors.Join(fmt.Errorf("livetest: start %s: %w\n%s", s, err, c.log), os.RemoveAll(home))
	}
	return c, nil
}

func (c *Cluster) start() error {
	stdin, err := c.cmd.StdinPipe()
	if err != nil {
		return err
	}
	stdout, err := c.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	c.stdin = stdin
	c.cmd.Stderr = c.log
	if err := c.cmd.Start(); err != nil {
		return err
	}
	late := time.AfterFunc(startLimit, func() { _ = c.cmd.Process.Kill() })
	err = json.NewDecoder(stdout).Decode(c)
	if !late.Stop() {
		err = fmt.Errorf("not green within %v", startLimit)
	}
	if err != nil {
		_ = c.cmd.Process.Kill()
		_ = c.cmd.Wait()
	}
	return err
}

// Stop ends the process and deletes the nodes' files. It must be called once.
func (c *Cluster) Stop() error {
	c.client.CloseIdleConnections()
	late := time.AfterFunc(stopLimit, func() { _ = c.cmd.Process.Kill() })
	defer late.Stop()
	_ = c.stdin.Close()
	if err := c.cmd.Wait(); err != nil {
		return errors.Join(fmt.Errorf("livetest: stop: %w\n%s", err, c.log), os.RemoveAll(c.home))
	}
	return os.RemoveAll(c.home)
}

// URL is the base address of the first node, without a slash at its end.
func (c *Cluster) URL() string { return "http://" + c.Addresses[0] }

// Do sends a request to the first node and returns its answer, whatever its
// status is. A body is JSON, or lines of it for _bulk. The path starts with a
// slash and is escaped as in a URL.
func (c *Cluster) Do(method, path, body string) (answer []byte, status int, err error) {
	req, err := http.NewRequest(method, c.URL()+path, strings.NewReader(body))
	if err != nil {
		return nil, 0, fmt.Errorf("livetest: %w", err)
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := c.client.Do(req)
	if err != nil {
		return nil, 0, fmt.Errorf("livetest: %w", err)
	}
	defer func() { _ = resp.Body.Close() }()
	answer, err = io.ReadAll(resp.Body)
	if err != nil {
		return nil, 0, fmt.Errorf("livetest: %s %s: %w", method, path, err)
	}
	return answer, resp.StatusCode, nil
}

// Call is [Cluster.Do] for a request that must succeed: an answer with a status of 400 or
// more is an error that holds the answer.
func (c *Cluster) Call(method, path, body string) ([]byte, error) {
	answer, status, err := c.Do(method, path, body)
	if err == nil && status >= 400 {
		err = fmt.Errorf("livetest: %s %s: %d: %s", method, path, status, answer)
	}
	return answer, err
}

// tail is an io.Writer that keeps the end of what was written.
type tail struct {
	mu  sync.Mutex
	buf []byte
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buf = append(t.buf, p...)
	if extra := len(t.buf) - logTail; extra > logTail {
		t.buf = append(t.buf[:0], t.buf[extra:]...)
	}
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.buf[max(0, len(t.buf)-logTail):])
}
