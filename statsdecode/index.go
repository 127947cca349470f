package statsdecode

// Index is one index of a GET /_stats answer.
//
// An Index handed out by [Decoder.Indices] is reused for the next one. A copy
// (kept := *ix) may be kept where the answer has no shards, that is without
// level=shards; [Index.Clone] always. Strings never share memory with the answer.
type Index struct {
	Name      string      `json:"-"`         // its key in the answer
	UUID      string      `json:"uuid"`      // changes when an index is made anew; since Elasticsearch 7
	Health    string      `json:"health"`    // green, yellow or red; since Elasticsearch 8.1
	Status    string      `json:"status"`    // open or close; since Elasticsearch 8.1
	Primaries CommonStats `json:"primaries"` // primary shards alone
	Total     CommonStats `json:"total"`     // replicas too
	Shards    Shards      `json:"shards"`    // with level=shards only
}

// Clone returns a copy that shares no memory with ix, to be kept past the step
// of the walk that ix belongs to.
func (ix *Index) Clone() *Index {
	c := *ix
	c.Shards = ix.Shards.clone()
	return &c
}

// reset makes ix the zero Index, but keeps the memory of its slices, as far as
// a real index needs it.
func (ix *Index) reset() {
	shards := reuse(ix.Shards)
	all := shards[:cap(shards)]
	for i := range all {
		if cap(all[i].Copies) > maxReuseCopies {
			all[i] = Shard{}
		}
	}
	*ix = Index{Shards: shards}
}

// maxReuseCopies is how many copies of a shard may be used again: a primary and
// some replicas, of more than a kilobyte each.
const maxReuseCopies = 8

// intern replaces strings that refer to the window.
func (ix *Index) intern(name []byte, names *names) {
	ix.Name, ix.UUID = names.pair(name, []byte(ix.UUID))
	ix.Health = names.own(ix.Health)
	ix.Status = names.own(ix.Status)
}
