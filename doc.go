// Package lowalloc is the root of a library of low-allocation primitives for
// services that run for months under a memory limit. It holds no code; import
// the packages below it one at a time, each brings only its own dependencies.
package lowalloc
