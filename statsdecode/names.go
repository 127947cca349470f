package statsdecode

import "strings"

// maxNameBytes bounds a remembered string: an index name has at most 255 bytes
// and a uuid 22.
const maxNameBytes = 512

// names remembers the strings of answers from one answer to the next, so that
// a poller which meets the same indices again makes no new strings. A string
// that a whole answer of its endpoint did not have is forgotten after it.
type names struct {
	known  map[string]record
	limit  int
	by     source
	answer uint32 // number of the current answer
}

// record is a name and, behind it in the same backing string, a uuid.
type record struct {
	text   string
	answer uint32 // the last answer that had it
	uuidAt uint16
	by     source // the endpoint of that answer
}

// source is an endpoint: a poller asks several in turn, and the answer of one
// says nothing about the names in another's.
type source uint8

const (
	fromStats source = iota
	fromNodes
	fromSettings
	fromEntries
)

// begin starts an answer of endpoint by.
func (n *names) begin(by source, limit int) {
	n.by, n.limit = by, limit
	n.answer++
}

// end forgets what the answer, read whole, did not have.
func (n *names) end() {
	for k, r := range n.known {
		if r.by == n.by && r.answer != n.answer {
			delete(n.known, k)
		}
	}
}

// one returns the string of text.
func (n *names) one(text []byte) string {
	if len(text) == 0 {
		return ""
	}
	s, _ := n.pair(text, nil)
	return s
}

// own returns a string equal to s that shares no memory with it.
func (n *names) own(s string) string { return n.one([]byte(s)) }

// pair returns the strings of name and uuid.
func (n *names) pair(name, uuid []byte) (string, string) {
	r, ok := n.known[string(name)]
	if !ok || len(uuid) > 0 && string(uuid) != r.text[r.uuidAt:] {
		text := join(name, uuid)
		if len(text) > maxNameBytes || !ok && len(n.known) >= n.limit {
			return text[:len(name)], text[len(name):]
		}
		delete(n.known, string(name)) // an assignment would keep the old key, and with it the old text
		r = record{text: text, uuidAt: uint16(len(name))}
	}
	if r.answer != n.answer || r.by != n.by {
		r.answer, r.by = n.answer, n.by
		if n.known == nil {
			n.known = make(map[string]record)
		}
		n.known[r.text[:r.uuidAt]] = r
	}
	if len(uuid) == 0 {
		return r.text[:r.uuidAt], ""
	}
	return r.text[:r.uuidAt], r.text[r.uuidAt:]
}

// join returns a and b as one string, in one allocation.
func join(a, b []byte) string {
	var s strings.Builder
	s.Grow(len(a) + len(b))
	s.Write(a)
	s.Write(b)
	return s.String()
}
