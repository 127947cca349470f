package timerx_test

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lowalloc/lowalloc/internal/alloctest"
	"github.com/lowalloc/lowalloc/timerx"
)

// What went wrong with the timers of other flush loops, one test each. The
// numbers F1 to F31 are those of the list that the tests were written from.

// both runs a test in a bubble for each form.
func both(t *testing.T, f func(t *testing.T, p *probe)) {
	t.Helper()
	for _, form := range forms {
		t.Run("form="+form, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { f(t, newProbe(form)) })
		})
	}
}

// wantTicks compares the ticks of the next hour, counted from now.
func wantTicks(t *testing.T, p *probe, want ...time.Duration) {
	t.Helper()
	if got := p.observe(); !slices.Equal(got, want) {
		t.Errorf("ticks %v from now, want %v", got, want)
	}
}

// A batch is one that a batcher sent, and when.
type batch struct {
	at    time.Duration
	items string
}

// recordBatches starts a batcher that sends to the returned slice.
func recordBatches(b *batcher) *[]batch {
	start := time.Now()
	sent := new([]batch)
	b.send = func(items []string) error {
		*sent = append(*sent, batch{time.Since(start), strings.Join(items, " ")})
		return nil
	}
	b.start()
	return sent
}

func mustAdd(t *testing.T, b *batcher, items ...string) {
	t.Helper()
	for _, item := range items {
		if err := b.add(item); err != nil {
			t.Fatalf("add(%q): %v", item, err)
		}
	}
}

func mustClose(t *testing.T, b *batcher) {
	t.Helper()
	if err := b.close(); err != nil {
		t.Fatalf("close: %v", err)
	}
}

// https://github.com/IBM/sarama/pull/2355: a timer for each batch, alive for
// the whole linger, held 146 MB. Batches of one message, linger of a minute.
func TestF1HeapGrowsWithBatches(t *testing.T) {
	if alloctest.Skewed() {
		t.Skip("allocations are not countable in a race or coverage build")
	}
	const batches = 1_000_000
	var tm timerx.Timer
	c := tm.C()
	live := alloctest.LiveHeap()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range batches {
		tm.Arm(time.Minute)
		select {
		case <-c:
			t.Fatal("a tick within a minute")
		default:
		}
		tm.Stop()
	}
	runtime.ReadMemStats(&after)
	total := after.TotalAlloc - before.TotalAlloc
	grown := int64(alloctest.LiveHeap()) - int64(live)
	t.Logf("%d batches: live heap grew by %d B, %d B allocated in all", batches, grown, total)
	if grown >= 64<<10 || total >= 1<<20 {
		t.Errorf("%d batches: live heap grew by %d B, %d B allocated in all; want less than 64 KiB and 1 MiB", batches, grown, total)
	}
	runtime.KeepAlive(&tm)
}

// F2, garbage for every batch, is TestF2AllocsPerCall in alloc_test.go.

// https://github.com/IBM/sarama/issues/389, https://github.com/elastic/go-elasticsearch/issues/624:
// a ticker that runs freely flushes batches that are empty or have one item.
func TestF3TickOfAnEmptyBatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := batcher{maxItems: 2, maxBytes: 100, linger: 10 * time.Second}
		sent := recordBatches(&b)
		time.Sleep(15 * time.Second) // in the middle of a ticker's period
		mustAdd(t, &b, "a")
		time.Sleep(9 * time.Second)
		mustAdd(t, &b, "b") // full, a second before the linger ends
		mustAdd(t, &b, "c")
		time.Sleep(time.Minute)
		mustClose(t, &b)
		if want := []batch{{24 * time.Second, "a b"}, {34 * time.Second, "c"}}; !slices.Equal(*sent, want) {
			t.Errorf("sent %v, want %v", *sent, want)
		}
	})
}

// https://github.com/golang/go/issues/11513: the timer was due while the loop was
// busy, and Reset left the tick in the channel.
func TestF4StaleTickAfterReset(t *testing.T) {
	both(t, func(t *testing.T, p *probe) {
		p.enter("due")
		p.Reset(time.Minute)
		wantTicks(t, p, time.Minute)
	})
}

