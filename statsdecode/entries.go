package statsdecode

import (
	"io"
	"iter"
	"strings"
)

// Entry is one entry of an answer that [Entries] walks.
type Entry[T any] struct {
	Name  string // its key in an object; "" in an array
	Value T
}

// Entries walks any answer of the shape {name: value}, or an array, into the
// caller's own T, decoded as encoding/json does. path names the members that
// lead there from the outside in; without one the answer itself holds the
// entries: /_recovery has none, a search has "hits", "hits".
//
// It shares the rules of [Decoder.Indices], see the package comment. In
// addition, without a path the members _shards, _nodes and a number called
// status are no entries, and a member called error is one unless it is text or
// has a reason or a root_cause and no settings.
//
// No item is nil here: one that comes with an error is to be passed over, and the
// loop ends by itself after an error that ends the walk.
//
// Each Value is decoded into a zero T and is the caller's, but a T with an
// UnmarshalJSON method must copy what it keeps of the bytes it is given. d
// supplies limits, buffers and names; nil is a Decoder for this walk alone. The
// sequence is for one walk.
func Entries[T any](d *Decoder, r io.Reader, path ...string) iter.Seq2[Entry[T], error] {
	if d == nil {
		d = new(Decoder)
	}
	name := strings.Join(append([]string{"entries"}, path...), "/")
	e := &endpoint{name: name, source: fromEntries, path: path, array: true}
	var value T
	return entries(d, r, e, func(w *walk) (Entry[T], error) {
		var zero T
		value = zero
		err := w.decode(&value)
		entry := Entry[T]{Value: value}
		if w.fatal == nil && !w.array {
			entry.Name = d.names.one(w.key)
		}
		return entry, err
	})
}
