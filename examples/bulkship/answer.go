package main

import (
	"fmt"
	"io"

	"github.com/lowalloc/lowalloc/statsdecode"
)

// answerFilter keeps answers to what is looked at: 25 bytes a document for 200
// and more. The last two are for answers to the whole request.
const answerFilter = "items.*.status,items.*.error,error,status"

// item is what an answer says of one document, in the order of the request.
type item struct {
	Create struct {
		Status int      `json:"status"`
		Error  *failure `json:"error"`
	} `json:"create"`
}

// readItems reads an answer with one item for each document. With an error it
// has none, or not all: then nothing that it says of a document counts.
//
// goccy/go-json into a slice that is used again, with the answer read into a
// buffer first, takes 121 us for 1,600 items where this takes 440 us, and 0
// allocations for 11 (BenchmarkAnswer). That is 0.2 us of the 7 that a document
// takes in all, and it would have to be told how large an answer may be.
func readItems(d *statsdecode.Decoder, r io.Reader, docs []document) error {
	n := 0
	for entry, err := range statsdecode.Entries[item](d, r, "items") {
		if err != nil {
			return err
		}
		if n < len(docs) {
			docs[n].status, docs[n].failure = entry.Value.Create.Status, entry.Value.Create.Error
		}
		n++
	}
	return checkItems(n, docs)
}

// checkItems returns an error unless an answer has one item for each document,
// and each says what became of it.
func checkItems(items int, docs []document) error {
	if items != len(docs) {
		return fmt.Errorf("the answer has %d items for %d documents", items, len(docs))
	}
	for i := range docs {
		if docs[i].status < 200 {
			return fmt.Errorf("the answer does not say what became of document %d of %d", i+1, len(docs))
		}
	}
	return nil
}
