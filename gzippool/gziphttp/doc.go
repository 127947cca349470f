// Package gziphttp compresses the bodies of HTTP requests, and decompresses them
// at the other end.
//
//	client := &http.Client{Transport: &gziphttp.Transport{}}
//
// is all a client needs; [Handler] is for servers that do not know compressed
// requests.
//
// # What becomes of a body
//
// A [Transport] treats a body by what it knows of it:
//
//   - None, an empty one, and one that has a Content-Encoding already: Base gets
//     the request as it is.
//   - One with a ContentLength or a GetBody: RoundTrip reads it to its end,
//     closes it, and then calls Base with the compressed bytes, with their
//     ContentLength and a GetBody for retries. One shorter than MinSize is
//     copied instead.
//   - Any other: RoundTrip reads MinSize bytes, and if there are more, Base gets
//     a body that is compressed while Base reads it, of unknown length and
//     without GetBody. That takes constant memory, however long the body is.
//
// So unless a body is streamed or encoded already, its bytes are the caller's
// again when RoundTrip returns. A redirect comes back through RoundTrip, with a
// new body from the caller's own GetBody. A request with a Trailer goes without
// ContentLength, as it must, and the compressed one has none of the headers that
// hold a digest of the plain body.
//
// # Memory
//
// A request holds its compressed body, in buffers of 4 to 64 KiB, and while it
// compresses one writer of its [gzippool.Pool]: set MaxIdle there, and
// MaxIdleBytes of the [pool.Pool] of buffers, to bound what a quiet client keeps.
// The buffers go back when RoundTrip has returned and every body over them is
// closed, since net/http may read a body after RoundTrip has returned. A body that
// is never closed is left to the garbage collector.
//
// # When not to use it
//
// Servers need not accept compressed requests, and few say beforehand whether
// they do: Elasticsearch and OpenSearch do by default. On a fast network,
// compressing takes longer than sending would.
package gziphttp
