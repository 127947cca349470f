package gzippool

// IdleWriters returns how many writers lie idle in a Pool with MaxIdle > 0.
func (p *Pool) IdleWriters() int { return p.writers.len() }

// IdleReaders returns how many readers lie idle in a Pool with MaxIdle > 0.
func (p *Pool) IdleReaders() int { return p.readers.len() }

func (s *idle[T]) len() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.list)
}
