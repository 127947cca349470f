package gziphttp

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"reflect"

	"github.com/lowalloc/lowalloc/gzippool"
	"github.com/lowalloc/lowalloc/pool"
)

// Transport is an [http.RoundTripper] that compresses request bodies. The zero
// value is ready to use. Set the fields before the first use and leave them; do
// not copy a Transport after it. It may be used by many goroutines at once.
//
// Sent as they are: requests without a body or with an empty one, bodies
// shorter than MinSize, and bodies with a Content-Encoding, which is also how a
// caller opts out ("identity" will do). Responses are left alone.
//
// Whatever signs requests belongs below it, in Base: a signature of the plain
// body does not fit the compressed one.
type Transport struct {
	// Base sends the requests. nil means http.DefaultTransport.
	Base http.RoundTripper

	// Gzip has the level and the memory. nil means one of Transport's own.
	Gzip *gzippool.Pool

	// Buffers holds compressed bodies until they are sent, in pieces of 4 to
	// 64 KiB. nil means one of Transport's own.
	Buffers *pool.Pool

	// MinSize is the size of the shortest body, in bytes, that is compressed. 0
	// means 1024, since less leaves in one packet either way; less than 0 means
	// all that are not empty.
	MinSize int64

	gzip    gzippool.Pool
	buffers pool.Pool
}

// RoundTrip sends req by way of Base, its body compressed. The package comment
// says what becomes of the body. The request itself is not changed, and the
// response's Request is req.
//
// It returns the body's own error if reading it fails, an error if it has more
// or fewer bytes than ContentLength says, and the cause if the context ends
// while it is read. The body is closed in every case.
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	out, p := req, (*payload)(nil)
	if req.Body != nil && req.Body != http.NoBody && len(req.Header["Content-Encoding"]) == 0 {
		var err error
		if out, p, err = t.encode(req); err != nil {
			return nil, err
		}
	}
	if p != nil {
		// Base may go on reading the body after it has returned, until it closes
		// it (https://github.com/golang/go/issues/81445).
		defer p.release()
	}
	res, err := t.base().RoundTrip(out)
	if res != nil {
		res.Request = req
	}
	return res, err
}

// CloseIdleConnections calls the method of that name of Base, if it has one.
func (t *Transport) CloseIdleConnections() {
	if c, ok := t.base().(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
}

// encode returns the request for Base. It reads the body to the end, into p, or
// leaves it to Base to read it as a stream, and p is nil.
func (t *Transport) encode(req *http.Request) (out *http.Request, p *payload, err error) {
	src := &source{body: req.Body, want: req.ContentLength}
	streamed := false
	defer func() { // also when the body panics
		if !streamed {
			_ = src.Close()
		}
	}()
	if ctx := req.Context(); ctx.Done() != nil && !closeIsNothing(req.Body) {
		src.closing.Add(1)
		stop := context.AfterFunc(ctx, func() {
			defer src.closing.Done()
			_ = src.Close()
		})
		defer func() {
			if stop() {
				return
			}
			src.closing.Wait() // the body is the caller's again when RoundTrip returns
			if !streamed {
				// Close came between the reads: what they gave, the end or an
				// error, is not the body's own.
				if p != nil && err == nil {
					p.free()
				}
				out, p, err = nil, nil, context.Cause(ctx)
			}
		}()
	}

	p = t.payload()
	var begin *chunks // what it took to see whether the body is long enough
	if minSize := t.minSize(); req.ContentLength < minSize {
		ended, err := p.fill(src, minSize)
		if err != nil {
			p.free()
			return nil, nil, err
		}
		if ended {
			return p.plain(req), p, nil
		}
		begin, p = &p.chunks, t.payload()
		defer func() {
			if !streamed {
				begin.free()
			}
		}()
	}
	gzip := t.Gzip
	if gzip == nil {
		gzip = &t.gzip
	}
	if err := gzip.Validate(); err != nil {
		return nil, nil, err
	}
	if req.ContentLength <= 0 && req.GetBody == nil {
		streamed = true
		out = compressed(req)
		out.Body, out.ContentLength = newStream(src, begin, gzip), -1
		return out, nil, nil
	}
	if err := p.compress(begin, src, gzip); err != nil {
		p.free()
		return nil, nil, err
	}
	return p.request(compressed(req)), p, nil
}

// closeIsNothing reports whether body is from io.NopCloser, as those that
// http.NewRequest makes of bytes in memory are. To have the context close them
// would be four allocations for nothing.
func closeIsNothing(body io.ReadCloser) bool {
	t := reflect.TypeOf(body)
	return t == nopCloser || t == nopCloserWriterTo
}

var (
	nopCloser         = reflect.TypeOf(io.NopCloser(nil))
	nopCloserWriterTo = reflect.TypeOf(io.NopCloser((*bytes.Reader)(nil)))
)

func (t *Transport) payload() *payload {
	p := &payload{chunks: chunks{pool: t.Buffers}}
	if p.pool == nil {
		p.pool = &t.buffers
	}
	return p
}

func (t *Transport) base() http.RoundTripper {
	if t.Base == nil {
		return http.DefaultTransport
	}
	return t.Base
}

func (t *Transport) minSize() int64 {
	switch {
	case t.MinSize == 0:
		return defaultMinSize
	case t.MinSize < 0:
		return 1
	}
	return t.MinSize
}

const defaultMinSize = 1024

// compressed returns a copy of req with the headers of a compressed body. The
// copy shares Trailer, which the body may fill as it ends.
func compressed(req *http.Request) *http.Request {
	out := req.WithContext(req.Context())
	out.Header = req.Header.Clone()
	if out.Header == nil {
		out.Header = make(http.Header, 1)
	}
	out.Header["Content-Encoding"] = gzipCoding
	for _, name := range [...]string{"Content-Length", "Content-Md5", "Digest", "Content-Digest", "Repr-Digest"} {
		delete(out.Header, name) // they describe the plain body
	}
	return out
}

var gzipCoding = []string{"gzip"} // never written to: not even append has room
