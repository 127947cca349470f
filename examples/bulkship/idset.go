package main

import "strconv"

// idSet is an exact set of ids. Most ids are a running number behind a prefix:
// of these it keeps a bit each, so that a million take less than a megabyte.
type idSet struct {
	len    int
	runs   map[string]map[uint64]uint64 // by prefix, then by number / 64
	others map[string]struct{}
}

func newIDSet() *idSet {
	return &idSet{runs: make(map[string]map[uint64]uint64), others: make(map[string]struct{})}
}

// add adds an id and reports whether it was not there.
func (s *idSet) add(id []byte) bool {
	if prefix, number, ok := splitNumber(id); ok {
		run := s.runs[string(prefix)]
		if run == nil {
			run = make(map[uint64]uint64)
			s.runs[string(prefix)] = run
		}
		bits, bit := run[number/64], uint64(1)<<(number%64)
		if bits&bit != 0 {
			return false
		}
		run[number/64] = bits | bit
	} else {
		if _, there := s.others[string(id)]; there {
			return false
		}
		s.others[string(id)] = struct{}{}
	}
	s.len++
	return true
}

// splitNumber splits an id that is a number, or ends in a dash and one. It fails
// if the number would not be written like this, as 007 would not.
func splitNumber(id []byte) (prefix []byte, number uint64, ok bool) {
	i := len(id)
	for i > 0 && '0' <= id[i-1] && id[i-1] <= '9' {
		i--
	}
	prefix, digits := id[:i], id[i:]
	if len(digits) == 0 || len(digits) > 1 && digits[0] == '0' || i > 0 && id[i-1] != '-' {
		return nil, 0, false
	}
	number, err := strconv.ParseUint(string(digits), 10, 64)
	return prefix, number, err == nil
}
