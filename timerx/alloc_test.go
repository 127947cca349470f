package timerx_test

import (
	"testing"
	"time"

	"github.com/lowalloc/lowalloc/internal/alloctest"
	"github.com/lowalloc/lowalloc/timerx"
)

// Once a Timer has been used, its methods and its ticks do not allocate: neither
// alone, nor beside 10,000 other timers.
func TestF2AllocsPerCall(t *testing.T) {
	for _, others := range []string{"none", "10000"} {
		t.Run("others="+others, func(t *testing.T) {
			if others != "none" {
				defer startOthers()()
			}
			var tm timerx.Timer
			c := tm.C()
			ran := make(chan bool)
			fn := timerx.NewFunc(func() { ran <- true })
			touched := timerx.Timer{MaxWait: time.Hour}
			at := time.Now().Add(time.Hour)
			for name, f := range map[string]func(){
				"Arm and Stop":     func() { tm.Arm(time.Hour); tm.Stop() },
				"ArmAt and Stop":   func() { tm.ArmAt(at); tm.Stop() },
				"Arm when armed":   func() { touched.Arm(time.Hour) },
				"Reset":            func() { touched.Reset(time.Hour) },
				"Touch":            func() { touched.Touch(time.Minute) },
				"Touch, earlier":   func() { touched.Touch(time.Hour); touched.Touch(time.Minute) },
				"Deadline":         func() { touched.Deadline() },
				"C":                func() { touched.C() },
				"StopWait":         func() { fn.Arm(time.Hour); fn.StopWait() },
				"Fire and receive": func() { tm.Fire(); <-c },
				"Fire and Stop":    func() { tm.Fire(); tm.Stop() },
				"Fire and run":     func() { fn.Fire(); <-ran },
			} {
				t.Run(name, func(t *testing.T) { alloctest.Gate(t, 1000, 0, 0, f) })
			}
			// Fewer calls: an idle process sleeps for whole milliseconds.
			for name, f := range map[string]func(){
				"tick":             func() { tm.Arm(time.Microsecond); <-c },
				"tick after Touch": func() { tm.Touch(time.Nanosecond); tm.Touch(time.Microsecond); <-c },
				"run":              func() { fn.Arm(time.Microsecond); <-ran },
			} {
				t.Run(name, func(t *testing.T) { alloctest.Gate(t, 100, 0, 0, f) })
			}
			tm.Stop()
			fn.StopWait()
			touched.Stop()
		})
	}
}

// startOthers arms 10,000 timers, to be due in about an hour, and returns what
// stops them.
func startOthers() (stop func()) {
	others := make([]timerx.Timer, 10_000)
	for i := range others {
		others[i].Arm(time.Hour + time.Duration(i)*time.Second)
	}
	return func() {
		for i := range others {
			others[i].Stop()
		}
	}
}
