package timerx_test

import (
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lowalloc/lowalloc/timerx"
)

// Eight goroutines call everything at once, in real time. Whoever arms holds the
// gate for reading; who holds it for writing may be sure that nobody arms, and
// checks that no tick follows a Stop. f never runs twice at once.
func TestStress(t *testing.T) {
	for _, form := range forms {
		t.Run("form="+form, func(t *testing.T) {
			var (
				tm        = new(timerx.Timer)
				gate      sync.RWMutex
				running   atomic.Int32
				ticks     atomic.Int64
				checks    atomic.Int64
				prevented atomic.Int64
			)
			if form == callbackForm {
				tm = timerx.NewFunc(func() {
					if running.Add(1) != 1 {
						t.Error("f runs twice at once")
					}
					if ticks.Add(1)%4 == 0 {
						tm.Arm(time.Microsecond) // as after a failed flush
					}
					running.Add(-1)
				})
			}
			tm.MaxWait = 20 * time.Microsecond

			check := func() {
				gate.Lock()
				defer gate.Unlock()
				// Not Stop in callback form: it lets a run go on, which may arm.
				if tm.StopWait() {
					prevented.Add(1)
				}
				before := ticks.Load()
				for patience := time.Now().Add(50 * time.Microsecond); time.Until(patience) > 0; {
					runtime.Gosched()
					if form == channelForm && len(tm.C()) != 0 || form == callbackForm && ticks.Load() != before {
						t.Error("a tick after Stop")
						return
					}
				}
				if at, ok := tm.Deadline(); ok {
					t.Errorf("Deadline after Stop: %v", at)
				}
				checks.Add(1)
			}

			var wg sync.WaitGroup
			for seed := range uint64(8) {
				wg.Go(func() {
					rnd := rand.New(rand.NewPCG(seed, 8))
					for range 20_000 {
						d := time.Duration(rnd.IntN(30)-2) * time.Microsecond
						switch op := rnd.IntN(200); {
						case op == 0:
							check()
						case op < 120:
							gate.RLock()
							switch op % 5 {
							case 0:
								tm.Arm(d)
							case 1:
								tm.ArmAt(time.Now().Add(d))
							case 2:
								tm.Reset(d)
							case 3:
								tm.Touch(d)
							case 4:
								tm.Fire()
							}
							gate.RUnlock()
						case op < 150:
							select {
							case <-tm.C():
								ticks.Add(1)
							default:
							}
						case op < 170:
							tm.Stop()
						case op < 180:
							tm.StopWait()
						default:
							tm.Deadline()
						}
					}
				})
			}
			wg.Wait()
			check()
			if checks.Load() == 0 || ticks.Load() == 0 || prevented.Load() == 0 {
				t.Error("nothing was tried")
			}
			t.Logf("%d ticks, %d checks, %d of them prevented a tick", ticks.Load(), checks.Load(), prevented.Load())
		})
	}
}

// However often a timer is made due and stopped again before its goroutine gets
// a processor, one such goroutine waits. Some that are done may not be gone yet,
// tens of them on a busy machine; without the guard in spawn there are hundreds to
// thousands.
func TestStormOfDueTimersStartsOneGoroutine(t *testing.T) {
	for name, due := range map[string]func(*timerx.Timer){
		"Reset":         func(tm *timerx.Timer) { tm.Reset(0) },
		"Stop and Fire": func(tm *timerx.Timer) { tm.Stop(); tm.Fire() },
	} {
		t.Run(name, func(t *testing.T) {
			tm := timerx.NewFunc(func() {})
			defer tm.StopWait()
			before, most := runtime.NumGoroutine(), 0
			for i := range 100_000 {
				due(tm)
				if i%100 == 0 {
					most = max(most, runtime.NumGoroutine())
				}
			}
			if most > before+100 {
				t.Errorf("%d goroutines, %d before", most, before)
			}
		})
	}
}

// The result of StopWait tells of the run that it waited for, also when the
// next run is over before the waiter wakes.
func TestStopWaitResultOutlivesTheNextRun(t *testing.T) {
	for range 100 {
		synctest.Test(t, func(t *testing.T) {
			gate, runs, rearmed := make(chan struct{}), 0, false
			var tm *timerx.Timer
			tm = timerx.NewFunc(func() {
				if runs++; runs == 1 {
					<-gate
					rearmed = tm.Arm(time.Hour)
				}
			})
			tm.Fire()
			synctest.Wait()
			var stopped [2]bool
			var wg sync.WaitGroup
			for i := range 2 {
				wg.Go(func() {
					stopped[i] = tm.StopWait()
					tm.Fire()
				})
			}
			synctest.Wait()
			close(gate)
			wg.Wait()
			synctest.Wait()
			if !rearmed || !stopped[0] || !stopped[1] {
				t.Fatalf("f armed: %v; StopWait = %v, want true for both", rearmed, stopped)
			}
		})
	}
}
