package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/lowalloc/lowalloc/statsdecode"
)

// The requests of a poll. A filter lets only those sections through that are
// looked at.
var (
	healthPath   = "/_cluster/health"
	nodesPath    = statsdecode.NodeStatsPath(nodeSections, statsdecode.PathOptions{})
	indicesPath  = statsdecode.IndexStatsPath(indexSections, statsdecode.PathOptions{})
	settingsPath = statsdecode.SettingsPath(statsdecode.PathOptions{})
)

const (
	nodeSections = statsdecode.NodeSectionIndices | statsdecode.NodeSectionOS | statsdecode.NodeSectionJVM |
		statsdecode.NodeSectionThreadPool | statsdecode.NodeSectionFS
	indexSections = statsdecode.SectionDocs | statsdecode.SectionStore | statsdecode.SectionSearch
)

// snapshot is what is kept of one poll, until the next one is compared with it.
type snapshot struct {
	at      time.Time // when the poll began
	health  statsdecode.ClusterHealth
	nodes   []*statsdecode.Node // few
	indices []index             // many: only what is looked at
	counted time.Time           // when the answer about the indices had come

	// Answers that are not complete must not be compared with others.
	nodesComplete   bool
	indicesComplete bool
	flaws           []error // what answers lacked
}

// index is what is kept of an index.
type index struct {
	name, uuid string
	listed     bool   // it was in the stats
	docs       figure // primaries
	store      figure // bytes, replicas too
	search     statsdecode.Search
	counted    bool // search is known
	closed     bool
	settings   bool   // codec and mode are known
	codec      string // "" the default of mode
	mode       string
}

// poller asks a server for one snapshot after the other.
type poller struct {
	get func(ctx context.Context, path string) (io.ReadCloser, error)
	dec statsdecode.Decoder // for all polls: it remembers names
}

// poll sends the requests in turn. The first that fails ends the poll: the
// snapshot then holds what came before it.
func (p *poller) poll(ctx context.Context) (*snapshot, error) {
	s := &snapshot{at: time.Now()}
	for _, step := range []struct {
		path string
		read func(*snapshot, io.Reader) error
	}{
		{healthPath, p.readHealth},
		{nodesPath, p.readNodes},
		{indicesPath, p.readIndices},
		{settingsPath, p.readSettings},
	} {
		if err := p.ask(ctx, s, step.path, step.read); err != nil {
			path, _, _ := strings.Cut(step.path, "?")
			return s, fmt.Errorf("GET %s: %w", path, err)
		}
	}
	return s, nil
}

func (p *poller) ask(ctx context.Context, s *snapshot, path string, read func(*snapshot, io.Reader) error) error {
	body, err := p.get(ctx, path)
	if err != nil {
		return err
	}
	err = read(s, body)
	return cmp.Or(err, body.Close())
}

func (p *poller) readHealth(s *snapshot, body io.Reader) error {
	err := statsdecode.DecodeClusterHealth(body, &s.health)
	if err == nil && s.health.Status == "" {
		err = errors.New("the answer has no status: not a cluster's health")
	}
	return err
}

// readNodes shows the loop over an answer: an error without an item ends the
// walk, an item with an error lacks one field.
func (p *poller) readNodes(s *snapshot, body io.Reader) error {
	for n, err := range p.dec.Nodes(body) {
		if n == nil {
			return s.incomplete(err)
		}
		if err != nil {
			s.flaws = append(s.flaws, err)
		}
		s.nodes = append(s.nodes, n.Clone())
	}
	if len(s.nodes) == 0 {
		return errors.New("the answer has no node")
	}
	s.nodesComplete = true
	return nil
}

// readIndices keeps a few numbers of each index and lets the rest go with the
// walk's next step: memory stays small whatever the size of the answer.
func (p *poller) readIndices(s *snapshot, body io.Reader) error {
	for ix, err := range p.dec.Indices(body) {
		if ix == nil {
			return s.incomplete(err)
		}
		if err != nil {
			s.flaws = append(s.flaws, err)
		}
		s.indices = append(s.indices, index{
			name: ix.Name, uuid: ix.UUID, listed: true, closed: ix.Status == "close",
			docs:    maybe(float64(ix.Primaries.Docs.Count), ix.Primaries.Present.Has(statsdecode.SectionDocs)),
			store:   maybe(float64(ix.Total.Store.SizeInBytes), ix.Total.Present.Has(statsdecode.SectionStore)),
			search:  ix.Total.Search,
			counted: ix.Total.Present.Has(statsdecode.SectionSearch),
		})
	}
	if len(s.indices) == 0 && s.health.ActiveShards > 0 {
		return fmt.Errorf("the answer has no index, but the cluster has %d active shards", s.health.ActiveShards)
	}
	s.counted, s.indicesComplete = time.Now(), true
	return nil
}

// incomplete takes in the error that ended a walk. Where some nodes or shards
// failed, the data of the others stands, but must not be compared.
func (s *snapshot) incomplete(err error) error {
	if _, ok := errors.AsType[*statsdecode.PartialError](err); !ok {
		return err
	}
	s.flaws = append(s.flaws, err)
	return nil
}

// readSettings adds the codecs. Indices without stats, as closed ones on some
// servers, get a row here.
func (p *poller) readSettings(s *snapshot, body io.Reader) error {
	row := make(map[string]int, len(s.indices))
	for i := range s.indices {
		row[s.indices[i].name] = i
	}
	found := false
	for set, err := range p.dec.Settings(body) {
		if set == nil {
			return err
		}
		if err != nil {
			s.flaws = append(s.flaws, err)
		}
		found = true
		i, ok := row[set.Name]
		if !ok {
			i = len(s.indices)
			s.indices = append(s.indices, index{name: set.Name})
		}
		ix := &s.indices[i]
		ix.uuid = cmp.Or(ix.uuid, set.UUID) // older servers send it here only
		ix.closed = ix.closed || set.VerifiedBeforeClose
		ix.settings, ix.codec, ix.mode = true, set.Codec, set.Mode
	}
	if !found && len(s.indices) > 0 {
		return errors.New("the answer has no index")
	}
	return nil
}
