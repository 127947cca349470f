package statsdecode

// Header is what an answer says outside of its entries. Members that the
// answer does not have are zero.
type Header struct {
	ClusterName string
	Shards      Counts   // _shards
	Nodes       Counts   // _nodes; since Elasticsearch 5.0
	All         AllStats // _all, all indices of a _stats answer together; only if the request asked for all sections, or for Level "cluster"
}

// Counts says how many shards or nodes an answer is about.
type Counts struct {
	Total      int `json:"total"`      // asked
	Successful int `json:"successful"` // answered; lower than Total without a failure where shards are unassigned
	Failed     int `json:"failed"`     // failed: see PartialError
}

// AllStats is the sum over all indices. When every shard failed, both are empty
// (https://github.com/elastic/elasticsearch/issues/24872).
type AllStats struct {
	Primaries CommonStats `json:"primaries"` // primary shards alone
	Total     CommonStats `json:"total"`     // replicas too
}

// special reports whether the current member of an answer that itself holds
// the entries is none of them, but about the answer as a whole. Names of
// indices do not begin with an underscore, but may be error or status.
func (w *walk) special() bool {
	switch string(w.key) {
	case "_shards", "_nodes":
		return true
	case "error":
		if w.raw[0] == '"' || !has(w.raw, "settings") && (has(w.raw, "reason") || has(w.raw, "root_cause")) {
			return true
		}
	case "status":
		if isNumber(w.raw) {
			return true
		}
	}
	return w.entry != "" && !has(w.raw, w.entry)
}

// has reports whether value is an object with a member called name.
func has(value []byte, name string) bool {
	for key := range members(value) {
		if named(key, name) {
			return true
		}
	}
	return false
}

// member takes in a member of the answer itself that is not on the path.
func (w *walk) member() {
	key := string(w.key)
	for _, m := range w.members {
		w.ours = w.ours || key == m
	}
	var err error
	switch {
	case key == "_shards":
		err = w.counts(&w.header.Shards)
	case key == "_nodes":
		err = w.counts(&w.header.Nodes)
	case key == "_all" && len(w.path) > 0 && w.path[0] == "indices":
		err = w.all()
	case key == "cluster_name":
		err = w.decode(&w.header.ClusterName)
	case key == "status" && isNumber(w.raw):
		err = w.decode(&w.status)
	case key == "error" && (w.raw[0] == '"' || isObject(w.raw)):
		if w.check() {
			w.refuse = responseError(w.raw)
		}
	default:
		w.check()
	}
	w.note(err)
}

// all decodes _all, which in an answer of few indices is much of it. Of two, the
// second is decoded over the first: that is for the reference alone.
func (w *walk) all() error {
	all := &w.header.All
	if d := w.decoder; d != nil && !d.noShortcut && *all == (AllStats{}) {
		s := shortcut{b: w.raw, names: &d.names}
		if isObject(w.raw) && s.whole(d.allPlan()) {
			return nil
		}
		*all = AllStats{}
	}
	err := w.decode(all)
	if w.fatal == nil {
		markBoth(w.raw, &all.Primaries, &all.Total)
	}
	return err
}

// note keeps the first error outside of the entries that the walk survives. It
// is reported last, so that it costs none of the data.
func (w *walk) note(err error) {
	if err != nil && w.flaw == nil && w.fatal == nil {
		w.flaw = err
	}
}

// counts decodes _shards or _nodes.
func (w *walk) counts(dst *Counts) error {
	var c struct {
		Counts
		Failures wireFailures `json:"failures"`
	}
	c.Counts = *dst // of two members with one name, objects merge
	err := w.decode(&c)
	*dst = c.Counts
	w.part = nil
	if c.Failed > 0 {
		w.part = &PartialError{Total: c.Total, Successful: c.Successful, Failed: c.Failed}
		for _, f := range c.Failures {
			w.part.Failures = append(w.part.Failures, f.failure())
		}
	}
	return err
}
