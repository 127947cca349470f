// Package pool keeps byte buffers for reuse without letting them pile up.
//
// A bare [sync.Pool] of buffers grows to the largest use there ever was: one
// burst of huge buffers stays alive as long as small uses keep passing them
// around (https://go.dev/issue/23199). A [Pool] has a cap on the size of each
// buffer it keeps, sorts them by size, and can have a hard bound on all that
// lie idle.
//
// # Ownership
//
// Get hands a [Buffer] to the caller, Put takes it back: the Buffer, its B, and
// every slice of B. Whoever still reads one of them then reads what somebody
// else writes. So copy what is to stay, or hand B over and set b.B to nil before
// Put. A Buffer that is never Put is the garbage collector's; it costs the reuse
// and nothing else. Bytes beyond len(B) are those of earlier uses.
//
// A body of an HTTP request may be read until it is closed, which can be after
// RoundTrip has returned (https://go.dev/issue/81445). Put a Buffer that a body
// reads only when both have happened, or do not Put it.
//
// In builds with the race detector, or with the build tag lowalloc_check, a
// second Put of a Buffer panics, Put overwrites its bytes with 0xdb, and Get and
// GetSize panic when a Buffer they would hand out was changed after its Put.
// That takes time in proportion to the capacity. Other builds have none of it:
// there, late use corrupts what others read and write.
//
// # Memory
//
// What lies idle depends on the mode. Neither limits the buffers in use.
//
// Without MaxIdleBytes the garbage collector decides: a buffer goes after two
// collections without use. Until then each class of sizes, from one power of
// two to the next, keeps at most
//
//	(most in use at once since the last collection but one + GOMAXPROCS) * largest size
//
// With MaxIdleBytes the capacities of idle buffers never exceed it together, at
// no instant and for no number of goroutines, and what is not used for two
// collections goes, too. The heap holds at most
//
//	MaxIdleBytes * 5/4 + 64 bytes for each idle buffer
//
// since memory comes in steps. A B that was cut out of a larger array counts
// with its own capacity, but keeps the whole array.
//
// # Sizes
//
// MaxSize compares with the capacity, not with the length, because the capacity
// is what the memory costs. append grows a slice in steps of a quarter or more:
// content that is written piece by piece has to stay under 7/8 of MaxSize to be
// kept at the default (57344 of 65536 bytes), or GetSize has to know its size.
//
// # When not to use it
//
// Memory that is needed a few times a second, or once and for long, is better
// left to make. So are buffers whose content is handed out: they never come
// back. And where sizes are known and small, an array on the stack costs least.
package pool
