package timerx_test

import (
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// The timeline in the package comment is what happens.
func TestTimeline(t *testing.T) {
	const d = 5 * time.Millisecond
	items := []int{0, 3, 6, 9, 13, 16, 19, 30} // ms
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
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
			if !strings.Contains(string(doc), want) {
				t.Errorf("doc.go does not have the line\n%s", want)
			}
		})
	}
}
