// A program that imports statsdecode alone.
package main

import (
	"os"

	"github.com/lowalloc/lowalloc/statsdecode"
)

func main() {
	var decoder statsdecode.Decoder
	for ix, err := range decoder.Indices(os.Stdin) {
		println(ix.Name, err)
	}
	for n, err := range decoder.Nodes(os.Stdin) {
		println(n.Name, err)
	}
}
