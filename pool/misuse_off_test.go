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

// Late use can spoil content, but not the bound.
func TestLateUseDoesNotBreakTheBound(t *testing.T) {
	const limit = 64 << 10
	p := &pool.Pool{MaxIdleBytes: limit}
	for _, late := range []func(b *pool.Buffer){
		func(b *pool.Buffer) { b.B = make([]byte, 0, 32<<10) },
		func(b *pool.Buffer) { b.B = nil },
		func(b *pool.Buffer) { p.Put(b) },
	} {
		b := p.GetSize(4 << 10)
		p.Put(b)
		late(b)
		drain(p)
		for range 32 {
			p.Put(buffer(4 << 10))
		}
		if s := p.Stats(); s.IdleBytes != limit {
			t.Errorf("Stats = %+v, want %d bytes idle", s, limit)
		}
		drain(p)
	}
}
