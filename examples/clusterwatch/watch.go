package main

import (
	"context"
	"fmt"
	"time"
)

// watch makes reports out of polls. It keeps the last complete answers, so that
// a poll that failed, or got half an answer, costs its own report only.
type watch struct {
	limits limits
	out    printer
	source string

	nodes       *snapshot // with the last complete nodes
	indices     *snapshot // with the last complete indices
	correlation correlation
}

// run polls until count reports are written, 0 for no end, or ctx is done. The
// first poll must succeed.
func (w *watch) run(ctx context.Context, poll func(context.Context) (*snapshot, error), interval time.Duration, count int) error {
	first, err := poll(ctx)
	if err != nil {
		return fmt.Errorf("%s: %w", w.source, err)
	}
	w.keep(first)
	if err := w.out.say("Watching %s at %s: a report every %v, Ctrl-C ends.", printable(first.health.ClusterName), w.source, interval); err != nil {
		return err
	}
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for i := 0; count == 0 || i < count; i++ {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
		s, err := poll(ctx)
		if ctx.Err() != nil {
			return nil
		}
		if err := w.out.write(w.compare(s, err)); err != nil {
			return err
		}
	}
	return nil
}

// replay writes the one report that two polls make.
func (w *watch) replay(intro string, before, now *snapshot) error {
	if err := w.out.say("%s", intro); err != nil {
		return err
	}
	w.keep(before)
	return w.out.write(w.compare(now, nil))
}

// keep makes the complete answers of a poll those that the next is compared with.
func (w *watch) keep(s *snapshot) {
	if s.nodesComplete {
		w.nodes = s
	}
	if s.indicesComplete {
		w.indices = s
	}
}

// compare makes the report of a poll that may have ended early with err.
func (w *watch) compare(s *snapshot, err error) *report {
	r := &report{
		Time: s.at, Source: w.source, Cluster: clusterOf(s), Missed: missed(s, err),
		Nodes:   compareNodes(w.nodes, s),
		Indices: compareIndices(w.indices, s),
	}
	for i := range r.Nodes {
		w.limits.judge(&r.Nodes[i])
	}
	r.IOBound = conclude(r.Nodes)
	if w.nodes != nil && s.nodesComplete {
		r.Seconds = known(s.at.Sub(w.nodes.at).Seconds())
		r.Reasons = reasons(r.Nodes, gone(w.nodes.nodes, s.nodes))
		w.correlation.add(clusterRates(r.Nodes))
	} else {
		r.Reasons = []point{{says: "a comparison wants two complete answers about the nodes"}}
	}
	r.Correlation = w.correlation.coefficient()
	if r.IOBound == yes {
		r.Advice = advise(r.Indices)
	}
	w.keep(s)
	return r
}

// missed says what a poll did not get.
func missed(s *snapshot, err error) []string {
	var lines []string
	if err != nil {
		lines = append(lines, err.Error())
	}
	for _, flaw := range s.flaws {
		lines = append(lines, flaw.Error())
	}
	if s.moreFlaws > 0 {
		lines = append(lines, fmt.Sprintf("and %d fields more", s.moreFlaws))
	}
	return lines
}
