// Bulkship ships documents, one JSON object a line, to the _bulk endpoint of
// Elasticsearch or OpenSearch, and loses none.
//
// Without arguments it makes up 100,000 documents and ships them to a sink of
// its own; see -h for shipping files or standard input to a server.
package main

import (
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
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	os.Exit(run(signals, os.Args[1:], os.Getenv, os.Stdin, os.Stdout, os.Stderr))
}

// run is the program. It returns the exit code: 0 if every document that was
// read is created or in the reject file, 1 if something went wrong, 2 if called
// wrongly.
func run(signals <-chan os.Signal, args []string, env func(string) string, stdin io.Reader, stdout, stderr io.Writer) int {
	c, err := parse(args, env)
	if errors.Is(err, flag.ErrHelp) {
		usage(stdout)
		return 0
	}
	switch part := env(envChild); {
	case err != nil:
	case part != "":
		err = c.runChild(part, stdin, stdout)
	case c.compare:
		err = c.runCompare(stdout)
	default:
		err = c.run(signals, stdin, stdout, stderr)
	}
	if err == nil {
		return 0
	}
	_, _ = fmt.Fprintf(stderr, "bulkship: %v\n", err)
	if _, wrong := errors.AsType[*usageError](err); wrong {
		return 2
	}
	return 1
}

// config is what the command line and the environment ask for.
type config struct {
	url      string
	index    string
	id       string
	docs     int
	bytes    int
	linger   time.Duration
	inFlight int
	timeout  time.Duration
	rejects  string
	generate int
	compare  bool
	files    []string
	auth     credentials
}

// What is shipped where nothing is said.
const (
	defaultGenerate = 100_000
	compareGenerate = 200_000
)

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
	c.files = flags.Args()
	given, empty := make(map[string]bool), ""
	flags.Visit(func(f *flag.Flag) {
		given[f.Name] = true
		if f.Value.String() == "" {
			empty = f.Name
		}
	})
	switch {
	case empty != "":
		return nil, wrongUsage("-%s is empty", empty) // as by a shell variable that is not set
	case given["generate"] && len(c.files) > 0:
		return nil, wrongUsage("-generate and files exclude each other")
	case given["generate"] && c.generate < 1:
		return nil, wrongUsage("-generate %d is not positive", c.generate)
	case c.compare && (c.url != "" || len(c.files) > 0):
		return nil, wrongUsage("-compare makes up its documents and has a sink of its own")
	case !validIndex(c.index):
		return nil, wrongUsage("-index %q is no name that servers take", c.index)
	case c.docs < 1:
		return nil, wrongUsage("-docs %d is not positive", c.docs)
	case c.bytes < 1:
		return nil, wrongUsage("-bytes %d is not positive", c.bytes)
	case c.linger < 0:
		return nil, wrongUsage("-linger %v is negative", c.linger)
	case c.inFlight < 1:
		return nil, wrongUsage("-in-flight %d is not positive", c.inFlight)
	case c.timeout <= 0:
		return nil, wrongUsage("-timeout %v is not positive", c.timeout)
	}
	if err := checkFiles(c.files); err != nil {
		return nil, err
	}
	if len(c.files) == 0 && !given["generate"] {
		c.generate = defaultGenerate
		if c.compare {
			c.generate = compareGenerate
		}
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

// checkFiles finds the misspelt name before anything is shipped.
func checkFiles(names []string) error {
	stdin := false
	for _, name := range names {
		if name == "-" {
			if stdin {
				return wrongUsage("- is there twice")
			}
			stdin = true
			continue
		}
		info, err := os.Stat(name)
		if err != nil {
			return &usageError{err}
		}
		if info.IsDir() {
			return wrongUsage("%s is a directory", name)
		}
	}
	return nil
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
	case strings.ContainsAny(text, "?#"): // an empty query or fragment, too, would swallow the path
		return wrongUsage("-url has a query or a fragment")
	}
	return nil
}

func (c *config) flags() *flag.FlagSet {
	f := flag.NewFlagSet("bulkship", flag.ContinueOnError)
	f.StringVar(&c.url, "url", "", "ship to the server at this `address`, such as http://127.0.0.1:9200 (default a sink in this process)")
	f.StringVar(&c.index, "index", "bulkship", "create the documents in the index, or data stream, of this `name`")
	f.StringVar(&c.id, "id", "", "take the _id of each document from its top-level `member` of this name, a string or a number (default random)")
	f.IntVar(&c.generate, "generate", 0, "make up `n` documents, the same ones each time")
	// Where the two limits come from: Beats ship 1600 events at once since their 8.12,
	// go-elasticsearch's BulkIndexer 5 MB, and Elastic's guides begin with 5 MB or
	// some 1,000 to 5,000 documents.
	f.IntVar(&c.docs, "docs", 1600, "most documents in a request")
	f.IntVar(&c.bytes, "bytes", 5_000_000, "most bytes in a request, before compression; a larger document goes alone")
	f.DurationVar(&c.linger, "linger", time.Second, "how long the first document of a request waits for others")
	f.IntVar(&c.inFlight, "in-flight", 4, "most requests at once")
	// Servers themselves wait a minute for a shard: Beats' 90 s leave them that.
	f.DurationVar(&c.timeout, "timeout", 90*time.Second, "most time for one request, its answer included; then it is sent again")
	f.StringVar(&c.rejects, "rejects", "rejected.ndjson", "append documents that are not created to this `file`, with the reason")
	f.BoolVar(&c.compare, "compare", false, "ship made-up documents the usual way and with this library, and compare the two")
	return f
}

func usage(w io.Writer) {
	_, _ = fmt.Fprintf(w, `Bulkship ships documents, one JSON object a line, to the _bulk endpoint of Elasticsearch
or OpenSearch, and loses none.

  bulkship                                         ship %d made-up documents to a sink in this process
  bulkship -url http://127.0.0.1:9200 logs.ndjson  ship a file to a server
  tail -f app.log | bulkship -url http://127.0.0.1:9200 -index app -
                                                   ship standard input as it comes
  bulkship -compare -generate 1000000              what pools, a timer and streaming are worth, on this machine

Every document that is read is created in the index or ends in the reject file, with the reason.
Broken connections, slow answers, 408, 429 and 5xx are tried again for as long as it takes. A
document is created under an _id of its own, so that one that is sent twice is not there twice.
With -id, two documents of the same _id are one too many: the second is rejected, but where a
connection broke it may pass for the first one sent again.

Lines of the reject file are {"_id":..,"status":..,"type":..,"reason":..,"document":..}, where
document is the line, or a string that holds it if it is not a JSON object:

  jq -c .document rejected.ndjson                  the documents, to be mended and shipped again

Credentials come from the environment: %s and %s,
or %s (in its encoded form).

Ctrl-C ends reading and ships what was read; a second Ctrl-C puts that into the reject file, too.
Progress goes to standard error, the summary to standard output.

Exit code: 0 if all that was read is created or rejected for what it is, 1 if reading stopped at
an error, the server takes no requests, or a second Ctrl-C came, 2 if called wrongly.

Flags:
`, defaultGenerate, envUsername, envPassword, envAPIKey)
	f := new(config).flags()
	f.SetOutput(w)
	f.PrintDefaults()
}
