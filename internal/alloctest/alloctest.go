// Package alloctest holds promises about allocation to account: it counts what
// many calls allocate together, so that one allocation in a thousand calls
// shows, where an average per call would round it away.
package alloctest

import (
	"runtime"
	"testing"
)

// Gate fails the test when n calls of f together make more than allocs heap
// allocations or allocate more than bytes bytes. It calls f once before it
// counts. The counters are process-wide, so the lowest of five attempts counts.
//
// Gate skips the test in race builds, where sync.Pool drops items at random,
// and in coverage builds. Not for tests that run in parallel with others.
func Gate(t *testing.T, n int, allocs, bytes uint64, f func()) {
	t.Helper()
	if Skewed() {
		t.Skip("allocations are not countable in a race or coverage build")
	}
	var gotAllocs, gotBytes uint64
	for range 3 { // a busy machine can spoil all attempts of one Count
		if gotAllocs, gotBytes = Count(n, f); gotAllocs <= allocs && gotBytes <= bytes {
			return
		}
	}
	t.Errorf("%d calls: %d allocs, %d bytes; want at most %d allocs, %d bytes", n, gotAllocs, gotBytes, allocs, bytes)
}

// Count returns what n calls of f together allocate, after one call that is
// not counted: the lowest of five attempts, allocations and bytes each.
func Count(n int, f func()) (allocs, bytes uint64) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	f()
	var before, after runtime.MemStats
	for attempt := range 5 {
		runtime.ReadMemStats(&before)
		for range n {
			f()
		}
		runtime.ReadMemStats(&after)
		a, b := after.Mallocs-before.Mallocs, after.TotalAlloc-before.TotalAlloc
		if attempt == 0 {
			allocs, bytes = a, b
		}
		allocs, bytes = min(allocs, a), min(bytes, b)
	}
	return allocs, bytes
}

// LiveHeap returns the bytes of reachable heap objects. It collects garbage
// three times first: sync.Pool lets go of what it holds after two collections,
// and what a finalizer or cleanup frees goes with the third.
func LiveHeap() uint64 {
	for range 3 {
		runtime.GC()
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// Skewed reports whether this build distorts allocation counts.
func Skewed() bool { return Race || testing.CoverMode() != "" }
