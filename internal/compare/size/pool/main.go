// A program that imports pool alone.
package main

import (
	"os"

	"github.com/lowalloc/lowalloc/pool"
)

func main() {
	buffers := pool.Pool{MaxIdleBytes: 1 << 20}
	b := buffers.Get()
	defer buffers.Put(b)
	if _, err := b.ReadFrom(os.Stdin); err != nil {
		panic(err)
	}
}
