package livetest_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lowalloc/lowalloc/internal/livetest"
)

// origin stands in for a cluster: it takes bulk requests of creates and keeps the documents.
type origin struct {
	*httptest.Server

	mu        sync.Mutex
	performed int
	documents []document
	there     map[string]bool // ids
}

// document is one that is found in an index.
type document struct {
	id     string
	n      int // the member "n" of its source
	source string
}

func startOrigin(t *testing.T) *origin {
	o := &origin{there: make(map[string]bool)}
	o.Server = httptest.NewServer(o)
	t.Cleanup(o.Close)
	return o
}

func (o *origin) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.performed++
	w.Header().Set("Content-Type", "application/json")
	if r.Method != "POST" || !strings.HasSuffix(r.URL.Path, "/_bulk") {
		_, _ = io.WriteString(w, `{"found":true}`)
		return
	}
	body := io.Reader(r.Body)
	if r.Header.Get("Content-Encoding") == "gzip" {
		zr, err := gzip.NewReader(body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		body = zr
	}
	var items []string
	lines := bufio.NewScanner(body)
	for lines.Scan() {
		var action struct {
			Create struct {
				ID string `json:"_id"`
			}
		}
		var source struct{ N int }
		err := json.Unmarshal(lines.Bytes(), &action)
		if !lines.Scan() || err != nil || json.Unmarshal(lines.Bytes(), &source) != nil {
			http.Error(w, "no bulk request", http.StatusBadRequest)
			return
		}
		id := action.Create.ID
		if id == "" {
			id = fmt.Sprintf("auto-%d", len(o.documents))
		}
		status := http.StatusConflict
		if !o.there[id] {
			status = http.StatusCreated
			o.there[id] = true
			o.documents = append(o.documents, document{id, source.N, lines.Text()})
		}
		items = append(items, fmt.Sprintf(`{"create":{"_id":%q,"status":%d}}`, id, status))
	}
	if err := lines.Err(); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	_, _ = fmt.Fprintf(w, `{"took":1,"errors":false,"items":[%s]}`, strings.Join(items, ","))
}

// requests is how many requests were carried out.
func (o *origin) requests() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.performed
}

// all yields the documents that are there.
func (o *origin) all() iter.Seq2[document, error] {
	o.mu.Lock()
	defer o.mu.Unlock()
	kept := slices.Clone(o.documents)
	return func(yield func(document, error) bool) {
		for _, d := range kept {
			if !yield(d, nil) {
				return
			}
		}
	}
}

// creates is the body of a bulk request for the documents from begin to end, with the _id n or none.
func creates(begin, end int, withID bool) []byte {
	var b bytes.Buffer
	for n := begin; n < end; n++ {
		if withID {
			_, _ = fmt.Fprintf(&b, `{"create":{"_id":"%d"}}`+"\n", n)
		} else {
			b.WriteString(`{"create":{}}` + "\n")
		}
		_, _ = fmt.Fprintf(&b, `{"n":%d,"text":"the document of number %d"}`+"\n", n, n)
	}
	return b.Bytes()
}

// try sends one bulk request by a connection of its own, and tells what came of it in a few words.
func try(t *testing.T, url string, body []byte, header http.Header) (said string, answer []byte) {
	t.Helper()
	return tryFor(t, 20*time.Second, url, body, header)
}

func tryFor(t *testing.T, limit time.Duration, url string, body []byte, header http.Header) (said string, answer []byte) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, "POST", url+"/some/_bulk", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header = header.Clone()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	res, err := client.Do(req)
	if errors.Is(err, context.DeadlineExceeded) {
		return "no answer in time", nil
	}
	if err != nil {
		return "no answer", nil
	}
	defer func() { _ = res.Body.Close() }()
	answer, err = io.ReadAll(res.Body)
	if err != nil {
		return fmt.Sprintf("%d, then %v after %s", res.StatusCode, err, lengthOf(res)), answer
	}
	return fmt.Sprintf("%d %s %s", res.StatusCode, res.Header.Get("Content-Type"), res.Header.Get("Retry-After")), answer
}

func lengthOf(res *http.Response) string {
	if res.ContentLength < 0 {
		return "chunks"
	}
	return "a length"
}

var json200 = "200 application/json "

// everyFault tells what each fault looks like to a client, and whether the
// request was carried out all the same.
var everyFault = []struct {
	fault     livetest.Fault
	said      string
	performed bool
}{
	{livetest.None, json200, true},
	{livetest.DropBefore, "no answer", false},
	{livetest.ResetBody, "no answer", false},
	{livetest.TooMany, "429 application/json ", false},
	{livetest.TooManyWait, "429 application/json 1", false},
	{livetest.Unavailable, "503 text/html ", false},
	{livetest.BadGateway, "502  ", false},
	{livetest.StrangeAnswer, "200 text/html ", false},
	{livetest.RejectDocuments, json200, true},
	{livetest.DropAfter, "no answer", true},
	{livetest.GatewayTimeout, "504  ", true},
	{livetest.Late, "no answer in time", true},
	{livetest.Slow, json200, true},
	{livetest.CutLength, "200, then unexpected EOF after a length", true},
	{livetest.CutChunked, "200, then unexpected EOF after chunks", true},
}

