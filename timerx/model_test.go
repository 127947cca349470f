package timerx_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lowalloc/lowalloc/internal/alloctest"
	"github.com/lowalloc/lowalloc/timerx"
)

// A model is what a Timer promises, without a clock, a lock or a runtime: time
// is a number and passes when advance is called. It follows the state table and
// knows nothing of how Timer does it.
type model struct {
	maxWait  time.Duration
	callback bool
	listener bool // channel form: ticks are received as soon as they are due

	now      time.Duration
	state    string
	deadline time.Duration
	ceiling  time.Duration // 0 is none

	running bool // callback form
	runEnd  time.Duration
	runs    []run // to come

	log []event
}

// A step is one call, or the passing of time.
type step struct {
	name string
	d    time.Duration
}

func (s step) String() string { return fmt.Sprintf("%s(%v)", s.name, s.d) }

// A run is what the callback does: a call, a pause, a call.
type run struct {
	first step
	pause time.Duration
	last  step
}

// An event is a tick, or the result of a call that the callback made.
type event struct {
	at     time.Duration
	name   string
	result bool
}

// do makes a call and returns its result, false if it has none.
func (m *model) do(s step) (result bool) {
	if m.state == "idle" {
		m.ceiling = 0
	}
	switch s.name {
	case "Arm", "ArmAt":
		if m.state == "idle" {
			m.arm(s.d)
			result = true
		}
	case "Reset":
		result = m.state != "idle"
		m.ceiling = 0
		m.arm(s.d)
	case "Touch":
		if m.state != "due" {
			if m.ceiling == 0 && m.maxWait > 0 {
				m.ceiling = m.in(m.maxWait)
			}
			m.arm(s.d)
			if m.state == "armed" && m.ceiling != 0 {
				m.deadline = min(m.deadline, m.ceiling)
			}
		}
	case "Fire":
		if m.state != "due" {
			m.arm(0)
		}
	case "Stop":
		result = m.stop()
	case "StopWait":
		result = m.stop()
		if m.running {
			m.now = m.runEnd
			m.endRun()
			result = m.stop() || result
		}
	case "receive":
		if !m.callback && m.state == "due" {
			m.state = "idle"
			result = true
		}
	case "sleep":
		m.advance(s.d)
	}
	m.settle()
	return result
}

func (m *model) arm(d time.Duration) {
	m.state = "armed"
	m.deadline = m.in(d)
	if d <= 0 {
		m.state = "due"
		m.deadline = m.now
	}
}

func (m *model) in(d time.Duration) time.Duration {
	if d > maxDuration-m.now {
		return maxDuration
	}
	return m.now + d
}

func (m *model) stop() bool {
	pending := m.state != "idle"
	m.state = "idle"
	return pending
}

// settle takes the tick that is due, if there is someone to take it.
func (m *model) settle() {
	for m.state == "due" {
		switch {
		case m.listener:
			m.state = "idle"
			m.log = append(m.log, event{m.now, "tick", true})
		case m.callback && !m.running:
			m.state = "idle"
			m.log = append(m.log, event{m.now, "tick", true})
			m.running = true
			m.call(m.run().first)
			m.runEnd = m.now + m.run().pause
			if m.run().pause == 0 {
				m.endRun()
			}
		default:
			return
		}
	}
}

func (m *model) run() run {
	if len(m.runs) == 0 {
		return run{}
	}
	return m.runs[0]
}

func (m *model) endRun() {
	m.call(m.run().last)
	m.runs = m.runs[min(1, len(m.runs)):]
	m.running = false
}

// call is do for a call that the callback makes.
func (m *model) call(s step) {
	if s.name != "" {
		m.log = append(m.log, event{m.now, s.name, m.do(s)})
	}
}

func (m *model) advance(d time.Duration) {
	for end := m.now + d; ; m.settle() {
		next := end
		if m.state == "armed" {
			next = min(next, m.deadline)
		}
		if m.running {
			next = min(next, m.runEnd)
		}
		m.now = next
		switch {
		case m.state == "armed" && m.deadline == next:
			m.state = "due"
		case m.running && m.runEnd == next:
			m.endRun()
		default:
			return
		}
	}
}

// A subject is the Timer that has to agree with the model.
type subject struct {
	*timerx.Timer
	birth time.Time
	runs  []run
	quit  chan struct{}

	mu  sync.Mutex
	log []event
}

func newSubject(m *model) *subject {
	s := &subject{birth: time.Now(), runs: m.runs, quit: make(chan struct{})}
	if m.callback {
		s.Timer = timerx.NewFunc(s.run)
	} else {
		s.Timer = new(timerx.Timer)
	}
	s.MaxWait = m.maxWait
	if m.listener {
		go s.listen()
	}
	return s
}

func (s *subject) note(name string, result bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log = append(s.log, event{time.Since(s.birth), name, result})
}

func (s *subject) listen() {
	for {
		select {
		case <-s.C():
			s.note("tick", true)
		case <-s.quit:
			return
		}
	}
}

func (s *subject) run() {
	s.note("tick", true)
	if len(s.runs) == 0 {
		return
	}
	r := s.runs[0]
	s.runs = s.runs[1:]
	if r.first.name != "" {
		s.note(r.first.name, s.do(r.first))
	}
	time.Sleep(r.pause)
	if r.last.name != "" {
		s.note(r.last.name, s.do(r.last))
	}
}

