package statsdecode

import (
	"errors"
	"slices"

	"github.com/goccy/go-json"
)

// Shards is the object shards of an index with level=shards, one entry a
// shard number, in the order of the answer.
type Shards []Shard

// Shard is one shard of an index: its primary and its replicas.
type Shard struct {
	Name   string // its number, as the key in the answer
	Copies ShardCopies
}

// ShardCopies are the copies of one shard.
type ShardCopies []ShardCopy

// ShardCopy is the figures of one copy of a shard, on one node.
type ShardCopy struct {
	CommonStats
	Routing         Routing         `json:"routing"`
	Commit          Commit          `json:"commit"`
	SeqNo           SeqNo           `json:"seq_no"`
	RetentionLeases RetentionLeases `json:"retention_leases"`
	ShardPath       ShardPath       `json:"shard_path"`
	SearchIdle      bool            `json:"search_idle"`      // not refreshed for want of searches; since Elasticsearch 7.17 and 8
	SearchIdleTime  int64           `json:"search_idle_time"` // milliseconds since the last search; since Elasticsearch 7.17 and 8
}

// Routing says where a copy is.
type Routing struct {
	State          string `json:"state"`           // STARTED, RELOCATING, INITIALIZING
	Primary        bool   `json:"primary"`         // the primary, not a replica
	Node           string `json:"node"`            // id of its node
	RelocatingNode string `json:"relocating_node"` // id of the node it moves to, "" none
}

// Commit is the last Lucene commit of a copy.
type Commit struct {
	ID         string `json:"id"`
	Generation int64  `json:"generation"`
	NumDocs    int64  `json:"num_docs"` // documents in it
}

// SeqNo are the sequence numbers of a copy. -1 none, -2 unknown.
type SeqNo struct {
	MaxSeqNo         int64 `json:"max_seq_no"`
	LocalCheckpoint  int64 `json:"local_checkpoint"`
	GlobalCheckpoint int64 `json:"global_checkpoint"`
}

// RetentionLeases say how much history a copy keeps for its peers.
type RetentionLeases struct {
	PrimaryTerm int64 `json:"primary_term"`
	Version     int64 `json:"version"`
}

// ShardPath is where a copy lies on its node.
type ShardPath struct {
	StatePath        string `json:"state_path"`
	DataPath         string `json:"data_path"`
	IsCustomDataPath bool   `json:"is_custom_data_path"`
}

// Get returns the shard with the number name and whether there is one.
func (s Shards) Get(name string) (Shard, bool) { return get(s, name) }

// UnmarshalJSON replaces the set by the members of an object. null leaves it.
func (s *Shards) UnmarshalJSON(data []byte) error {
	copies := 0
	for _, shard := range members(data) {
		for range elements(shard) {
			copies++
		}
	}
	if copies > maxCopies+len(data)/minCopyBytes {
		return errTooManyCopies
	}
	return unmarshalSet((*[]Shard)(s), data)
}

// A ShardCopy takes more than a kilobyte however little is said of it, so the
// number of copies is bounded: by their bytes, a server sends more than 2 KB for
// each, and below that by a number that no index reaches.
const (
	maxCopies    = 4096
	minCopyBytes = 512
)

var errTooManyCopies = errors.New("statsdecode: too many copies of shards for their size")

func (e *Shard) member() (*string, any) { return &e.Name, &e.Copies }

func (s Shards) clone() Shards {
	s = slices.Clone(s)
	for i := range s {
		s[i].Copies = slices.Clone(s[i].Copies)
	}
	return s
}

// UnmarshalJSON replaces the copies by the elements of an array, with their
// presence bits. null leaves them.
func (s *ShardCopies) UnmarshalJSON(data []byte) error {
	data, err := checked(data)
	if err != nil || isNull(data) {
		return err
	}
	if data[0] != '[' {
		return wrongType(data, *s)
	}
	copies := (*s)[:0]
	var first error
	for value := range elements(data) {
		copies = append(copies, ShardCopy{})
		c := &copies[len(copies)-1]
		if err := json.Unmarshal(value, c); err != nil && first == nil {
			first = err
		}
		c.mark(value)
	}
	*s = copies
	return first
}
