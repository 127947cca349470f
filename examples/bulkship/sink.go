package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/lowalloc/lowalloc/gzippool/gziphttp"
	"github.com/lowalloc/lowalloc/pool"
)

// sink stands in for a server: it takes bulk requests of creates, checks them as
// Elasticsearch does and answers as it does. It keeps the ids, not the documents.
type sink struct {
	buffers pool.Pool // bodies and answers

	mu  sync.Mutex
	ids map[string]*idSet // of each index
}

// maxBody is http.max_content_length of Elasticsearch.
const maxBody = 100 << 20

// newSink returns the handler of a sink.
func newSink() http.Handler {
	s := &sink{buffers: pool.Pool{MaxSize: 16 << 20}, ids: make(map[string]*idSet)}
	mux := http.NewServeMux()
	mux.HandleFunc("/_bulk", s.bulk)
	mux.HandleFunc("/{index}/_bulk", s.bulk)
	mux.HandleFunc("GET /{index}/_count", s.count)
	return gziphttp.Handler(nil, http.MaxBytesHandler(mux, maxBody), maxBody)
}

func (s *sink) count(w http.ResponseWriter, r *http.Request) {
	n := 0
	s.mu.Lock()
	if ids := s.ids[r.PathValue("index")]; ids != nil {
		n = ids.len
	}
	s.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	_, _ = fmt.Fprintf(w, `{"count":%d,"_shards":{"total":1,"successful":1,"skipped":0,"failed":0}}`, n)
}

func (s *sink) bulk(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost && r.Method != http.MethodPut {
		refuse(w, http.StatusMethodNotAllowed, "illegal_argument_exception", "Incorrect HTTP method for uri ["+r.RequestURI+"]")
		return
	}
	switch kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); kind {
	case "application/json", "application/x-ndjson":
	default:
		refuse(w, http.StatusNotAcceptable, "media_type_header_exception", "Invalid media-type value on headers [Content-Type]")
		return
	}
	body := s.buffers.Get()
	defer s.buffers.Put(body)
	if _, err := body.ReadFrom(r.Body); err != nil {
		status := http.StatusBadRequest
		if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
			status = http.StatusRequestEntityTooLarge
		}
		refuse(w, status, "parse_exception", err.Error())
		return
	}
	ops, err := parseBulk(body.B, r.PathValue("index"))
	if err != nil {
		refuse(w, http.StatusBadRequest, "illegal_argument_exception", err.Error())
		return
	}
	answer := s.buffers.Get()
	defer s.buffers.Put(answer)
	s.apply(answer, ops, r.URL.Query().Get("filter_path") == answerFilter)
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(answer.B)))
	_, _ = w.Write(answer.B)
}

// refuse answers a whole request with an error.
func refuse(w http.ResponseWriter, status int, kind, reason string) {
	b := appendString([]byte(`{"error":{"root_cause":[],"type":`), kind)
	b = appendString(append(b, `,"reason":`...), reason)
	b = append(b, `},"status":`...)
	b = strconv.AppendInt(b, int64(status), 10)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(append(b, '}'))
}

// operation is one create of a bulk request.
type operation struct{ index, id, source []byte }

// parseBulk takes a whole body apart before anything of it is done, as servers do.
func parseBulk(body []byte, index string) ([]operation, error) {
	switch {
	case len(body) == 0:
		return nil, errors.New("request body is required")
	case body[len(body)-1] != '\n':
		return nil, errors.New("the bulk request must be terminated by a newline [\\n]")
	}
	ops := make([]operation, 0, bytes.Count(body, newline)/2)
	for number := 1; len(body) > 0; number += 2 {
		var action, source []byte
		action, body, _ = bytes.Cut(body, newline)
		op, err := parseAction(action, []byte(index))
		if err != nil {
			return nil, fmt.Errorf("malformed action/metadata line [%d], %w", number, err)
		}
		if len(body) == 0 {
			return nil, fmt.Errorf("the bulk request has no source behind line [%d]", number)
		}
		source, body, _ = bytes.Cut(body, newline)
		op.source = source
		ops = append(ops, op)
	}
	return ops, nil
}

