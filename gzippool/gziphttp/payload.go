package gziphttp

import (
	"errors"
	"io"
	"net/http"
	"sync/atomic"

	"github.com/lowalloc/lowalloc/gzippool"
)

// payload is a body in memory. RoundTrip holds it until it returns, and each
// body over it until that is closed; then its buffers go back to the pool. A body
// that nobody closes keeps them, and the garbage collector gets all of it.
type payload struct {
	chunks
	holders atomic.Int32
	body    body // the first
}

var (
	errClosed   = errors.New("gziphttp: read of a closed request body")
	errReleased = errors.New("gziphttp: GetBody of a request that is done")
)

// compress appends begin, which may be nil, and what follows it in src, as one
// gzip stream.
func (p *payload) compress(begin *chunks, src *source, gzip *gzippool.Pool) error {
	w := gzip.Writer(&p.chunks)
	defer w.Abort()
	if begin != nil {
		if err := begin.writeTo(w); err != nil {
			return err
		}
	}
	if _, err := w.ReadFrom(src); err != nil {
		return err
	}
	return w.Close()
}

// request makes p the body of out. Both RoundTrip and that body hold it then.
func (p *payload) request(out *http.Request) *http.Request {
	p.holders.Store(2)
	p.body.payload = p
	p.body.open()
	out.Body, out.GetBody, out.ContentLength = &p.body, p.getBody, p.size
	if len(out.Trailer) > 0 {
		out.ContentLength = -1 // HTTP/1 has no trailer otherwise
	}
	return out
}

// plain returns a copy of req with p, which is not compressed, as its body.
func (p *payload) plain(req *http.Request) *http.Request {
	out := p.request(req.WithContext(req.Context()))
	if p.size == 0 && len(out.Trailer) == 0 {
		_ = out.Body.Close()
		out.Body, out.GetBody = http.NoBody, nil
	}
	return out
}

// getBody is the request's GetBody, for retries. It works as long as somebody
// holds p.
func (p *payload) getBody() (io.ReadCloser, error) {
	for {
		n := p.holders.Load()
		if n == 0 {
			return nil, errReleased
		}
		if p.holders.CompareAndSwap(n, n+1) {
			b := &body{payload: p}
			b.open()
			return b, nil
		}
	}
}

func (p *payload) release() {
	if p.holders.Add(-1) == 0 {
		p.free()
	}
}

// body reads a payload. It has no WriteTo: net/http would not call it on a body
// of known length.
type body struct {
	uses
	payload *payload
	at      position
}

func (b *body) Read(p []byte) (int, error) {
	if !b.enter() {
		return 0, errClosed
	}
	n := b.at.read(&b.payload.chunks, p)
	if b.leave() {
		b.payload.release()
	}
	if n == 0 && len(p) > 0 {
		return 0, io.EOF
	}
	return n, nil
}

func (b *body) Close() error {
	if b.close() {
		b.payload.release()
	}
	return nil
}
