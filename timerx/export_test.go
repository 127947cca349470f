package timerx

// Expire is a stale call by the runtime's timer: one that was on its way when
// the timer was stopped or set anew.
func (t *Timer) Expire() { t.expire() }

// LoseAlarm makes the runtime's timer late: nothing happens at the deadline
// until Expire is called.
func (t *Timer) LoseAlarm() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.alarm.Stop()
}
