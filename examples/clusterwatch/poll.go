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
	nodes   []node
	indices []index
	counted time.Time // when the answer about the indices had come

	// Answers that are not complete must not be compared with others.
	nodesComplete   bool
	indicesComplete bool
	flaws           []error // what answers lacked
	moreFlaws       int     // fields not among flaws
}

// What is kept is bounded, or an answer without an end would fill the memory
// until the timeout. No cluster that works comes near these.
const (
	maxNodes   = 10_000
	maxIndices = 100_000
)

// node is what is kept of a node: the sections asked for, since there are few.
type node struct {
	*statsdecode.Node
	flawed bool // a field had the wrong type: any figure may be a zero that was not sent
}

// index is what is kept of an index: a few figures, since there are many.
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
	if isEmpty(err) {
		err = errors.New("the answer is empty")
	}
	return cmp.Or(err, body.Close())
}

// isEmpty reports whether err says that an answer ended before it began.
func isEmpty(err error) bool {
	d, ok := errors.AsType[*statsdecode.DecodeError](err)
	return ok && d.Offset == 0 && errors.Is(d, io.ErrUnexpectedEOF)
}

func (p *poller) readHealth(s *snapshot, body io.Reader) error {
	err := statsdecode.DecodeClusterHealth(body, &s.health)
	if err == nil && s.health.Status == "" {
		err = errors.New("the answer has no status: not a cluster's health")
	}
	return err
}

// readNodes shows the loop over an answer: an error without an item ends the
// walk, an item with an error lacks a field.
func (p *poller) readNodes(s *snapshot, body io.Reader) error {
	for n, err := range p.dec.Nodes(body) {
		if n == nil {
			return s.incomplete(err)
		}
		if len(s.nodes) == maxNodes {
			return fmt.Errorf("the answer has more than %d nodes", maxNodes)
		}
		s.nodes = append(s.nodes, node{keep(n), s.flaw(err)})
	}
	if len(s.nodes) == 0 {
		return errors.New("the answer has no node")
	}
	s.nodesComplete = true
	return nil
}

// keep copies a node, without the lists that no figure is made of.
func keep(n *statsdecode.Node) *statsdecode.Node {
	kept := *n
	kept.IPs, kept.Attributes, kept.Breakers = nil, nil, nil
	kept.JVM.Mem.Pools, kept.JVM.BufferPools, kept.FS.Data = nil, nil, nil
	return kept.Clone()
}

// readIndices keeps a few figures of each index and lets the rest go with the
// walk's next step: the walk's memory does not grow with the answer, and what
// is kept is bounded by maxIndices.
func (p *poller) readIndices(s *snapshot, body io.Reader) error {
	for ix, err := range p.dec.Indices(body) {
		if ix == nil {
			return s.incomplete(err)
		}
		if len(s.indices) == maxIndices {
			return errManyIndices
		}
		docs, store := ix.Primaries.Docs.Count, ix.Total.Store.SizeInBytes
		whole := !s.flaw(err)
		s.indices = append(s.indices, index{
			name: ix.Name, uuid: ix.UUID, listed: true, closed: ix.Status == "close",
			docs:    maybe(float64(docs), whole && docs >= 0 && ix.Primaries.Present.Has(statsdecode.SectionDocs)),
			store:   maybe(float64(store), whole && store >= 0 && ix.Total.Present.Has(statsdecode.SectionStore)),
			search:  ix.Total.Search,
			counted: whole && ix.Total.Present.Has(statsdecode.SectionSearch),
		})
	}
	if len(s.indices) == 0 && s.health.ActiveShards > 0 {
		return fmt.Errorf("the answer has no index, but the cluster has %d active shards", s.health.ActiveShards)
	}
	s.counted, s.indicesComplete = time.Now(), true
	return nil
}

var errManyIndices = fmt.Errorf("the answer has more than %d indices", maxIndices)

// mostFlaws is how many fields of the wrong type are told one by one: one that a
// server writes in its own way is in every entry.
const mostFlaws = 3

// flaw takes in the error that came with an item, if any, and reports whether
// one did.
func (s *snapshot) flaw(err error) bool {
	switch {
	case err == nil:
		return false
	case len(s.flaws) < mostFlaws:
		s.flaws = append(s.flaws, err)
	default:
		s.moreFlaws++
	}
	return true
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
		found = true
		i, ok := row[set.Name]
		if !ok {
			if len(s.indices) == maxIndices {
				return errManyIndices
			}
			i = len(s.indices)
			s.indices = append(s.indices, index{name: set.Name})
		}
		ix := &s.indices[i]
		ix.uuid = cmp.Or(ix.uuid, set.UUID) // older servers send it here only
		ix.closed = ix.closed || set.VerifiedBeforeClose
		ix.settings, ix.codec, ix.mode = !s.flaw(err), set.Codec, set.Mode
	}
	if !found && len(s.indices) > 0 {
		return errors.New("the answer has no index")
	}
	return nil
}
