// Command record fills a real cluster, works on it and records its answers as
// test data, gzip-compressed, with a README that tells what was done.
//
// Run it in internal/livetest:
//
//	go run ./record -server opensearch-2
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/lowalloc/lowalloc/internal/livetest"
)

const nodes = 2

func main() {
	server := flag.String("server", string(livetest.OpenSearch2), "profile of node/pom.xml")
	out := flag.String("out", "../../statsdecode/testdata/recorded", "the answers go to a folder <product>-<version> in this one")
	flag.Parse()
	if err := run(livetest.Server(*server), *out); err != nil {
		fmt.Fprintln(os.Stderr, "record:", err)
		os.Exit(1)
	}
}

func run(server livetest.Server, out string) (err error) {
	if err := server.Resolve(); err != nil {
		return err
	}
	cluster, err := livetest.Run(server, nodes)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, cluster.Stop()) }()

	dir := filepath.Join(out, cluster.Product+"-"+cluster.Version)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	r := &recorder{Cluster: cluster, dir: dir, indices: indices(cluster.Product)}
	for _, step := range []func() error{r.fill, r.first, r.work, r.second, r.errors} {
		if err := step(); err != nil {
			return err
		}
	}
	return r.writeReadme(server)
}

// recorder does the work and keeps what the README will tell of it.
type recorder struct {
	*livetest.Cluster
	dir     string
	indices []index
	seed    uint64 // of the last batch of documents
	answers []answer
}
