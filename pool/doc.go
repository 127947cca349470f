// Package pool keeps byte buffers for reuse, with a bound on the size of each
// and, where wanted, a hard bound on all that lie idle.
package pool