// https://github.com/IBM/sarama/issues/733, https://github.com/golang/go/issues/27169:
// Stop, then a drain of a channel that is empty. There is nothing to drain.
func TestF5StopNeedsNoDrain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var tm timerx.Timer
		for _, received := range []bool{false, true} {
			tm.Arm(time.Second)
			time.Sleep(time.Second)
			synctest.Wait()
			if received {
				<-tm.C()
			}
			if got := tm.Stop(); got == received {
				t.Errorf("Stop of a due timer = %v, tick received: %v", got, received)
			}
			if n := len(tm.C()); n != 0 {
				t.Errorf("%d ticks in the channel after Stop", n)
			}
		}
	})
}

// https://github.com/golang/go/issues/69312: Stop returned false and the channel
// was empty, so that the drain waited for ever. Here each Arm comes to exactly one
// end: a tick received, or a Stop that returns true, whatever the race.
func TestF6EveryArmEndsOnce(t *testing.T) {
	var tm timerx.Timer
	var received atomic.Int64
	quit := make(chan struct{})
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			for {
				select {
				case <-tm.C():
					received.Add(1)
				case <-quit:
					return
				}
			}
		})
	}
	var armed, stopped int64
	for i := range 50_000 {
		if tm.Arm(time.Duration(i%7) * time.Microsecond) {
			armed++
		}
		if i%3 == 0 {
			runtime.Gosched()
		}
		if i%5 != 0 && tm.Stop() {
			stopped++
		}
	}
	if tm.Stop() {
		stopped++
	}
	close(quit)
	wg.Wait()
	if got := received.Load() + stopped; got != armed {
		t.Errorf("armed %d times, received %d and stopped %d, which are %d", armed, received.Load(), stopped, got)
	}
	t.Logf("armed %d times, received %d, stopped %d", armed, received.Load(), stopped)
}

// https://github.com/golang/go/issues/14383: Stop, an empty drain, and then the
// tick, from a runtime timer that had been on its way.
func TestF7TickAfterStop(t *testing.T) {
	stopRace(t, 20_000)
}

// stopRace stops a timer just as it is due, and waits for the tick that must not
// come, as long as a late one could take.
func stopRace(t *testing.T, tries int) {
	t.Helper()
	var tm timerx.Timer
	c := tm.C()
	prevented := 0
	for i := range tries {
		d := time.Duration(i%20) * time.Microsecond
		due := time.Now().Add(d)
		tm.Arm(d)
		for time.Until(due) > 0 {
			runtime.Gosched()
		}
		if tm.Stop() {
			prevented++
		}
		for patience := time.Now().Add(20 * time.Microsecond); time.Until(patience) > 0; {
			runtime.Gosched()
			if len(c) != 0 {
				t.Fatalf("try %d: a tick after Stop", i)
			}
		}
	}
	t.Logf("%d tries, %d ticks prevented", tries, prevented)
}

// https://github.com/golang/go/issues/80760: what Stop and Reset returned did not
// fit together, and programs that asserted it crashed. Here it does.
func TestF8ResultsFitTogether(t *testing.T) {
	var tm timerx.Timer
	for i := range 20_000 {
		if !tm.Arm(time.Duration(i%5) * time.Microsecond) {
			t.Fatalf("round %d: Arm of a stopped timer = false", i)
		}
		if i%2 == 0 {
			runtime.Gosched()
		}
		if !tm.Stop() { // nobody receives, so there is a tick to prevent
			t.Fatalf("round %d: Stop of a timer that is armed or due = false", i)
		}
		if tm.Stop() {
			t.Fatalf("round %d: second Stop = true", i)
		}
		if tm.Reset(time.Hour) {
			t.Fatalf("round %d: Reset of a stopped timer = true", i)
		}
		if !tm.Stop() {
			t.Fatalf("round %d: Stop after Reset = false", i)
		}
	}
}

// https://github.com/segmentio/analytics-node/issues/53: every item put the flush
// off, and under steady load it never came.
func TestF9SteadyLoadStarvesTheFlush(t *testing.T) {
	const ms = time.Millisecond
	for _, load := range []struct {
		name  string
		item  func(*timerx.Timer)
		first time.Duration // an item every 6 ms, from 0
		every time.Duration // a tick makes the timer idle, and the next item arms it
	}{
		{"Arm", func(tm *timerx.Timer) { tm.Arm(10 * ms) }, 10 * ms, 12 * ms},
		{"Touch", func(tm *timerx.Timer) { tm.Touch(10 * ms) }, 50 * ms, 54 * ms},
	} {
		t.Run(load.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tm := timerx.Timer{MaxWait: 50 * ms}
				items := time.NewTicker(6 * ms)
				start, ticks := time.Now(), 0
				load.item(&tm)
				for time.Since(start) < time.Minute {
					select {
					case <-items.C:
						load.item(&tm)
					case <-tm.C():
						if got, want := time.Since(start), load.first+time.Duration(ticks)*load.every; got != want {
							t.Fatalf("tick %d after %v, want %v", ticks, got, want)
						}
						ticks++
					}
				}
				if want := int(time.Minute / load.every); ticks < want {
					t.Errorf("%d ticks in a minute, want %d", ticks, want)
				}
			})
		})
	}
}

