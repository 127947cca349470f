package timerx_test

import (
	"fmt"
	"math"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lowalloc/lowalloc/timerx"
)

// A probe is a timer of either form with all its ticks on record. It belongs to
// one bubble.
type probe struct {
	*timerx.Timer
	form  string
	birth time.Time
	ticks []time.Duration // callback form: since birth
	hold  chan struct{}   // callback form: f waits for it to be closed
}

const (
	channelForm  = "channel"
	callbackForm = "callback"
)

var forms = []string{channelForm, callbackForm}

func newProbe(form string) *probe {
	p := &probe{form: form, birth: time.Now()}
	if form == channelForm {
		p.Timer = new(timerx.Timer)
		return p
	}
	p.Timer = timerx.NewFunc(func() {
		p.ticks = append(p.ticks, time.Since(p.birth))
		if hold := p.hold; hold != nil {
			<-hold
		}
	})
	return p
}

// The three states, entered two seconds before the call under test.
const (
	armedFor = 10 * time.Second
	lead     = 2 * time.Second
	rest     = armedFor - lead
)

func (p *probe) enter(state string) {
	switch {
	case state == "armed":
		p.Arm(armedFor)
	case state == "due" && p.form == channelForm:
		p.Fire()
	case state == "due":
		p.hold = make(chan struct{})
		p.Fire()
		synctest.Wait() // f runs, and will not return
		p.Fire()
	}
	time.Sleep(lead)
	synctest.Wait()
	p.ticks = nil
}

// observe lets f return if it is held, and gives the ticks of the next hour,
// counted from now.
func (p *probe) observe() []time.Duration {
	start := time.Now()
	if p.form == channelForm {
		var ticks []time.Duration
		for horizon := time.After(time.Hour); ; {
			select {
			case <-p.C():
				ticks = append(ticks, time.Since(start))
			case <-horizon:
				return ticks
			}
		}
	}
	if hold := p.hold; hold != nil {
		p.hold = nil
		close(hold)
	}
	time.Sleep(time.Hour)
	synctest.Wait()
	ticks := slices.Clone(p.ticks)
	for i := range ticks {
		ticks[i] -= start.Sub(p.birth)
	}
	return ticks
}

// deadline is Deadline in the form in which the tables below want it.
func (p *probe) deadline() string {
	at, ok := p.Deadline()
	if !ok {
		if !at.IsZero() {
			return "not ok, but " + at.String()
		}
		return "none"
	}
	return time.Until(at).String()
}

// call names a method with its argument, so that the tables read like code.
type call struct {
	name string
	do   func(*probe) string
}

func arm(d time.Duration) call {
	return call{fmt.Sprintf("Arm(%v)", d), func(p *probe) string { return fmt.Sprint(p.Arm(d)) }}
}
func armAt(d time.Duration) call {
	return call{fmt.Sprintf("ArmAt(now+%v)", d), func(p *probe) string { return fmt.Sprint(p.ArmAt(time.Now().Add(d))) }}
}
func reset(d time.Duration) call {
	return call{fmt.Sprintf("Reset(%v)", d), func(p *probe) string { return fmt.Sprint(p.Reset(d)) }}
}
func touch(d time.Duration) call {
	return call{fmt.Sprintf("Touch(%v)", d), func(p *probe) string { p.Touch(d); return "" }}
}

var (
	fire = call{"Fire", func(p *probe) string { p.Fire(); return "" }}
	stop = call{"Stop", func(p *probe) string { return fmt.Sprint(p.Stop()) }}
	none = call{"nothing", func(*probe) string { return "" }}
)

const (
	minDuration time.Duration = math.MinInt64
	maxDuration time.Duration = math.MaxInt64 // sums saturate there, counted from the first use of a timer
)

