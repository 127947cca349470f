package gzippool

import (
	"bytes"
	"io"
	"slices"
)

// AppendCompress appends the gzip stream of src to dst and returns the extended
// slice. It does not allocate once warm if dst has the capacity. The memory of
// dst beyond its length must not overlap src. The error is that of an invalid
// Level; dst is returned unchanged then.
//
// The stream of the same src is the same, as long as the version of this module
// is: it has no time in it.
func (p *Pool) AppendCompress(dst, src []byte) ([]byte, error) {
	c, err := p.compressor()
	if err != nil {
		return dst, err
	}
	c.slice = dst
	c.gz.Reset(&c.slice)
	_, err = c.gz.Write(src)
	if err == nil {
		err = c.gz.Close()
	}
	dst = c.slice
	p.putCompressor(c)
	return dst, err
}

// AppendDecompress appends what the gzip stream src decompresses to, at most
// max bytes, to dst and returns the extended slice. Limits and errors are those
// of [Pool.Reader]; with an error, the good bytes before it are appended.
//
// It does not allocate once warm if dst has the capacity. Otherwise dst grows
// with what there is, not to what the stream claims. The memory of dst beyond
// its length must not overlap src.
func (p *Pool) AppendDecompress(dst, src []byte, max int) ([]byte, error) {
	d := p.decompressor(int64(max))
	limit := compressedLimit(int64(max))
	cut := int64(len(src)) > limit
	if cut {
		src = src[:limit]
	}
	d.slice.Reset(src)
	d.from = &d.slice
	var err error
	for err == nil {
		room := dst[len(dst):cap(dst)]
		if len(room) == 0 {
			room = d.one[:] // is there anything to grow for?
		}
		var n int
		n, err = d.read(room)
		if len(dst) < cap(dst) {
			dst = dst[:len(dst)+n]
		} else if n > 0 {
			dst = append(slices.Grow(dst, bytes.MinRead), d.one[0])
		}
	}
	if cut && d.slice.Len() == 0 {
		err = &TooLargeError{int64(max)}
	}
	p.putDecompressor(d)
	if err == io.EOF { //nolint:errorlint // one that wraps io.EOF is not the end
		err = nil
	}
	return dst, err
}
