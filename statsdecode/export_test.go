package statsdecode

// Slow returns how many entries of all its walks a Decoder left to the reference.
func (d *Decoder) Slow() int { return d.slow }

// Reference makes d leave all of them to it.
func (d *Decoder) Reference() *Decoder {
	d.noShortcut = true
	return d
}
