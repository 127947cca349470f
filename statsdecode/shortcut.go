package statsdecode

import (
	"bytes"
	"math"
	"strconv"
	"unicode/utf8"
)

// shortcut decodes an entry, as it stands in the window, in a single pass and
// straight into the struct that its plan is bound to. It goes by the shape of
// the entry before, and only where that fails by the plan.
//
// It knows the JSON that servers write, and gives up on what it would have to
// think about: escapes, invalid UTF-8, a name twice or in another case, a value
// of the wrong type, numbers of an odd form, whatever is no JSON. The reference
// then decodes the same entry, and has the say. What the shortcut accepts is
// what the reference accepts, with the same result.
type shortcut struct {
	b     []byte
	i     int // b[i:] is still to be decoded
	names *names
	short bool // it gave up where b ends
	elems int  // how many it has put into lists
	shape *shape
}

// maxSkip is how deep unknown members may nest.
const maxSkip = 32

// object decodes an object by its plan; b[i] is its brace.
func (s *shortcut) object(o *object) bool {
	s.i++
	if s.peek() == '}' {
		s.i++
		return true
	}
	var seen uint64
	at := 0
	for {
		name, ok := s.name()
		if !ok {
			return false
		}
		s.peek()
		if at, ok = o.find(at, name); ok {
			f := &o.fields[at]
			if seen&f.bit != 0 || !s.value(f) {
				return false
			}
			seen |= f.bit
		} else if o.folds(name) || !s.unknown() {
			return false
		}
		if more, ok := s.more('}'); !more {
			return ok
		}
	}
}

// unknown passes over the value of a member that has no place.
func (s *shortcut) unknown() bool {
	s.shape.before(s, nil)
	ok := s.skip(maxSkip)
	s.shape.behind(s)
	return ok
}

// value decodes the value of a member, b[i:], into its place.
func (s *shortcut) value(f *field) bool {
	if o, ok := f.dst.(*object); ok && s.peek() == '{' {
		s.shape.inside(f)
		if !s.object(o) {
			return false
		}
		if f.mark != nil {
			f.mark()
		}
		return true
	}
	s.shape.before(s, f)
	ok := s.leaf(f)
	s.shape.behind(s)
	return ok
}

// leaf decodes a value that is no object. null leaves its place as it is, which
// is empty, except that the reference makes slices nil.
func (s *shortcut) leaf(f *field) bool {
	c := s.peek()
	if c == 'n' {
		return f.null && s.literal("null")
	}
	ok := false
	switch dst := f.dst.(type) {
	case *int64:
		*dst, ok = s.integer()
	case *uint64:
		*dst, ok = s.unsigned()
	case *float64:
		*dst, ok = s.float()
	case *bool:
		*dst = c == 't'
		ok = *dst && s.literal("true") || c == 'f' && s.literal("false")
	case *string:
		var text []byte
		if text, ok = s.text(); ok {
			*dst = s.names.one(text)
		}
	case *[]byte:
		*dst, ok = s.text()
	case *Addresses:
		var text []byte
		if text, ok = s.text(); ok {
			*dst = append((*dst)[:0], s.names.one(text))
		}
	case *CgroupBytes:
		*dst, ok = s.cgroupBytes()
	case *Rank:
		*dst, ok = s.rank()
	case *single:
		ok = s.single(dst)
	case list:
		ok = s.list(dst)
	}
	if ok && f.mark != nil {
		f.mark()
	}
	return ok
}

// list decodes an object or an array into a slice.
func (s *shortcut) list(l list) bool {
	opening := s.peek()
	if opening != l.begin() {
		return false
	}
	closing := opening + 2 // in ASCII
	s.i++
	if s.peek() == closing {
		s.i++
		return true
	}
	for {
		var name []byte
		if opening == '{' {
			var ok bool
			if name, ok = s.name(); !ok || !utf8.Valid(name) {
				return false
			}
		}
		if s.elems++; s.elems > maxCopies { // the reference knows how many are too many
			return false
		}
		if !s.element(l.next(name, s.names)) {
			return false
		}
		l.keep()
		if more, ok := s.more(closing); !more {
			return ok
		}
	}
}

// element decodes an element of a list: an object of a shape of its own.
func (s *shortcut) element(f *field) bool {
	if o, ok := f.dst.(*object); ok && s.peek() == '{' {
		return s.whole(o)
	}
	return s.leaf(f)
}

// single decodes an object with one member.
func (s *shortcut) single(o *single) bool {
	if s.peek() != '{' {
		return false
	}
	s.i++
	name, ok := s.name()
	if !ok || !utf8.Valid(name) {
		return false
	}
	*o.name = s.names.one(name)
	if !s.element(&o.value) {
		return false
	}
	more, ok := s.more('}')
	return !more && ok
}

