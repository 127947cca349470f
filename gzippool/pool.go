package gzippool

import (
	"fmt"

	"github.com/klauspost/compress/gzip"
)

const (
	// DefaultLevel is the level of a Pool that does not set one. The package
	// comment says why it is 1.
	DefaultLevel = 1

	// HuffmanOnly is a level that looks for no repetition. It is fast where even
	// level 1 is too slow, keeps the least memory, and saves a third at best.
	HuffmanOnly = gzip.HuffmanOnly

	// NoLimit, like any other negative number, takes the limit from
	// Pool.Reader and Pool.AppendDecompress: for sources that are trusted.
	NoLimit = -1
)

// Pool keeps gzip writers of one level, and readers, for reuse. The zero value
// is ready to use. Set the fields before the first use and leave them; do not
// copy a Pool after it. All methods may be called by many goroutines at once.
type Pool struct {
	// Level is 1 (fast) to 9 (small), or HuffmanOnly. 0 and -1 mean
	// DefaultLevel, unlike in compress/gzip. With any other, Validate and every attempt to compress
	// return an error; reading does not need a level.
	Level int

	// MaxIdle is how many writers, and how many readers, lie idle at most, at
	// every instant. They go, too, when nobody used them for two garbage
	// collections. 0 leaves the number to the garbage collector: at most as
	// many as were in use at once and one for each processor, until two
	// collections have passed without use. Less than 0 keeps none.
	MaxIdle int

	writers idle[compressor]
	readers idle[decompressor]
}

// Validate returns an error when Level is none that a Pool has: for a level
// that was read from configuration.
func (p *Pool) Validate() error {
	_, err := p.level()
	return err
}

// level is the one place where Level is read, so that what a writer is made
// with and what the pool says it is cannot differ.
func (p *Pool) level() (int, error) {
	switch {
	case p.Level == 0 || p.Level == gzip.DefaultCompression:
		return DefaultLevel, nil
	case p.Level == HuffmanOnly || gzip.BestSpeed <= p.Level && p.Level <= gzip.BestCompression:
		return p.Level, nil
	}
	return 0, fmt.Errorf("gzippool: invalid level %d: want 1 to 9, -2 (Huffman only), or 0 for the default", p.Level)
}
