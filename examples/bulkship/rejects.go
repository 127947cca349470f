package main

import (
	"os"
	"strconv"
	"sync"
)

// rejected is a document that was not created, and why.
type rejected struct {
	id       []byte // a JSON string without its quotes; nil if it has none
	status   int    // what the server said; 0 if it said nothing
	kind     string // the type of the error
	reason   string
	document []byte // the line
	object   bool   // whether the line is a JSON object
}

// rejects writes rejected documents to a file of NDJSON, made when there is the
// first. Each is written at once, so that what is counted is there.
type rejects struct {
	path   string
	counts *counts
	failed func(error) // called when the file cannot be written

	mu   sync.Mutex
	file *os.File
	line []byte
}

// write writes one document and counts it, unless the file fails.
func (r *rejects) write(doc rejected) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.append(doc); err != nil {
		r.failed(err)
		return
	}
	r.counts.rejected.Add(1)
}

func (r *rejects) append(doc rejected) error {
	if r.file == nil {
		f, err := os.OpenFile(r.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			return err
		}
		r.file = f
	}
	r.line = appendRejected(r.line[:0], doc)
	_, err := r.file.Write(r.line)
	return err
}

func (r *rejects) close() error {
	if r.file == nil {
		return nil
	}
	return r.file.Close()
}

func appendRejected(b []byte, doc rejected) []byte {
	b = append(b, `{"_id":`...)
	if doc.id == nil {
		b = append(b, "null"...)
	} else {
		b = append(append(append(b, '"'), doc.id...), '"')
	}
	b = append(b, `,"status":`...)
	if doc.status == 0 {
		b = append(b, "null"...)
	} else {
		b = strconv.AppendInt(b, int64(doc.status), 10)
	}
	b = appendString(append(b, `,"type":`...), doc.kind)
	b = appendString(append(b, `,"reason":`...), doc.reason)
	b = append(b, `,"document":`...)
	if doc.object {
		b = append(b, doc.document...)
	} else {
		b = appendString(b, doc.document)
	}
	return append(b, "}\n"...)
}

// appendString appends s as a JSON string. Bytes that are not UTF-8 stay as they
// are, where encoding/json would replace them: they are what has to be mended.
func appendString[T string | []byte](b []byte, s T) []byte {
	b = append(b, '"')
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
		case c < ' ':
			b = append(b, '\\', 'u', '0', '0', hex[c>>4], hex[c&0xf])
		default:
			b = append(b, c)
		}
	}
	return append(b, '"')
}

const hex = "0123456789abcdef"