// skip passes over a value, and checks that it is one.
func (s *shortcut) skip(depth int) bool {
	opening := s.peek()
	switch opening {
	case '{', '[':
	case '"':
		_, ok := s.quoted()
		return ok
	case 't':
		return s.literal("true")
	case 'f':
		return s.literal("false")
	case 'n':
		return s.literal("null")
	default:
		_, ok := s.number()
		return ok
	}
	closing := opening + 2 // in ASCII
	s.i++
	if s.peek() == closing {
		s.i++
		return true
	}
	for depth > 0 {
		if opening == '{' {
			if _, ok := s.name(); !ok {
				return false
			}
		}
		if !s.skip(depth - 1) {
			return false
		}
		if more, ok := s.more(closing); !more {
			return ok
		}
	}
	return false
}

// peek passes over white space and returns the byte behind it, 0 where b ends.
func (s *shortcut) peek() byte {
	for ; s.i < len(s.b); s.i++ {
		if c := s.b[s.i]; !isSpace(c) {
			return c
		}
	}
	s.short = true
	return 0
}

// more passes over what stands behind a member or an element: a comma, with
// more to come, or the closing bracket. Anything else is not ok.
func (s *shortcut) more(closing byte) (more, ok bool) {
	c := s.peek()
	s.i++
	return c == ',', c == closing
}

// name reads the name of a member, and the colon.
func (s *shortcut) name() ([]byte, bool) {
	name, ok := s.quoted()
	if !ok || s.peek() != ':' {
		return nil, false
	}
	s.i++
	return name, true
}

// text reads a string that means what it says.
func (s *shortcut) text() ([]byte, bool) {
	text, ok := s.quoted()
	return text, ok && utf8.Valid(text)
}

// quoted reads a string without escapes. It may not be valid UTF-8.
func (s *shortcut) quoted() ([]byte, bool) {
	if s.peek() != '"' {
		return nil, false
	}
	s.i++
	n := plainPrefix(s.b[s.i:])
	text := s.b[s.i : s.i+n]
	s.i += n
	if s.i == len(s.b) {
		s.short = true
		return nil, false
	}
	s.i++
	return text, s.b[s.i-1] == '"'
}

// literal reads a word.
func (s *shortcut) literal(word string) bool {
	rest := s.b[s.i:]
	if len(rest) < len(word) {
		s.short = true
		return false
	}
	s.i += len(word)
	return string(rest[:len(word)]) == word
}

// number reads a number, by the grammar of JSON.
func (s *shortcut) number() ([]byte, bool) {
	n, ok := numberPrefix(s.b[s.i:])
	text := s.b[s.i : s.i+n]
	s.i += n
	if s.i == len(s.b) {
		s.short = true
		return nil, false
	}
	return text, ok
}

// integer reads what natural does not.
func (s *shortcut) integer() (int64, bool) {
	text, ok := s.number()
	if !ok || len(text) > len("-9223372036854775808") {
		return 0, false
	}
	n, err := strconv.ParseInt(string(text), 10, 64)
	return n, err == nil
}

func (s *shortcut) unsigned() (uint64, bool) {
	text, ok := s.number()
	if !ok || len(text) > len("18446744073709551615") {
		return 0, false
	}
	n, err := strconv.ParseUint(string(text), 10, 64)
	return n, err == nil
}

func (s *shortcut) float() (float64, bool) {
	text, ok := s.number()
	if !ok {
		return 0, false
	}
	if len(text) <= 16 {
		if f, ok := exactFloat(text); ok {
			return f, true
		}
	}
	f, err := strconv.ParseFloat(string(text), 64)
	return f, err == nil
}

// rank reads what servers send: a number as a string.
func (s *shortcut) rank() (Rank, bool) {
	text, ok := s.text()
	if n, whole := numberPrefix(text); !ok || !whole || n < len(text) {
		return 0, false
	}
	f, err := strconv.ParseFloat(string(text), 64)
	return Rank(f), err == nil
}

// cgroupBytes reads what servers send: a natural number as a string, or "max".
func (s *shortcut) cgroupBytes() (CgroupBytes, bool) {
	text, ok := s.text()
	switch {
	case !ok:
		return 0, false
	case string(text) == "max":
		return math.MaxInt64, true
	case len(text) == 0 || text[0] < '1' || text[0] > '9':
		return 0, string(text) == "0"
	}
	n, err := strconv.ParseInt(string(text), 10, 64)
	return CgroupBytes(n), err == nil
}

// find returns which field is called name. It begins at the field found before:
// servers write most members in the order of the fields.
func (o *object) find(at int, name []byte) (int, bool) {
	for range o.fields {
		if string(name) == o.fields[at].name {
			return at, true
		}
		if at++; at == len(o.fields) {
			at = 0
		}
	}
	return at, false
}

// folds reports whether name selects a field if case does not count.
func (o *object) folds(name []byte) bool {
	lower := true
	for _, c := range name {
		lower = lower && c < utf8.RuneSelf && (c < 'A' || c > 'Z')
	}
	if lower {
		return false
	}
	for i := range o.fields {
		if bytes.EqualFold(name, []byte(o.fields[i].name)) {
			return true
		}
	}
	return false
}
