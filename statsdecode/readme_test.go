package statsdecode_test

import (
	"fmt"
	"io"
	"log"
	"strings"

	"github.com/lowalloc/lowalloc/statsdecode"
)

// The snippet of the README is the body of show.
func Example_readme() {
	show := func(body io.Reader) error {
		var decoder statsdecode.Decoder // one for the life of a poller

		for ix, err := range decoder.Indices(body) { // of a GET /_stats
			if ix == nil {
				return err // the answer was cut, is not JSON, is an error of the server, or is incomplete
			}
			if err != nil {
				log.Print(err) // one field had the wrong type, and is zero
			}
			fmt.Println(ix.Name, ix.Primaries.Docs.Count, ix.Total.Search.QueryTotal)
		}
		return nil
	}

	fmt.Println(show(strings.NewReader(`{"indices":{
		"logs":   {"primaries":{"docs":{"count":7}},"total":{"search":{"query_total":12}}},
		"orders": {"primaries":{"docs":{"count":3}},"total":{"search":{"query_tot`)))
	// Output:
	// logs 7 12
	// statsdecode: _stats: "orders": byte 174 (/indices/orders): unexpected EOF
}
