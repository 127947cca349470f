// The program nethttp, with bodies that are compressed.
package main

import (
	"encoding/json"
	"net/http"
	"os"

	"github.com/lowalloc/lowalloc/gzippool/gziphttp"
)

func main() {
	client := &http.Client{Transport: &gziphttp.Transport{}}
	res, err := client.Post(os.Args[1], "text/plain", os.Stdin)
	if err != nil {
		panic(err)
	}
	var answer any
	if err := json.NewDecoder(res.Body).Decode(&answer); err != nil {
		panic(err)
	}
	panic(http.ListenAndServe("127.0.0.1:0", gziphttp.Handler(nil, http.DefaultServeMux, 0)))
}
