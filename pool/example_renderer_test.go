package pool_test

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"strconv"

	"github.com/lowalloc/lowalloc/pool"
)

// A renderer sends answers as JSON. It encodes an answer before it sends the
// first byte, so that one that cannot be encoded is a clean error, and the length
// is known.
type renderer struct {
	buffers pool.Pool
}

func (r *renderer) render(w http.ResponseWriter, answer any) {
	b := r.buffers.Get()
	defer r.buffers.Put(b) // a ResponseWriter keeps nothing of what it was given
	if err := json.NewEncoder(b).Encode(answer); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(b.Len()))
	_, _ = b.WriteTo(w)
}

// This example shows a Pool as a field of what uses it.
func Example_renderer() {
	var r renderer
	for _, load := range []float64{0.5, math.Inf(1)} {
		w := httptest.NewRecorder()
		r.render(w, map[string]float64{"load": load})
		fmt.Print(w.Code, " ", w.Body)
	}
	// Output:
	// 200 {"load":0.5}
	// 500 json: unsupported value: +Inf
}
