package main

import "math"

// correlation is Pearson's coefficient of the disk reads and the searches of
// the cluster, over all intervals so far, in constant memory (Welford's way).
type correlation struct {
	n            int
	meanX, meanY float64
	xx, yy, xy   float64 // sums of products of deviations
}

// enough intervals for a coefficient that means something.
const enough = 5

func (c *correlation) add(x, y figure) {
	if !x.known || !y.known {
		return
	}
	c.n++
	dx, dy := x.value-c.meanX, y.value-c.meanY
	c.meanX += dx / float64(c.n)
	c.meanY += dy / float64(c.n)
	c.xx += dx * (x.value - c.meanX)
	c.yy += dy * (y.value - c.meanY)
	c.xy += dx * (y.value - c.meanY)
}

// coefficient is from -1 to 1; unknown with too few intervals, or if one of
// both never changed.
func (c *correlation) coefficient() figure {
	spread := math.Sqrt(c.xx * c.yy)
	return maybe(c.xy/spread, c.n >= enough && spread > 0)
}
