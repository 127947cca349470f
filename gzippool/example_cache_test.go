package gzippool_test

import (
	"fmt"
	"strings"

	"github.com/lowalloc/lowalloc/gzippool"
)

// A cache holds pages compressed: several times as many in the same memory.
type cache struct {
	gzip    gzippool.Pool
	maxPage int // bytes
	pages   map[string][]byte
	scratch []byte
}

func (c *cache) put(key string, page []byte) error {
	var err error
	c.scratch, err = c.gzip.AppendCompress(c.scratch[:0], page)
	if err != nil {
		return err
	}
	c.pages[key] = append(make([]byte, 0, len(c.scratch)), c.scratch...) // no larger than it is
	return nil
}

// appendPage appends the page to dst. With a dst that is used again, it does not
// allocate.
func (c *cache) appendPage(dst []byte, key string) ([]byte, error) {
	return c.gzip.AppendDecompress(dst, c.pages[key], c.maxPage)
}

// This example shows the Append forms, for content that is in memory.
func Example_cache() {
	c := cache{maxPage: 1 << 20, pages: make(map[string][]byte)}
	page := strings.Repeat("<li>one of many items</li>\n", 1000)
	if err := c.put("/items", []byte(page)); err != nil {
		fmt.Println(err)
		return
	}

	got, err := c.appendPage(nil, "/items")
	fmt.Println(string(got) == page, err, len(c.pages["/items"]) < len(page)/50)

	got, err = c.appendPage(got[:0], "/nothing") // no stream at all
	fmt.Println(len(got), err)
	// Output:
	// true <nil> true
	// 0 unexpected EOF
}
