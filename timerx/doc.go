// Package timerx has the timer of a flush loop: one Timer for the life of the
// loop, with nothing to drain, nothing to acknowledge and nothing to allocate.
//
// A loop that gathers items into batches flushes when a batch is full, when its
// first item has waited long enough, and when it closes. It calls [Timer.Arm]
// for every item and [Timer.Stop] on every flush, whatever the reason:
//
//	defer timer.Stop()
//	for {
//		in := items
//		if len(batch) >= full { // the last flush has failed: take no more
//			in = nil
//		}
//		select {
//		case item := <-in:
//			batch = append(batch, item)
//			if len(batch) >= full {
//				flush()
//			} else {
//				timer.Arm(linger) // does nothing unless this is the first item
//			}
//		case <-timer.C():
//			flush()
//		case <-quit:
//			flush()
//			return
//		}
//	}
//
// Here flush begins with timer.Stop(), so that no tick is left over for the next
// batch, and does nothing more if the batch is empty. When it fails, it keeps the items and calls timer.Arm(retry): the tick
// makes the loop try again. Until that succeeds, a full batch takes no more items,
// and who sends them waits. The batcher example is such a loop in full.
//
// # Linger, debounce and max wait
//
// Arm counts from the first item, and later ones change nothing: a linger.
// Touch counts from the last, so that the tick waits for a pause: a debounce.
// MaxWait bounds how long that can take. Here one character is a millisecond, x
// an item, = an armed timer, and ! its tick:
//
//	items                   x  x  x  x   x  x  x          x
//	Arm(5ms)                =====!=====! =====!=====!     =====!
//	Touch(5ms)              ========================!     =====!
//	Touch(5ms), MaxWait 12  ============!===========!     =====!
//
// # States
//
// A timer is idle, armed, or due. A due timer in channel form holds its tick in
// the channel until somebody receives it; in callback form it is due only until
// its function can run, which is at once unless the last run has not ended.
//
//	call        idle             armed                      due
//	Arm, ArmAt  armed; true      no change; false           no change; false
//	Reset       armed; false     armed anew; true           tick discarded, armed; true
//	Touch       armed            deadline moved             no change
//	Fire        due              due                        no change
//	Stop        no change; false idle; true                 tick discarded, idle; true
//	receive     blocks           blocks until due; idle     idle
//
// Arm and ArmAt report whether they armed the timer; Reset whether it was armed
// or due before; Stop whether it prevented a tick.
//
// With a duration of 0 or less the timer is due before the call returns, unless
// the table says that the call changes nothing. A deadline that is too far off for
// a [time.Duration] becomes the latest possible one. Time is measured by the
// monotonic clock: setting the wall clock changes nothing, and while the system is
// suspended the clock may stand still.
//
// There is no setting for jitter (add it to the duration), for a disabled linger (do
// not call Arm for items) or for a clock of your own (test in a [testing/synctest]
// bubble).
//
// # When to use time.Timer instead
//
// For a timeout that is set once, a period, or a loop that resets its timer on
// every turn, [time.Timer] and [time.Ticker] are simpler, and since Go 1.23 as safe. They
// also say at what time they ticked, and their ticks cost less: at each deadline
// a Timer starts a short-lived goroutine, as [time.AfterFunc] does, and so its
// tick costs about a microsecond more. What a Timer has over them is its state: it
// knows whether it is armed, so the loop needs no flag for that.
package timerx
