//go:build race || lowalloc_check

package pool_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/lowalloc/lowalloc/pool"
)

// misuses are what a build with checks panics on, and the text it says.
var misuses = map[string]struct {
	text string
	do   func(p *pool.Pool)
}{
	"second Put": {"pool: Put of a Buffer that was Put before", func(p *pool.Pool) {
		b := p.Get()
		p.Put(b)
		p.Put(b)
	}},
	"second Put of a discarded buffer": {"pool: Put of a Buffer that was Put before", func(p *pool.Pool) {
		b := p.GetSize(1 << 20)
		p.Put(b)
		p.Put(b)
	}},
	"second Put by another pool": {"pool: Put of a Buffer that was Put before", func(p *pool.Pool) {
		b := p.Get()
		p.Put(b)
		new(pool.Pool).Put(b)
	}},
	"write after Put": {"pool: Buffer changed after Put", func(p *pool.Pool) {
		reuse(p, func(b *pool.Buffer) { _, _ = b.WriteString("late") })
	}},
	"write into a slice after Put": {"pool: Buffer changed after Put", func(p *pool.Pool) {
		reuse(p, func(b *pool.Buffer) { b.B[:100][99]++ })
	}},
	"B replaced after Put": {"pool: Buffer changed after Put", func(p *pool.Pool) {
		reuse(p, func(b *pool.Buffer) { b.B = make([]byte, 0, 1000) })
	}},
	"B taken after Put": {"pool: Buffer changed after Put", func(p *pool.Pool) {
		reuse(p, func(b *pool.Buffer) { b.B = nil })
	}},
}

// reuse does something late to a buffer until Get hands it out again, which
// sync.Pool in a race build does only most of the time.
func reuse(p *pool.Pool, late func(b *pool.Buffer)) {
	for range 100 {
		b := p.GetSize(1000)
		p.Put(b)
		late(b)
		p.GetSize(1000)
	}
}

func TestMisusePanicsF1(t *testing.T) {
	for name, m := range misuses {
		for _, mode := range []string{"garbage collector", "MaxIdleBytes"} {
			t.Run(name+"/"+mode, func(t *testing.T) {
				cmd := exec.Command(os.Args[0], "-test.run=^TestMisuseInSubprocess$")
				cmd.Env = append(os.Environ(), "LOWALLOC_MISUSE="+name, "LOWALLOC_MODE="+mode)
				out, err := cmd.CombinedOutput()
				if err == nil || !strings.Contains(string(out), "panic: "+m.text) {
					t.Errorf("error %v, want a panic with %q:\n%s", err, m.text, out)
				}
				for line := range strings.Lines(string(out)) {
					if strings.HasPrefix(line, "panic: ") {
						t.Log(strings.TrimSpace(line))
					}
				}
			})
		}
	}
}

// TestMisuseInSubprocess is what TestMisusePanicsF1 runs.
func TestMisuseInSubprocess(t *testing.T) {
	m, ok := misuses[os.Getenv("LOWALLOC_MISUSE")]
	if !ok {
		t.Skip("only for TestMisusePanicsF1")
	}
	p := new(pool.Pool)
	if os.Getenv("LOWALLOC_MODE") == "MaxIdleBytes" {
		p.MaxIdleBytes = bounded
	}
	m.do(p)
}

// A late reader sees that the bytes are no longer his.
func TestPutOverwritesF30(t *testing.T) {
	p := &pool.Pool{MaxIdleBytes: bounded}
	b := p.Get()
	_, _ = b.WriteString("a secret")
	late := b.Bytes()
	p.Put(b)
	for i, c := range late {
		if c != 0xdb {
			t.Errorf("byte %d after Put = %#x, want 0xdb", i, c)
		}
	}
}

// A new buffer at the address of a dropped one is not a second Put, and one
// that is Put, taken and Put again neither.
func TestNoFalseAlarmP4(t *testing.T) {
	for _, maxIdle := range []int64{-1, 0, 10_000, bounded} {
		p := &pool.Pool{MaxIdleBytes: maxIdle}
		for i := range 10_000 {
			b := p.GetSize(i % 1000)
			_, _ = b.Write(content[:i%2000])
			_, _ = b.Read(make([]byte, i%300))
			p.Put(b)
			p.Put(new(pool.Buffer))
		}
	}
}