// The state table, cell by cell and in both forms. In callback form a due timer
// is one whose f is running and is to run again. StopWait has a test of its own.
func TestStateTable(t *testing.T) {
	const s = time.Second
	one := func(d time.Duration) []time.Duration { return []time.Duration{d} }
	for _, cell := range []struct {
		call     call
		state    string
		result   string
		deadline string // as soon as the call has returned
		ticks    []time.Duration
	}{
		{none, "idle", "", "none", nil},
		{none, "armed", "", "8s", one(rest)},
		{none, "due", "", "-2s", one(0)},

		{arm(3 * s), "idle", "true", "3s", one(3 * s)},
		{arm(3 * s), "armed", "false", "8s", one(rest)},
		{arm(3 * s), "due", "false", "-2s", one(0)},
		{arm(0), "idle", "true", "0s", one(0)},
		{arm(0), "armed", "false", "8s", one(rest)},
		{arm(0), "due", "false", "-2s", one(0)},
		{arm(-1), "idle", "true", "0s", one(0)},
		{arm(-1), "armed", "false", "8s", one(rest)},
		{arm(-1), "due", "false", "-2s", one(0)},
		{arm(minDuration), "idle", "true", "0s", one(0)},
		{arm(minDuration), "armed", "false", "8s", one(rest)},
		{arm(maxDuration), "idle", "true", maxDuration.String(), nil},
		{arm(maxDuration), "armed", "false", "8s", one(rest)},

		{armAt(3 * s), "idle", "true", "3s", one(3 * s)},
		{armAt(3 * s), "armed", "false", "8s", one(rest)},
		{armAt(3 * s), "due", "false", "-2s", one(0)},
		{armAt(0), "idle", "true", "0s", one(0)},
		{armAt(-3 * s), "idle", "true", "0s", one(0)},
		{armAt(-3 * s), "armed", "false", "8s", one(rest)},
		{armAt(-3 * s), "due", "false", "-2s", one(0)},

		{reset(3 * s), "idle", "false", "3s", one(3 * s)},
		{reset(3 * s), "armed", "true", "3s", one(3 * s)},
		{reset(20 * s), "armed", "true", "20s", one(20 * s)},
		{reset(3 * s), "due", "true", "3s", one(3 * s)},
		{reset(0), "idle", "false", "0s", one(0)},
		{reset(0), "armed", "true", "0s", one(0)},
		{reset(0), "due", "true", "0s", one(0)},
		{reset(minDuration), "idle", "false", "0s", one(0)},
		{reset(minDuration), "armed", "true", "0s", one(0)},
		{reset(minDuration), "due", "true", "0s", one(0)},
		{reset(maxDuration), "idle", "false", maxDuration.String(), nil},
		{reset(maxDuration), "armed", "true", (maxDuration - lead).String(), nil},
		{reset(maxDuration), "due", "true", (maxDuration - lead).String(), nil},

		{touch(3 * s), "idle", "", "3s", one(3 * s)},
		{touch(3 * s), "armed", "", "3s", one(3 * s)},
		{touch(20 * s), "armed", "", "20s", one(20 * s)},
		{touch(3 * s), "due", "", "-2s", one(0)},
		{touch(0), "idle", "", "0s", one(0)},
		{touch(0), "armed", "", "0s", one(0)},
		{touch(0), "due", "", "-2s", one(0)},
		{touch(minDuration), "idle", "", "0s", one(0)},
		{touch(minDuration), "armed", "", "0s", one(0)},
		{touch(minDuration), "due", "", "-2s", one(0)},
		{touch(maxDuration), "idle", "", maxDuration.String(), nil},
		{touch(maxDuration), "armed", "", (maxDuration - lead).String(), nil},

		{fire, "idle", "", "0s", one(0)},
		{fire, "armed", "", "0s", one(0)},
		{fire, "due", "", "-2s", one(0)},

		{stop, "idle", "false", "none", nil},
		{stop, "armed", "true", "none", nil},
		{stop, "due", "true", "none", nil},
	} {
		for _, form := range forms {
			t.Run(fmt.Sprintf("form=%s/call=%s/from=%s", form, cell.call.name, cell.state), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					p := newProbe(form)
					p.enter(cell.state)
					if got := cell.call.do(p); got != cell.result {
						t.Errorf("%s on an %s timer = %q, want %q", cell.call.name, cell.state, got, cell.result)
					}
					begun := form == callbackForm && cell.deadline == "0s" // f may have begun, and then the timer is idle
					if got := p.deadline(); got != cell.deadline && (!begun || got != "none") {
						t.Errorf("Deadline after %s on an %s timer is %s from now, want %s", cell.call.name, cell.state, got, cell.deadline)
					}
					if got := p.observe(); !slices.Equal(got, cell.ticks) {
						t.Errorf("ticks after %s on an %s timer: %v, want %v", cell.call.name, cell.state, got, cell.ticks)
					}
					if got := p.deadline(); len(cell.ticks) == 1 && got != "none" {
						t.Errorf("Deadline after the tick is %s from now, want none", got)
					}
					p.Stop()
				})
			})
		}
	}
}

// The rows and columns of the state table that are about receiving.
func TestReceive(t *testing.T) {
	t.Run("from=idle", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			p := newProbe(channelForm)
			if ticks := p.observe(); ticks != nil {
				t.Errorf("ticks of an idle timer: %v, want none", ticks)
			}
		})
	})
	t.Run("from=armed", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			p := newProbe(channelForm)
			p.enter("armed")
			start := time.Now()
			<-p.C()
			if got := time.Since(start); got != rest {
				t.Errorf("received after %v, want %v", got, rest)
			}
			if got := p.deadline(); got != "none" {
				t.Errorf("Deadline after the receive is %s from now, want none", got)
			}
		})
	})
	t.Run("from=due", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			p := newProbe(channelForm)
			p.enter("due")
			start := time.Now()
			<-p.C()
			if got := time.Since(start); got != 0 {
				t.Errorf("received after %v, want at once", got)
			}
			// Idle again, without a word from the receiver.
			if p.Stop() {
				t.Error("Stop after the receive = true, want false")
			}
			if p.Reset(time.Second) {
				t.Error("Reset after the receive = true, want false")
			}
			p.Stop()
			if !p.Arm(time.Second) {
				t.Error("Arm after the receive = false, want true")
			}
			p.Stop()
		})
	})
	t.Run("same channel", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			var tm timerx.Timer
			c := tm.C()
			if c == nil || cap(c) != 1 {
				t.Fatalf("C of a zero Timer: %v with capacity %d, want a channel with capacity 1", c, cap(c))
			}
			tm.Arm(time.Second)
			time.Sleep(time.Minute)
			tm.Reset(time.Second)
			<-c
			tm.Stop()
			if tm.C() != c {
				t.Error("C has changed")
			}
		})
	})
}

