package timerx_test

import (
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/lowalloc/lowalloc/internal/alloctest"
	"github.com/lowalloc/lowalloc/timerx"
)

// An impl is one of the ways to do a thing; run does it n times.
type impl struct {
	name string
	run  func(n int)
}

// repeat calls f in a loop, at the same small price for every impl.
func repeat(f func()) func(int) {
	return func(n int) {
		for range n {
			f()
		}
	}
}

// The things to do, each with the impl of this package first and the one it is
// measured against second.
func workloads() []struct {
	name  string
	impls func() []impl
} {
	const linger = time.Hour
	nop := func() {}
	return []struct {
		name  string
		impls func() []impl
	}{
		{"Armed", func() []impl { // a further item of a batch
			var tm timerx.Timer
			tm.Arm(linger)
			std := time.NewTimer(linger)
			fn := time.AfterFunc(linger, nop)
			return []impl{
				{"timerx.Arm", func(n int) {
					for range n {
						tm.Arm(linger)
					}
				}},
				{"time.Timer.Reset", func(n int) {
					for range n {
						std.Reset(linger)
					}
				}},
				{"time.AfterFunc.Reset", func(n int) {
					for range n {
						fn.Reset(linger)
					}
				}},
			}
		}},
		{"ArmStop", func() []impl { // a batch that is full before its linger ends
			var tm timerx.Timer
			std := time.NewTimer(linger)
			fn := time.AfterFunc(linger, nop)
			return []impl{
				{"timerx", repeat(func() { tm.Arm(linger); tm.Stop() })},
				{"time.Timer.Reset", repeat(func() { std.Reset(linger); std.Stop() })},
				{"time.AfterFunc.Reset", repeat(func() { fn.Reset(linger); fn.Stop() })},
				{"time.NewTimer", repeat(func() { time.NewTimer(linger).Stop() })},
				{"time.AfterFunc", repeat(func() { time.AfterFunc(linger, nop).Stop() })},
			}
		}},
		{"Touch", func() []impl { // an event of a burst
			var tm timerx.Timer
			std := time.NewTimer(linger)
			fn := time.AfterFunc(linger, nop)
			return []impl{
				{"timerx.Touch", repeat(func() { tm.Touch(linger) })},
				{"time.Timer.Reset", repeat(func() { std.Reset(linger) })},
				{"time.AfterFunc.Reset", repeat(func() { fn.Reset(linger) })},
			}
		}},
		{"SelectIdle", func() []impl { // items while nothing lingers: the price of the select alone
			var tm timerx.Timer
			std := time.NewTimer(linger)
			std.Stop()
			return []impl{
				{"timerx", flushLoop(0, nop, tm.C, nop)},
				{"time.Timer", flushLoop(0, nop, func() <-chan time.Time { return std.C }, nop)},
				{"nil", flushLoop(0, nop, func() <-chan time.Time { return nil }, nop)},
			}
		}},
		{"FlushLoopBusy", func() []impl { return flushLoops(1) }},
		{"FlushLoopWaiting", func() []impl { return flushLoops(0) }},
	}
}

// flushLoops are loops that gather batches of 10. With a buffered input the
// loop finds every item waiting; without, it waits for every item, in a select
// with the timer's channel.
func flushLoops(buffer int) []impl {
	const linger = time.Hour
	var tm timerx.Timer

	// As in https://github.com/IBM/sarama/pull/2355: a timer per batch.
	var sarama *time.Timer
	saramaC := func() <-chan time.Time {
		if sarama == nil {
			return nil
		}
		return sarama.C
	}

	reused := time.NewTimer(linger)
	reused.Stop()
	lingering := false

	var after <-chan time.Time

	var fn *time.Timer
	fnC := make(chan struct{}, 1)
	tick := func() {
		select {
		case fnC <- struct{}{}:
		default:
		}
	}

	return []impl{
		{"timerx", flushLoop(buffer, func() { tm.Arm(linger) }, tm.C, func() { tm.Stop() })},
		{"Sarama", flushLoop(buffer, func() {
			if sarama == nil {
				sarama = time.NewTimer(linger)
			}
		}, saramaC, func() {
			sarama.Stop()
			sarama = nil
		})},
		{"time.Timer", flushLoop(buffer, func() { // one, with a flag of the user's
			if !lingering {
				reused.Reset(linger)
				lingering = true
			}
		}, func() <-chan time.Time { return reused.C }, func() {
			reused.Stop()
			lingering = false
		})},
		{"time.After", flushLoop(buffer, func() {
			if after == nil {
				after = time.After(linger)
			}
		}, func() <-chan time.Time { return after }, func() { after = nil })},
		{"time.AfterFunc", flushLoop(buffer, func() {
			if fn == nil {
				fn = time.AfterFunc(linger, tick)
			}
		}, func() <-chan struct{} { return fnC }, func() {
			fn.Stop()
			fn = nil
		})},
	}
}

