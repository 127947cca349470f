//go:build race

package alloctest

// Race is whether this is a race build.
const Race = true
