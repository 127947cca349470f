package gziphttp

import "sync/atomic"

// uses counts who needs the memory behind a body: the body itself until it is
// closed, and each Read in progress. HTTP/2 closes a body while it is read, and
// must not have to wait (https://github.com/golang/go/issues/61596).
type uses struct {
	n      atomic.Int32
	closed atomic.Bool
}

func (u *uses) open() { u.n.Store(1) }

// enter reports whether the body may be read. If so, leave must follow.
func (u *uses) enter() bool {
	for !u.closed.Load() {
		n := u.n.Load()
		if n == 0 {
			break
		}
		if u.n.CompareAndSwap(n, n+1) {
			return true
		}
	}
	return false
}

// leave reports whether nobody needs the memory any more.
func (u *uses) leave() bool { return u.n.Add(-1) == 0 }

// close is leave for the body itself, the first time.
func (u *uses) close() bool { return !u.closed.Swap(true) && u.leave() }
