package timerx

import (
	"time"
	"unsafe"
)

// Expire is a call by the runtime's timer that was on its way when the timer
// was stopped or set anew.
func (t *Timer) Expire() { t.expire(false) }

// LoseAlarm makes the runtime's timer late: nothing happens at the deadline
// until Expire is called.
func (t *Timer) LoseAlarm() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.alarm.Stop()
}

// StepWallClock makes it look as if the wall clock had been set forward by
// whole seconds since the timer was first used: base keeps its monotonic reading
// and gets an earlier wall time. It reports whether it could, that is whether a
// time.Time still looks as it did in Go 1.26.
func (t *Timer) StepWallClock(seconds int) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.now() // sets base
	stepped := t.base
	// A flag, 33 bits of seconds, 30 of nanoseconds; then the monotonic reading.
	*(*uint64)(unsafe.Pointer(&stepped)) -= uint64(seconds) << 30
	step := time.Duration(seconds) * time.Second
	if stepped.Sub(t.base) != 0 || t.base.Round(0).Sub(stepped.Round(0)) != step {
		return false
	}
	t.base = stepped
	return true
}
