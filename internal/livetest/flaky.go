package livetest

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// Fault is one way in which a request through a [Flaky] goes wrong.
type Fault string

// The faults that happen between a client and a cluster. Whether the cluster
// carried out the request is what a client cannot see from most of them.
const (
	None Fault = "none"

	// The request does not reach the cluster.
	DropBefore      Fault = "drop-before"      // the connection is closed without an answer
	ResetBody       Fault = "reset-body"       // it is reset while the body is on its way
	TooMany         Fault = "429"              // 429 with an error in JSON
	TooManyWait     Fault = "429-retry-after"  // the same, to come back after a second
	Unavailable     Fault = "503-html"         // 503 with the page of a load balancer
	BadGateway      Fault = "502"              // 502 without a body
	StrangeAnswer   Fault = "200-html"         // 200 with a page that has nothing to do with it
	RejectDocuments Fault = "reject-documents" // some documents do not: the answer has a 429 for each

	// The cluster carries it out.
	DropAfter      Fault = "drop-after"  // the connection is closed without an answer
	GatewayTimeout Fault = "504"         // 504 without a body
	Late           Fault = "late"        // the answer comes when the client has given up, or after a minute
	Slow           Fault = "slow"        // it comes up to a tenth of a second later
	CutLength      Fault = "cut-length"  // it ends before the length that was announced
	CutChunked     Fault = "cut-chunked" // it is chunked, and ends before the last chunk
)

const (
	flakyRequests = 64        // at once
	flakyBody     = 100 << 20 // bytes, http.max_content_length of the servers
	lateLimit     = time.Minute
	slowLimit     = 100 * time.Millisecond
)

// Flaky is a proxy on 127.0.0.1 that forwards requests to a cluster and has
// some of them go wrong. What happens to the nth request follows from the seed
// and n alone. It holds each request and answer whole, at most 64 at once and
// requests of at most 100 MiB. Its methods may be called concurrently.
type Flaky struct {
	origin string
	seed   uint64
	rates  map[Fault]float64
	faults []Fault // the keys of rates, in order

	server  http.Server
	url     string
	client  *http.Client
	ctx     context.Context // done when Flaky is closed
	cancel  context.CancelFunc
	serving chan struct{} // one element for each request

	mu       sync.Mutex
	requests uint64
	counts   map[Fault]int
}

// StartFlaky starts a proxy to the server at the URL origin for one test, and
// stops it when the test ends: then no connection and no goroutine of it is
// left. A rate is the share of all requests that meet the fault; together the
// rates are at most 1.
func StartFlaky(tb testing.TB, origin string, seed uint64, rates map[Fault]float64) *Flaky {
	tb.Helper()
	sum := 0.0
	for fault, rate := range rates {
		if rate < 0 {
			tb.Fatalf("livetest: rate of %s is %v", fault, rate)
		}
		sum += rate
	}
	if sum > 1 {
		tb.Fatalf("livetest: rates of faults add up to %v", sum)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatalf("livetest: %v", err)
	}
	f := &Flaky{
		origin:  origin,
		seed:    seed,
		rates:   maps.Clone(rates),
		faults:  slices.Sorted(maps.Keys(rates)),
		url:     "http://" + listener.Addr().String(),
		client:  &http.Client{Transport: &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: flakyRequests}, Timeout: time.Minute},
		serving: make(chan struct{}, flakyRequests),
		counts:  make(map[Fault]int),
	}
	f.ctx, f.cancel = context.WithCancel(context.Background())
	f.server.Handler = f
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = f.server.Serve(listener)
	}()
	tb.Cleanup(func() {
		f.cancel()
		_ = f.server.Close()
		<-served
		for range cap(f.serving) { // no request is left, and none begins
			f.serving <- struct{}{}
		}
		f.client.CloseIdleConnections()
	})
	return f
}

// URL is the base address of the proxy, without a slash at its end.
func (f *Flaky) URL() string { return f.url }

// Counts returns how many requests met each fault so far, and how many [None].
func (f *Flaky) Counts() map[Fault]int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return maps.Clone(f.counts)
}

// next decides on the fault of the next request. What else is random about the
// request comes from the same source.
func (f *Flaky) next() (Fault, *rand.Rand) {
	f.mu.Lock()
	n := f.requests
	f.requests++
	f.mu.Unlock()
	rng := rand.New(rand.NewPCG(f.seed, n))
	x := rng.Float64()
	for _, fault := range f.faults {
		if x -= f.rates[fault]; x < 0 {
			return fault, rng
		}
	}
	return None, rng
}

