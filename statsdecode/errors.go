package statsdecode

import (
	"errors"
	"fmt"
	"strings"
)

// Errors that a [DecodeError] wraps, to be found with errors.Is.
var (
	// ErrNotJSON: the answer is no JSON, but HTML, text or compressed bytes,
	// as a proxy or a wrong port sends. The message quotes its first 64 bytes.
	ErrNotJSON = errors.New("the answer is not JSON")

	// ErrUnexpectedAnswer: the answer is JSON, but not of this endpoint: null,
	// an array, a scalar, or an object without any of the members that the
	// endpoint has.
	ErrUnexpectedAnswer = errors.New("not an answer of this endpoint")

	// ErrEntryTooLarge: an entry is larger than Decoder.MaxEntryBytes.
	ErrEntryTooLarge = errors.New("entry too large")
)

// DecodeError says what could not be decoded and where. Walks and functions
// return it by pointer. Its message is not part of the contract.
type DecodeError struct {
	Endpoint string // what was being read: "_stats", "_nodes/stats", ...
	Name     string // the index or node, "" outside of one
	Pointer  string // JSON pointer (RFC 6901) to the value, as far as it is known
	Offset   int64  // in bytes from the start of the answer
	Err      error  // the cause: io.ErrUnexpectedEOF for a cut answer, the reader's own error, one of the Err values here, or a syntax or type error
}

// Error says what could not be decoded, where, and why, in one line.
func (e *DecodeError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "statsdecode: %s: ", e.Endpoint)
	if e.Name != "" {
		fmt.Fprintf(&b, "%q: ", clip(e.Name))
	}
	fmt.Fprintf(&b, "byte %d", e.Offset)
	if e.Pointer != "" {
		fmt.Fprintf(&b, " (%s)", clip(e.Pointer))
	}
	fmt.Fprintf(&b, ": %s", clip(e.Err.Error()))
	return b.String()
}

// Unwrap returns e.Err.
func (e *DecodeError) Unwrap() error { return e.Err }

// ResponseError is the error that a server answered with, in place of data.
// Walks and functions return it by pointer.
type ResponseError struct {
	Status    int     // HTTP status, from the body where it has one; 0 unknown
	Type      string  // such as index_not_found_exception; "" in Elasticsearch 1
	Reason    string  // for people
	Index     string  // the index it is about, if any
	RootCause []Cause // what lies behind it, one for each shard or node that differs
}

// Cause is an error as the server describes it.
type Cause struct {
	Type   string `json:"type"`
	Reason string `json:"reason"`
	Index  string `json:"index"` // the index it is about, if any
}

// Error says the status, the type and the reason, in one line.
func (e *ResponseError) Error() string {
	var b strings.Builder
	b.WriteString("statsdecode: the server answered")
	if e.Status != 0 {
		fmt.Fprintf(&b, " with status %d", e.Status)
	}
	for _, s := range []string{e.Type, e.Reason} {
		if s != "" {
			b.WriteString(": ")
			b.WriteString(clip(s))
		}
	}
	return b.String()
}

// PartialError says that the answer lacks what some shards or nodes hold,
// though its status is 200. It comes last, after the data: figures of such an
// answer must not be subtracted from those of another. Walks return it by
// pointer.
type PartialError struct {
	Total      int       // shards or nodes asked
	Successful int       // that answered; may be lower than Total without a failure, as unassigned shards are not asked
	Failed     int       // that failed
	Failures   []Failure // the first thousand, where the answer has more
}

// Failure is the failure of one shard or node.
type Failure struct {
	Index  string // of a shard
	Shard  int    // number of a shard within Index
	NodeID string // of a node
	Type   string // such as failed_node_exception
	Reason string // for people
	Cause  Cause  // what lies behind it, such as receive_timeout_transport_exception
}

// Error says how many failed, and of the first three why, in one line.
func (e *PartialError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "statsdecode: partial answer: %d of %d failed", e.Failed, e.Total)
	for i, f := range e.Failures {
		if i == 3 {
			b.WriteString("; ...")
			break
		}
		b.WriteString("; ")
		switch {
		case f.Index != "":
			fmt.Fprintf(&b, "[%s][%d]: ", f.Index, f.Shard)
		case f.NodeID != "":
			fmt.Fprintf(&b, "node %s: ", f.NodeID)
		}
		b.WriteString(clip(f.Reason))
		if f.Cause.Reason != "" {
			b.WriteString(": " + clip(f.Cause.Reason))
		}
	}
	return b.String()
}

// clip shortens what a server said to what fits in a line of a log. The fields
// of an error have it whole.
func clip(s string) string {
	const most = 500
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "..."
}
