// Package lowalloc is the root of a library of low-allocation primitives for
// services that run for months under a memory limit. It holds no code; import
// the packages below it one at a time, each brings only its own dependencies:
//
//   - [github.com/lowalloc/lowalloc/pool] keeps byte buffers for reuse.
//   - [github.com/lowalloc/lowalloc/gzippool] keeps gzip writers and readers, and
//     [github.com/lowalloc/lowalloc/gzippool/gziphttp] compresses HTTP requests.
//   - [github.com/lowalloc/lowalloc/timerx] has the timer of a flush loop.
//   - [github.com/lowalloc/lowalloc/statsdecode] decodes the stats of Elasticsearch
//     and OpenSearch as they are read.
package lowalloc