// https://github.com/influxdata/telegraf/issues/8953: full batches kept the
// interval from ending, and what did not fill a batch waited.
func TestF10FullBatchesStarveTheLinger(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := batcher{maxItems: 2, maxBytes: 100, linger: 10 * time.Millisecond}
		sent := recordBatches(&b)
		for range 100 {
			mustAdd(t, &b, "x", "x", "x") // a full batch and one item
			time.Sleep(10 * time.Millisecond)
			synctest.Wait()
		}
		mustClose(t, &b)
		if got := len(*sent); got != 200 {
			t.Fatalf("%d batches, want 100 full ones and 100 by linger", got)
		}
		for i, got := range *sent {
			round := time.Duration(i/2) * 10 * time.Millisecond
			want := batch{round, "x x"}
			if i%2 == 1 {
				want = batch{round + 10*time.Millisecond, "x"}
			}
			if got != want {
				t.Fatalf("batch %d is %v, want %v", i, got, want)
			}
		}
	})
}

// https://github.com/DataDog/datadog-agent/issues/7944: one flush, then silence,
// because nobody armed the timer again.
func TestF11SilenceAfterTheFirstTick(t *testing.T) {
	both(t, func(t *testing.T, p *probe) {
		for i := range 3 {
			p.ticks = nil
			if !p.Arm(time.Second) {
				t.Fatalf("Arm before tick %d = false", i)
			}
			wantTicks(t, p, time.Second)
		}
	})
}

// franz-go's sink, before it had one function for every way to end a linger: the
// lingering flag stayed set after some of them.
func TestF12ArmAfterEveryEnd(t *testing.T) {
	for name, end := range map[string]func(*probe){
		"tick":     func(p *probe) { p.Arm(time.Second); p.observe() },
		"Fire":     func(p *probe) { p.Arm(time.Second); p.Fire(); p.observe() },
		"Stop":     func(p *probe) { p.Arm(time.Second); p.Stop() },
		"StopWait": func(p *probe) { p.Arm(time.Second); p.StopWait() },
		"Touch":    func(p *probe) { p.Arm(time.Hour); p.Touch(0); p.observe() },
		"Reset":    func(p *probe) { p.Arm(time.Hour); p.Reset(0); p.observe() },
	} {
		t.Run(name, func(t *testing.T) {
			both(t, func(t *testing.T, p *probe) {
				end(p)
				p.ticks = nil
				if !p.Arm(time.Minute) {
					t.Error("Arm = false, want true")
				}
				wantTicks(t, p, time.Minute)
			})
		})
	}
}

// Another flag of franz-go's was counted up in three paths and down in two. Here
// calls need no balance: one Stop ends what any number of them began.
func TestF13CallsNeedNoBalance(t *testing.T) {
	both(t, func(t *testing.T, p *probe) {
		for range 3 {
			p.Arm(time.Second)
			p.Touch(time.Second)
			p.Fire()
			p.Reset(time.Second)
		}
		p.Stop()
		p.StopWait()
		p.ticks = nil
		if !p.Arm(time.Minute) {
			t.Error("Arm = false, want true")
		}
		wantTicks(t, p, time.Minute)
	})
}

// A callback that waited for the lock while a full batch was flushed went on to
// flush the next one.
func TestF14OldCallbackFlushesTheNextBatch(t *testing.T) {
	both(t, func(t *testing.T, p *probe) {
		p.Arm(time.Second)
		time.Sleep(time.Second)
		synctest.Wait()
		p.Stop()
		p.ticks = nil
		p.Arm(time.Minute)
		p.Expire()
		wantTicks(t, p, time.Minute)
	})
}

