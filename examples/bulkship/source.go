package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"

	"github.com/lowalloc/lowalloc/pool"
)

const (
	// blockSize is how much of an input is read at once. It is the largest that
	// the zero pool.Pool keeps.
	blockSize = pool.DefaultMaxSize

	// maxLine is the longest line that can be a document, in bytes. It bounds
	// the memory that a file without newlines takes.
	maxLine = 16 << 20

	// maxBeginning is how much of a longer line the reject file shows.
	maxBeginning = 1000
)

// input is something to read documents from.
type input struct {
	name string // for people
	open func() (io.ReadCloser, error)
}

func file(name string) input {
	return input{name, func() (io.ReadCloser, error) { return os.Open(name) }}
}

func stream(name string, r io.Reader) input {
	return input{name, func() (io.ReadCloser, error) { return io.NopCloser(r), nil }}
}

// A block is a piece of an input: whole lines.
type block struct {
	*pool.Buffer
	input string
	line  int // the number of its first line
}

// source reads inputs into blocks. A goroutine of its own does so, since a read
// of standard input takes as long as it pleases its other end.
type source struct {
	blocks  chan block
	buffers pool.Pool
	ids     *identifier
	rejects *rejects
	counts  *counts
}

func newSource(ids *identifier, rejects *rejects, counts *counts) *source {
	return &source{blocks: make(chan block), ids: ids, rejects: rejects, counts: counts}
}

// run reads one input after the other, until ctx is done, and closes blocks.
func (s *source) run(ctx context.Context, inputs []input) error {
	defer close(s.blocks)
	for _, in := range inputs {
		r, err := in.open()
		if err != nil {
			return err
		}
		err = s.read(ctx, in.name, r)
		_ = r.Close()
		if err != nil {
			return fmt.Errorf("%s: %w", in.name, err)
		}
	}
	return nil
}

// read sends what r has in blocks, each as soon as it has whole lines: so the
// lines of a slow input do not wait for others.
func (s *source) read(ctx context.Context, name string, r io.Reader) error {
	b, line := s.buffers.GetSize(blockSize), 1
	send := func(end int) {
		rest := b.B[end:]
		next := s.buffers.GetSize(max(blockSize, 2*len(rest)))
		next.B = append(next.B, rest...)
		b.B = b.B[:end]
		lines := bytes.Count(b.B, newline)
		s.blocks <- block{b, name, line}
		b, line = next, line+lines
	}
	searched := 0 // how much of b has no newline
	for {
		if end := bytes.LastIndexByte(b.B[searched:], '\n') + 1; end > 0 {
			send(searched + end)
		}
		searched = len(b.B)
		switch {
		case ctx.Err() != nil:
			return nil
		case len(b.B) >= maxLine:
			s.rejectLong(name, line, b.B)
			if err := skipLine(r, b); err != nil {
				return ignoreEOF(err)
			}
			line++
			searched = 0
			continue
		case b.Available() == 0:
			b.Grow(len(b.B)) // a line that is longer than the block
		}
		n, err := r.Read(b.B[len(b.B):cap(b.B)])
		b.B = b.B[:len(b.B)+n]
		if errors.Is(err, io.EOF) && len(b.B) > 0 {
			send(len(b.B)) // the last line needs no newline
		}
		if err != nil {
			return ignoreEOF(err)
		}
	}
}

var newline = []byte{'\n'}

func (s *source) rejectLong(name string, line int, beginning []byte) {
	s.counts.read.Add(1)
	s.rejects.write(rejected{
		kind:     "line_too_long",
		reason:   fmt.Sprintf("line %d of %s is longer than %d bytes; this is its beginning", line, name, maxLine),
		document: beginning[:maxBeginning],
	})
}

// skipLine reads past the end of the line, and leaves in b what came behind it.
func skipLine(r io.Reader, b *pool.Buffer) error {
	for {
		n, err := r.Read(b.B[:cap(b.B)])
		if i := bytes.IndexByte(b.B[:n], '\n'); i >= 0 {
			b.B = b.B[:copy(b.B, b.B[i+1:n])]
			return nil // err comes again with the next read
		}
		if err != nil {
			return err
		}
	}
}

func ignoreEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// documents returns the _id and the line of each document in a block. It rejects
// the lines that are none, and takes the block's memory back at the end.
func (s *source) documents(lines block) iter.Seq2[[]byte, []byte] {
	return func(yield func(id, line []byte) bool) {
		defer s.buffers.Put(lines.Buffer)
		number := lines.line - 1
		for line := range bytes.Lines(lines.B) {
			number++
			line = bytes.Trim(line, " \t\r\n")
			if len(line) == 0 {
				continue
			}
			s.counts.read.Add(1)
			id, wrong := s.ids.identify(line)
			if wrong != nil {
				reason := fmt.Sprintf("line %d of %s: %s", number, lines.input, wrong.Reason)
				s.rejects.write(rejected{kind: wrong.Type, reason: reason, document: line})
			} else if !yield(id, line) {
				return
			}
		}
	}
}
