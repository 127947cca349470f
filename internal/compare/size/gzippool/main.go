// A program that imports gzippool alone.
package main

import (
	"io"
	"os"

	"github.com/lowalloc/lowalloc/gzippool"
)

func main() {
	var gzip gzippool.Pool
	w := gzip.Writer(os.Stdout)
	if _, err := io.Copy(w, gzip.Reader(os.Stdin, gzippool.NoLimit)); err != nil {
		panic(err)
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
}
