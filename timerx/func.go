package timerx

// NewFunc returns an idle Timer in callback form: each tick runs f in a
// goroutine of its own. f never runs twice at once: if the timer becomes due while
// f runs, f runs once more after that, and no more than once.
//
// f may call every method except StopWait. NewFunc panics if f is nil.
func NewFunc(f func()) *Timer {
	if f == nil {
		panic("timerx.NewFunc: nil function")
	}
	t := &Timer{f: f}
	t.done.L = &t.mu
	return t
}

// StopWait is Stop and then waits until the callback is not running. If that run
// arms the timer, as it may to try again, StopWait stops it too and reports a
// tick prevented. In channel form there is nothing to wait for.
//
// StopWait waits for ever if the callback calls it, or needs a lock that its
// caller holds.
func (t *Timer) StopWait() bool {
	if t == nil {
		return false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	stopped := t.stop()
	for t.running {
		t.waiters++
		t.done.Wait()
		t.waiters--
		stopped = stopped || t.dropped
	}
	return stopped
}

// finish ends a run of f. It stops the timer on behalf of those who wait in
// StopWait: by the time they wake, the next run could have begun.
func (t *Timer) finish() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.running = false
	if t.waiters > 0 {
		t.dropped = t.stop()
		t.done.Broadcast()
	}
	if t.state.Load() == due {
		go t.expireFunc()
	}
}
