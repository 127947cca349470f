package timerx_test

import (
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lowalloc/lowalloc/timerx"
)

// What a first version of this package got wrong, or would have. The numbers
// T1 to T8 are those of the list that the tests were written from.

// Time in a bubble has no monotonic part and begins in the year 2000: neither a
// base outside the bubble nor a duration of either sign is a marker for anything.
func TestT1ClockOfABubble(t *testing.T) {
	both(t, func(t *testing.T, p *probe) {
		p.MaxWait = maxDuration
		for _, d := range []time.Duration{1, time.Second, maxDuration} {
			for name, call := range map[string]func(){
				"Arm":   func() { p.Arm(d) },
				"Reset": func() { p.Reset(d) },
				"Touch": func() { p.Touch(d) },
			} {
				p.ticks = nil
				call()
				if d == maxDuration {
					wantTicks(t, p)
				} else {
					wantTicks(t, p, d)
				}
				p.Stop()
				if t.Failed() {
					t.Fatalf("after %s(%v)", name, d)
				}
			}
		}
	})
}

// Deadlines are measured by the monotonic clock, and Deadline is told by the wall
// clock of the moment, however that has been set in between.
func TestT2WallClockStep(t *testing.T) {
	for _, seconds := range []int{3600, -3600} {
		var tm timerx.Timer
		if !tm.StepWallClock(seconds) {
			t.Skip("time.Time has changed: cannot pretend that the wall clock has")
		}
		near := func(call string) {
			t.Helper()
			at, ok := tm.Deadline()
			wall, monotonic := at.Round(0).Sub(time.Now().Round(0)), time.Until(at)
			if !ok || wall > time.Minute || wall < 50*time.Second || monotonic > time.Minute || monotonic < 50*time.Second {
				t.Errorf("wall clock stepped by %d s: Deadline after %s is %v from now, %v by the wall clock; want a minute", seconds, call, monotonic, wall)
			}
		}
		tm.Arm(time.Minute)
		near("Arm")
		tm.Touch(time.Minute)
		near("Touch")
		tm.Stop()
		tm.ArmAt(time.Now().Add(time.Minute))
		near("ArmAt")
		tm.Stop()
		tm.ArmAt(time.Now().Round(0).Add(time.Minute)) // no monotonic reading
		near("ArmAt by the wall clock")
		tm.Reset(time.Microsecond)
		select {
		case <-tm.C():
		case <-time.After(10 * time.Second):
			t.Errorf("wall clock stepped by %d s: no tick", seconds)
		}
	}
}

// The runtime's timer may be late. Then the first to see that the timer is due
// makes it so, and nothing puts it off.
func TestT3LateCallback(t *testing.T) {
	t.Run("Touch at the deadline", func(t *testing.T) {
		both(t, func(t *testing.T, p *probe) {
			p.Arm(time.Second)
			p.LoseAlarm()
			time.Sleep(time.Second) // to the deadline exactly
			p.Touch(time.Minute)
			wantTicks(t, p, 0)
		})
	})
	t.Run("Touch after the deadline", func(t *testing.T) {
		both(t, func(t *testing.T, p *probe) {
			p.Arm(time.Second)
			p.LoseAlarm()
			time.Sleep(3 * time.Second)
			p.Touch(time.Minute)
			if p.form == channelForm { // in callback form, f takes the tick at once
				if got := p.deadline(); got != "-2s" {
					t.Errorf("due %s from now, want -2s", got)
				}
			}
			wantTicks(t, p, 0)
		})
	})
	t.Run("expire at the deadline", func(t *testing.T) {
		both(t, func(t *testing.T, p *probe) {
			p.Arm(time.Second)
			p.LoseAlarm()
			time.Sleep(time.Second)
			p.Expire()
			wantTicks(t, p, 0)
		})
	})
	t.Run("Stop after the deadline", func(t *testing.T) {
		both(t, func(t *testing.T, p *probe) {
			p.Arm(time.Second)
			p.LoseAlarm()
			time.Sleep(3 * time.Second)
			if !p.Stop() {
				t.Error("Stop = false, want true")
			}
			p.Expire()
			wantTicks(t, p)
		})
	})
	t.Run("Touch to an earlier time", func(t *testing.T) {
		both(t, func(t *testing.T, p *probe) {
			p.Arm(time.Minute)
			p.Touch(time.Second)
			wantTicks(t, p, time.Second)
		})
	})
	t.Run("Touch to a later and then an earlier time", func(t *testing.T) {
		both(t, func(t *testing.T, p *probe) {
			p.Arm(10 * time.Second)
			p.Touch(time.Minute)
			p.Touch(20 * time.Second)
			wantTicks(t, p, 20*time.Second)
			p.ticks = nil
			p.Arm(10 * time.Second)
			p.Touch(time.Minute)
			time.Sleep(15 * time.Second) // woken once, in vain
			p.Touch(2 * time.Second)
			wantTicks(t, p, 2*time.Second)
		})
	})
}

