package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/lowalloc/lowalloc/gzippool/gziphttp"
	"github.com/lowalloc/lowalloc/statsdecode"
)

// Where credentials come from: not the command line, which every process can read.
const (
	envUsername = "BULKSHIP_USERNAME"
	envPassword = "BULKSHIP_PASSWORD"
	envAPIKey   = "BULKSHIP_API_KEY"
)

type credentials struct{ username, password, apiKey string }

func credentialsFrom(env func(string) string) (credentials, error) {
	c := credentials{env(envUsername), env(envPassword), env(envAPIKey)}
	switch {
	case c.apiKey != "" && c.username != "":
		return c, wrongUsage("%s and %s are both set", envAPIKey, envUsername)
	case c.username == "" && c.password != "":
		return c, wrongUsage("%s is set, but not %s", envPassword, envUsername)
	}
	return c, nil
}

// client makes bulk requests.
type client struct {
	http    http.Client
	url     string
	auth    credentials
	timeout time.Duration
	counts  *counts
}

// newClient returns a client whose bodies are compressed by a gziphttp.Transport
// on their way.
func newClient(base, index string, auth credentials, timeout time.Duration, inFlight int, counts *counts) *client {
	c := newPlainClient(base, index, auth, timeout, inFlight, counts)
	c.http.Transport = &gziphttp.Transport{Base: c.http.Transport}
	return c
}

// newPlainClient returns a client that sends bodies as they are.
func newPlainClient(base, index string, auth credentials, timeout time.Duration, inFlight int, counts *counts) *client {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxIdleConnsPerHost = inFlight // the default of 2 would close all others after each request
	t.DisableCompression = true      // answers are short: see answerFilter
	return &client{
		url:     strings.TrimRight(base, "/") + "/" + url.PathEscape(index) + "/_bulk?filter_path=" + answerFilter,
		auth:    auth,
		timeout: timeout,
		counts:  counts,
		http: http.Client{
			Transport: meter{t, &counts.sent},
			// A redirected POST becomes a GET, and would take the credentials elsewhere.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
}

// meter counts the bytes of bodies as they leave.
type meter struct {
	http.RoundTripper
	sent *atomic.Int64
}

func (m meter) RoundTrip(r *http.Request) (*http.Response, error) {
	m.sent.Add(r.ContentLength)
	return m.RoundTripper.RoundTrip(r)
}

// post makes one request and has read read the answer. An answer that is none
// to a bulk request is a *statusError. The body is the caller's again when post
// returns; net/http does not send a POST twice on its own account.
func (c *client) post(ctx context.Context, body []byte, encoding string, read func(io.Reader) error) error {
	ctx, cancel := context.WithTimeoutCause(ctx, c.timeout, fmt.Errorf("no complete answer within %v, see -timeout", c.timeout))
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/x-ndjson")
	if encoding != "" {
		req.Header.Set("Content-Encoding", encoding)
	}
	switch {
	case c.auth.apiKey != "":
		req.Header.Set("Authorization", "ApiKey "+c.auth.apiKey)
	case c.auth.username != "":
		req.SetBasicAuth(c.auth.username, c.auth.password)
	}
	c.counts.requests.Add(1)
	c.counts.inFlight.Add(1)
	defer c.counts.inFlight.Add(-1)
	res, err := c.http.Do(req)
	if err != nil {
		return explain(ctx, err)
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusOK {
		return newStatusError(res)
	}
	return explain(ctx, read(res.Body))
}

// explain makes net/http's errors short.
func explain(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if u, ok := errors.AsType[*url.Error](err); ok {
		return u.Err
	}
	return err
}

// neverSent reports whether err means that no byte of the request left.
func neverSent(err error) bool {
	op, ok := errors.AsType[*net.OpError](err)
	return ok && op.Op == "dial"
}

// statusError is an answer to the whole request that is no bulk answer.
type statusError struct {
	status     int
	failure    failure
	retryAfter time.Duration
}

func (e *statusError) Error() string {
	return fmt.Sprintf("status %d: %s: %s", e.status, e.failure.Type, e.failure.Reason)
}

func newStatusError(res *http.Response) *statusError {
	e := &statusError{status: res.StatusCode, retryAfter: retryAfter(res.Header)}
	err := statsdecode.ReadError(res.StatusCode, res.Body)
	if said, ok := errors.AsType[*statsdecode.ResponseError](err); ok && said.Type != "" {
		e.failure = failure{said.Type, said.Reason}
		return e
	}
	e.failure = failure{"no_answer_of_the_server", http.StatusText(res.StatusCode)}
	if to := res.Header.Get("Location"); to != "" {
		e.failure.Reason += " to " + to + ", which -url should name"
	}
	return e
}
