package timerx_test

import (
	"errors"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lowalloc/lowalloc/timerx"
)

// documentedLoop has the loop of the package comment, to the letter.
func documentedLoop(timer *timerx.Timer, items <-chan int, quit <-chan bool, send func(batch []int) error) {
	const full, linger, retry = 3, 10 * time.Millisecond, time.Second
	var batch []int
	flush := func() {
		timer.Stop()
		if len(batch) == 0 {
			return
		}
		if err := send(batch); err != nil {
			timer.Arm(retry)
			return
		}
		batch = batch[:0]
	}

	defer timer.Stop()
	for {
		in := items
		if len(batch) >= full { // the last flush has failed: take no more
			in = nil
		}
		select {
		case item := <-in:
			batch = append(batch, item)
			if len(batch) >= full {
				flush()
			} else {
				timer.Arm(linger) // does nothing unless this is the first item
			}
		case <-timer.C():
			flush()
		case <-quit:
			flush()
			return
		}
	}
}

// While flushes fail, a batch does not grow and no item is lost; and a loop that
// has ended leaves no timer armed.
func TestFlushLoop(t *testing.T) {
	var code strings.Builder
	for line := range strings.Lines(readFile(t, "doc.go")) {
		if rest, ok := strings.CutPrefix(line, "//\t"); ok {
			code.WriteString("\t" + rest)
		} else if code.Len() > 0 {
			break // the first block of code is the loop
		}
	}
	if !strings.Contains(readFile(t, "doc_test.go"), "\n\n"+code.String()+"}\n") {
		t.Errorf("documentedLoop is not the loop in doc.go:\n%s", code.String())
	}

	synctest.Test(t, func(t *testing.T) {
		var timer timerx.Timer
		var failing atomic.Bool
		var tried []int // sizes of batches
		var sent []int  // items
		send := func(batch []int) error {
			fail := failing.Load() // first: by then the test has read what we write
			tried = append(tried, len(batch))
			if fail {
				return errors.New("unavailable")
			}
			sent = append(sent, batch...)
			return nil
		}
		items, quit := make(chan int), make(chan bool)
		ended := make(chan bool)
		go func() {
			documentedLoop(&timer, items, quit, send)
			close(ended)
		}()

		failing.Store(true)
		go func() {
			for i := range 8 {
				items <- i
			}
		}()
		time.Sleep(3500 * time.Millisecond)
		synctest.Wait()
		if want := []int{3, 3, 3, 3}; !slices.Equal(tried, want) {
			t.Errorf("flushes that fail have tried batches of %v, want %v: the first and one each second", tried, want)
		}

		failing.Store(false)
		time.Sleep(time.Second)
		synctest.Wait()
		if want := []int{3, 3, 3, 3, 3, 3, 2}; !slices.Equal(tried, want) {
			t.Errorf("all flushes have tried batches of %v, want %v", tried, want)
		}
		if want := []int{0, 1, 2, 3, 4, 5, 6, 7}; !slices.Equal(sent, want) {
			t.Errorf("sent %v, want %v", sent, want)
		}

		failing.Store(true)
		items <- 8
		quit <- true
		<-ended
		if at, armed := timer.Deadline(); armed {
			t.Errorf("after the end the timer is armed until %v", at)
		}
	})
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	content, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// The timeline in the package comment is what happens.
func TestTimeline(t *testing.T) {
	const d = 5 * time.Millisecond
	items := []int{0, 3, 6, 9, 13, 16, 19, 30} // ms
	doc := readFile(t, "doc.go")
	for _, row := range []struct {
		title   string
		maxWait time.Duration
		item    func(*probe)
	}{
		{"items", 0, nil},
		{"Arm(5ms)", 0, func(p *probe) { p.Arm(d) }},
		{"Touch(5ms)", 0, func(p *probe) { p.Touch(d) }},
		{"Touch(5ms), MaxWait 12", 12 * time.Millisecond, func(p *probe) { p.Touch(d) }},
	} {
		synctest.Test(t, func(t *testing.T) {
			p := newProbe(channelForm)
			p.MaxWait = row.maxWait
			line := []byte(strings.Repeat(" ", 40))
			next := 0
			for ms := range line {
				synctest.Wait()
				select {
				case <-p.C():
					line[ms] = '!'
				default:
				}
				if next < len(items) && items[next] == ms {
					next++
					if row.item != nil {
						row.item(p)
					} else {
						line[ms] = 'x'
					}
				}
				if _, armed := p.Deadline(); armed {
					line[ms] = '='
				}
				time.Sleep(time.Millisecond)
			}
			want := strings.TrimRight("//\t"+row.title+strings.Repeat(" ", 24-len(row.title))+string(line), " ") + "\n"
			if !strings.Contains(doc, want) {
				t.Errorf("doc.go does not have the line\n%s", want)
			}
		})
	}
}