// https://github.com/pion/sctp/issues/338: a callback that was on its way ran
// after Stop.
func TestF15RunAfterStop(t *testing.T) {
	both(t, func(t *testing.T, p *probe) {
		p.Arm(time.Second)
		p.Stop()
		p.Expire()
		wantTicks(t, p)
		p.Fire()
		p.Stop()
		p.ticks = nil
		p.Expire()
		wantTicks(t, p)
	})
}

// https://github.com/uber-go/zap/issues/1428: Stop held a lock while it waited for
// a loop that needed it.
func TestF16DeadlockInStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var tm *timerx.Timer
		tm = timerx.NewFunc(func() {
			time.Sleep(time.Second)
			tm.Deadline() // needs the timer's own lock, while StopWait waits
			mu.Lock()
			defer mu.Unlock()
		})
		tm.Fire()
		synctest.Wait()
		mu.Lock()
		tm.Stop() // while f runs and needs what we hold
		mu.Unlock()
		tm.StopWait()
	})
}

// https://github.com/benbjohnson/clock/issues/33: the callback was called under the
// clock's lock and deadlocked when it used the clock.
func TestF17ReentrantCallback(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		done := false
		var tm *timerx.Timer
		tm = timerx.NewFunc(func() {
			tm.C()
			tm.Arm(time.Hour)
			tm.ArmAt(time.Now())
			tm.Touch(time.Hour)
			tm.Fire()
			tm.Reset(time.Hour)
			tm.Deadline()
			if !tm.Stop() {
				t.Error("Stop in f = false, though f armed the timer")
			}
			done = true
		})
		tm.Fire()
		synctest.Wait()
		if !done {
			t.Error("f did not return")
		}
	})
}

// https://github.com/open-telemetry/opentelemetry-collector/issues/7508: an interval
// of 0 was due all the time.
func TestF18ZeroSpins(t *testing.T) {
	for _, d := range []time.Duration{0, -1, minDuration} {
		t.Run(fmt.Sprint(d), func(t *testing.T) {
			both(t, func(t *testing.T, p *probe) {
				p.Arm(d)
				wantTicks(t, p, 0)
			})
		})
	}
}

// https://github.com/benbjohnson/clock/issues/56: a negative duration was never due.
func TestF19NegativeIsNow(t *testing.T) {
	for name, call := range map[string]func(*probe){
		"Arm":   func(p *probe) { p.Arm(-time.Hour) },
		"ArmAt": func(p *probe) { p.ArmAt(time.Now().Add(-time.Hour)) },
		"Reset": func(p *probe) { p.Reset(-time.Hour) },
		"Touch": func(p *probe) { p.Touch(-time.Hour) },
	} {
		t.Run(name, func(t *testing.T) {
			both(t, func(t *testing.T, p *probe) {
				call(p)
				wantTicks(t, p, 0)
			})
		})
	}
}

// https://github.com/tokio-rs/tokio/issues/8354: a sum that overflowed gave a
// deadline in the past.
func TestF20Overflow(t *testing.T) {
	for name, call := range map[string]func(*probe){
		"Arm":     func(p *probe) { p.Arm(maxDuration) },
		"ArmAt":   func(p *probe) { p.ArmAt(time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)) },
		"Reset":   func(p *probe) { p.Reset(maxDuration) },
		"Touch":   func(p *probe) { p.Touch(maxDuration) },
		"MaxWait": func(p *probe) { p.MaxWait = maxDuration; p.Touch(maxDuration) },
	} {
		t.Run(name, func(t *testing.T) {
			both(t, func(t *testing.T, p *probe) {
				p.Arm(time.Second)
				p.observe() // an hour has passed since first use
				p.ticks = nil
				call(p)
				const century = 100 * 365 * 24 * time.Hour
				if at, ok := p.Deadline(); !ok || time.Until(at) < century {
					t.Errorf("Deadline = %v, %v; want one in more than a century", at, ok)
				}
				wantTicks(t, p)
				if !p.Stop() {
					t.Error("Stop = false, want true")
				}
			})
		})
	}
	t.Run("ArmAt the zero time", func(t *testing.T) {
		both(t, func(t *testing.T, p *probe) {
			p.ArmAt(time.Time{})
			wantTicks(t, p, 0)
		})
	})
}

// F21, a step of the wall clock, is TestT2WallClockStep.

