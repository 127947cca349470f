package pool_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"

	"github.com/lowalloc/lowalloc/pool"
)

// A pool per place of use, as a variable or a struct field, is all it takes.
func Example() {
	var buffers pool.Pool

	greet := func(name string) string {
		b := buffers.Get()
		defer buffers.Put(b)
		_, _ = b.WriteString("hello, ")
		_, _ = b.WriteString(name)
		return b.String() // a copy: the bytes themselves go back
	}

	fmt.Println(greet("gopher"))
	// Output: hello, gopher
}

// In a service with a memory limit: at most 1 MiB lies idle, in buffers of at
// most 128 KiB.
func ExamplePool() {
	buffers := &pool.Pool{MaxSize: 128 << 10, MaxIdleBytes: 1 << 20}

	for _, content := range []string{"small", strings.Repeat("large", 100_000)} {
		b := buffers.GetSize(len(content))
		_, _ = b.WriteString(content)
		buffers.Put(b)
	}

	s := buffers.Stats()
	fmt.Printf("%d allocated, %d too large to keep, %d idle with %d bytes\n", s.Allocated, s.Discarded, s.Idle, s.IdleBytes)
	// Output: 2 allocated, 1 too large to keep, 1 idle with 512 bytes
}

// The size is known, so small content never holds a large buffer. ReadFrom
// needs a byte more, to see the end.
func ExamplePool_GetSize() {
	var buffers pool.Pool
	body := strings.NewReader(`{"status":"green"}`)

	b := buffers.GetSize(body.Len() + 1)
	defer buffers.Put(b)
	if _, err := b.ReadFrom(body); err != nil {
		fmt.Println(err)
		return
	}
	var health struct{ Status string }
	if err := json.Unmarshal(b.Bytes(), &health); err != nil { // keeps none of the bytes
		fmt.Println(err)
		return
	}
	fmt.Println(health.Status)
	// Output: green
}

// A response gives the size of its body, or a ContentLength of -1. It need not
// be true: only a small one is worth memory before the bytes are there.
func ExamplePool_GetSize_response() {
	buffers := &pool.Pool{MaxIdleBytes: 1 << 20}
	read := func(res *http.Response) (string, error) {
		defer func() { _ = res.Body.Close() }()
		var b *pool.Buffer
		if n := res.ContentLength; n >= 0 && n < pool.DefaultMaxSize {
			b = buffers.GetSize(int(n) + 1)
		} else {
			b = buffers.Get() // not GetSize(1): that would leave the larger buffers idle
		}
		defer buffers.Put(b)
		_, err := b.ReadFrom(http.MaxBytesReader(nil, res.Body, 8<<20))
		return b.String(), err
	}

	for _, length := range []int64{5, -1, -1} {
		body := io.NopCloser(strings.NewReader("green"))
		fmt.Println(read(&http.Response{ContentLength: length, Body: body}))
	}
	fmt.Println("allocated:", buffers.Stats().Allocated)
	// Output:
	// green <nil>
	// green <nil>
	// green <nil>
	// allocated: 1
}

// Content that outlives the Buffer is handed over: without B, Put has nothing
// to reuse.
func ExamplePool_Put() {
	var buffers pool.Pool

	b := buffers.Get()
	_, _ = b.WriteString("mine to keep")
	kept := b.B
	b.B = nil
	buffers.Put(b)

	fmt.Println(string(kept))
	// Output: mine to keep
}

func ExampleStats() {
	buffers := &pool.Pool{MaxIdleBytes: 4 << 10}
	a, b := buffers.GetSize(4<<10), buffers.GetSize(1<<10)
	buffers.Put(a)
	buffers.Put(b) // the larger one makes room
	fmt.Printf("%+v\n", buffers.Stats())
	// Output: {Allocated:2 Discarded:1 Idle:1 IdleBytes:1024}
}

func ExampleBuffer() {
	var b pool.Buffer
	b.B = fmt.Appendf(b.B, "%d shards", 5) // B works with every append function
	_, _ = b.WriteString(", 1 replica")
	_, _ = b.WriteTo(os.Stdout)
	fmt.Println("\nleft:", b.Len())
	// Output:
	// 5 shards, 1 replica
	// left: 0
}

func ExampleBuffer_Read() {
	var b pool.Buffer
	b.SetString("head and tail")
	head := make([]byte, 4)
	_, _ = b.Read(head)
	fmt.Printf("%s, then%s\n", head, b.B)
	// Output: head, then and tail
}

func ExampleBuffer_Grow() {
	var b pool.Buffer
	b.Grow(100)
	fmt.Println(b.Len(), b.Available() >= 100)
	// Output: 0 true
}

// A Buffer takes part in io.Copy as reader and as writer.
func ExampleBuffer_WriteTo() {
	var b pool.Buffer
	b.SetString("content")
	var dst bytes.Buffer
	n, err := b.WriteTo(&dst)
	fmt.Println(n, err, dst.String(), b.Len())
	// Output: 7 <nil> content 0
}