// The column StopWait, and what it waits for.
func TestStopWait(t *testing.T) {
	for _, form := range forms {
		for state, want := range map[string]bool{"idle": false, "armed": true, "due": true} {
			t.Run("form="+form+"/from="+state, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					p := newProbe(form)
					p.enter(state)
					if hold := p.hold; hold != nil {
						time.AfterFunc(time.Second, func() { close(hold) })
						p.hold = nil
					}
					start := time.Now()
					if got := p.StopWait(); got != want {
						t.Errorf("StopWait of an %s timer = %v, want %v", state, got, want)
					}
					wantWait := time.Duration(0)
					if form == callbackForm && state == "due" {
						wantWait = time.Second
					}
					if got := time.Since(start); got != wantWait {
						t.Errorf("StopWait took %v, want %v", got, wantWait)
					}
					if got := p.observe(); got != nil {
						t.Errorf("ticks after StopWait: %v, want none", got)
					}
				})
			})
		}
	}

	t.Run("during a run with nothing pending", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			var returned atomic.Bool
			tm := timerx.NewFunc(func() { time.Sleep(time.Minute); returned.Store(true) })
			tm.Fire()
			time.Sleep(time.Second)
			if tm.Stop() {
				t.Error("Stop during a run with nothing pending = true, want false")
			}
			if returned.Load() {
				t.Error("Stop waited for f")
			}
			// Two at once, both of which must return.
			first := make(chan bool)
			go func() { first <- tm.StopWait() }()
			second := tm.StopWait()
			if got := <-first; got || second {
				t.Errorf("StopWait during a run with nothing pending = %v and %v, want false", got, second)
			}
			if !returned.Load() {
				t.Error("StopWait returned before f did")
			}
		})
	})
}

// A nil *Timer is never due.
func TestNil(t *testing.T) {
	var tm *timerx.Timer
	if tm.C() != nil {
		t.Error("C of a nil Timer is not nil")
	}
	for _, c := range []struct {
		name string
		got  bool
	}{
		{"Arm", tm.Arm(time.Second)},
		{"Arm with 0", tm.Arm(0)},
		{"ArmAt", tm.ArmAt(time.Now())},
		{"Reset", tm.Reset(0)},
		{"Stop", tm.Stop()},
		{"StopWait", tm.StopWait()},
	} {
		if c.got {
			t.Errorf("%s of a nil Timer = true, want false", c.name)
		}
	}
	tm.Touch(0)
	tm.Fire()
	if at, ok := tm.Deadline(); ok || !at.IsZero() {
		t.Errorf("Deadline of a nil Timer = %v, %v; want the zero time, false", at, ok)
	}
}

// Every method works on a zero Timer, whichever is called first.
func TestZeroValue(t *testing.T) {
	for name, c := range map[string]struct {
		first func(*timerx.Timer)
		ticks int
	}{
		"C":        {func(tm *timerx.Timer) { tm.C() }, 0},
		"Arm":      {func(tm *timerx.Timer) { tm.Arm(time.Second) }, 1},
		"ArmAt":    {func(tm *timerx.Timer) { tm.ArmAt(time.Now().Add(time.Second)) }, 1},
		"Reset":    {func(tm *timerx.Timer) { tm.Reset(time.Second) }, 1},
		"Touch":    {func(tm *timerx.Timer) { tm.Touch(time.Second) }, 1},
		"Fire":     {func(tm *timerx.Timer) { tm.Fire() }, 1},
		"Stop":     {func(tm *timerx.Timer) { tm.Stop() }, 0},
		"StopWait": {func(tm *timerx.Timer) { tm.StopWait() }, 0},
		"Deadline": {func(tm *timerx.Timer) { tm.Deadline() }, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var tm timerx.Timer
				c.first(&tm)
				time.Sleep(time.Minute)
				if got := len(tm.C()); got != c.ticks {
					t.Errorf("%d ticks after %s, want %d", got, name, c.ticks)
				}
			})
		})
	}
}

func TestNewFuncNil(t *testing.T) {
	defer func() {
		if got, want := fmt.Sprint(recover()), "timerx.NewFunc: nil function"; got != want {
			t.Errorf("NewFunc(nil) panics with %q, want %q", got, want)
		}
	}()
	timerx.NewFunc(nil)
}

// C is nil in callback form, also after use.
func TestCallbackFormHasNoChannel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tm := timerx.NewFunc(func() {})
		if tm.C() != nil {
			t.Error("C is not nil before use")
		}
		tm.Fire()
		synctest.Wait()
		if tm.C() != nil {
			t.Error("C is not nil after use")
		}
	})
}
