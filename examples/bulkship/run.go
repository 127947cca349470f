package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/lowalloc/lowalloc/pool"
)

// errInterrupted is why nothing more is sent after the second Ctrl-C.
var errInterrupted = errors.New("interrupted")

// run ships, from the inputs to the summary.
func (c *config) run(signals <-chan os.Signal, stdin io.Reader, stdout, stderr io.Writer) error {
	if c.url == "" {
		address, stop, err := serveSink()
		if err != nil {
			return err
		}
		defer stop()
		c.url = address
	}
	// What ends shipping ends reading, but not the other way round.
	shipping, stop := context.WithCancelCause(context.Background())
	defer stop(nil)
	reading, stopReading := context.WithCancel(shipping)
	defer stopReading()
	go func() {
		for _, interrupt := range []func(){stopReading, func() { stop(errInterrupted) }} {
			select {
			case <-signals:
				interrupt()
			case <-shipping.Done():
				return
			}
		}
	}()

	counts := new(counts)
	p := startProgress(counts, stderr)
	err := c.ship(shipping, stop, reading, c.inputs(stdin), counts)
	_, printErr := io.WriteString(stdout, p.stop())
	if n := counts.rejected.Load(); n > 0 {
		_, _ = fmt.Fprintf(stderr, "bulkship: %d documents are in %s, with the reason\n", n, c.rejects)
	}
	if missing := counts.read.Load() - counts.done(); missing != 0 {
		err = errors.Join(err, fmt.Errorf("%d documents that were read are neither created nor in the reject file", missing))
	}
	return errors.Join(err, context.Cause(shipping), printErr)
}

func (c *config) inputs(stdin io.Reader) []input {
	if len(c.files) == 0 {
		return []input{stream("the made-up documents", newGenerator(c.generate))}
	}
	var inputs []input
	for _, name := range c.files {
		if name == "-" {
			inputs = append(inputs, stream("standard input", stdin))
		} else {
			inputs = append(inputs, file(name))
		}
	}
	return inputs
}

// grace is how long a read may take to end that is under way when reading is to
// stop. One of standard input may not end at all: then it is left alone.
const grace = 100 * time.Millisecond

// ship runs the source, the batcher and as many shippers as requests can be in
// flight, and returns when all that was read is created or rejected. The error
// is that of reading.
func (c *config) ship(shipping context.Context, stop context.CancelCauseFunc, reading context.Context, inputs []input, counts *counts) error {
	rejects := &rejects{path: c.rejects, counts: counts, failed: stop}
	full, empty := make(chan *batch), make(chan *batch, c.inFlight+1)
	for range cap(empty) {
		empty <- new(batch)
	}
	// A body grows by a quarter at a time, so that one can take up a quarter more.
	buffers := &pool.Pool{MaxSize: c.bytes + c.bytes/4}

	source := newSource(newIdentifier(c.id), rejects, counts)
	readErr := make(chan error, 1)
	go func() { readErr <- source.run(reading, inputs) }()

	b := &batcher{
		maxDocs: c.docs, maxBytes: c.bytes, linger: c.linger,
		source: source, empty: empty, full: full, buffers: buffers,
	}
	leave := make(chan struct{})
	context.AfterFunc(reading, func() { time.AfterFunc(grace, func() { close(leave) }) })
	go b.run(leave)

	client := newClient(c.url, c.index, c.auth, c.timeout, c.inFlight, counts)
	shipper := &shipper{backoff: usualBackoff, rejects: rejects, counts: counts, stop: stop}
	var workers sync.WaitGroup
	for range c.inFlight {
		workers.Go(func() { shipper.work(shipping, client.sender(), full, empty, buffers) })
	}
	workers.Wait()
	client.http.CloseIdleConnections()
	err := rejects.close()
	select {
	case e := <-readErr:
		err = errors.Join(e, err)
	default: // left alone
	}
	return err
}

// serveSink starts a sink on this machine and returns its address.
func serveSink() (address string, stop func(), err error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	server := &http.Server{Handler: newSink(), ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = server.Serve(l) }()
	return "http://" + l.Addr().String(), func() { _ = server.Close() }, nil
}
