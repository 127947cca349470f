package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"
)

// shipUsual ships the made-up documents the way that is usual, and was that of
// real projects before they changed it for memory: a slice for each document, a
// new buffer and gzip.Writer for each request, a time.After for each batch, and
// answers decoded into maps. It compresses at level 1, as the library does. For
// -compare alone: it takes the first failure for the end.
func (c *config) shipUsual(ctx context.Context, counts *counts) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	client := newPlainClient(c.url, c.index, c.auth, c.timeout, c.inFlight, counts)
	defer client.http.CloseIdleConnections()

	lines := make(chan []byte)
	go func() {
		defer close(lines)
		scanner := bufio.NewScanner(newGenerator(c.generate))
		for scanner.Scan() {
			select {
			case lines <- bytes.Clone(scanner.Bytes()):
			case <-ctx.Done():
				return
			}
		}
	}()

	ids := newIdentifier(c.id)
	slots := make(chan struct{}, c.inFlight)
	var requests sync.WaitGroup
	body, docs := new(bytes.Buffer), 0
	var linger <-chan time.Time
	flush := func() {
		full, n := body, docs
		body, docs, linger = new(bytes.Buffer), 0, nil
		if n == 0 {
			return
		}
		slots <- struct{}{}
		requests.Go(func() {
			defer func() { <-slots }()
			if err := client.sendUsual(ctx, full.Bytes(), n); err != nil {
				cancel(err)
			}
		})
	}
	for open := true; open; {
		select {
		case line, ok := <-lines:
			if open = ok; !ok {
				break
			}
			counts.read.Add(1)
			id, wrong := ids.identify(line)
			if wrong != nil {
				return fmt.Errorf("a made-up document: %s", wrong.Reason)
			}
			fmt.Fprintf(body, "%s%s%s%s\n", actionBegin, id, actionEnd, line)
			if docs++; docs == 1 {
				linger = time.After(c.linger)
			}
			if docs == c.docs || body.Len() >= c.bytes {
				flush()
			}
		case <-linger:
			flush()
		}
	}
	flush()
	requests.Wait()
	return context.Cause(ctx)
}

func (c *client) sendUsual(ctx context.Context, body []byte, docs int) error {
	var compressed bytes.Buffer
	w, err := gzip.NewWriterLevel(&compressed, gzip.BestSpeed)
	if err != nil {
		return err
	}
	if _, err := w.Write(body); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	c.counts.body.Add(int64(len(body)))
	return c.post(ctx, compressed.Bytes(), "gzip", func(r io.Reader) error {
		var answer map[string]any
		if err := json.NewDecoder(r).Decode(&answer); err != nil {
			return err
		}
		items, _ := answer["items"].([]any)
		created := 0
		for _, item := range items {
			action, _ := item.(map[string]any)
			result, _ := action["create"].(map[string]any)
			if result["status"] == float64(http.StatusCreated) {
				created++
			}
		}
		if created != docs {
			return fmt.Errorf("%d of %d documents were created", created, docs)
		}
		c.counts.created.Add(int64(created))
		return nil
	})
}