// A callback that never returns normally must not block StopWait or the next run.
func TestT4CallbackThatDoesNotReturn(t *testing.T) {
	t.Run("Goexit", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			runs := 0
			tm := timerx.NewFunc(func() {
				runs++
				time.Sleep(time.Second)
				runtime.Goexit()
			})
			tm.Fire()
			synctest.Wait()
			tm.Fire() // one to follow
			time.Sleep(time.Second)
			synctest.Wait()
			if runs != 2 {
				t.Errorf("%d runs, want 2", runs)
			}
			tm.StopWait()
			tm.Fire()
			synctest.Wait()
			if runs != 3 {
				t.Errorf("%d runs, want 3", runs)
			}
			tm.StopWait()
		})
	})
	t.Run("panic", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			runs := 0
			tm := timerx.NewFunc(func() {
				if runs++; runs == 1 {
					panic("f")
				}
			})
			tm.Arm(time.Second)
			tm.LoseAlarm()
			time.Sleep(time.Second)
			func() {
				defer func() {
					if got := recover(); got != "f" {
						t.Errorf("recovered %v, want the panic of f", got)
					}
				}()
				tm.Expire()
			}()
			tm.StopWait()
			tm.Fire()
			synctest.Wait()
			if runs != 2 {
				t.Errorf("%d runs, want 2", runs)
			}
		})
	})
}

// T5, one bubble per Timer, is a rule for the user: see the comment on Timer, and
// TestF27SharedState.

// Reset leaves no ceiling, so the first Touch after it starts one: otherwise a
// steady Touch would put the tick off for ever.
func TestT6TouchAfterReset(t *testing.T) {
	for name, first := range map[string]func(*probe){
		"Reset": func(p *probe) { p.Reset(10 * time.Millisecond) },
		"Arm":   func(p *probe) { p.Arm(10 * time.Millisecond) },
	} {
		t.Run(name, func(t *testing.T) {
			both(t, func(t *testing.T, p *probe) {
				p.MaxWait = time.Second
				first(p)
				var ticks []time.Duration
				for start := time.Now(); time.Since(start) < 1100*time.Millisecond; {
					p.Touch(10 * time.Millisecond)
					time.Sleep(4 * time.Millisecond)
					synctest.Wait()
					if len(p.C()) == 1 || len(p.ticks) == 1 {
						ticks = append(ticks, time.Since(start))
						p.ticks = nil
						break
					}
				}
				if want := []time.Duration{time.Second}; !slices.Equal(ticks, want) {
					t.Errorf("ticks %v, want %v", ticks, want)
				}
				p.Stop()
			})
		})
	}
}

// f arms its timer again, as after a failed flush. StopWait ends that too.
func TestT7CallbackThatArms(t *testing.T) {
	for name, arm := range map[string]func(*timerx.Timer){
		"Arm":       func(tm *timerx.Timer) { tm.Arm(time.Millisecond) },
		"Arm, due":  func(tm *timerx.Timer) { tm.Arm(0) },
		"Fire":      func(tm *timerx.Timer) { tm.Fire() },
		"Reset":     func(tm *timerx.Timer) { tm.Reset(time.Millisecond) },
		"Touch":     func(tm *timerx.Timer) { tm.Touch(time.Millisecond) },
		"Arm, long": func(tm *timerx.Timer) { tm.Arm(time.Hour) },
	} {
		for _, when := range []string{"first", "last"} {
			t.Run(name+"/"+when, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					runs := 0
					var tm *timerx.Timer
					tm = timerx.NewFunc(func() {
						runs++
						if when == "first" {
							arm(tm)
						}
						time.Sleep(time.Second)
						if when == "last" {
							arm(tm)
						}
					})
					tm.Fire()
					synctest.Wait()
					// What f armed first is pending now, what it arms last will be.
					if !tm.StopWait() {
						t.Error("StopWait = false, want true: it prevented the tick that f armed")
					}
					if at, ok := tm.Deadline(); ok {
						t.Errorf("armed for %v after StopWait", at)
					}
					time.Sleep(2 * time.Hour)
					synctest.Wait()
					if runs != 1 {
						t.Errorf("%d runs, want 1", runs)
					}
				})
			})
		}
	}
}

// With GODEBUG=asynctimerchan=1 a channel timer of the time package can tick after
// Stop and an empty drain. Go 1.27 does not start with that setting any more, and
// synctest does not work under it, so this is in real time and in a process of its own.
func TestT8AsyncTimerChan(t *testing.T) {
	const setting = "asynctimerchan=1"
	if os.Getenv("GODEBUG") == setting {
		stopRace(t, 20_000)
		return
	}
	if !strings.HasPrefix(runtime.Version(), "go1.26") {
		t.Skip("only Go 1.26 has " + setting)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, "-test.run=^TestT8AsyncTimerChan$", "-test.v", "-test.timeout=1m")
	cmd.Env = append(os.Environ(), "GODEBUG="+setting)
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "ticks prevented") {
		t.Errorf("under %s: %v\n%s", setting, err, out)
	}
}
