package timerx_test

import (
	"fmt"
	"sync"
	"time"

	"github.com/lowalloc/lowalloc/timerx"
)

// Linger: a batch goes out a fixed time after its first item, however many follow.
func ExampleTimer_Arm() {
	var timer timerx.Timer
	defer timer.Stop()

	fmt.Println("first item arms:", timer.Arm(10*time.Millisecond))
	fmt.Println("second item arms:", timer.Arm(10*time.Millisecond))
	<-timer.C()
	fmt.Println("flush")
	fmt.Println("next item arms:", timer.Arm(10*time.Millisecond))
	// Output:
	// first item arms: true
	// second item arms: false
	// flush
	// next item arms: true
}

// Debounce with a ceiling: a flush waits for the events to pause, but not for
// longer than MaxWait. These never pause for an hour.
func ExampleTimer_Touch() {
	timer := timerx.Timer{MaxWait: 20 * time.Millisecond}
	defer timer.Stop()

	events := time.NewTicker(time.Millisecond)
	defer events.Stop()
	start := time.Now()
	for {
		select {
		case <-events.C:
			timer.Touch(time.Hour)
		case <-timer.C():
			fmt.Println("flushed, not before MaxWait:", time.Since(start) >= timer.MaxWait)
			return
		}
	}
	// Output: flushed, not before MaxWait: true
}

// A batch that is full goes out at once, and its linger is over.
func ExampleTimer_Fire() {
	var timer timerx.Timer
	timer.Arm(time.Hour)
	timer.Fire()
	<-timer.C()
	_, pending := timer.Deadline()
	fmt.Println("pending:", pending)
	// Output: pending: false
}

// The callback form needs no goroutine of the user's: the timer runs the flush,
// never twice at once.
func ExampleNewFunc() {
	var (
		mu    sync.Mutex
		batch []string
	)
	flushed := make(chan bool, 1)
	flush := func() {
		mu.Lock()
		defer mu.Unlock()
		if len(batch) > 0 {
			fmt.Println("flush:", batch)
			batch = batch[:0]
			flushed <- true
		}
	}
	timer := timerx.NewFunc(flush)
	add := func(item string) {
		mu.Lock()
		defer mu.Unlock()
		batch = append(batch, item)
		if len(batch) < 3 {
			timer.Arm(time.Hour)
		} else {
			timer.Fire()
		}
	}

	add("a")
	add("b")
	add("c") // full
	<-flushed
	add("d")
	// On close, a flush that is running ends first, and the rest follows.
	timer.StopWait()
	flush()
	// Output:
	// flush: [a b c]
	// flush: [d]
}
