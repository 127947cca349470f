package statsdecode

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/goccy/go-json"
	"github.com/goccy/go-json/jsontext"

	"github.com/lowalloc/lowalloc/pool"
)

// endpoint says where an answer has its entries, and what else it has.
type endpoint struct {
	name    string   // as it stands in errors
	source  source   // of names
	path    []string // the members that lead to the entries; none: the answer itself holds them
	array   bool     // the entries may be the elements of an array
	entry   string   // a member that each entry has, where the answer itself holds the entries
	members []string // other members that show an answer to be of this endpoint
}

// walk goes through one answer, entry by entry. It reads the answer's outline
// itself and hands each entry, as it stands in the window, to a decoder.
type walk struct {
	window
	*endpoint
	header   *Header
	decoder  *Decoder // whose header it is; nil: of no Decoder
	maxEntry int

	depth int  // objects open on the path to the entries
	array bool // the entries are the elements of an array
	first bool // no member of the innermost open object was read yet

	key   []byte // name of the current member, unquoted
	named bool   // there is a current member: its name may be ""
	index int    // index of the current element
	raw   []byte // the current value, valid until the window moves; nil: not brought into it yet
	start int64  // its offset in the answer

	head   []byte         // how the answer begins
	empty  bool           // the answer is {}
	ours   bool           // it has a member of this endpoint
	status int            // its member status
	refuse *ResponseError // its member error
	part   *PartialError  // failures that it reports
	flaw   error          // the first thing outside of entries that has the wrong type
	fatal  *DecodeError   // why the walk ended early
}

// begin starts a walk. It keeps the scratch memory of the last one, unless an
// absurd name made that large.
func (w *walk) begin(e *endpoint, header *Header, maxEntry int) {
	if cap(w.key) > maxNameBytes {
		w.key = nil
	}
	*w = walk{endpoint: e, header: header, maxEntry: maxEntry, key: w.key[:0], head: w.head[:0]}
}

// next moves to the next entry and reports whether there is one.
func (w *walk) next() bool {
	if w.depth == 0 && !w.enterAnswer() {
		return false
	}
	for {
		w.key, w.named = w.key[:0], false
		more, ok := w.more()
		switch {
		case !ok:
			return false
		case !more:
			if w.depth--; w.depth == 0 {
				w.leaveAnswer()
				return false
			}
			w.array, w.first = false, false
			continue
		case w.array:
			w.index++
			w.raw = nil
			return true
		}
		if !w.name() {
			return false
		}
		w.raw = nil
		switch onPath := w.depth <= len(w.path); {
		case onPath && string(w.key) == w.path[w.depth-1]:
			if !w.enterPath() {
				return false
			}
		case !onPath && w.depth > 1:
			w.ours = true
			return true
		case !w.value():
			return false
		case onPath || w.special():
			if w.depth == 1 {
				w.member()
			} else {
				w.check()
			}
			if w.fatal != nil {
				return false
			}
		default:
			w.ours = true
			return true
		}
	}
}

// enterAnswer reads the first byte of the answer.
func (w *walk) enterAnswer() bool {
	c, ok := w.peek()
	for len(w.b)-w.pos <= quoted && w.fill() {
	}
	w.head = append(w.head[:0], w.b[w.pos:min(len(w.b), w.pos+quoted)]...)
	switch {
	case !ok:
		w.fail("", w.offset(), w.failure())
		return false
	case c == '{':
	case c == '[' && w.endpoint.array && len(w.path) == 0:
		w.array, w.index, w.ours = true, -1, true
	default:
		w.fail("", w.offset(), w.notOurs())
		return false
	}
	w.pos++
	w.depth, w.first, w.empty = 1, true, true
	return true
}

// quoted is how many bytes of an answer that makes no sense an error quotes.
const quoted = 64

