//go:build !race && !lowalloc_check

package pool_test

import (
	"os/exec"
	"reflect"
	"testing"

	"github.com/lowalloc/lowalloc/pool"
)

// The checks must hold under the tag too, which no other run of the tests sets.
func TestCheckTagF1(t *testing.T) {
	cmd := exec.Command("go", "test", "-tags=lowalloc_check", "-run=Misuse|Overwrites|FalseAlarm", "-v", ".")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%v: %v", cmd, err)
	}
	t.Logf("%v\n%s", cmd, out)
}

// Without checks a buffer has no room for their state.
func TestPlainBuildHasNoMisuseState(t *testing.T) {
	f, ok := reflect.TypeFor[pool.Buffer]().FieldByName("misuse")
	if !ok || f.Type.Size() != 0 {
		t.Errorf("Buffer.misuse takes %d bytes in a plain build", f.Type.Size())
	}
}