// https://github.com/open-telemetry/opentelemetry-collector/issues/13717: windows
// that begin when a send has ended get longer by every send.
func TestF22WindowsDrift(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var tm timerx.Timer
		start := time.Now()
		for i := range 10 {
			want := time.Duration(i+1) * time.Minute
			tm.ArmAt(start.Add(want))
			<-tm.C()
			if got := time.Since(start); got != want {
				t.Errorf("tick %d after %v, want %v", i, got, want)
			}
			time.Sleep(13 * time.Second) // a slow send
		}
	})
}

// https://github.com/DataDog/datadog-go/issues/138: closing stopped the ticker and
// lost what was buffered.
func TestF23LastBatchLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := batcher{maxItems: 10, maxBytes: 100, linger: time.Hour}
		sent := recordBatches(&b)
		mustAdd(t, &b, "a", "b")
		mustClose(t, &b) // at once, without the hour
		if want := []batch{{0, "a b"}}; !slices.Equal(*sent, want) {
			t.Errorf("sent %v, want %v", *sent, want)
		}
	})
}

// https://github.com/uber-go/zap/issues/1594: items taken after the loop had ended.
func TestF24ItemAfterClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := batcher{maxItems: 10, maxBytes: 100, linger: time.Hour}
		recordBatches(&b)
		mustClose(t, &b)
		if err := b.add("a"); !errors.Is(err, errClosed) {
			t.Errorf("add after close: %v, want %v", err, errClosed)
		}
	})
}

// https://github.com/elastic/go-elasticsearch/issues/1041: what could not be sent
// was dropped. Here it is kept, sent again, and nothing more is taken meanwhile.
func TestFailedFlushKeepsItems(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := batcher{maxItems: 2, maxBytes: 100, linger: time.Hour, retry: time.Second}
		start, tries, sent := time.Now(), 0, []batch{}
		b.send = func(items []string) error {
			if tries++; tries <= 3 {
				return errors.New("unavailable")
			}
			sent = append(sent, batch{time.Since(start), strings.Join(items, " ")})
			return nil
		}
		b.start()
		mustAdd(t, &b, "a", "b")
		mustAdd(t, &b, "c") // waits for the first batch
		mustClose(t, &b)
		if want := []batch{{3 * time.Second, "a b"}, {3 * time.Second, "c"}}; !slices.Equal(sent, want) {
			t.Errorf("sent %v, want %v", sent, want)
		}
	})
}

// https://github.com/DataDog/datadog-go/issues/269: every client that was opened and
// closed left a goroutine. A bubble does not end while one is left.
func TestF25NothingLeft(t *testing.T) {
	both(t, func(t *testing.T, _ *probe) {
		for i := range 1000 {
			p := newProbe(forms[i%2])
			p.Arm(time.Hour)
			p.Touch(time.Minute)
			if i%3 == 0 {
				p.Fire()
			}
			p.StopWait()
		}
	})
}

// An abandoned timer is released as soon as it is idle, not at its old deadline.
func TestF25IdleReleases(t *testing.T) {
	ran := make(chan bool)
	channel := func() *timerx.Timer { return new(timerx.Timer) }
	callback := func() *timerx.Timer { return timerx.NewFunc(func() { ran <- true }) }
	for _, c := range []struct {
		name string
		make func() *timerx.Timer
		idle func(*timerx.Timer)
	}{
		{"Stop", channel, func(tm *timerx.Timer) { tm.Stop() }},
		{"Touch, Stop", channel, func(tm *timerx.Timer) { tm.Touch(2 * time.Hour); tm.Stop() }},
		{"Fire, Stop", channel, func(tm *timerx.Timer) { tm.Fire(); tm.Stop() }},
		{"Fire, receive", channel, func(tm *timerx.Timer) { tm.Fire(); <-tm.C() }},
		{"Touch, receive", channel, func(tm *timerx.Timer) { tm.Touch(0); <-tm.C() }},
		{"callback/Stop", callback, func(tm *timerx.Timer) { tm.Stop() }},
		{"callback/StopWait", callback, func(tm *timerx.Timer) { tm.StopWait() }},
		{"callback/Fire, run", callback, func(tm *timerx.Timer) { tm.Fire(); <-ran }},
	} {
		t.Run(c.name, func(t *testing.T) {
			released := make(chan bool)
			func() {
				tm := c.make()
				runtime.AddCleanup(tm, func(int) { close(released) }, 0)
				tm.Arm(time.Hour)
				c.idle(tm)
			}()
			for range 100 {
				runtime.GC()
				select {
				case <-released:
					return
				case <-time.After(10 * time.Millisecond): // for the cleanup to run
				}
			}
			t.Error("still reachable, though idle")
		})
	}
}