// notOurs is the error of an answer that does not begin as one of the
// endpoint does: it is JSON of another kind, or no JSON at all.
func (w *walk) notOurs() error {
	whole := w.pos+len(w.head) == len(w.b)
	if whole && w.err != nil && !w.ended() {
		return w.err
	}
	cause := ErrUnexpectedAnswer
	d := jsontext.NewDecoder(bytes.NewReader(w.head), jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
	for {
		_, err := d.ReadToken()
		if errors.Is(err, io.ErrUnexpectedEOF) && whole {
			cause = io.ErrUnexpectedEOF
		} else if err != nil && !isEOF(err) && !errors.Is(err, io.ErrUnexpectedEOF) {
			cause = ErrNotJSON
		}
		if err != nil {
			break
		}
	}
	return fmt.Errorf("%w: it begins with %q", cause, w.head)
}

// enterPath steps into a member that leads to the entries.
func (w *walk) enterPath() bool {
	c, ok := w.peek()
	last := w.depth == len(w.path)
	switch {
	case !ok:
		w.fail(w.pointer(), w.offset(), w.failure())
		return false
	case c == '{':
	case c == '[' && last && w.endpoint.array:
		w.array, w.index = true, -1
	default:
		w.fail(w.pointer(), w.offset(), fmt.Errorf("%w: %s is no object", ErrUnexpectedAnswer, w.pointer()))
		return false
	}
	w.pos++
	w.depth++
	w.first = true
	w.ours = w.ours || last
	return true
}

// leaveAnswer reads what follows the answer, to the end of the reader: a
// connection is reused only when its body was read to the end.
func (w *walk) leaveAnswer() {
	if c, ok := w.peek(); ok {
		w.fail("", w.offset(), fmt.Errorf("invalid character %q after the answer", c))
		return
	}
	if !w.ended() {
		w.fail("", w.offset(), w.err)
		return
	}
	if !w.empty && !w.ours && w.refuse == nil {
		if w.status >= 400 { // filter_path took the error away
			w.refuse = &ResponseError{}
			return
		}
		w.fail("", 0, fmt.Errorf("%w: it begins with %q", ErrUnexpectedAnswer, w.head))
	}
}

// more consumes what stands before the next member or element, or the end of
// the innermost open container.
func (w *walk) more() (more, ok bool) {
	c, ok := w.peek()
	if !ok {
		w.fail(w.place(), w.offset(), w.failure())
		return false, false
	}
	closing := byte('}')
	if w.array {
		closing = ']'
	}
	switch {
	case c == closing:
		w.pos++
		return false, true
	case w.first:
		w.first, w.empty = false, false
		return true, true
	case c != ',':
		w.fail(w.place(), w.offset(), fmt.Errorf("invalid character %q, want ',' or %q", c, closing))
		return false, false
	}
	w.pos++
	if _, ok := w.peek(); !ok {
		w.fail(w.place(), w.offset(), w.failure())
		return false, false
	}
	return true, true
}

// name reads the name of a member, and the colon.
func (w *walk) name() bool {
	if c, ok := w.peek(); ok && c != '"' {
		w.fail(w.place(), w.offset(), fmt.Errorf("invalid character %q, want a string", c))
		return false
	}
	if !w.value() {
		return false
	}
	text, plain := plainText(w.raw)
	if !plain {
		if !w.check() {
			return false
		}
		text = unquote(w.raw)
	}
	w.key, w.named = append(w.key, text...), true
	c, ok := w.peek()
	switch {
	case !ok:
		w.fail(w.pointer(), w.offset(), w.failure())
		return false
	case c != ':':
		w.fail(w.pointer(), w.offset(), fmt.Errorf("invalid character %q, want ':'", c))
		return false
	}
	w.pos++
	return true
}

// value brings the whole next value into the window, as w.raw.
func (w *walk) value() bool {
	w.peek()
	w.start = w.offset()
	var s scanner
	size, done := 0, false
	for !done {
		var n int
		n, done = s.scan(w.b[w.pos+size:])
		size += n
		switch {
		case size > w.maxEntry:
			// Not at size: how much was read, and so looked at, says nothing of the answer.
			w.cut(w.maxEntry, fmt.Errorf("%w: more than %d bytes", ErrEntryTooLarge, w.maxEntry))
			return false
		case done || w.fill():
		default: // also for a scalar: nothing says that 12 is not the beginning of 123
			w.cut(size, w.failure())
			return false
		}
	}
	if size == 0 {
		w.fail(w.pointer(), w.start, fmt.Errorf("invalid character %q, want a value", w.b[w.pos]))
		return false
	}
	w.raw = w.b[w.pos : w.pos+size]
	w.pos += size
	return true
}

// cut ends the walk in the midst of a value, for want of the rest. A syntax
// error in what is there comes first: it may be why no end was found.
func (w *walk) cut(size int, err error) {
	if syntax := syntaxError(w.b[w.pos : w.pos+size]); syntax != nil && !errors.Is(syntax, io.ErrUnexpectedEOF) {
		w.failSyntax(syntax)
		return
	}
	w.fail(w.pointer(), w.offset()+int64(size), err)
}

// check ends the walk unless the current value is valid JSON.
func (w *walk) check() bool {
	err := syntaxError(w.raw)
	if err != nil {
		w.failSyntax(err)
	}
	return err == nil
}

// decode is the one way from the bytes of a value to Go: it decodes the current
// value into dst, as encoding/json would. It returns an error if a field has
// the wrong type, with all other fields decoded; it ends the walk if the value
// is no valid JSON. With noCopy, strings in dst refer to the window: see names.
func (w *walk) decode(dst any, opts ...json.DecodeOptionFunc) error {
	if w.raw == nil && !w.value() {
		return w.fatal
	}
	err := json.UnmarshalWithOption(w.raw, dst, opts...)
	if err == nil {
		return nil
	}
	if !w.check() {
		return w.fatal
	}
	pointer, offset := locate(w.raw, dst)
	return &DecodeError{
		Endpoint: w.endpoint.name, Name: w.entryName(), Pointer: w.pointer() + pointer,
		Offset: w.start + int64(offset), Err: err,
	}
}

// shortcut decodes the current entry by its plan, and consumes it, or leaves it
// to decode. What it wrote until it gave up is for the caller to clear.
func (w *walk) shortcut(o *object, names *names) bool {
	for w.raw == nil {
		c, _ := w.peek()
		s := shortcut{b: w.b, i: w.pos, names: names}
		done := c == '{' && s.whole(o)
		switch size := s.i - w.pos; {
		case size > w.maxEntry:
			return false
		case done:
			w.pos = s.i
			return true
		case !s.short || !w.fillMore():
			return false
		}
	}
	return false
}

var noCopy = []json.DecodeOptionFunc{json.DecodeNoCopyString()}

// syntaxError returns what is wrong with the grammar of a JSON value, if
// anything is. Like encoding/json it lets duplicate names and invalid UTF-8 pass.
func syntaxError(value []byte) error {
	if json.Valid(value) { // which does not allocate, but cannot tell why not
		return nil
	}
	d := jsontext.NewDecoder(bytes.NewReader(value), jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
	err := d.SkipValue()
	if isEOF(err) {
		return io.ErrUnexpectedEOF
	}
	if err != nil {
		return err
	}
	if _, err = d.ReadToken(); isEOF(err) {
		return nil
	}
	if err == nil {
		err = errTwoValues
	}
	return err
}

var errTwoValues = errors.New("more than one value")

func (w *walk) failSyntax(err error) {
	var syntax *jsontext.SyntacticError
	if errors.As(err, &syntax) {
		w.fail(w.pointer()+string(syntax.JSONPointer), w.start+syntax.ByteOffset, err)
		return
	}
	w.fail(w.pointer(), w.start, err)
}

// fail ends the walk. The first failure counts.
func (w *walk) fail(pointer string, offset int64, err error) {
	if w.fatal == nil {
		w.fatal = &DecodeError{Endpoint: w.endpoint.name, Name: w.entryName(), Pointer: pointer, Offset: offset, Err: err}
	}
}

// entryName is the name of the current entry, "" outside of the entries.
func (w *walk) entryName() string {
	if w.depth <= len(w.path) || len(w.path) == 0 && bytes.HasPrefix(w.key, []byte("_")) {
		return ""
	}
	return string(w.key)
}

// place is the JSON pointer to the innermost open container.
func (w *walk) place() string {
	var b strings.Builder
	for _, p := range w.path[:max(0, min(w.depth-1, len(w.path)))] {
		b.WriteByte('/')
		b.WriteString(escapePointer(p))
	}
	return b.String()
}

// pointer is the JSON pointer to the current member.
func (w *walk) pointer() string {
	if w.array {
		return w.place() + "/" + strconv.Itoa(w.index)
	}
	if !w.named {
		return w.place()
	}
	return w.place() + "/" + escapePointer(string(w.key))
}

func escapePointer(name string) string {
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
}

// result is the error that a walk ends with, after the entries.
func (w *walk) result() error {
	if w.refuse != nil {
		w.refuse.Status = w.status
	}
	switch {
	case w.fatal != nil && w.refuse != nil:
		return errors.Join(w.refuse, w.fatal)
	case w.fatal != nil:
		return w.fatal
	case w.refuse != nil:
		return w.refuse
	case w.part != nil && w.flaw != nil:
		return errors.Join(w.part, w.flaw)
	case w.part != nil:
		return w.part
	case w.flaw != nil:
		return w.flaw
	}
	return nil
}

// walkOne begins the walk of a single small answer, with a window of its own.
func walkOne(e *endpoint, r io.Reader) *walk {
	w := new(walk)
	w.begin(e, new(Header), defaultMaxEntryBytes)
	w.open(r, new(pool.Pool), 4<<10)
	return w
}

// decodeOne decodes an answer that is one object, with no entries, into dst.
func decodeOne(r io.Reader, e *endpoint, dst any) error {
	w := walkOne(e, r)
	defer w.close()
	if w.whole() {
		if w.refuse == nil {
			w.note(w.decode(dst))
		}
		w.leaveAnswer()
	}
	return w.result()
}

// whole makes the answer the current value, and takes in its members.
func (w *walk) whole() bool {
	if !w.enterAnswer() {
		return false
	}
	w.pos-- // back to the brace
	w.depth = 0
	if !w.value() || !w.check() {
		return false
	}
	answer, start := w.raw, w.start
	for key, value := range members(answer) {
		w.empty = false
		w.key, w.named = append(w.key[:0], unquote(key)...), true
		w.raw, w.start = value, start+int64(cap(answer)-cap(value))
		w.member()
	}
	w.key, w.named, w.raw, w.start = w.key[:0], false, answer, start
	return true
}