// ServeHTTP implements [http.Handler] for the server of f.
func (f *Flaky) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	select {
	case f.serving <- struct{}{}:
		defer func() { <-f.serving }()
	case <-f.ctx.Done():
		hangUp()
	}
	fault, rng := f.next()
	if fault == ResetBody {
		f.count(fault)
		resetBody(w, r, rng)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, flakyBody))
	if err != nil {
		hangUp() // the client has gone, or is beyond the limit
	}
	if fault == RejectDocuments {
		if a := f.rejectDocuments(r, body, rng); a != nil {
			f.count(fault)
			a.write(w)
			return
		}
		fault = None
	}
	f.count(fault)
	if f.answerInstead(w, fault) {
		return
	}
	a := f.forward(r, body)
	switch fault {
	case None:
		a.write(w)
	case DropAfter:
		hangUp()
	case GatewayTimeout:
		w.WriteHeader(http.StatusGatewayTimeout)
	case Late:
		f.wait(r, lateLimit)
		a.write(w)
	case Slow:
		f.wait(r, time.Duration(rng.Int64N(int64(slowLimit))))
		a.write(w)
	case CutLength, CutChunked:
		a.cut(w, fault == CutLength, rng)
	default:
		panic("livetest: there is no fault " + fault)
	}
}

func (f *Flaky) count(fault Fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.counts[fault]++
}

// hangUp ends a request by closing its connection. What was not flushed is lost.
func hangUp() { panic(http.ErrAbortHandler) }

// wait returns after d, or when the client or the proxy has gone.
func (f *Flaky) wait(r *http.Request, d time.Duration) {
	select {
	case <-time.After(d):
	case <-r.Context().Done():
	case <-f.ctx.Done():
	}
}

// resetBody reads some of the body, at most what one packet holds, and resets
// the connection, so that the rest meets a closed door.
func resetBody(w http.ResponseWriter, r *http.Request, rng *rand.Rand) {
	_, _ = io.CopyN(io.Discard, r.Body, 1+rng.Int64N(1400))
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		hangUp()
	}
	_ = conn.(*net.TCPConn).SetLinger(0)
	_ = conn.Close()
}

// answerInstead answers if the request is not to be forwarded.
func (f *Flaky) answerInstead(w http.ResponseWriter, fault Fault) bool {
	const page = "<html><head><title>%[1]s</title></head>\n<body><center><h1>%[1]s</h1></center><hr></body></html>\n"
	switch fault {
	case DropBefore:
		hangUp()
	case TooMany, TooManyWait:
		if fault == TooManyWait {
			w.Header().Set("Retry-After", "1")
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusTooManyRequests)
		_, _ = io.WriteString(w, `{"error":{"root_cause":[],"type":"circuit_breaking_exception","reason":"[parent] Data too large"},"status":429}`)
	case Unavailable:
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = fmt.Fprintf(w, page, "503 Service Temporarily Unavailable")
	case BadGateway:
		w.WriteHeader(http.StatusBadGateway)
	case StrangeAnswer:
		w.Header().Set("Content-Type", "text/html")
		_, _ = fmt.Fprintf(w, page, "Welcome")
	default:
		return false
	}
	return true
}

// answer is what the cluster said.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// forward has the cluster carry out a request, even if the client has gone
// meanwhile. Where there is no answer it hangs up.
func (f *Flaky) forward(r *http.Request, body []byte) *answer {
	req, err := http.NewRequestWithContext(f.ctx, r.Method, f.origin+r.URL.RequestURI(), bytes.NewReader(body))
	if err != nil {
		hangUp()
	}
	req.Header = r.Header.Clone()
	req.Header.Del("Accept-Encoding") // no answer is compressed: some are read here
	req.Header.Del("Connection")
	res, err := f.client.Do(req)
	if err != nil {
		hangUp()
	}
	defer func() { _ = res.Body.Close() }()
	a := &answer{status: res.StatusCode, header: res.Header}
	if a.body, err = io.ReadAll(res.Body); err != nil {
		hangUp()
	}
	return a
}

func (a *answer) write(w http.ResponseWriter) {
	maps.Copy(w.Header(), a.header)
	w.Header().Set("Content-Length", strconv.Itoa(len(a.body)))
	w.WriteHeader(a.status)
	_, _ = w.Write(a.body)
}

