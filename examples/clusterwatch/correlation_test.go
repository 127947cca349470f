package main

import (
	"math"
	"testing"
)

func TestCorrelation(t *testing.T) {
	add := func(xs, ys []float64) figure {
		var c correlation
		for i := range xs {
			c.add(known(xs[i]), known(ys[i]))
		}
		c.add(figure{}, known(1)) // counts for nothing
		return c.coefficient()
	}
	for _, tt := range []struct {
		name   string
		xs, ys []float64
		want   figure
	}{
		{"rising", []float64{1, 2, 3, 4, 5}, []float64{10, 20, 30, 40, 50}, known(1)},
		{"falling", []float64{1, 2, 3, 4, 5}, []float64{5, 4, 3, 2, 1}, known(-1)},
		{"as computed by hand", []float64{1, 2, 3, 4, 5}, []float64{2, 1, 4, 3, 5}, known(0.8)},
		{"too few", []float64{1, 2, 3, 4}, []float64{1, 2, 3, 4}, figure{}},
		{"constant", []float64{1, 2, 3, 4, 5}, []float64{7, 7, 7, 7, 7}, figure{}},
	} {
		got := add(tt.xs, tt.ys)
		if got.known != tt.want.known || got.known && math.Abs(got.value-tt.want.value) > 1e-12 {
			t.Errorf("%s: correlation %v, want %v", tt.name, got, tt.want)
		}
	}
}
