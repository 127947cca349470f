package gzippool

import (
	"errors"
	"sync/atomic"
)

// handle is the part of a Writer or Reader that says who may use the pooled
// object behind it. The object is lent to one call at a time. Close can come
// during a call, from another goroutine, and does not wait: net/http closes a
// request's body while a Read of it blocks. The object then goes back to the
// pool when that call returns, and only then.
//
// A handle is never pooled: what a late call finds is this handle, closed, and
// not an object that is somebody else's by now.
type handle struct{ state atomic.Uint32 }

const (
	busy   = 1 << iota // a call has the object
	closed             // no further call gets it
	ended              // Close itself was what closed a Writer
)

var (
	errClosed = errors.New("gzippool: use after Close or Abort")
	errBusy   = errors.New("gzippool: two calls at once")
	errLost   = errors.New("gzippool: an earlier call did not return")

	// errOther stands for an error of the user's reader or writer, so that what
	// lies idle holds on to none.
	errOther = errors.New("gzippool: error of the underlying reader or writer")

	errInvalidCount = errors.New("gzippool: underlying reader or writer returned an impossible count")
)

// enter starts a call.
func (h *handle) enter() error {
	switch {
	case h.state.CompareAndSwap(0, busy):
		return nil
	case h.state.Load()&closed != 0:
		return errClosed
	}
	return errBusy
}

// leave ends a call. It reports whether the call has to give the object back.
func (h *handle) leave() bool { return h.state.And(^uint32(busy))&closed != 0 }

// close reports whether the caller has to give the object back. If not, a call
// that runs will do it, or it was done long ago.
func (h *handle) close() bool { return h.state.Or(closed) == 0 }
