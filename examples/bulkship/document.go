package main

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"strconv"
	"unicode/utf8"
)

// document is what is known of one document of a body. A body is the action
// lines and documents one behind the other, so two lengths say where each lies:
// parts of a list of documents and of a body stay together when either is cut.
type document struct {
	action, source int      // lengths of the two lines, with their newlines
	status         int      // what the last answer said, 0 for nothing
	failure        *failure // and why, if it failed
	unknown        bool     // an attempt may have created it without our learning so
}

func (d *document) size() int { return d.action + d.source }

// failure is why a server did not take a document, in its words.
type failure struct {
	Type   string `json:"type"`
	Reason string `json:"reason"`
}

// The documents go as create, with an _id of ours: a create that is sent again
// is refused if it was carried out before, and so nothing is there twice.
const (
	actionBegin = `{"create":{"_id":"`
	actionEnd   = "\"}}\n"
)

// appendDocument appends the two lines of a document to a body. id is a JSON
// string without its quotes.
func appendDocument(body, id, line []byte) ([]byte, document) {
	begin := len(body)
	body = append(body, actionBegin...)
	body = append(body, id...)
	body = append(body, actionEnd...)
	action := len(body) - begin
	body = append(body, line...)
	body = append(body, '\n')
	return body, document{action: action, source: len(line) + 1}
}

// idOf returns the _id of a document as it stands in the action line, a JSON
// string without its quotes.
func idOf(action []byte) []byte { return action[len(actionBegin) : len(action)-len(actionEnd)] }

// maxID is the longest _id that servers take, in bytes. They refuse the whole
// request for a longer one.
const maxID = 512

// identifier makes the _id of each document.
type identifier struct {
	member string // whose value it is, or ""
	run    string // random, so that no two runs give the same
	next   int
	buf    []byte
}

func newIdentifier(member string) *identifier {
	return &identifier{member: member, run: rand.Text()[:12]}
}

// identify checks that a line is a JSON object and returns its _id, valid until
// the next call. What is no object in UTF-8 would be refused by the server, too,
// but without the number of the line; and an _id that no server takes would
// take down the request with all the other documents.
func (d *identifier) identify(line []byte) (id []byte, wrong *failure) {
	switch {
	case !utf8.Valid(line):
		return nil, &failure{"not_utf8", "it is not UTF-8"}
	case line[0] != '{' || !json.Valid(line):
		return nil, &failure{"not_json_object", "it is not a JSON object"}
	case d.member != "":
		return memberID(line, d.member)
	}
	d.buf = append(d.buf[:0], d.run...)
	d.buf = append(d.buf, '-')
	d.buf = strconv.AppendInt(d.buf, int64(d.next), 10)
	d.next++
	return d.buf, nil
}

func memberID(line []byte, name string) (id []byte, wrong *failure) {
	value := member(line, name)
	switch {
	case value == nil:
		return nil, &failure{"no_id", fmt.Sprintf("it has no member %q", name)}
	case value[0] == '"':
		id = value[1 : len(value)-1]
	case value[0] == '-' || '0' <= value[0] && value[0] <= '9':
		id = value
	default:
		return nil, &failure{"no_id", fmt.Sprintf("its member %q is neither a string nor a number", name)}
	}
	switch {
	case len(id) == 0:
		return nil, &failure{"no_id", fmt.Sprintf("its member %q is empty", name)}
	case len(id) > maxID && (value[0] != '"' || len(unquoted(value)) > maxID):
		return nil, &failure{"no_id", fmt.Sprintf("its member %q is longer than the %d bytes of an _id", name, maxID)}
	}
	return id, nil
}

// member returns the value of a member of an object, as it is written, or nil.
// The object must be valid: that leaves nothing to do but to find the ends.
func member(object []byte, name string) []byte {
	i := skipSpace(object, 1)
	for object[i] != '}' {
		key := object[i:valueEnd(object, i)]
		i = skipSpace(object, i+len(key))
		i = skipSpace(object, i+len(":"))
		value := object[i:valueEnd(object, i)]
		if string(key[1:len(key)-1]) == name || bytes.IndexByte(key, '\\') >= 0 && unquoted(key) == name {
			return value
		}
		i = skipSpace(object, i+len(value))
		if object[i] == ',' {
			i = skipSpace(object, i+len(","))
		}
	}
	return nil
}

func skipSpace(b []byte, i int) int {
	for b[i] == ' ' || b[i] == '\t' || b[i] == '\r' || b[i] == '\n' {
		i++
	}
	return i
}

// valueEnd returns the index behind the value that begins at i.
func valueEnd(b []byte, i int) int {
	for depth := 0; i < len(b); i++ {
		switch b[i] {
		case '"':
			for i++; b[i] != '"'; i++ {
				if b[i] == '\\' {
					i++
				}
			}
			if depth == 0 {
				return i + 1
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 { // of what the value is in
				return i
			}
			if depth--; depth == 0 {
				return i + 1
			}
		case ',', ' ', '\t', '\r', '\n':
			if depth == 0 {
				return i
			}
		}
	}
	return i
}

// unquoted returns what a valid JSON string stands for.
func unquoted(quoted []byte) (s string) {
	_ = json.Unmarshal(quoted, &s)
	return s
}
