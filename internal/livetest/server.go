// Package livetest runs real OpenSearch and Elasticsearch clusters for tests, on
// 127.0.0.1 and free ports, from the servers' own Maven artifacts. It needs a
// JDK and Maven; README.md tells how it works and what was learnt.
package livetest

import (
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// Server names a product and its major version. The exact version stands in
// node/pom.xml, in the profile of the same name.
type Server string

// The servers that can be had.
const (
	OpenSearch2    Server = "opensearch-2"
	OpenSearch3    Server = "opensearch-3" // needs a JDK of version 21 or newer
	Elasticsearch7 Server = "elasticsearch-7"
	Elasticsearch8 Server = "elasticsearch-8" // needs a JDK of version 17 or newer
	Elasticsearch9 Server = "elasticsearch-9" // needs a JDK of version 21 or newer
)

// errOldJava is what [Server.Resolve] wraps when this machine has a JDK but
// none that is new enough. LOWALLOC_LIVE=1 does not promise one.
var errOldJava = errors.New("JDK too old")

// Resolve fetches what s needs, or finds that it is there, which takes less
// than a second. The error tells what is missing.
func (s Server) Resolve() error {
	out, err := exec.Command(path("resolve"), string(s)).CombinedOutput()
	if err == nil {
		return nil
	}
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && exit.ExitCode() == 3 {
		err = errOldJava
	}
	return fmt.Errorf("livetest: resolve: %w: %s", err, strings.TrimSpace(string(out)))
}

// program runs a cluster of s; it is there once Resolve has succeeded.
func (s Server) program() string { return path("node", "target", string(s)) }

// path is relative to this folder, wherever the test or program runs.
func path(elem ...string) string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Join(append([]string{filepath.Dir(file)}, elem...)...)
}
