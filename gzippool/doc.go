// Package gzippool compresses and decompresses gzip with writers and readers
// that are used again. A gzip writer is up to 1.4 MB of tables and windows, so
// a new one for each message is most of what a small message costs; and a pool
// of them without a bound is memory that nobody planned for.
//
// [Pool.AppendCompress] and [Pool.AppendDecompress] are for data in memory,
// [Pool.Writer] and [Pool.Reader] for streams. Package gziphttp, below this
// one, is for HTTP.
//
// # Ownership
//
// A [Writer] or [Reader] belongs to who asked for it, until the first Close or
// Abort. The memory behind it then goes back to the pool, once. Calls after that,
// a second Close among them, find a dead handle: they return an error or do
// nothing, and cannot touch what another goroutine has by then. Close may even
// come while another goroutine is in a Read or Write. That call goes on, and
// the memory goes back when it returns.
//
//	zw := p.Writer(dst)
//	defer zw.Abort() // does nothing after Close
//	if _, err := io.Copy(zw, src); err != nil {
//		return err
//	}
//	return zw.Close()
//
// What lies idle refers neither to the last destination nor to the last source,
// nor to an error of theirs.
//
// # Memory
//
// This is what one idle writer or reader holds, in KiB, after a stream of 1 MiB;
// beside it those of the standard library of Go 1.26. Since Go 1.27 its writers
// hold 15 KiB less than those here, and 280 KiB less at level 9.
//
//	level        here   compress/gzip
//	-2            323             721
//	1             809            1179
//	2            1193             795
//	3            1193             795
//	4             937             795
//	5            1065             795
//	6            1065             795
//	7            1001             795
//	8            1001             795
//	9            1398             795
//	reader         43              41
//
// ReadFrom and WriteTo add 8 KiB. With MaxIdle = n, at most n writers and n
// readers lie idle, at every instant. Without it, as many as were in use at once
// lie idle until two garbage collections have passed: 64 concurrent uses at
// level 1 leave 51 MiB for that long. Neither limits what is in use; only a
// limit on the uses does.
//
// Input cannot make a reader hold more than this, and [Pool.Reader] and
// [Pool.AppendDecompress] do not let more pass than they are told to.
//
// # Levels
//
// Level 1 is the default because time, not size, is what compressing on the way
// out costs a client. Measured with bulk requests of log documents and with
// search requests, relative to level 1:
//
//	level   time, 1 MiB bulk   size   time, 2 KiB search    size
//	-2                  0.8x   4.8x                 0.7x    1.6x
//	1                     1x     1x                   1x      1x
//	3                   1.5x  0.95x                 1.2x      1x
//	5                     2x  0.85x                 1.5x   0.95x
//	6                   2.4x   0.8x                 1.6x   0.95x
//	9                    12x   0.7x                   4x   0.95x
//
// Level 1 halves a search and makes bulk data seven times smaller. Take 6 where
// bytes are paid for: a fifth fewer. Of the others, 2 and 3 hold half as much
// memory again for next to nothing. Above 6 time grows faster than size falls,
// and a writer clears 640 KiB of tables before each use. HuffmanOnly, which is
// -2, is for data without repetition.
//
// # When not to use it
//
// A body below about 1 KB leaves in one packet either way. Data that is
// compressed already, such as images, grows. And whoever compresses once a
// minute has no use for a pool.
package gzippool
