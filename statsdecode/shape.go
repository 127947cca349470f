package statsdecode

import "bytes"

// shape is what an object looked like: the bytes between its values, and where
// the values went. A server writes all entries of an answer in one shape: the
// same members in the same order. So the next object is decoded by comparing
// bytes, up to a value, and storing that, which checks at once names, order,
// syntax and that no name is there twice. Nested objects are part of the shape;
// lists are values, and their elements have a shape of their own.
//
// What it replaced guessed the next name, object by object: 740 MB/s where this
// does 840, on the index stats of 50 indices with numbers of any length.
type shape struct {
	steps []step
	bytes []byte   // what steps refer to
	from  int      // where in the entry the bytes before the next value begin
	marks []func() // of the objects within
	known bool     // the shape is that of a whole object
}

// step is a value, and what stands before it.
type step struct {
	before []byte
	int    *int64 // the place of the value, if it is a number and nothing else is to be done
	to     *field // its place; nil: it has none. The last step has no value at all
}

// Shapes of real nodes have 600 steps and 20 KB. More is not worth remembering.
const (
	maxSteps      = 4 << 10
	maxShapeBytes = 64 << 10
)

// whole decodes an object, of the last shape or of a new one.
func (s *shortcut) whole(o *object) bool {
	start := s.i
	if o.shape.known && s.again(&o.shape) {
		return true
	}
	if s.short {
		return false
	}
	s.i = start
	outer := s.shape
	s.shape = &o.shape
	s.shape.begin(start)
	ok := s.object(o)
	s.shape.end(s, ok)
	s.shape = outer
	return ok
}

// again decodes an object of a known shape. This is the hot loop.
func (s *shortcut) again(shape *shape) bool {
	b, i := s.b, s.i
	last := len(shape.steps) - 1
	for k := range shape.steps {
		step := &shape.steps[k]
		end := i + len(step.before)
		if end > len(b) || string(b[i:end]) != string(step.before) {
			s.short = bytes.HasPrefix(step.before, b[i:])
			return false
		}
		i = end
		if step.int != nil && len(b)-i >= 8 {
			n, digits := natural(word(b[i:]))
			if digits == 0 {
				n, digits = longNatural(b[i:])
			}
			if digits > 0 {
				*step.int = n
				i += int(digits)
				continue
			}
		}
		if k == last {
			break
		}
		s.i = i
		if step.to == nil {
			if !s.skip(maxSkip) {
				return false
			}
		} else if !s.leaf(step.to) {
			return false
		}
		i = s.i
	}
	for _, mark := range shape.marks {
		mark()
	}
	s.i = i
	return true
}

// begin begins a new shape.
func (h *shape) begin(start int) {
	*h = shape{steps: h.steps[:0], bytes: h.bytes[:0], marks: h.marks[:0], from: start, known: true}
}

// before adds the value at b[i:], and what stands before it.
func (h *shape) before(s *shortcut, to *field) {
	text := s.b[h.from:s.i]
	if h.known = h.known && len(h.steps) < maxSteps && len(h.bytes)+len(text) < maxShapeBytes; !h.known {
		return
	}
	at := len(h.bytes)
	h.bytes = append(h.bytes, text...)
	step := step{before: h.bytes[at:], to: to}
	if to != nil {
		step.int = to.int
	}
	h.steps = append(h.steps, step)
}

// behind notes where the value ends.
func (h *shape) behind(s *shortcut) { h.from = s.i }

// inside adds an object that is part of the shape.
func (h *shape) inside(f *field) {
	if f.mark != nil {
		h.marks = append(h.marks, f.mark)
	}
}

// end adds what stands behind the last value, or forgets the shape of an object
// that was not decoded to its end.
func (h *shape) end(s *shortcut, ok bool) {
	if h.known = h.known && ok; h.known {
		h.before(s, nil)
	}
}
