package alloctest_test

import (
	"testing"

	"github.com/lowalloc/lowalloc/internal/alloctest"
)

var sink *[64]byte

// One allocation in a hundred calls must show: this is what the package is for.
func TestCountSeesRareAllocations(t *testing.T) {
	if alloctest.Skewed() {
		t.Skip("allocations are not countable in a race or coverage build")
	}
	calls := 0
	allocs, bytes := alloctest.Count(1000, func() {
		calls++
		if calls%100 == 0 {
			sink = new([64]byte)
		}
	})
	if allocs != 10 || bytes != 640 {
		t.Errorf("Count = %d allocs, %d bytes; want 10, 640", allocs, bytes)
	}
}
