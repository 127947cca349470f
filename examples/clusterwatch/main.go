// Clusterwatch tells from two polls of an Elasticsearch or OpenSearch cluster
// whether its searches wait for the disks, and what to do about it.
//
// Without flags it replays two recorded polls of a real server; see -h for
// watching a live one.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second Ctrl-C kills: a write to a pager that is paused never ends
	os.Exit(run(ctx, os.Args[1:], os.Getenv, os.Stdout, os.Stderr))
}

// run is the program. It returns the exit code: 0 done or interrupted, 1 no
// first poll, 2 called wrongly.
func run(ctx context.Context, args []string, env func(string) string, stdout, stderr io.Writer) int {
	c, err := parse(args, env)
	if errors.Is(err, flag.ErrHelp) {
		usage(stdout)
		return 0
	}
	if err == nil {
		err = c.run(ctx, stdout)
	}
	if err == nil || ctx.Err() != nil {
		return 0
	}
	_, _ = fmt.Fprintf(stderr, "clusterwatch: %s\n", printable(err.Error()))
	var wrong *usageError
	if errors.As(err, &wrong) {
		return 2
	}
	return 1
}

// config is what the command line and the environment ask for.
type config struct {
	url      string
	interval time.Duration
	timeout  time.Duration
	count    int
	caFile   string
	demo     string
	json     bool
	auth     credentials
	limits   limits
}

// usageError is a wrong call: exit code 2.
type usageError struct{ err error }

func (e *usageError) Error() string { return e.err.Error() + " (-h explains the flags)" }
func (e *usageError) Unwrap() error { return e.err }

func wrongUsage(format string, args ...any) error {
	return &usageError{fmt.Errorf(format, args...)}
}

func parse(args []string, env func(string) string) (*config, error) {
	c := new(config)
	flags := c.flags()
	flags.SetOutput(io.Discard)
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return nil, err
	} else if err != nil {
		return nil, &usageError{err}
	}
	if flags.NArg() > 0 {
		return nil, wrongUsage("unexpected argument %q", flags.Arg(0))
	}
	var empty, live string
	flags.Visit(func(f *flag.Flag) {
		if f.Value.String() == "" {
			empty = f.Name
		}
		switch f.Name {
		case "interval", "timeout", "count", "ca":
			live = f.Name
		}
	})
	switch {
	case empty != "":
		return nil, wrongUsage("-%s is empty", empty) // as by a shell variable that is not set
	case c.url == "" && live != "":
		return nil, wrongUsage("-%s wants a cluster to watch: -url", live)
	case c.demo != "" && c.demo != "iobound":
		return nil, wrongUsage("there is no demo %q, only iobound", c.demo)
	case c.demo != "" && c.url != "":
		return nil, wrongUsage("-demo and -url exclude each other")
	case c.interval <= 0:
		return nil, wrongUsage("-interval %v is not positive", c.interval)
	case c.timeout <= 0:
		return nil, wrongUsage("-timeout %v is not positive", c.timeout)
	case c.count < 0:
		return nil, wrongUsage("-count %d is negative", c.count)
	}
	if err := c.limits.check(); err != nil {
		return nil, err
	}
	if c.url == "" {
		return c, nil
	}
	if err := checkURL(c.url); err != nil {
		return nil, err
	}
	var err error
	c.auth, err = credentialsFrom(env)
	return c, err
}

func checkURL(text string) error {
	u, err := url.Parse(text)
	switch { // no message quotes the URL: what is wrong with it may be where a password stands
	case err != nil:
		return wrongUsage("-url is not a URL")
	case u.User != nil:
		return wrongUsage("-url holds a user name: every process can read it there; set %s and %s", envUsername, envPassword)
	case u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		return wrongUsage("-url is not of the form http://host:port or https://host:port")
	case strings.ContainsAny(text, "?#"): // an empty query or fragment, too, would swallow the paths
		return wrongUsage("-url has a query or a fragment")
	}
	return nil
}

func (c *config) flags() *flag.FlagSet {
	f := flag.NewFlagSet("clusterwatch", flag.ContinueOnError)
	f.StringVar(&c.url, "url", "", "watch the cluster at this `address`, such as http://127.0.0.1:9200")
	f.DurationVar(&c.interval, "interval", 10*time.Second, "time between two polls")
	f.DurationVar(&c.timeout, "timeout", 10*time.Second, "most time for one request, its answer included")
	f.IntVar(&c.count, "count", 0, "end after `n` reports; 0 goes on until interrupted")
	f.StringVar(&c.caFile, "ca", "", "trust the certificates in this PEM `file`, besides the system's")
	f.StringVar(&c.demo, "demo", "", "replay a synthetic pair of polls: `iobound`")
	f.BoolVar(&c.json, "json", false, "write each report as one line of JSON")
	c.limits.flags(f)
	return f
}

func usage(w io.Writer) {
	_, _ = fmt.Fprintf(w, `Clusterwatch tells from two polls of an Elasticsearch or OpenSearch cluster whether
its searches wait for the disks, and what to do about it.

  clusterwatch                                              replay two recorded polls of a real server
  clusterwatch -demo iobound                                replay two synthetic polls of a cluster that is I/O bound
  clusterwatch -url http://127.0.0.1:9200                   watch a cluster until Ctrl-C
  clusterwatch -url http://127.0.0.1:9200 -interval 60s -count 1
                                                            one report, over a minute
  clusterwatch -url https://es.example:9200 -ca ca.pem -json | jq .io_bound
                                                            for programs: "yes", "no" or "cannot tell"

A search counts once for each shard that it asks, as the server counts.

Credentials come from the environment: %s and %s,
or %s (in its encoded form).

In -json null stands for what is not known: the server does not send it or a counter fell, there
is no earlier poll to compare with, or nothing happened that a mean could be taken of.

Exit code: 0 after the last report or Ctrl-C, 1 if the first poll fails, 2 if called wrongly.
A second Ctrl-C kills, where output that no one reads holds up the first.
Later polls may fail: the reports say so and the watch goes on.

Flags:
`, envUsername, envPassword, envAPIKey)
	f := new(config).flags()
	f.SetOutput(w)
	f.PrintDefaults()
}

// run replays or watches.
func (c *config) run(ctx context.Context, stdout io.Writer) error {
	w := &watch{limits: c.limits, out: printer{w: stdout, json: c.json}}
	switch {
	case c.url != "":
		client, err := newClient(c.url, c.caFile, c.auth, c.timeout)
		if err != nil {
			return err
		}
		defer client.close()
		w.source = c.url
		p := &poller{get: client.get}
		return w.run(ctx, p.poll, c.interval, c.count)
	case c.demo != "":
		w.source = demoSource
		return w.replay(demoIntro, demoPoll(false), demoPoll(true))
	default:
		before, now, err := recordedPolls(ctx)
		if err != nil {
			return err
		}
		w.source = recordedSource
		return w.replay(recordedIntro, before, now)
	}
}
