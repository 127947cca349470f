package statsdecode

import (
	"fmt"
	"io"

	"github.com/goccy/go-json"
)

// ReadError reads the body of an answer with an HTTP status that means no
// data, and returns what the server says is wrong. It never returns nil: a
// *[ResponseError] where the body is one of the server's errors, and otherwise
// the *[DecodeError] of the body, which may be the page of a proxy. The latter
// has the status in its message alone: what to do about a status, such as to try
// again after 503, is to be decided before. It reads no more than 2 MiB.
//
// Statuses with data are 200 and, for cluster health, 408.
func ReadError(status int, r io.Reader) error {
	w := walkOne(&endpoint{name: fmt.Sprintf("answer with status %d", status)}, r)
	defer w.close()
	w.maxEntry = 1 << 20
	if w.whole() {
		w.leaveAnswer()
	}
	if w.refuse == nil {
		w.fail("", 0, ErrUnexpectedAnswer) // {}, if nothing else was wrong
		return w.fatal
	}
	w.refuse.Status = w.status
	if w.status == 0 {
		w.refuse.Status = status
	}
	return w.refuse
}

// responseError reads the member error of an answer: an object, or in
// Elasticsearch 1 and of some proxies a text. What has another type than
// expected is left out: half an explanation is better than none.
func responseError(value []byte) *ResponseError {
	if value[0] == '"' {
		return &ResponseError{Reason: string(unquote(value))}
	}
	var e struct {
		Cause
		RootCause []Cause `json:"root_cause"`
	}
	_ = json.Unmarshal(value, &e)
	return &ResponseError{Type: e.Type, Reason: e.Reason, Index: e.Index, RootCause: e.RootCause}
}

// wireFailure is the failure of a shard, whose reason is an object, or of a
// node, whose reason is text (https://github.com/olivere/elastic/issues/1494).
type wireFailure struct {
	Shard    int        `json:"shard"`
	Index    string     `json:"index"`
	Node     string     `json:"node"`
	NodeID   string     `json:"node_id"`
	Type     string     `json:"type"`
	Reason   wireReason `json:"reason"`
	CausedBy Cause      `json:"caused_by"`
}

// wireFailures are the first of many: a server lists each failed shard.
type wireFailures []wireFailure

const maxFailures = 1000

func (f *wireFailures) UnmarshalJSON(data []byte) error {
	*f = nil
	var first error
	for value := range elements(data) {
		if len(*f) == maxFailures {
			break
		}
		var one wireFailure
		if err := json.Unmarshal(value, &one); err != nil && first == nil {
			first = err
		}
		*f = append(*f, one)
	}
	return first
}

type wireReason struct {
	Cause
	CausedBy Cause `json:"caused_by"`
}

func (r *wireReason) UnmarshalJSON(data []byte) error {
	if data[0] == '"' {
		r.Reason = string(unquote(data))
		return nil
	}
	type plain wireReason
	return json.Unmarshal(data, (*plain)(r))
}

func (f *wireFailure) failure() Failure {
	out := Failure{Index: f.Index, Shard: f.Shard, NodeID: f.NodeID, Type: f.Type, Reason: f.Reason.Reason, Cause: f.CausedBy}
	if out.NodeID == "" {
		out.NodeID = f.Node
	}
	if out.Type == "" {
		out.Type = f.Reason.Type
	}
	if out.Cause == (Cause{}) {
		out.Cause = f.Reason.CausedBy
	}
	return out
}
