package timerx

import (
	"math"
	"sync"
	"sync/atomic"
	"time"
)

// A Timer says when a batch is to be flushed. It is idle, or armed until its
// deadline, or due until its tick is taken; then it is idle again.
//
// The zero value is an idle Timer that sends its ticks to the channel [Timer.C];
// [NewFunc] makes one that runs a function instead. A nil *Timer is never due:
// its channel blocks for ever and its other methods do nothing. So it tries
// nothing again, either: a loop that does so after a failed flush needs a Timer,
// and without a linger just does not call Arm for items.
//
// A Timer must not be copied after first use. Its methods may be called from
// any goroutine, and none but StopWait blocks. Once the Timer has been used,
// neither its methods nor its ticks allocate.
//
// The runtime refers to an armed Timer until it is due or stopped, so call Stop
// when the Timer is needed no more. A Timer first used in a [testing/synctest]
// bubble must stay in it, and one first used outside must stay out: on the other
// side its tick may never come.
type Timer struct {
	// MaxWait is for how long calls of Touch can put off a tick, counted from
	// the first of them since the timer was idle or Reset. 0 or less is no
	// limit. MaxWait must not change after first use.
	MaxWait time.Duration

	// state is written under mu. Arm reads it without, so that calling it for
	// every item of a batch costs 0.01 of a time.Timer.Reset, and not 0.1.
	state atomic.Uint32

	mu sync.Mutex

	// alarm calls expire, which sends the tick. The channel of a time.NewTimer
	// would save a goroutine on the way, less than a microsecond. But the runtime
	// keeps such a timer in its heap only while somebody waits for it, so every
	// select of a loop puts it in and takes it out: with a channel of our own, a
	// loop takes 0.87 of the time while nothing is armed, and a flush loop 0.82 if
	// its items wait for it, 0.95 if it waits for them.
	alarm    *time.Timer
	base     time.Time     // the instant of first use, from which the three below count
	deadline time.Duration // armed: when the timer is due; due: since when
	ceiling  time.Duration // armed: what Touch does not move the deadline past
	wake     time.Duration // armed: what alarm is set to, or was, and expire is on its way; at most deadline

	ticks chan struct{} // channel form: holds one tick while the timer is due

	f       func()    // callback form
	running bool      // f is
	waiters int       // calls of StopWait
	runs    uint64    // how often f was run
	dropped uint64    // the last of them that left a tick pending while StopWait waited for it
	spawned bool      // a goroutine of spawn has not begun
	done    sync.Cond // a run of f that they waited for has ended

	// spawnFunc is what spawn starts: a value, which allocates, so it is made once.
	// For a run of f that is due at once, we start it and do not set alarm to 0: two
	// timers set so at the same time in a synctest bubble can crash the race
	// detector, https://github.com/golang/go/issues/78156.
	spawnFunc func()
}

// The states of a Timer. In channel form it goes from due to idle when the
// tick is received, which state does not show: see status.
const (
	idle uint32 = iota
	armed
	due
)

const never time.Duration = math.MaxInt64

// C returns the channel of the ticks: always the same one, never closed. It
// holds at most one tick, which goes to one receiver, or to none if Stop or
// Reset discards it first.
//
// C returns nil in callback form and for a nil Timer.
func (t *Timer) C() <-chan struct{} {
	if t == nil || t.f != nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.alarm == nil {
		t.init()
	}
	return t.ticks
}

// Arm makes an idle timer due in d, or at once if d is 0 or less, and reports
// whether it did so. It does nothing to a timer that is armed or due: called
// for every item of a batch, it counts the linger from the first.
func (t *Timer) Arm(d time.Duration) bool {
	return t != nil && t.state.Load() != armed && t.arm(d)
}

// arm, like the other calls that a loop makes often, does without defer: that
// would be 0.03 of a time.Timer.Reset.
func (t *Timer) arm(d time.Duration) bool {
	t.mu.Lock()
	isIdle := t.status() == idle
	if isIdle {
		t.start(d)
	}
	t.mu.Unlock()
	return isIdle
}

// ArmAt is Arm for a timer that is to be due at an instant: at once if at has
// passed. The time until then is measured by the monotonic clock: a step of the
// wall clock after the call does not change it.
func (t *Timer) ArmAt(at time.Time) bool {
	return t.Arm(time.Until(at))
}

// Reset makes the timer due in d, or at once if d is 0 or less, whatever its
// state: a tick that is due is discarded, and the ceiling of earlier calls of
// Touch forgotten. It reports whether the timer was armed or due.
func (t *Timer) Reset(d time.Duration) bool {
	if t == nil {
		return false
	}
	t.mu.Lock()
	pending := t.cancel()
	t.start(d)
	t.mu.Unlock()
	return pending
}

// Touch makes the timer due in d, or at once if d is 0 or less, but never later
// than MaxWait allows: called for every event, it makes the timer due when no
// event has come for d. It may move the deadline of an armed timer either way,
// and does nothing to one that is due.
//
// To move the deadline to a later time, Touch does not set the runtime's timer: that
// one wakes up at the old deadline, at most once per d, and is set again then.
func (t *Timer) Touch(d time.Duration) {
	if t == nil {
		return
	}
	t.mu.Lock()
	now := t.now()
	switch status := t.status(); {
	case status == due:
	case status == armed && t.deadline <= now: // expire is late: too late to put it off
		t.fire(t.deadline)
	default:
		if status == idle {
			t.ceiling = never
		}
		if t.ceiling == never && t.MaxWait > 0 {
			t.ceiling = add(now, t.MaxWait)
		}
		t.set(now, min(add(now, d), t.ceiling))
	}
	t.mu.Unlock()
}

