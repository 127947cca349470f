package pool_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"github.com/lowalloc/lowalloc/internal/alloctest"
	"github.com/lowalloc/lowalloc/pool"
)

func TestBufferRead(t *testing.T) {
	b := buffer(64)
	if n, err := b.Read(nil); n != 0 || err != nil {
		t.Errorf("Read(nil) of an empty buffer = %d, %v; want 0, nil", n, err)
	}
	_, _ = b.WriteString("hello, world")
	p := make([]byte, 5)
	if n, err := b.Read(p); n != 5 || err != nil || string(p) != "hello" {
		t.Errorf("Read = %d, %v, %q; want 5, nil, hello", n, err, p)
	}
	if got := b.String(); got != ", world" || b.Len() != 7 {
		t.Errorf("after Read: content %q, Len %d; want the rest", got, b.Len())
	}
	_, _ = b.WriteString("!")
	if rest, err := io.ReadAll(b); err != nil || string(rest) != ", world!" {
		t.Errorf("ReadAll = %q, %v", rest, err)
	}
	if n, err := b.Read(p); n != 0 || !errors.Is(err, io.EOF) {
		t.Errorf("Read at the end = %d, %v; want 0, EOF", n, err)
	}
	if cap(b.B) != 64 {
		t.Errorf("capacity after the last byte was read = %d, want 64", cap(b.B))
	}
}

func TestBufferIsAReader(t *testing.T) {
	b := new(pool.Buffer)
	b.SetString(strings.Repeat("content ", 100))
	if err := iotest.TestReader(struct{ io.Reader }{b}, b.Bytes()); err != nil {
		t.Error(err)
	}
}

// What Read takes off the front belongs to the buffer still: Reset and Put have
// it back.
func TestReadKeepsCapacity(t *testing.T) {
	for name, tt := range map[string]struct {
		after func(b *pool.Buffer)
		want  int64 // capacity at Put
	}{
		"read in part": {func(*pool.Buffer) {}, 4096},
		"appended":     {func(b *pool.Buffer) { _, _ = b.WriteString("x") }, 4096},
		"read twice":   {func(b *pool.Buffer) { _, _ = b.Read(make([]byte, 10)) }, 4096},
		"reset":        {func(b *pool.Buffer) { b.Reset() }, 4096},
		"replaced":     {func(b *pool.Buffer) { b.B = make([]byte, 7, 1000) }, 1000},
		"taken away":   {func(b *pool.Buffer) { b.B = nil }, 0},
		"replaced and read": {func(b *pool.Buffer) {
			b.B = make([]byte, 7, 1000)
			_, _ = b.Read(make([]byte, 3))
		}, 1000},
	} {
		t.Run(name, func(t *testing.T) {
			p := &pool.Pool{MaxIdleBytes: bounded}
			b := buffer(4096)
			b.SetString(strings.Repeat("x", 1000))
			_, _ = b.Read(make([]byte, 900))
			tt.after(b)
			p.Put(b)
			if s := p.Stats(); s.IdleBytes != tt.want {
				t.Errorf("Put keeps %d bytes, want %d", s.IdleBytes, tt.want)
			}
		})
	}
}

// A copy shares B with the original, and Put of both would hand it out twice. go
// vet reports copies of a struct with a field like this one, which takes no room.
func TestVetSeesCopies(t *testing.T) {
	typ := reflect.TypeFor[pool.Buffer]()
	for f := range typ.Fields() {
		if reflect.PointerTo(f.Type).Implements(reflect.TypeFor[sync.Locker]()) && f.Type.Size() == 0 && f.Offset == 0 {
			return
		}
	}
	t.Errorf("%v has no empty sync.Locker at its front", typ)
}

