// Package pool keeps byte buffers for reuse without letting them pile up.
//
// The buffers in a bare [sync.Pool] grow to the size of the largest use: after
// a burst of huge content they stay huge, and alive, as long as small uses keep
// taking them (https://go.dev/issue/23199). A [Pool] does not keep a buffer
// above a maximum size, keeps small and large ones apart, and can have a hard
// bound on the memory of all idle ones together.
//
// # Ownership
//
// Get hands a [Buffer] to the caller, Put takes it back: the Buffer, its B, and
// every slice of B. Whoever still reads one of them after Put may read what
// another user of the pool writes. So copy what must stay, or keep the slice B
// itself and set b.B to nil before Put. A Buffer need not be Put: the garbage
// collector frees it, and only the reuse is lost. Between len(B) and cap(B) lie
// bytes of earlier uses.
//
// The body of an HTTP request may be read until the transport closes it, which
// can be after RoundTrip has returned (https://go.dev/issue/81445). If a Buffer is
// the source of such a body, Put it only when both have happened, or never.
//
// In builds with the race detector, or with the build tag lowalloc_check, a
// second Put of a Buffer panics, Put overwrites its bytes with 0xdb, and Get and
// GetSize panic when a Buffer they would hand out was changed after its Put.
// That takes time in proportion to the capacity. Other builds check nothing:
// there, use after Put corrupts what others read and write.
//
// # Memory
//
// How much can lie idle depends on MaxIdleBytes. Buffers in use are not limited.
//
// Without MaxIdleBytes the garbage collector decides: it frees a buffer that was
// not used for two collections. Until then each class of sizes (a class reaches
// from one power of two to the next) keeps at most
//
//	(most buffers in use at once since the last collection but one + GOMAXPROCS) * largest capacity
//
// A buffer that outgrew the size asked of GetSize stays in the class of that size,
// so there the largest capacity can be MaxSize.
//
// With MaxIdleBytes the capacities of all idle buffers together never exceed it,
// at no instant and with any number of goroutines, and a buffer that was not used
// for two collections is freed, too. The heap holds at most
//
//	MaxIdleBytes * 5/4 + 128 bytes for each idle buffer
//
// since the runtime rounds allocations up. If you set B to a part of a larger
// array, only the capacity of the part is counted, though the whole array stays
// alive.
//
// # Sizes
//
// MaxSize is compared with the capacity, not with the length, because the
// capacity is what takes memory. append makes a full slice larger by a quarter or
// more, and so can pass MaxSize before the content does. With the default of 65536
// bytes, a Buffer that is written piece by piece is kept if the content is at most
// 57344 bytes. With GetSize it can be as large as MaxSize.
//
// # When not to use it
//
// For memory that is needed a few times a second, or once and for long, make is
// the better choice, and so it is for content that the caller keeps: its buffer
// never comes back. Where sizes are known and small, an array on the stack costs
// least.
package pool
