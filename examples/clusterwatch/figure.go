package main

import (
	"math"
	"strconv"
)

// figure is a number that may be unknown: a dash in a table, null in JSON.
type figure struct {
	value float64
	known bool
}

func known(v float64) figure { return figure{v, true} }

func maybe(v float64, ok bool) figure {
	if !ok {
		return figure{}
	}
	return known(v)
}

// times scales, as from a ratio to percent.
func (f figure) times(x float64) figure { return maybe(f.value*x, f.known) }

// plus adds. What is unknown makes the sum unknown.
func (f figure) plus(g figure) figure { return maybe(f.value+g.value, f.known && g.known) }

// below reports whether f is below the limit.
func (f figure) below(limit float64) verdict {
	switch {
	case !f.known:
		return cannotTell
	case f.value < limit:
		return yes
	}
	return no
}

// atLeast reports whether f has reached the limit.
func (f figure) atLeast(limit float64) verdict {
	switch {
	case !f.known:
		return cannotTell
	case f.value >= limit:
		return yes
	}
	return no
}

// MarshalJSON rounds to three decimals.
func (f figure) MarshalJSON() ([]byte, error) {
	if !f.known {
		return []byte("null"), nil
	}
	return strconv.AppendFloat(nil, math.Round(f.value*1000)/1000, 'f', -1, 64), nil
}