func flushLoop[T any](buffer int, arm func(), c func() <-chan T, stop func()) func(int) {
	items := make(chan int, buffer)
	return func(n int) {
		if buffer == 0 {
			go func() {
				for i := range n {
					items <- i
				}
			}()
		}
		held := 0
		for i := range n {
			if buffer > 0 {
				items <- i
			}
			select {
			case <-items:
				if held++; held == 10 {
					stop()
					held = 0
				} else {
					arm()
				}
			case <-c():
				panic("an hour has passed")
			}
		}
	}
}

// An op is one call, or one item. The ways loop themselves, so that each is
// compiled as its user would have it.
func BenchmarkTimer(b *testing.B) {
	for _, w := range workloads() {
		for _, im := range w.impls() {
			b.Run(w.name+"/impl="+im.name, func(b *testing.B) {
				b.ReportAllocs()
				im.run(b.N)
			})
		}
	}
}

// BenchmarkBatchOfOne is the flush loop of TestF1HeapGrowsWithBatches: an op is a
// batch of one message, with a linger of a minute. live-B is by how much the live heap
// has grown in the end, for all batches together.
func BenchmarkBatchOfOne(b *testing.B) {
	const linger = time.Minute
	var tm timerx.Timer
	c := tm.C()
	for _, im := range []struct {
		name  string
		batch func()
	}{
		{"timerx", func() {
			tm.Arm(linger)
			select {
			case <-c:
			default:
			}
			tm.Stop()
		}},
		{"time.NewTimer", func() {
			t := time.NewTimer(linger)
			select {
			case <-t.C:
			default:
			}
			t.Stop()
		}},
		{"time.After", func() {
			select {
			case <-time.After(linger):
			default:
			}
		}},
		{"time.AfterFunc", func() {
			t := time.AfterFunc(linger, func() {})
			t.Stop()
		}},
	} {
		b.Run("impl="+im.name, func(b *testing.B) {
			b.ReportAllocs()
			before := alloctest.LiveHeap()
			for b.Loop() {
				im.batch()
			}
			b.ReportMetric(max(0, float64(alloctest.LiveHeap())-float64(before)), "live-B")
		})
	}
}

// BenchmarkRatio runs the ways to do a thing in turns and reports the median
// of what each round says: how many ns a call of the first two takes, and the ratio
// of the first to each of the others.
func BenchmarkRatio(b *testing.B) {
	for _, w := range workloads() {
		for _, others := range []int{0, 10_000} {
			b.Run(fmt.Sprintf("%s/others=%d", w.name, others), func(b *testing.B) {
				b.ReportAllocs()
				if others > 0 {
					defer startOthers()()
				}
				const calls = 5000
				impls := w.impls()
				took := make([][]float64, len(impls))
				for b.Loop() {
					for i, im := range impls {
						start := time.Now()
						im.run(calls)
						took[i] = append(took[i], float64(time.Since(start))/calls)
					}
				}
				b.ReportMetric(0, "ns/op") // of a round: says nothing
				b.ReportMetric(median(took[0]), impls[0].name+"-ns")
				for i, im := range impls[1:] {
					ratios := make([]float64, len(took[0]))
					for round := range ratios {
						ratios[round] = took[0][round] / took[i+1][round]
					}
					b.ReportMetric(median(ratios), "of-"+im.name)
				}
			})
		}
	}
}

func median(s []float64) float64 {
	s = slices.Sorted(slices.Values(s))
	return s[len(s)/2]
}

// BenchmarkLatency reports by how much the receiver of a tick wakes later than
// the deadline, in turns: the goroutine that carries a Timer's tick comes on top
// of the runtime's own delay. In an idle process that is a sleep in whole
// milliseconds; a busy one looks at its timers all the time.
func BenchmarkLatency(b *testing.B) {
	for _, process := range []string{"idle", "busy"} {
		b.Run("process="+process, func(b *testing.B) {
			b.ReportAllocs()
			if process == "busy" {
				quit := make(chan bool)
				defer close(quit)
				go func() {
					for {
						select {
						case <-quit:
							return
						default:
							runtime.Gosched()
						}
					}
				}()
			}
			const d = 100 * time.Microsecond
			var tm timerx.Timer
			std := time.NewTimer(time.Hour)
			var ours, theirs []float64
			for b.Loop() {
				start := time.Now()
				tm.Arm(d)
				<-tm.C()
				ours = append(ours, float64(time.Since(start)-d))

				start = time.Now()
				std.Reset(d)
				<-std.C
				theirs = append(theirs, float64(time.Since(start)-d))
			}
			for _, r := range []struct {
				name string
				late []float64
			}{{"timerx", ours}, {"time.Timer", theirs}} {
				slices.Sort(r.late)
				b.ReportMetric(r.late[len(r.late)/2], r.name+"-p50-ns")
				b.ReportMetric(r.late[len(r.late)*99/100], r.name+"-p99-ns")
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}