// writerFunc says of n bytes that it took as many as it returns.
type writerFunc func(p []byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

func TestBufferWriteTo(t *testing.T) {
	full := errors.New("full")
	for name, tt := range map[string]struct {
		w    writerFunc
		n    int64
		err  error // nil here and failed below: an error that is not one of a kind
		fail bool
		rest string
	}{
		"all":                  {func(p []byte) (int, error) { return len(p), nil }, 6, nil, false, ""},
		"short":                {func([]byte) (int, error) { return 2, nil }, 2, io.ErrShortWrite, true, "ntents"[2:]},
		"short, with an error": {func([]byte) (int, error) { return 2, full }, 2, full, true, "ntents"[2:]},
		"all, with an error":   {func(p []byte) (int, error) { return len(p), full }, 6, full, true, ""},
		"too many":             {func(p []byte) (int, error) { return len(p) + 1, nil }, 0, nil, true, "ntents"},
		"negative":             {func([]byte) (int, error) { return -1, full }, 0, nil, true, "ntents"},
	} {
		t.Run(name, func(t *testing.T) {
			var b pool.Buffer
			b.SetString("contents")
			_, _ = b.Read(make([]byte, 2))
			n, err := b.WriteTo(tt.w)
			if n != tt.n || (err != nil) != tt.fail || tt.err != nil && !errors.Is(err, tt.err) {
				t.Errorf("WriteTo = %d, %v; want %d, %v", n, err, tt.n, tt.err)
			}
			if b.String() != tt.rest {
				t.Errorf("rest = %q, want %q", b.String(), tt.rest)
			}
		})
	}
	n, err := new(pool.Buffer).WriteTo(writerFunc(func([]byte) (int, error) { return 0, full }))
	if n != 0 || err != nil {
		t.Errorf("WriteTo of an empty buffer = %d, %v; want 0, nil without a Write", n, err)
	}
}

func TestBufferGrow(t *testing.T) {
	for _, n := range []int{math.MinInt, -1, 0, 1, 100, 100_000} {
		b := buffer(50)
		b.SetString("content")
		b.Grow(n)
		if b.Available() < n || b.String() != "content" {
			t.Errorf("Grow(%d): Available %d, content %q", n, b.Available(), b.String())
		}
		if n <= 43 && cap(b.B) != 50 {
			t.Errorf("Grow(%d) with room for 43 reallocated", n)
		}
		before := &b.B[0]
		b.B = append(b.B, make([]byte, max(n, 0))...)
		if &b.B[0] != before {
			t.Errorf("append of %d bytes after Grow reallocated", n)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("Grow(math.MaxInt) of a buffer with content did not panic")
		}
	}()
	b := buffer(10)
	b.SetString("content")
	b.Grow(math.MaxInt)
}

// FuzzBuffer runs one program of calls on a Buffer and on a bytes.Buffer.
func FuzzBuffer(f *testing.F) {
	f.Add([]byte("w\x10r\x03w\x40r\x20t\x05R\x07g\xffr\x00z\x00w\x01t\xff"))
	f.Add([]byte("w\xffr\x01r\x01g\x00w\xffr\xfew\x01t\x00"))
	f.Fuzz(func(t *testing.T, program []byte) {
		var b pool.Buffer
		var want bytes.Buffer
		next := byte(0)
		for ; len(program) >= 2; program = program[2:] {
			n := int(program[1])
			switch program[0] {
			case 'w', 'R':
				data := make([]byte, n)
				for i := range data {
					data[i], next = next, next+1
				}
				want.Write(data)
				if program[0] == 'w' {
					_, _ = b.Write(data)
				} else if _, err := b.ReadFrom(bytes.NewReader(data)); err != nil {
					t.Fatal(err)
				}
			case 'r':
				p, q := make([]byte, n), make([]byte, n)
				i, err := b.Read(p)
				j, wantErr := want.Read(q)
				if i != j || !errors.Is(err, wantErr) || !bytes.Equal(p, q) {
					t.Fatalf("Read = %d, %v, %q; want %d, %v, %q", i, err, p, j, wantErr, q)
				}
			case 't':
				var out bytes.Buffer
				short := writerFunc(func(p []byte) (int, error) { return out.Write(p[:min(n, len(p))]) })
				i, err := b.WriteTo(short)
				if i != int64(out.Len()) || (err != nil) != (b.Len() > 0) || !bytes.Equal(out.Bytes(), want.Next(n)) {
					t.Fatalf("WriteTo = %d, %v, %q", i, err, out.Bytes())
				}
			case 'g':
				b.Grow(n)
				if b.Available() < n {
					t.Fatalf("Grow(%d): Available %d", n, b.Available())
				}
			case 'z':
				b.Reset()
				want.Reset()
			}
			if !bytes.Equal(b.B, want.Bytes()) || b.Len() != want.Len() {
				t.Fatalf("content %q, want %q", b.B, want.Bytes())
			}
		}
	})
}

// A queue uses the room of what was read, as a bytes.Buffer does.
func TestBufferAsQueueDoesNotAllocate(t *testing.T) {
	for _, depth := range []int{1, 1000, 20_000, 30_000} {
		for name, write := range map[string]func(b *pool.Buffer, p []byte){
			"Write":       func(b *pool.Buffer, p []byte) { _, _ = b.Write(p) },
			"WriteByte":   func(b *pool.Buffer, p []byte) { _ = b.WriteByte(p[0]) },
			"WriteString": func(b *pool.Buffer, _ []byte) { _, _ = b.WriteString("a hundred") },
			"Grow": func(b *pool.Buffer, p []byte) {
				b.Grow(len(p))
				b.B = append(b.B, p...)
			},
		} {
			t.Run(fmt.Sprintf("depth=%d/%s", depth, name), func(t *testing.T) {
				b := buffer(32 << 10)
				b.B = b.B[:depth]
				p := make([]byte, 100)
				use := func() {
					write(b, p)
					_, _ = b.Read(p[:len(b.B)-depth])
				}
				for range 10_000 {
					use()
				}
				if cap(b.B) > 64<<10 {
					t.Errorf("capacity %d for a queue of %d bytes", cap(b.B), depth)
				}
				alloctest.Gate(t, 10_000, 0, 0, use)
				if b.Reset(); cap(b.B) < 32<<10 {
					t.Errorf("capacity %d after Reset, want the 32 KiB it had", cap(b.B))
				}
			})
		}
	}
}

// What the owner has split off is no longer the Buffer's, whatever was read
// before: neither Reset nor a write may bring it back.
func TestSplitOffBytesStayTheOwners(t *testing.T) {
	for name, after := range map[string]func(b *pool.Buffer){
		"ReadAll": func(b *pool.Buffer) { _, _ = io.ReadAll(b) },
		"Reset":   func(b *pool.Buffer) { b.Reset() },
		"Read":    func(b *pool.Buffer) { _, _ = b.Read(make([]byte, 3)) },
		"Write":   func(b *pool.Buffer) { _, _ = b.Write(bytes.Repeat([]byte("B"), b.Available()+1)) },
	} {
		t.Run(name, func(t *testing.T) {
			b := buffer(64)
			_, _ = b.WriteString("xhello world, the rest")
			_, _ = b.Read(make([]byte, 1))
			head := b.B[:5:5]
			b.B = b.B[5:]
			after(b)
			for b.Available() > 0 {
				_ = b.WriteByte('B')
			}
			if string(head) != "hello" {
				t.Errorf("the bytes split off became %q", head)
			}
		})
	}
}

// So does a Put that finds the class of the last one.
func TestReadKeepsCapacityWithoutMaxIdleBytes(t *testing.T) {
	if alloctest.Skewed() {
		t.Skip("sync.Pool drops items at random in a race build")
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	collectByHand(t)
	p := new(pool.Pool)
	p.Put(buffer(5000))
	b := p.Get()
	b.SetString(strings.Repeat("x", 1000))
	_, _ = b.Read(make([]byte, 100))
	p.Put(b)
	if got := p.Get(); got != b || cap(got.B) != 5000 {
		t.Errorf("Get after a Read and Put: same buffer %t, capacity %d; want true, 5000", got == b, cap(got.B))
	}
}
