package gziphttp

import (
	"errors"
	"io"
	"net/http"
	"strings"

	"github.com/lowalloc/lowalloc/gzippool"
)

// DefaultMaxBody is the limit, in decompressed bytes, of a [Handler] that is
// given none.
const DefaultMaxBody = 32 << 20

// Handler returns a handler that calls next with request bodies decompressed,
// up to max bytes: 0 means [DefaultMaxBody], less than 0 no limit. It answers
// nothing but 415 itself: 413 and 400 are for next, when Read fails. It does not
// compress responses. p has the memory; nil means a pool of the handler's own.
//
// max is for compressed bodies alone. To limit plain ones as well, put
// [http.MaxBytesHandler] inside, which then counts decompressed bytes:
//
//	gziphttp.Handler(p, http.MaxBytesHandler(next, n), n)
//
// A body in gzip, or x-gzip, reaches next on a copy of the request, without
// Content-Encoding and Content-Length and of unknown length. One in anything
// else, or compressed twice, is answered with 415 (Unsupported Media Type) and
// an Accept-Encoding that names gzip. One in identity is plain, and reaches next
// as it is.
//
// Nothing is read before next reads, so next can still refuse the body. What is
// wrong with it, next learns from Read, and answers. For too many bytes, that
// error is found by [errors.As] both as [*gzippool.TooLargeError] and as
// [*http.MaxBytesError], so code that answers 413 to the latter does it here.
// A body without any bytes is empty. After next has returned, Read fails.
func Handler(p *gzippool.Pool, next http.Handler, max int64) http.Handler {
	if p == nil {
		p = new(gzippool.Pool)
	}
	if max == 0 {
		max = DefaultMaxBody
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch coding := coding(r.Header); {
		case coding == "":
			next.ServeHTTP(w, r)
			return
		case coding != "gzip" && coding != "x-gzip":
			w.Header().Set("Accept-Encoding", "gzip")
			http.Error(w, "gziphttp: Content-Encoding is not gzip", http.StatusUnsupportedMediaType)
			return
		}
		plain := r.WithContext(r.Context())
		plain.Header = r.Header.Clone()
		plain.Header.Del("Content-Encoding")
		plain.Header.Del("Content-Length")
		if r.Body != nil && r.Body != http.NoBody {
			body := &plainBody{body: r.Body, sent: r, plain: plain}
			body.gzip = p.Reader(&body.counted, max)
			body.counted.r = r.Body
			defer func() { _ = body.gzip.Close() }() // also when next panics
			plain.Body, plain.ContentLength = body, -1
		}
		defer func() { r.MultipartForm = plain.MultipartForm }() // the server deletes its files
		next.ServeHTTP(w, plain)
	})
}

// coding returns the codings of the body but identity, in lower case: "" for
// none, one name, or a list.
func coding(h http.Header) string {
	var codings []string
	for _, line := range h["Content-Encoding"] {
		for name := range strings.SplitSeq(line, ",") {
			if name = strings.ToLower(strings.TrimSpace(name)); name != "" && name != "identity" {
				codings = append(codings, name)
			}
		}
	}
	return strings.Join(codings, ",")
}

// plainBody is the decompressed body of a request.
type plainBody struct {
	body    io.ReadCloser
	sent    *http.Request // which the server fills at the end of body
	plain   *http.Request // which next has
	gzip    *gzippool.Reader
	counted counted
}

func (b *plainBody) Read(p []byte) (int, error) {
	n, err := b.gzip.Read(p)
	if err == io.EOF { //nolint:errorlint // one that wraps io.EOF is not the end
		b.plain.Trailer = b.sent.Trailer // trailers need not be declared
	}
	if err == nil || err == io.EOF { //nolint:errorlint // as above
		return n, err
	}
	if err == io.ErrUnexpectedEOF && b.counted.ended && b.counted.n == 0 { //nolint:errorlint // as above
		return n, io.EOF // no body at all is no error
	}
	if tooLarge, ok := errors.AsType[*gzippool.TooLargeError](err); ok {
		err = &tooLargeError{tooLarge, http.MaxBytesError{Limit: tooLarge.Limit}}
	}
	return n, err
}

// Close closes both, the server's body last.
func (b *plainBody) Close() error {
	_ = b.gzip.Close()
	return b.body.Close()
}

// tooLargeError is one error for those who know gzippool and those who know
// net/http.
type tooLargeError struct {
	gzip *gzippool.TooLargeError
	http http.MaxBytesError
}

func (e *tooLargeError) Error() string { return e.gzip.Error() }

func (e *tooLargeError) Unwrap() []error { return []error{e.gzip, &e.http} }

// counted tells a body without bytes from one that is cut off.
type counted struct {
	r     io.Reader
	n     int64
	ended bool
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	c.ended = c.ended || err == io.EOF
	return n, err
}
