package gzippool_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/lowalloc/lowalloc/gzippool"
)

// One pool per level, as a variable or a struct field, is all it takes.
func Example() {
	var gz gzippool.Pool

	var wire bytes.Buffer
	w := gz.Writer(&wire)
	defer w.Abort() // does nothing after Close
	if _, err := io.WriteString(w, strings.Repeat("hello, gopher\n", 100)); err != nil {
		fmt.Println(err)
		return
	}
	if err := w.Close(); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(wire.Len() < 100)

	r := gz.Reader(&wire, 1<<20)
	defer func() { _ = r.Close() }()
	data, err := io.ReadAll(r)
	fmt.Println(len(data), err)
	// Output:
	// true
	// 1400 <nil>
}

// In a service with a memory limit: small output, and at most four idle
// writers, of 1.1 MB each.
func ExamplePool() {
	gz := &gzippool.Pool{Level: 6, MaxIdle: 4}
	if err := gz.Validate(); err != nil { // a level from configuration may be anything
		fmt.Println(err)
		return
	}
	stream, err := gz.AppendCompress(nil, []byte(strings.Repeat("0123456789", 1000)))
	fmt.Println(len(stream) < 100, err)
	// Output: true <nil>
}

func ExamplePool_Validate() {
	gz := &gzippool.Pool{Level: 11}
	fmt.Println(gz.Validate())
	// Output: gzippool: invalid level 11: want 1 to 9, -2 (Huffman only), or 0 for the default
}

// With the slices kept, a round trip does not allocate.
func ExamplePool_AppendCompress() {
	var gz gzippool.Pool
	var stream, data []byte
	for _, message := range []string{"first message", "second message"} {
		var err error
		if stream, err = gz.AppendCompress(stream[:0], []byte(message)); err != nil {
			fmt.Println(err)
			return
		}
		if data, err = gz.AppendDecompress(data[:0], stream, 1<<10); err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%s\n", data)
	}
	// Output:
	// first message
	// second message
}

// A stream can claim and contain anything. Nobody has to hold it in memory to
// find out.
func ExampleTooLargeError() {
	var gz gzippool.Pool
	bomb, _ := gz.AppendCompress(nil, make([]byte, 10<<20))

	data, err := gz.AppendDecompress(nil, bomb, 1000)
	if tooLarge, ok := errors.AsType[*gzippool.TooLargeError](err); ok {
		fmt.Println(len(bomb) < 100_000, len(data), tooLarge.Limit)
	}
	// Output: true 1000 1000
}

func ExampleWriter() {
	var gz gzippool.Pool
	pr, pw := io.Pipe()
	go func() {
		w := gz.Writer(pw)
		_, err := w.ReadFrom(strings.NewReader("streamed"))
		if err == nil {
			err = w.Close()
		}
		w.Abort()
		pw.CloseWithError(err)
	}()

	r := gz.Reader(pr, gzippool.NoLimit)
	defer func() { _ = r.Close() }()
	data, err := io.ReadAll(r)
	fmt.Printf("%s %v\n", data, err)
	// Output: streamed <nil>
}

// A Reader works with io.Copy, which does not get past the limit.
func ExampleReader() {
	var gz gzippool.Pool
	stream, _ := gz.AppendCompress(nil, []byte("twelve bytes"))

	r := gz.Reader(bytes.NewReader(stream), 6)
	defer func() { _ = r.Close() }()
	n, err := io.Copy(os.Stdout, r)
	fmt.Printf("\n%d, %v\n", n, err)
	// Output:
	// twelve
	// 6, gzippool: more than 6 bytes when decompressed, or far more compressed ones than these need
}
