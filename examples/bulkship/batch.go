package main

import (
	"time"

	"github.com/lowalloc/lowalloc/pool"
	"github.com/lowalloc/lowalloc/timerx"
)

// batch is the content of one request: a body, and what is known of each of the
// documents in it.
type batch struct {
	body *pool.Buffer
	docs []document
}

// batcher makes batches of the lines that come in blocks. A batch is full when
// it holds maxDocs documents or has no room for the next in maxBytes, and goes
// out when it is full or linger after its first document, whichever is earlier.
//
// The batches that there are take turns: as many as can be in flight, and the
// one that is filled meanwhile. While all are in flight nobody takes the full
// one, so no blocks are taken either, and the source waits: this bounds the
// memory, however fast the input is and however slow the server.
type batcher struct {
	maxDocs, maxBytes int
	linger            time.Duration
	source            *source

	empty <-chan *batch // shipped, to be filled again
	full  chan<- *batch // to be shipped
	batch *batch        // the one being filled; nil before its first document

	buffers *pool.Pool
	timer   timerx.Timer
}

// run closes full when the last batch is out: at the end of the blocks, or when
// nothing more is to be waited for.
func (b *batcher) run(stop <-chan struct{}) {
	defer close(b.full)
	defer b.timer.Stop()
	for {
		select {
		case lines, ok := <-b.source.blocks:
			if !ok {
				b.flush()
				return
			}
			for id, line := range b.source.documents(lines) {
				b.add(id, line)
			}
		case <-b.timer.C():
			b.flush()
		case <-stop:
			b.flush()
			return
		}
	}
}

func (b *batcher) add(id, line []byte) {
	if b.batch != nil && len(b.batch.body.B)+len(actionBegin)+len(id)+len(actionEnd)+len(line)+1 > b.maxBytes {
		b.flush()
	}
	if b.batch == nil {
		b.batch = <-b.empty
		// GetSize with the size of the last body would round that up: over a million
		// documents 41 MB allocated where this takes 57, but 22 MB of heap at most for 16.
		b.batch.body = b.buffers.Get()
	}
	body, doc := appendDocument(b.batch.body.B, id, line)
	b.batch.body.B = body
	b.batch.docs = append(b.batch.docs, doc)
	if len(b.batch.docs) == b.maxDocs {
		b.flush()
	} else {
		b.timer.Arm(b.linger) // does nothing unless this is the first document
	}
}

// flush hands the batch to whoever ships it next, and waits for that.
func (b *batcher) flush() {
	b.timer.Stop() // whatever made us flush, the next linger begins with the next document
	if b.batch != nil {
		b.full <- b.batch
		b.batch = nil
	}
}