func TestFlakyFaults(t *testing.T) {
	for _, tt := range everyFault {
		t.Run(string(tt.fault), func(t *testing.T) {
			o := startOrigin(t)
			f := livetest.StartFlaky(t, o.URL, 1, map[livetest.Fault]float64{tt.fault: 1})
			const docs = 1000
			limit := 20 * time.Second
			if tt.fault == livetest.Late {
				limit = time.Second
			}
			for round := range 3 {
				said, answer := tryFor(t, limit, f.URL(), creates(round*docs, (round+1)*docs, true), nil)
				if said != tt.said {
					t.Errorf("the client got %q with %.200q, want %q", said, answer, tt.said)
				}
				if tt.said == "429 application/json " && !json.Valid(answer) {
					t.Errorf("answer %q is no JSON", answer)
				}
				want := 0
				if tt.performed {
					want = round + 1
				}
				if got := o.requests(); got != want {
					t.Errorf("%d requests were carried out, want %d", got, want)
				}
				if got := f.Counts(); len(got) != 1 || got[tt.fault] != round+1 {
					t.Errorf("counts %v, want %s %d times", got, tt.fault, round+1)
				}
			}
		})
	}
}

// Documents in the answer as rejected are the ones that did not arrive, and
// sent again they do.
func TestFlakyRejectDocuments(t *testing.T) {
	const docs = 300
	for _, encoding := range []string{"", "gzip"} {
		t.Run("encoding="+encoding, func(t *testing.T) {
			o := startOrigin(t)
			f := livetest.StartFlaky(t, o.URL, 1, map[livetest.Fault]float64{livetest.RejectDocuments: 1})
			body, header := creates(0, docs, true), http.Header{}
			if encoding == "gzip" {
				var compressed bytes.Buffer
				zw := gzip.NewWriter(&compressed)
				_, _ = zw.Write(body)
				_ = zw.Close()
				body = compressed.Bytes()
				header.Set("Content-Encoding", "gzip")
			}
			said, text := try(t, f.URL(), body, header)
			var answer struct {
				Errors bool
				Items  []struct {
					Create struct {
						ID     string `json:"_id"`
						Status int
						Error  struct{ Type, Reason string }
					}
				}
			}
			if err := json.Unmarshal(text, &answer); err != nil || said != json200 {
				t.Fatalf("%s with %s: %v", said, text, err)
			}
			if !answer.Errors || len(answer.Items) != docs {
				t.Fatalf("errors %v and %d items, want true and %d", answer.Errors, len(answer.Items), docs)
			}
			there := make(map[int]bool)
			for d, err := range o.all() {
				if err != nil {
					t.Fatal(err)
				}
				there[d.n] = true
			}
			rejected := 0
			for n, item := range answer.Items {
				i := item.Create
				want := http.StatusTooManyRequests
				if there[n] {
					want = http.StatusCreated
				} else {
					rejected++
				}
				if i.ID != strconv.Itoa(n) || i.Status != want || there[n] != (i.Error.Type == "") {
					t.Fatalf("item %d is %+v, want status %d", n, i, want)
				}
			}
			if rejected < docs/6 || rejected > docs/2 {
				t.Errorf("%d of %d documents were rejected, want about a third", rejected, docs)
			}
			// One document is never rejected: that would leave nothing to forward.
			if said, _ := try(t, f.URL(), creates(docs, docs+1, true), nil); said != json200 || f.Counts()[livetest.None] != 1 {
				t.Errorf("a request for one document: %s, counts %v", said, f.Counts())
			}
		})
	}
}

// What becomes of the nth request is the same for the same seed, and about as
// many requests meet a fault as were asked for.
func TestFlakySeed(t *testing.T) {
	const requests = 200
	outcomes := func(seed uint64) (said []string) {
		o := startOrigin(t)
		f := livetest.StartFlaky(t, o.URL, seed, map[livetest.Fault]float64{
			livetest.DropAfter: 0.1, livetest.CutLength: 0.2, livetest.RejectDocuments: 0.2,
		})
		for range requests {
			what, answer := try(t, f.URL(), creates(0, 10, true), nil)
			said = append(said, fmt.Sprintf("%s %d %d", what, len(answer), bytes.Count(answer, []byte("429"))))
		}
		counts := f.Counts()
		for fault, want := range map[livetest.Fault]int{livetest.None: 100, livetest.DropAfter: 20, livetest.CutLength: 40, livetest.RejectDocuments: 40} {
			if got := counts[fault]; got < want/2 || got > 2*want {
				t.Errorf("seed %d: %s %d times in %d requests, want about %d", seed, fault, got, requests, want)
			}
		}
		return said
	}
	first, again, other := outcomes(1), outcomes(1), outcomes(2)
	// The first request creates all documents that get through, so its answer differs from the others.
	for n := range first {
		if first[n] != again[n] {
			t.Errorf("request %d: %q, and with the same seed %q", n, first[n], again[n])
		}
	}
	if slices.Equal(first, other) {
		t.Error("another seed gave the same outcomes")
	}
}

// The end of the test ends the proxy, even with an answer that is still to come.
func TestFlakyLeavesNothing(t *testing.T) {
	arrived := make(chan struct{})
	o := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { close(arrived) }))
	defer o.Close()
	var f *livetest.Flaky
	answered := make(chan error, 1)
	client := &http.Client{Transport: new(http.Transport), Timeout: 20 * time.Second}
	defer client.CloseIdleConnections()
	t.Run("use", func(t *testing.T) {
		f = livetest.StartFlaky(t, o.URL, 1, map[livetest.Fault]float64{livetest.Late: 1})
		go func() {
			res, err := client.Post(f.URL()+"/some/_bulk", "application/x-ndjson", bytes.NewReader(creates(0, 1, true)))
			if err == nil {
				_ = res.Body.Close()
			}
			answered <- err
		}()
		select {
		case <-arrived:
		case <-time.After(10 * time.Second):
			t.Fatal("the request did not arrive")
		}
	})
	select {
	case err := <-answered:
		t.Log(err)
	case <-time.After(10 * time.Second):
		t.Error("the request outlives the proxy")
	}
	if conn, err := net.Dial("tcp", strings.TrimPrefix(f.URL(), "http://")); err == nil {
		_ = conn.Close()
		t.Error("a closed proxy listens")
	}
}
