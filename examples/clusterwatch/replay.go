package main

import (
	"cmp"
	"compress/gzip"
	"context"
	"embed"
	"fmt"
	"io"
	"io/fs"
	"time"
)

// recorded are the answers of a real server to two polls. Between them it
// indexed and searched.
//
//go:embed recorded/*.json.gz
var recorded embed.FS

const (
	recordedSource = "recorded: OpenSearch 2.19.6, 2026-11-30"
	recordedIntro  = "Replaying two polls that were recorded from a real server: OpenSearch 2.19.6 on 2026-11-30,\n" +
		"two nodes in one JVM on one host. Nothing here is live: -url watches a cluster, -h explains."
)

// recordedFiles are the answers to the requests of a poll.
var recordedFiles = map[string]string{
	healthPath:   "cluster-health.json.gz",
	nodesPath:    "nodes-stats.json.gz",
	indicesPath:  "stats.json.gz",
	settingsPath: "settings.json.gz",
}

func recordedPolls(ctx context.Context) (before, now *snapshot, err error) {
	prefix := "recorded/"
	p := &poller{get: func(_ context.Context, path string) (io.ReadCloser, error) {
		return openRecorded(prefix + recordedFiles[path])
	}}
	if before, err = p.poll(ctx); err != nil {
		return nil, nil, err
	}
	prefix += "second-"
	if now, err = p.poll(ctx); err != nil {
		return nil, nil, err
	}
	before.recordedAt()
	now.recordedAt()
	return before, now, nil
}

// recordedAt replaces the time of the replay by that of the recording, which
// only the nodes tell.
func (s *snapshot) recordedAt() {
	s.at = time.UnixMilli(s.nodes[0].Timestamp).UTC()
	s.counted = s.at
}

func openRecorded(name string) (io.ReadCloser, error) {
	f, err := recorded.Open(name)
	if err != nil {
		return nil, err
	}
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return unzipped{z, f}, nil
}

// unzipped closes what it reads from, too.
type unzipped struct {
	*gzip.Reader
	file fs.File
}

func (u unzipped) Close() error { return cmp.Or(u.Reader.Close(), u.file.Close()) }
