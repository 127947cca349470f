package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/lowalloc/lowalloc/statsdecode"
)

// Where credentials come from: not the command line, which every process can read.
const (
	envUsername = "CLUSTERWATCH_USERNAME"
	envPassword = "CLUSTERWATCH_PASSWORD"
	envAPIKey   = "CLUSTERWATCH_API_KEY"
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

// client sends the requests of a poll, one after the other over one connection.
type client struct {
	http    http.Client
	base    string
	auth    credentials
	timeout time.Duration
}

func newClient(base, caFile string, auth credentials, timeout time.Duration) (*client, error) {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	if caFile != "" {
		pem, err := os.ReadFile(caFile)
		if err != nil {
			return nil, &usageError{fmt.Errorf("-ca: %w", err)}
		}
		roots, err := x509.SystemCertPool()
		if err != nil {
			roots = x509.NewCertPool()
		}
		if !roots.AppendCertsFromPEM(pem) {
			return nil, wrongUsage("-ca %s holds no PEM certificate", caFile)
		}
		transport.TLSClientConfig = &tls.Config{RootCAs: roots}
	}
	return &client{
		http: http.Client{
			Transport: transport, Timeout: timeout, // the time to read the body included
			// The credentials are for base alone.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		base: strings.TrimRight(base, "/"), auth: auth, timeout: timeout,
	}, nil
}

func (c *client) close() { c.http.CloseIdleConnections() }

// get opens the answer to a request. Reading it to the end and closing it
// leaves the connection to the next one.
func (c *client) get(ctx context.Context, path string) (io.ReadCloser, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.base+path, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "application/json")
	switch {
	case c.auth.apiKey != "":
		req.Header.Set("Authorization", "ApiKey "+c.auth.apiKey)
	case c.auth.username != "":
		req.SetBasicAuth(c.auth.username, c.auth.password)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, c.explain(err)
	}
	if hasData(path, resp.StatusCode) {
		return answer{resp.Body, c}, nil
	}
	err = statsdecode.ReadError(resp.StatusCode, answer{resp.Body, c})
	if isEmpty(err) {
		err = fmt.Errorf("the answer has status %d and is empty", resp.StatusCode)
	}
	_ = resp.Body.Close()
	if resp.StatusCode == http.StatusUnauthorized {
		err = fmt.Errorf("%w (credentials come from %s and %s, or %s)", err, envUsername, envPassword, envAPIKey)
	}
	return nil, err
}

// hasData reports whether an answer of this status holds the data of the
// endpoint: cluster health sends its own with a 408, too.
func hasData(path string, status int) bool {
	return status == http.StatusOK || status == http.StatusRequestTimeout && path == healthPath
}

// answer is a body whose errors say what they mean.
type answer struct {
	io.ReadCloser
	client *client
}

func (a answer) Read(p []byte) (int, error) {
	n, err := a.ReadCloser.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = a.client.explain(err)
	}
	return n, err
}

// explain makes net/http's errors short: the address is said elsewhere, and a
// timeout has the name of our flag.
func (c *client) explain(err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("no complete answer within %v, see -timeout: %w", c.timeout, context.DeadlineExceeded)
	}
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err
	}
	if _, ok := errors.AsType[x509.UnknownAuthorityError](err); ok {
		err = fmt.Errorf("%w (-ca names a file with the certificate authority)", err)
	}
	return err
}
