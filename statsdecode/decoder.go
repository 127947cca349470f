package statsdecode

import (
	"io"
	"iter"

	"github.com/lowalloc/lowalloc/pool"
)

const (
	defaultMaxEntryBytes = 16 << 20
	defaultMaxNames      = 4096
	// Windows grow to the largest entry: with level=shards a megabyte or more.
	// What is larger is not worth keeping for the next answer.
	defaultMaxWindow = 1 << 20
)

// Decoder decodes answers, one after the other. It remembers names from one
// answer to the next and reuses the structs it hands out, so a poller keeps
// one Decoder for all its polls. The zero value is ready to use.
//
// A Decoder must not be copied after first use, is not for concurrent use, and
// is for one walk at a time: a walk inside the loop of another panics.
type Decoder struct {
	// MaxEntryBytes is the size of the largest index, node or other member that
	// is read: the bound of the memory that a hostile answer can take. Past it
	// a walk ends with ErrEntryTooLarge. 0 and negative values are 16 MiB.
	MaxEntryBytes int

	// MaxNames is how many names are remembered between answers: of indices
	// (with uuid), nodes, roles, paths. A poll of more names allocates a string
	// for each of the others. 0 is 4096; negative is none.
	MaxNames int

	// Buffers gives the memory for the window over an answer, 64 KiB or up to
	// twice the largest entry, and takes it back at the end of each walk. A pool
	// whose MaxSize is less than that keeps no window that has grown: each walk
	// makes it anew. nil is a pool of the Decoder's own with a MaxSize of 1 MiB,
	// which leaves idle windows to the garbage collector.
	Buffers *pool.Pool

	own     pool.Pool
	names   names
	walk    walk
	walking bool
	header  Header
	summed  *object // the plan of header.All

	index   Index
	indexed *object // the plan of index
	uuid    []byte  // of index, in the window
	node    Node
	noded   *object // the plan of node
	slow    int     // entries that the reference decoded

	noShortcut bool // for tests that compare it with the reference
	settings   struct {
		Settings struct {
			Index IndexSettings `json:"index"`
		} `json:"settings"`
	}
}

// Header returns what the last answer said outside of its entries, as far as
// it was read: in the loop over the entries so far, after the loop all. The
// server sends most of it before the entries.
func (d *Decoder) Header() Header { return d.header }

var (
	statsEndpoint = &endpoint{
		name: "_stats", source: fromStats,
		path: []string{"indices"}, members: []string{"_shards", "_all"},
	}
	nodesEndpoint = &endpoint{
		name: "_nodes/stats", source: fromNodes,
		path: []string{"nodes"}, members: []string{"_nodes"},
	}
	settingsEndpoint = &endpoint{name: "_settings", source: fromSettings, entry: "settings"}
)

// Indices walks the indices of a GET /_stats answer. See the package comment
// for what ends a walk and what errors mean.
//
// The sequence is for one walk. The Index is valid until the next step.
func (d *Decoder) Indices(r io.Reader) iter.Seq2[*Index, error] {
	return entries(d, r, statsEndpoint, func(w *walk) (*Index, error) {
		ix := &d.index
		ix.reset()
		d.uuid = nil
		if !d.noShortcut && w.shortcut(d.indexPlan(), &d.names) {
			ix.Name, ix.UUID = d.names.pair(w.key, d.uuid)
			return ix, nil
		}
		d.slow++
		ix.reset()
		err := w.decode(ix, noCopy...)
		if w.fatal == nil {
			markBoth(w.raw, &ix.Primaries, &ix.Total)
			ix.intern(w.key, &d.names)
		}
		return ix, err
	})
}

func (d *Decoder) indexPlan() *object {
	if d.indexed == nil {
		ix := &d.index
		d.indexed = newPlan(ix, map[any]any{&ix.UUID: &d.uuid}, &ix.Primaries, &ix.Total)
	}
	return d.indexed
}

func (d *Decoder) allPlan() *object {
	if d.summed == nil {
		all := &d.header.All
		d.summed = newPlan(all, nil, &all.Primaries, &all.Total)
	}
	return d.summed
}

// Nodes walks the nodes of a GET /_nodes/stats answer. See the package comment
// for what ends a walk and what errors mean.
//
// The sequence is for one walk. The Node is valid until the next step.
func (d *Decoder) Nodes(r io.Reader) iter.Seq2[*Node, error] {
	return entries(d, r, nodesEndpoint, func(w *walk) (*Node, error) {
		n := &d.node
		n.reset()
		if !d.noShortcut && w.shortcut(d.nodePlan(), &d.names) {
			n.ID = d.names.one(w.key)
			n.firstIP()
			return n, nil
		}
		d.slow++
		n.reset()
		err := w.decode(n, noCopy...)
		if w.fatal == nil {
			n.mark(w.raw)
			n.intern(w.key, &d.names)
		}
		return n, err
	})
}

func (d *Decoder) nodePlan() *object {
	if d.noded == nil {
		d.noded = newPlan(&d.node, nil, &d.node)
	}
	return d.noded
}

// Settings walks the indices of a GET /_settings answer. It wants nested
// settings, which are the server's default, not flat_settings. See the package
// comment for what ends a walk and what errors mean.
//
// The sequence is for one walk. The IndexSettings is valid until the next step.
func (d *Decoder) Settings(r io.Reader) iter.Seq2[*IndexSettings, error] {
	return entries(d, r, settingsEndpoint, func(w *walk) (*IndexSettings, error) {
		d.settings.Settings.Index = IndexSettings{}
		err := w.decode(&d.settings, noCopy...)
		s := &d.settings.Settings.Index
		if w.fatal == nil {
			s.intern(w.key, &d.names)
		}
		return s, err
	})
}

// entries is the walk behind all of them: decode turns the current entry into
// an item.
func entries[T any](d *Decoder, r io.Reader, e *endpoint, decode func(*walk) (T, error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		d.begin(r, e)
		defer d.end()
		w := &d.walk
		for w.next() {
			item, err := decode(w)
			if w.fatal != nil {
				break
			}
			if !yield(item, err) {
				return
			}
		}
		if w.fatal == nil { // the answer was read whole
			d.names.end()
		}
		if err := w.result(); err != nil {
			var none T
			yield(none, err)
		}
	}
}

func (d *Decoder) begin(r io.Reader, e *endpoint) {
	if d.walking {
		panic("statsdecode: a walk inside the loop of another walk of the same Decoder")
	}
	d.walking = true
	bufs := d.Buffers
	if bufs == nil {
		bufs = &d.own
		bufs.MaxSize = defaultMaxWindow
	}
	maxEntry, maxNames := d.MaxEntryBytes, d.MaxNames
	if maxEntry <= 0 {
		maxEntry = defaultMaxEntryBytes
	}
	if maxNames == 0 {
		maxNames = defaultMaxNames
	}
	d.header = Header{}
	d.names.begin(e.source, maxNames)
	d.walk.begin(e, &d.header, maxEntry)
	d.walk.decoder = d
	d.walk.open(r, bufs, windowSize)
}

func (d *Decoder) end() {
	d.walk.close()
	d.walk = walk{key: d.walk.key, head: d.walk.head} // all else may refer to the window
	d.uuid = nil
	d.walking = false
}
