package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/lowalloc/lowalloc/pool"
	"github.com/lowalloc/lowalloc/statsdecode"
)

// shipper sends batches until each document in them is created or rejected.
type shipper struct {
	backoff backoff
	rejects *rejects
	counts  *counts
	stop    context.CancelCauseFunc // nothing more is to be read or sent
}

// sendFunc makes one attempt at a body. Without an error the server has said of
// each document, in docs, what became of it.
type sendFunc func(ctx context.Context, body []byte, docs []document) error

// sender returns the sendFunc of one goroutine.
func (c *client) sender() sendFunc {
	var decoder statsdecode.Decoder
	return func(ctx context.Context, body []byte, docs []document) error {
		c.counts.body.Add(int64(len(body)))
		return c.post(ctx, body, "", func(r io.Reader) error { return readItems(&decoder, r, docs) })
	}
}

// work ships one batch after the other, with one request at a time: a batch
// that has to be sent again keeps its place.
func (s *shipper) work(ctx context.Context, send sendFunc, full <-chan *batch, empty chan<- *batch, buffers *pool.Pool) {
	for b := range full {
		s.ship(ctx, send, b.body.B, b.docs)
		buffers.Put(b.body)
		b.body, b.docs = nil, b.docs[:0]
		empty <- b
	}
}

// ship sends documents until each is created or rejected. It makes the body and
// the list shorter as it gets on, within their own memory.
func (s *shipper) ship(ctx context.Context, send sendFunc, body []byte, docs []document) {
	for failed := 0; len(docs) > 0; {
		if ctx.Err() != nil {
			s.giveUp(body, docs, context.Cause(ctx))
			return
		}
		if failed > 0 {
			s.counts.retries.Add(1)
		}
		err := send(ctx, body, docs)
		answer, _ := errors.AsType[*statusError](err)
		var after time.Duration
		switch {
		case err == nil:
			before := len(docs)
			body, docs = s.settle(body, docs)
			if len(docs) < before {
				failed = 0
			}
			if len(docs) > 0 {
				err = refusal(&docs[0])
			}
		case answer == nil: // no answer, a part of one, or one that is not of the server
			if !neverSent(err) {
				markUnknown(docs)
			}
		case answer.status == http.StatusTooManyRequests: // refused before anything was done
			after = answer.retryAfter
		case answer.status == http.StatusRequestTimeout, answer.status >= 500:
			markUnknown(docs)
			after = answer.retryAfter
		case answer.status == http.StatusRequestEntityTooLarge, answer.status == http.StatusBadRequest:
			if len(docs) == 1 {
				s.reject(body, &docs[0], answer.status, answer.failure)
				return
			}
			// One document is to blame, or their number: in halves, most get through.
			half, size := len(docs)/2, 0
			for i := range docs[:half] {
				size += docs[i].size()
			}
			s.ship(ctx, send, body[:size], docs[:half])
			s.ship(ctx, send, body[size:], docs[half:])
			return
		default: // it does not take our requests at all
			s.stop(fmt.Errorf("the server takes no requests of ours: %w", err))
			continue
		}
		if len(docs) > 0 {
			failed++
			s.counts.trouble(err)
			wait(ctx, s.backoff.pause(failed, after))
		}
	}
}

// markUnknown notes that an attempt may have created any of the documents. What
// a part of an answer said of them does not count.
func markUnknown(docs []document) {
	for i := range docs {
		docs[i].status, docs[i].failure, docs[i].unknown = 0, nil, true
	}
}

// settle counts or rejects each document of which the server has said what
// became of it, and returns those that are to be sent again, moved together.
func (s *shipper) settle(body []byte, docs []document) ([]byte, []document) {
	againBody, again := body[:0], docs[:0]
	for i := range docs {
		doc := docs[i]
		lines := body[:doc.size()]
		body = body[doc.size():]
		switch {
		case doc.status < 300,
			// Whether an earlier attempt had created it was not known: it had.
			doc.status == http.StatusConflict && doc.unknown:
			s.counts.created.Add(1)
		case doc.status == http.StatusTooManyRequests, doc.status >= 500:
			doc.unknown = doc.unknown || doc.status >= 500
			againBody, again = append(againBody, lines...), append(again, doc)
		default:
			answer := refusal(&doc)
			s.reject(lines, &doc, answer.status, answer.failure)
		}
	}
	return againBody, again
}

// refusal is what the server said of a document that it did not create.
func refusal(doc *document) *statusError {
	e := &statusError{status: doc.status, failure: failure{Type: "no_reason"}}
	if doc.failure != nil {
		e.failure = *doc.failure
	}
	return e
}

// reject rejects the first document of a body.
func (s *shipper) reject(body []byte, doc *document, status int, why failure) {
	s.rejects.write(rejected{
		id:       idOf(body[:doc.action]),
		status:   status,
		kind:     why.Type,
		reason:   why.Reason,
		document: body[doc.action : doc.size()-1],
		object:   true,
	})
}

// giveUp rejects all that is left, since nothing more is to be sent.
func (s *shipper) giveUp(body []byte, docs []document, cause error) {
	for i := range docs {
		doc := &docs[i]
		status, why := doc.status, failure{"gave_up", cause.Error()}
		if answer, ok := errors.AsType[*statusError](cause); ok {
			status, why = answer.status, answer.failure
		}
		if doc.unknown {
			why.Reason += " (an attempt had no answer: it may be there)"
		}
		s.reject(body, doc, status, why)
		body = body[doc.size():]
	}
}