func parseAction(action, index []byte) (operation, error) {
	if !json.Valid(action) || action[0] != '{' {
		return operation{}, errors.New("expected START_OBJECT")
	}
	meta := member(action, "create")
	if meta == nil || meta[0] != '{' {
		return operation{}, fmt.Errorf("expected field [create] but found %s", action)
	}
	op := operation{index: index, id: text(member(meta, "_id"))}
	if own := member(meta, "_index"); own != nil {
		op.index = text(own)
	}
	switch {
	case !validIndex(string(op.index)):
		return operation{}, fmt.Errorf("invalid index name [%s]", op.index)
	case len(op.id) == 0:
		return operation{}, errors.New("an id must be provided")
	case len(op.id) > maxID:
		return operation{}, fmt.Errorf("id is too long, must be no longer than %d bytes but was: %d", maxID, len(op.id))
	}
	return op, nil
}

// text returns what a string, or number, of a valid object stands for.
func text(value []byte) []byte {
	switch {
	case len(value) == 0 || value[0] != '"':
		return value
	case bytes.IndexByte(value, '\\') >= 0:
		return []byte(unquoted(value))
	}
	return value[1 : len(value)-1]
}

// validIndex reports whether servers take name as that of an index.
func validIndex(name string) bool {
	return name != "" && len(name) <= 255 && name != "." && name != ".." &&
		!strings.ContainsAny(name, `\/*?"<>|, #:`) && !strings.ContainsAny(name[:1], "-_+") && strings.ToLower(name) == name
}

// apply carries out operations and appends the answer, all of it or what
// answerFilter leaves.
func (s *sink) apply(answer *pool.Buffer, ops []operation, filtered bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	errs := false
	items := s.buffers.Get()
	defer s.buffers.Put(items)
	for _, op := range ops {
		ids := s.ids[string(op.index)]
		if ids == nil {
			ids = newIDSet()
			s.ids[string(op.index)] = ids
		}
		status, why := http.StatusCreated, failure{}
		switch {
		case len(op.source) == 0 || op.source[0] != '{' || !json.Valid(op.source):
			status, why = http.StatusBadRequest, failure{"document_parsing_exception", "failed to parse"}
		case !ids.add(op.id):
			status = http.StatusConflict
			why = failure{"version_conflict_engine_exception", "[" + string(op.id) + "]: version conflict, document already exists (current version [1])"}
		}
		errs = errs || status != http.StatusCreated
		items.B = appendItem(items.B, &op, status, why, ids.len-1, filtered)
	}
	b := answer.B
	if !filtered {
		b = append(b, `{"took":1,"errors":`...)
		b = strconv.AppendBool(b, errs)
		b = append(b, ',')
	} else {
		b = append(b, '{')
	}
	b = append(b, `"items":[`...)
	b = append(b, items.B[:len(items.B)-1]...)
	answer.B = append(b, "]}"...)
}

// appendItem appends an item and a comma.
func appendItem(b []byte, op *operation, status int, why failure, seqNo int, filtered bool) []byte {
	b = append(b, `{"create":{`...)
	if !filtered {
		b = appendString(append(b, `"_index":`...), op.index)
		b = appendString(append(b, `,"_id":`...), op.id)
		if why.Type == "" {
			b = append(b, `,"_version":1,"result":"created","_shards":{"total":1,"successful":1,"failed":0},"_seq_no":`...)
			b = strconv.AppendInt(b, int64(seqNo), 10)
			b = append(b, `,"_primary_term":1`...)
		}
		b = append(b, ',')
	}
	b = append(b, `"status":`...)
	b = strconv.AppendInt(b, int64(status), 10)
	if why.Type != "" {
		b = appendString(append(b, `,"error":{"type":`...), why.Type)
		b = appendString(append(b, `,"reason":`...), why.Reason)
		b = append(b, '}')
	}
	return append(b, "}},"...)
}