func (s *subject) do(st step) bool {
	switch st.name {
	case "Arm":
		return s.Arm(st.d)
	case "ArmAt":
		return s.ArmAt(time.Now().Add(st.d))
	case "Reset":
		return s.Reset(st.d)
	case "Touch":
		s.Touch(st.d)
	case "Fire":
		s.Fire()
	case "Stop":
		return s.Stop()
	case "StopWait":
		return s.StopWait()
	case "receive":
		select {
		case <-s.C():
			return true
		default:
		}
	case "sleep":
		time.Sleep(st.d)
	}
	return false
}

// A script is a model in its first state and what happens to it.
type script struct {
	model model
	steps []step
}

// parse makes a script of any bytes.
func parse(data []byte) script {
	next := func() int {
		if len(data) == 0 {
			return 0
		}
		b := data[0]
		data = data[1:]
		return int(b)
	}
	pick := func(ds ...time.Duration) time.Duration { return ds[next()%len(ds)] }
	const ms = time.Millisecond
	call := func(names ...string) step {
		return step{names[next()%len(names)], pick(2*ms, 3*ms, 5*ms, 8*ms, 13*ms, 20*ms, 1, 0, -1, time.Hour, minDuration, maxDuration)}
	}

	var sc script
	form := next()
	sc.model = model{state: "idle", callback: form%3 == 1, listener: form%3 == 2}
	sc.model.maxWait = pick(0, -1, 1, 5*ms, 20*ms, maxDuration)
	if sc.model.callback {
		for range next() % 8 {
			sc.model.runs = append(sc.model.runs, run{
				first: call("", "", "", "Arm", "Touch", "Reset", "Fire", "Stop"),
				pause: pick(0, 1, 2*ms, 3*ms, 10*ms, 30*ms),
				last:  call("", "", "Arm", "Arm", "ArmAt", "Touch", "Reset", "Fire", "Stop"),
			})
		}
	}
	for len(data) > 0 && len(sc.steps) < 64 {
		s := call("Arm", "Arm", "ArmAt", "Reset", "Touch", "Touch", "Touch", "Fire", "Stop", "StopWait", "receive",
			"sleep", "sleep", "sleep", "sleep", "sleep")
		if s.name == "sleep" {
			s.d = pick(0, 1, ms, 2*ms, 3*ms, 5*ms, 8*ms, 40*ms)
		}
		sc.steps = append(sc.steps, s)
	}
	return sc
}

// check plays a script to a model and to a Timer, which must agree after every
// step. It runs in a bubble and leaves nothing in it.
func check(sc script) (failure string) {
	m := sc.model
	s := newSubject(&m)
	done := 0
	fail := func(format string, args ...any) string {
		var b strings.Builder
		fmt.Fprintf(&b, "callback %v, listener %v, MaxWait %v, runs %v\n", m.callback, m.listener, m.maxWait, sc.model.runs)
		fmt.Fprintf(&b, "steps %v\n", sc.steps[:done])
		fmt.Fprintf(&b, format, args...)
		return b.String()
	}
	defer func() {
		s.StopWait()
		close(s.quit)
	}()
	for _, st := range sc.steps {
		done++
		want := m.do(st)
		got := s.do(st)
		synctest.Wait()
		if got != want {
			return fail("result %v, want %v", got, want)
		}
		at, ok := s.Deadline()
		if wantOK := m.state != "idle"; ok != wantOK {
			return fail("Deadline is %v from the start, %v; want %v, %v", at.Sub(s.birth), ok, m.deadline, wantOK)
		}
		// Sums saturate, but the contract does not say at which instant.
		if got := at.Sub(s.birth); ok && got != m.deadline && (m.deadline != maxDuration || got < maxDuration-time.Hour) {
			return fail("Deadline is %v from the start, want %v", got, m.deadline)
		}
		s.mu.Lock()
		log := s.log
		s.mu.Unlock()
		if !slices.Equal(log, m.log) {
			return fail("log %v,\nwant %v", log, m.log)
		}
	}
	return ""
}

// At least 100,000 random scripts, the same every time.
func TestModel(t *testing.T) {
	n := 100_000
	if alloctest.Skewed() {
		n = 10_000
	}
	const seed = 16538
	rnd := rand.New(rand.NewPCG(seed, 0))
	data := make([]byte, 100)
	steps, ticks := 0, 0
	for i := 0; i < n && !t.Failed(); {
		synctest.Test(t, func(t *testing.T) {
			for end := min(i+1000, n); i < end; i++ {
				for j := range data {
					data[j] = byte(rnd.Uint32())
				}
				sc := parse(data[:rnd.IntN(len(data))])
				if failure := check(sc); failure != "" {
					t.Errorf("script %d of seed %d: %s", i, seed, failure)
					return
				}
				steps += len(sc.steps)
				m := sc.model
				for _, st := range sc.steps {
					m.do(st)
				}
				ticks += len(m.log)
			}
		})
	}
	t.Logf("%d scripts, %d steps, %d ticks and calls by a callback", n, steps, ticks)
}

func FuzzModel(f *testing.F) {
	rnd := rand.New(rand.NewPCG(1, 1))
	for range 32 {
		data := make([]byte, 40)
		for i := range data {
			data[i] = byte(rnd.Uint32())
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		synctest.Test(t, func(t *testing.T) {
			if failure := check(parse(data)); failure != "" {
				t.Error(failure)
			}
		})
	})
}
