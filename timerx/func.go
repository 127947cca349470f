package timerx

// NewFunc returns an idle Timer in callback form: each tick runs f in a
// goroutine of its own. f never runs twice at once: while it runs the timer can
// be due, which is one run to follow, and no more than one.
//
// f may call every method except StopWait. It panics if f is nil.
func NewFunc(f func()) *Timer {
	if f == nil {
		panic("timerx.NewFunc: nil function")
	}
	t := &Timer{f: f}
	t.done.L = &t.mu
	return t
}

// StopWait is Stop, but waits until the callback is not running. If that run
// has armed the timer, as it does to try again, this is stopped too, and counts as a
// tick prevented. In channel form there is nothing to wait for.
//
// StopWait called by the callback itself, or while the caller holds a lock
// that the callback needs, waits for ever.
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

// finish ends a run of f. It stops the timer for those who wait in StopWait: until they
// wake, the next run could have begun.
func (t *Timer) finish() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.running = false
	if t.waiters > 0 {
		t.dropped = t.stop()
		t.done.Broadcast()
	}
	if t.state.Load() == due {
		t.alarm.Reset(0) // expire runs f
	}
}
