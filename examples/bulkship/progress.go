package main

import (
	"fmt"
	"io"
	"os"
	"runtime/metrics"
	"sync"
	"sync/atomic"
	"time"
)

// counts is what was done so far. The zero value is ready to use, by all
// goroutines at once.
type counts struct {
	read, created, rejected     atomic.Int64 // documents
	requests, retries, inFlight atomic.Int64 // requests
	body, sent                  atomic.Int64 // bytes of bodies, before and after compression

	mu   sync.Mutex
	last error // why the last attempt failed
}

func (c *counts) done() int64 { return c.created.Load() + c.rejected.Load() }

func (c *counts) ratio() float64 {
	return float64(c.body.Load()) / float64(max(c.sent.Load(), 1))
}

func (c *counts) trouble(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last = err
}

// takeTrouble returns the last trouble since it was called.
func (c *counts) takeTrouble() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	err := c.last
	c.last = nil
	return err
}

// heap watches the memory of heap objects, live ones and those not yet swept,
// and keeps the highest that it saw. It counts nothing that the runtime keeps
// free, so it tells what the program needs, not what the system gave it.
type heap struct {
	sample [1]metrics.Sample
	high   uint64 // bytes
}

const heapMetric = "/memory/classes/heap/objects:bytes"

func (h *heap) look() {
	h.sample[0].Name = heapMetric
	metrics.Read(h.sample[:])
	h.high = max(h.high, h.sample[0].Value.Uint64())
}

const (
	lookEvery      = 5 * time.Millisecond
	redrawEvery    = 200 * time.Millisecond
	lineEvery      = 10 * time.Second // or when so many documents are done:
	lineEveryCount = 100_000
)

// progress tells how far things are: on a terminal in one line that is redrawn,
// otherwise in lines for a log, which show whether memory is flat.
type progress struct {
	counts   *counts
	out      io.Writer
	terminal bool
	begin    time.Time
	heap     heap
	stopping chan struct{}
	stopped  chan struct{}
}

func startProgress(c *counts, out io.Writer) *progress {
	p := &progress{
		counts: c, out: out, terminal: isTerminal(out), begin: time.Now(),
		stopping: make(chan struct{}), stopped: make(chan struct{}),
	}
	go p.run()
	return p
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

func (p *progress) run() {
	defer close(p.stopped)
	ticker := time.NewTicker(lookEvery)
	defer ticker.Stop()
	shown, count := p.begin, int64(0)
	for {
		p.heap.look()
		since, done := time.Since(shown), p.counts.done()/lineEveryCount
		switch {
		case p.terminal && since >= redrawEvery:
			_, _ = fmt.Fprintf(p.out, "\r\x1b[K%s", p.line())
			shown = time.Now()
		case !p.terminal && (since >= lineEvery || done > count):
			_, _ = fmt.Fprintln(p.out, p.line())
			shown = time.Now()
		}
		count = done
		select {
		case <-ticker.C:
		case <-p.stopping:
			return
		}
	}
}

func (p *progress) line() string {
	c := p.counts
	line := fmt.Sprintf("%d documents, %.0f/s, compressed %.1f times, %d in flight, %d retries, heap high-water %.1f MB",
		c.done(), float64(c.done())/time.Since(p.begin).Seconds(), c.ratio(), c.inFlight.Load(), c.retries.Load(), float64(p.heap.high)/1e6)
	if err := c.takeTrouble(); err != nil {
		line += ", last failure: " + err.Error()
	}
	return line
}

// stop ends the progress and returns the summary: a name and a value in each line.
func (p *progress) stop() string {
	took := time.Since(p.begin).Seconds()
	close(p.stopping)
	<-p.stopped
	if p.terminal {
		_, _ = io.WriteString(p.out, "\r\x1b[K")
	}
	p.heap.look()
	c := p.counts
	return fmt.Sprintf(`read             %d
created          %d
rejected         %d
requests         %d
retries          %d
body_bytes       %d
sent_bytes       %d
ratio            %.2f
seconds          %.3f
documents/s      %.0f
heap_high_water  %d
`, c.read.Load(), c.created.Load(), c.rejected.Load(), c.requests.Load(), c.retries.Load(),
		c.body.Load(), c.sent.Load(), c.ratio(), took, float64(c.done())/took, p.heap.high)
}
