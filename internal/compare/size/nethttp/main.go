// A program that has net/http and encoding/json, as most services do.
package main

import (
	"encoding/json"
	"net/http"
	"os"
)

func main() {
	res, err := http.Post(os.Args[1], "text/plain", os.Stdin)
	if err != nil {
		panic(err)
	}
	var answer any
	if err := json.NewDecoder(res.Body).Decode(&answer); err != nil {
		panic(err)
	}
	panic(http.ListenAndServe("127.0.0.1:0", nil))
}
