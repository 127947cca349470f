package statsdecode

import (
	"bytes"
	"fmt"
	"iter"
	"reflect"
	"strconv"
	"unicode/utf8"

	"github.com/goccy/go-json"
)

// scanner finds where a JSON value ends, in one pass over bytes that may come
// in pieces. It counts brackets and knows strings, and leaves the judgement of
// all else to the decoder that gets the value.
type scanner struct {
	begun    bool // a byte of the value was seen
	scalar   bool // the value is a number or a literal: it ends before a delimiter
	inString bool
	escaped  bool // inside a string, after a backslash
	depth    int  // open brackets
}

// scan goes on with b, the bytes after those of the calls before. It returns
// how many of b belong to the value, and whether the value ends with them.
func (s *scanner) scan(b []byte) (n int, done bool) {
	i := 0
	if !s.begun && len(b) > 0 {
		s.begun = true
		s.scalar = !brackets[b[0]]
	}
	if s.scalar {
		for i < len(b) && !isDelimiter(b[i]) {
			i++
		}
		return i, i < len(b)
	}
	for {
		if s.inString {
			if i += s.skipString(b[i:]); s.inString {
				return i, false
			}
			if s.depth == 0 {
				return i, true
			}
		}
		for i < len(b) && !brackets[b[i]] {
			i++
		}
		if i == len(b) {
			return i, false
		}
		switch b[i] {
		case '"':
			s.inString = true
		case '{', '[':
			s.depth++
		default:
			s.depth--
		}
		if i++; s.depth <= 0 && !s.inString {
			return i, true
		}
	}
}

// skipString goes on within a string, and returns how many of b belong to it.
func (s *scanner) skipString(b []byte) int {
	for i, c := range b {
		switch {
		case s.escaped:
			s.escaped = false
		case c == '\\':
			s.escaped = true
		case c == '"':
			s.inString = false
			return i + 1
		}
	}
	return len(b)
}

// brackets are the bytes that a scanner stops at outside of a string.
var brackets = [256]bool{'{': true, '}': true, '[': true, ']': true, '"': true}

// valueEnd returns where the value at the start of b ends. b is known to be
// valid and to begin with a value.
func valueEnd(b []byte) int {
	var s scanner
	n, _ := s.scan(b)
	return n
}

// checked returns data without white space around it, or an error if it is not
// one JSON value. Decoders hand valid values to UnmarshalJSON methods, other
// callers may not.
func checked(data []byte) ([]byte, error) {
	v := bytes.Trim(data, " \t\r\n")
	if err := syntaxError(v); err != nil {
		return nil, fmt.Errorf("statsdecode: %w", err)
	}
	return v, nil
}

// members walks the members of a valid JSON object: names with their quotes,
// values as they stand. Other values have none.
func members(value []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func(key, value []byte) bool) {
		if !isObject(value) {
			return
		}
		for b := skipSpace(value[1:]); len(b) > 0 && b[0] == '"'; b = skipComma(b) {
			end := valueEnd(b)
			key := b[:end]
			b = skipSpace(b[end:])
			if len(b) == 0 || b[0] != ':' || len(key) < 2 {
				return // not valid after all
			}
			b = skipSpace(b[1:])
			end = valueEnd(b)
			if end == 0 || !yield(key, b[:end]) {
				return
			}
			b = b[end:]
		}
	}
}

// elements walks the elements of a valid JSON array. Other values have none.
func elements(array []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		if len(array) == 0 || array[0] != '[' {
			return
		}
		for b := skipSpace(array[1:]); len(b) > 0 && b[0] != ']'; b = skipComma(b) {
			end := valueEnd(b)
			if end == 0 || !yield(b[:end]) {
				return
			}
			b = b[end:]
		}
	}
}

func skipComma(b []byte) []byte {
	if b = skipSpace(b); len(b) > 0 && b[0] == ',' {
		return skipSpace(b[1:])
	}
	return b
}

func skipSpace(b []byte) []byte {
	for len(b) > 0 && isSpace(b[0]) {
		b = b[1:]
	}
	return b
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\r' || c == '\t' }

func isDelimiter(c byte) bool {
	return isSpace(c) || c == ',' || c == ':' || c == '}' || c == ']' || c == '{' || c == '[' || c == '"'
}

func isObject(value []byte) bool { return len(value) > 0 && value[0] == '{' }

func isNull(value []byte) bool { return string(value) == "null" }

// isNumber reports whether a valid value is a number.
func isNumber(value []byte) bool {
	return len(value) > 0 && (value[0] == '-' || '0' <= value[0] && value[0] <= '9')
}

// plainText returns what stands between the quotes, and whether that is the
// text of the string: no escapes, nothing that is not valid.
func plainText(quoted []byte) ([]byte, bool) {
	text := quoted[1 : len(quoted)-1]
	for _, c := range text {
		if c == '\\' || c < ' ' {
			return text, false
		}
	}
	return text, utf8.Valid(text)
}

// unquote returns the text of a valid JSON string. Most are plain, and share
// memory with quoted.
func unquote(quoted []byte) []byte {
	text, plain := plainText(quoted)
	if plain {
		return text
	}
	var s string
	if json.Unmarshal(quoted, &s) != nil {
		return text
	}
	return []byte(s)
}

// unquoteOr returns the text of a JSON string: old itself if that is its text.
func unquoteOr(old string, quoted []byte) string {
	text := unquote(quoted)
	if old == string(text) {
		return old
	}
	return string(text)
}

// wrongType is the error of a value that Go's v cannot hold.
func wrongType(value []byte, v any) error {
	kind := "number"
	switch value[0] {
	case '{':
		kind = "object"
	case '[':
		kind = "array"
	case '"':
		kind = "string"
		if len(value) <= 64 {
			kind += " " + strconv.Quote(string(unquote(value)))
		}
	case 't', 'f':
		kind = "bool"
	default:
		if len(value) <= 64 {
			kind += " " + string(value)
		}
	}
	return &json.UnmarshalTypeError{Value: kind, Type: reflect.TypeOf(v)}
}
