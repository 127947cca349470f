package main

import (
	"context"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"
)

// backoff is how long to wait before an attempt that follows a failed one:
// exponentially longer from first to most, with full jitter, that is anything
// from nothing to that much, so that clients that failed together do not come
// back together.
type backoff struct{ first, most time.Duration }

var usualBackoff = backoff{first: 100 * time.Millisecond, most: 30 * time.Second}

// pause returns how long to wait after a number of attempts without progress. A
// server that said when to come back gets that time, and the jitter on top.
func (b backoff) pause(attempts int, retryAfter time.Duration) time.Duration {
	d := b.most
	if shift := attempts - 1; shift < 30 && b.first<<shift < b.most {
		d = b.first << shift
	}
	return retryAfter + rand.N(d+1)
}

// wait returns after d, or when ctx is done.
func wait(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// maxRetryAfter bounds what a server can ask for.
const maxRetryAfter = 5 * time.Minute

// retryAfter reads the header of that name: seconds, or a date.
func retryAfter(h http.Header) time.Duration {
	text := h.Get("Retry-After")
	if text == "" {
		return 0
	}
	var d time.Duration
	if seconds, err := strconv.Atoi(text); err == nil {
		d = time.Duration(min(seconds, int(maxRetryAfter/time.Second))) * time.Second
	} else if at, err := http.ParseTime(text); err == nil {
		d = time.Until(at)
	}
	return min(max(d, 0), maxRetryAfter)
}