// https://github.com/googleapis/google-api-go-client/issues/475: a handler ended while
// a bundle for it was queued, which nobody handled then.
func TestF26TickDuringARun(t *testing.T) {
	const length = 10 * time.Millisecond
	for _, at := range []time.Duration{0, 1, length / 2, length - 1, length, length + 1} {
		t.Run(fmt.Sprint(at), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var runs []time.Duration
				start := time.Now()
				tm := timerx.NewFunc(func() {
					runs = append(runs, time.Since(start))
					time.Sleep(length)
				})
				tm.Fire()
				synctest.Wait()
				for range 3 { // one is remembered, not three
					tm.Arm(at)
				}
				time.Sleep(time.Second)
				synctest.Wait()
				if want := []time.Duration{0, max(at, length)}; !slices.Equal(runs, want) {
					t.Errorf("runs at %v, want %v", runs, want)
				}
			})
		})
	}
}

// https://github.com/cockroachdb/cockroach/issues/167120: a pool of timers that
// bubbles shared. Timers share nothing, so bubbles and real time can alternate.
func TestF27SharedState(t *testing.T) {
	for range 3 {
		both(t, func(t *testing.T, p *probe) {
			p.Arm(time.Minute)
			wantTicks(t, p, time.Minute)
		})
		var tm timerx.Timer
		tm.Arm(time.Microsecond)
		<-tm.C()
	}
}

// https://github.com/lodash/lodash/issues/2089: a ceiling that counted from the
// last tick made the first call of a later burst due at once.
func TestF28CeilingOfALaterBurst(t *testing.T) {
	both(t, func(t *testing.T, p *probe) {
		p.MaxWait = time.Second
		for range 3 {
			p.ticks = nil
			p.Touch(100 * time.Millisecond)
			wantTicks(t, p, 100*time.Millisecond) // and an hour of silence
		}
		// Neither does a ceiling outlive Stop or Reset.
		p.Touch(time.Minute)
		time.Sleep(900 * time.Millisecond)
		p.Stop()
		p.ticks = nil
		p.Touch(time.Minute)
		wantTicks(t, p, time.Second)
		p.Touch(time.Minute)
		time.Sleep(900 * time.Millisecond)
		p.ticks = nil
		p.Reset(2 * time.Second)
		wantTicks(t, p, 2*time.Second)
	})
}

// https://github.com/IBM/sarama/issues/2823: the field that holds the timer was
// written by one goroutine and read by another.
func TestF29FirstUseByMany(t *testing.T) {
	for _, form := range forms {
		t.Run("form="+form, func(t *testing.T) {
			for range 200 {
				var runs atomic.Int64
				tm := new(timerx.Timer)
				if form == callbackForm {
					tm = timerx.NewFunc(func() { runs.Add(1) })
				}
				var wg sync.WaitGroup
				for _, use := range []func(){
					func() { tm.C() }, func() { tm.Arm(time.Hour) }, func() { tm.Touch(time.Hour) },
					func() { tm.Fire() }, func() { tm.Deadline() }, func() { tm.Reset(0) },
				} {
					wg.Go(use)
				}
				wg.Wait()
				tm.Stop()
				if n := len(tm.C()); n != 0 {
					t.Fatalf("%d ticks in the channel after Stop", n)
				}
			}
		})
	}
}

// benbjohnson/clock sends to a channel that is full, under its lock.
func TestF30UnreceivedTickBlocksNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var tm timerx.Timer
		for range 3 {
			tm.Arm(time.Second)
			time.Sleep(time.Minute)
			tm.Fire()
			tm.Touch(time.Second)
			tm.Reset(time.Second)
			time.Sleep(time.Minute)
		}
		synctest.Wait()
		if n := len(tm.C()); n != 1 {
			t.Errorf("%d ticks in the channel, want 1", n)
		}
	})
}

// wireguard-go's Mod lets a callback that waits for the lock run at once.
func TestF31CallbackOnItsWayRunsEarly(t *testing.T) {
	both(t, func(t *testing.T, p *probe) {
		p.Arm(time.Second)
		p.LoseAlarm() // it has gone off, and its goroutine waits for the lock
		time.Sleep(time.Second)
		p.Reset(time.Minute)
		p.Expire()
		wantTicks(t, p, time.Minute)
	})
}
