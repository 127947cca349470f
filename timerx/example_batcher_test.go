package timerx_test

import (
	"errors"
	"fmt"
	"time"

	"github.com/lowalloc/lowalloc/timerx"
)

// A batcher sends items in batches: when it holds maxItems items or maxBytes
// bytes, or linger after the first item came, whichever is earliest.
type batcher struct {
	maxItems, maxBytes int
	linger, retry      time.Duration
	send               func(batch []string) error // may use the batch until it is called again

	items chan string
	quit  chan struct{}
	done  chan error

	timer        timerx.Timer
	batch, spare []string
	bytes        int
}

var errClosed = errors.New("batcher is closed")

func (b *batcher) start() {
	b.items, b.quit, b.done = make(chan string), make(chan struct{}), make(chan error)
	go b.run()
}

// add blocks while a full batch cannot be sent.
func (b *batcher) add(item string) error {
	select {
	case b.items <- item:
		return nil
	case <-b.quit:
		return errClosed
	}
}

// close sends what is left, without waiting for the linger.
func (b *batcher) close() error {
	close(b.quit)
	return <-b.done
}

func (b *batcher) run() {
	defer b.timer.Stop()
	for {
		items := b.items
		if b.full() { // sending has failed: take nothing more until it succeeds
			items = nil
		}
		select {
		case item := <-items:
			b.batch = append(b.batch, item)
			b.bytes += len(item)
			if b.full() {
				_ = b.flush() // b.timer makes it try again
			} else {
				b.timer.Arm(b.linger) // does nothing unless this is the first item
			}
		case <-b.timer.C():
			_ = b.flush()
		case <-b.quit:
			b.done <- b.flush()
			return
		}
	}
}

func (b *batcher) full() bool {
	return len(b.batch) >= b.maxItems || b.bytes >= b.maxBytes
}

func (b *batcher) flush() error {
	b.timer.Stop() // whatever made us flush, the next linger begins with the next item
	if len(b.batch) == 0 {
		return nil
	}
	if err := b.send(b.batch); err != nil {
		b.timer.Arm(b.retry) // the items stay in the batch
		return err
	}
	b.batch, b.spare = b.spare[:0], b.batch
	b.bytes = 0
	return nil
}

// A complete flush loop: by count, by bytes, by linger, and on close, and once
// more if sending fails.
func Example_batcher() {
	failed := false
	lingered := make(chan bool)
	b := batcher{
		maxItems: 3,
		maxBytes: 16,
		linger:   250 * time.Millisecond,
		retry:    time.Millisecond,
	}
	b.send = func(batch []string) error {
		if batch[0] == "fig" && !failed {
			failed = true
			fmt.Println("failed:", batch)
			return errors.New("unavailable")
		}
		fmt.Println("sent:", batch)
		if batch[0] == "fig" {
			close(lingered)
		}
		return nil
	}

	b.start()
	for _, item := range []string{"apple", "pear", "plum", "cherry", "watermelon", "fig"} {
		_ = b.add(item)
	}
	<-lingered
	_ = b.add("kiwi")
	fmt.Println("closed:", b.close())
	fmt.Println("lime:", b.add("lime"))
	// Output:
	// sent: [apple pear plum]
	// sent: [cherry watermelon]
	// failed: [fig]
	// sent: [fig]
	// sent: [kiwi]
	// closed: <nil>
	// lime: batcher is closed
}