// cut writes the beginning of an answer, at least one byte less than all.
func (a *answer) cut(w http.ResponseWriter, announced bool, rng *rand.Rand) {
	maps.Copy(w.Header(), a.header)
	w.Header().Del("Content-Length")
	if announced {
		w.Header().Set("Content-Length", strconv.Itoa(len(a.body)))
	}
	w.WriteHeader(a.status)
	_, _ = w.Write(a.body[:rng.IntN(max(len(a.body), 1))])
	_ = http.NewResponseController(w).Flush()
	hangUp()
}

// rejectDocuments forwards a bulk request without about a third of its
// documents, and puts into the answer that these were rejected, as a node does
// whose queue for writes is full. It returns nil, and has forwarded nothing, for
// a request that is no bulk or has less than two documents.
func (f *Flaky) rejectDocuments(r *http.Request, body []byte, rng *rand.Rand) *answer {
	if !strings.HasSuffix(r.URL.Path, "/_bulk") {
		return nil
	}
	plain, err := gunzip(body, r.Header.Get("Content-Encoding"))
	if err != nil {
		return nil
	}
	operations, err := splitBulk(plain)
	if err != nil || len(operations) < 2 {
		return nil
	}
	var kept []byte
	rejected := make([]bool, len(operations))
	spared := rng.IntN(len(operations)) // a request without documents is an error
	surely := (spared + 1) % len(operations)
	for i, op := range operations {
		if rejected[i] = i == surely || i != spared && rng.IntN(3) == 0; !rejected[i] {
			kept = append(kept, op...)
		}
	}
	r.Header.Del("Content-Encoding")
	a := f.forward(r, kept)
	if a.status == http.StatusOK {
		if a.body, err = addRejected(a.body, operations, rejected); err != nil {
			panic(err) // not what a cluster answers
		}
	}
	return a
}

func gunzip(body []byte, encoding string) ([]byte, error) {
	if encoding != "gzip" {
		return body, nil
	}
	zr, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(http.MaxBytesReader(nil, zr, flakyBody))
}

// splitBulk returns the operations of a bulk body, each with its source if it has one.
func splitBulk(body []byte) (operations [][]byte, err error) {
	for len(body) > 0 {
		end := bytes.IndexByte(body, '\n') + 1
		if end > 0 && !bytes.HasPrefix(body, []byte(`{"delete"`)) {
			if source := bytes.IndexByte(body[end:], '\n') + 1; source > 0 {
				end += source
			} else {
				end = 0
			}
		}
		if end == 0 {
			return nil, errors.New("the last line is not complete")
		}
		operations, body = append(operations, body[:end]), body[end:]
	}
	return operations, nil
}

// addRejected adds to an answer an item for each operation that was rejected.
func addRejected(body []byte, operations [][]byte, rejected []bool) ([]byte, error) {
	var answer map[string]json.RawMessage
	var items, all []json.RawMessage
	if err := json.Unmarshal(body, &answer); err != nil {
		return nil, fmt.Errorf("livetest: answer to a bulk request: %w", err)
	}
	if err := json.Unmarshal(answer["items"], &items); err != nil {
		return nil, fmt.Errorf("livetest: items of the answer to a bulk request: %w", err)
	}
	for i, op := range operations {
		if !rejected[i] {
			if len(items) == 0 {
				return nil, errors.New("livetest: an answer has less items than there were operations")
			}
			all, items = append(all, items[0]), items[1:]
			continue
		}
		action, _, _ := bytes.Cut(op, []byte("\n"))
		var item map[string]map[string]any
		if err := json.Unmarshal(action, &item); err != nil {
			return nil, fmt.Errorf("livetest: action of a bulk request: %w", err)
		}
		for _, said := range item {
			said["status"] = http.StatusTooManyRequests
			said["error"] = map[string]string{
				"type":   "es_rejected_execution_exception",
				"reason": "rejected execution of coordinating operation [coordinating_and_primary_bytes=0, max_coordinating_and_primary_bytes=0]",
			}
		}
		text, err := json.Marshal(item)
		if err != nil {
			return nil, err
		}
		all = append(all, text)
	}
	if _, asked := answer["errors"]; asked {
		answer["errors"] = json.RawMessage("true")
	}
	text, err := json.Marshal(all)
	if err != nil {
		return nil, err
	}
	answer["items"] = text
	return json.Marshal(answer)
}