// Fire makes the timer due now, without waiting for its deadline: for a flush
// before the linger is over. It does nothing to a timer that is due. Where package
// time says that a timer fires, by itself, this one says that it ticks.
func (t *Timer) Fire() {
	if t == nil {
		return
	}
	t.mu.Lock()
	if t.status() != due {
		t.fire(t.now())
	}
	t.mu.Unlock()
}

// Stop makes the timer idle and reports whether that prevented a tick: one to
// come, or one that is due and not received, which is discarded. No tick
// follows unless the timer is armed again. Stop does not wait for a running
// callback; see [Timer.StopWait].
func (t *Timer) Stop() bool {
	if t == nil {
		return false
	}
	t.mu.Lock()
	pending := t.stop()
	t.mu.Unlock()
	return pending
}

// Deadline returns when the timer is due, or since when it has been, and
// reports whether it is armed or due.
func (t *Timer) Deadline() (time.Time, bool) {
	if t == nil {
		return time.Time{}, false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.status() == idle {
		return time.Time{}, false
	}
	// Not base.Add(deadline): the wall clock may have been set since.
	now := time.Now()
	return now.Add(t.deadline - now.Sub(t.base)), true
}

// init gets the timer ready for use. Deadlines count from a base because the
// clock is most of what a call costs, and time.Since reads half as much of it as
// time.Now: with deadlines of type time.Time, Touch took 1.1 of a
// time.Timer.Reset and not 0.65. The base is the timer's own because a synctest
// bubble has a clock of its own.
func (t *Timer) init() {
	t.base = time.Now()
	t.spawnFunc = func() { t.expire(true) }
	t.alarm = time.AfterFunc(never, func() { t.expire(false) })
	t.alarm.Stop()
	if t.f == nil {
		t.ticks = make(chan struct{}, 1)
	}
}

func (t *Timer) now() time.Duration {
	if t.alarm == nil {
		t.init()
	}
	return time.Since(t.base)
}

// add returns now + d, or never. now is not negative.
func add(now, d time.Duration) time.Duration {
	return now + min(d, never-now)
}

// status is the state, except that it sees whether a tick has been received.
func (t *Timer) status() uint32 {
	s := t.state.Load()
	if s == due && t.f == nil && len(t.ticks) == 0 {
		return idle
	}
	return s
}

// start makes an idle timer due in d.
func (t *Timer) start(d time.Duration) {
	now := t.now()
	t.ceiling = never
	t.set(now, add(now, d))
}

// set gives an idle or armed timer its deadline. If that moves to a later time,
// alarm stays as it is, and expire sets it again: otherwise Touch would take 1.5
// of a time.Timer.Reset.
func (t *Timer) set(now, deadline time.Duration) {
	if deadline <= now {
		t.fire(now)
		return
	}
	t.deadline = deadline
	if t.state.Load() != armed || deadline < t.wake {
		t.wake = deadline
		t.alarm.Reset(deadline - now)
		t.state.Store(armed)
	}
}

// fire makes an idle or armed timer due.
func (t *Timer) fire(at time.Duration) {
	t.alarm.Stop()
	t.tick(at)
	if t.f != nil {
		t.spawn()
	}
}

// tick is the part of fire that expire needs.
func (t *Timer) tick(at time.Duration) {
	t.deadline = at
	t.state.Store(due)
	if t.f == nil {
		t.ticks <- struct{}{} // does not block: there is one only while the timer is due
	}
}

// stop makes the timer idle and reports whether it was not. The runtime forgets
// a stopped alarm, and so t, when a quarter of a P's timers are stopped ones, at
// the latest.
func (t *Timer) stop() bool {
	pending := t.cancel()
	if pending {
		t.alarm.Stop()
	}
	return pending
}

// cancel is stop without a word to alarm.
func (t *Timer) cancel() bool {
	s := t.state.Load()
	t.state.Store(idle)
	if s == due && t.f == nil {
		select {
		case <-t.ticks:
			return true
		default: // received
			return false
		}
	}
	return s != idle
}

// expire is called by alarm, in a goroutine of its own: perhaps late, when the
// timer has been stopped or armed anew, perhaps early, before a deadline that
// Touch has moved. It goes by the state and the clock alone. What alarm.Stop and
// alarm.Reset return is not used: https://github.com/golang/go/issues/80760.
//
// spawned says that spawn started the goroutine.
func (t *Timer) expire(spawned bool) {
	if t.begin(spawned) {
		defer t.finish() // deferred for the sake of runtime.Goexit in f
		t.f()
	}
}

// begin makes the timer due if it is time, and reports whether a run of f is to
// follow, which takes the tick.
func (t *Timer) begin(spawned bool) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if spawned {
		t.spawned = false
	}
	if t.state.Load() == armed {
		if now := t.now(); now < t.deadline {
			t.wake = t.deadline
			t.alarm.Reset(t.deadline - now)
			return false
		}
		t.tick(t.deadline)
	}
	if t.f == nil || t.running || t.state.Load() != due {
		return false
	}
	t.state.Store(idle)
	t.running = true
	t.runs++
	return true
}
