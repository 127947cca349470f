// Package statsdecode decodes the stats of Elasticsearch and OpenSearch as they
// are read: one index or node at a time, into one typed struct that is reused.
// Memory does not grow with the number of indices, and names that come again
// with the next poll cost no new strings.
//
//	var d statsdecode.Decoder // one for the life of a poller
//	for ix, err := range d.Indices(res.Body) {
//		if err != nil {
//			log.Print(err)
//		}
//		if ix != nil {
//			fmt.Println(ix.Name, ix.Primaries.Docs.Count)
//		}
//	}
//
// [Decoder.Indices] takes GET /_stats, [Decoder.Nodes] GET /_nodes/stats and
// [Decoder.Settings] GET /_settings; [IndexStatsPath] and its siblings build
// the requests. [DecodeClusterHealth] and [DecodeClusterStats] take the answers
// that are one object, [ReadError] those with an HTTP status that means no
// data, and [Entries] any other answer that holds entries of one type.
//
// # The loop
//
// An item that comes without an error is whole. An item that comes with an error
// lacks one field, which had the wrong type and is zero; the walk goes on. Show
// it, but do not compare it with another poll, where the zero would pass for a
// counter that starts anew. When a walk fails, its last item is nil and comes with
// the error; when it succeeds there is no such item. Whether an answer was
// complete is known only then, so gather a whole walk before you compare it with
// the one before.
//
// The item is valid until the next step, since the next entry is decoded into
// it. kept := *ix keeps an Index that has no Shards, and Clone keeps any Index
// or Node. Each takes more than 2 KB: of many indices keep the sections that you
// compare, and the uuid, which is all that [Index.Continues] looks at. Strings
// are never parts of the answer: keeping a name keeps nothing else alive.
//
// A whole walk reads to the end of the reader, so that an HTTP connection can
// be used again; break leaves the rest unread. A sequence is for one walk: call
// the method again for the next answer. [Decoder.Header] has what the answer says
// outside of its entries.
//
// # What each answer gives
//
//   - An empty or cut answer: a [*DecodeError] that wraps [io.ErrUnexpectedEOF].
//     Servers stream their answers, so one may be cut though its status is 200.
//   - HTML, text, compressed bytes: a *DecodeError that wraps [ErrNotJSON].
//   - null, an array, a scalar, or an object with no member of the endpoint:
//     a *DecodeError that wraps [ErrUnexpectedAnswer].
//   - {}, which a filter_path that matches nothing leaves: no entries, no error.
//   - A member error, in place of data or behind it: a [*ResponseError].
//   - Failed shards or nodes: the data, and then a [*PartialError]. Fewer
//     successful than total without a failure is normal.
//   - A field of the wrong type: the entry together with its *DecodeError.
//     Outside of the entries: a *DecodeError, after the data.
//   - An entry above Decoder.MaxEntryBytes: a *DecodeError that wraps
//     [ErrEntryTooLarge].
//   - A syntax error, or anything but white space after the answer: a
//     *DecodeError.
//   - An error of the reader, such as a cancelled context: a *DecodeError that
//     wraps it.
//
// Where a walk ends with two errors, such as failed shards and a header of the
// wrong type, the last error joins both, and [errors.As] finds each.
//
// # Values
//
// Field names are the JSON keys in CamelCase, and each field's comment gives
// its unit, its versions and what -1 means. A section that is absent is zero;
// the Present bits of [CommonStats] and [Node] tell it from zeros that were
// sent. Within an entry JSON is taken as encoding/json takes it: keys match in
// any case, of two equal keys the later one counts and objects merge, null leaves
// a value, unknown members are checked for syntax and skipped, and a number that
// does not fit is an error, never cut down. encoding/json fills the same structs.
// Outside of the entries names match exactly.
//
// Methods of the sections derive figures from two polls: rates, mean times,
// ratios. They say so when a figure cannot be known, because a counter fell or
// nothing happened. Both polls must have been complete, Continues must hold
// between them, and Present must have the section in both.
//
// # Memory
//
// A walk holds a window of 64 KiB, or up to twice the largest entry, and one
// item, however large the answer is. A Decoder remembers up to MaxNames strings
// between answers. From the second answer with the same names on, a walk over the
// indices of a server allocates about twice, 16 times and 8 KiB at most, however
// many there are (held by TestAllocsPerAnswer); past MaxNames once more for each index. What
// decoding an entry takes beside the window is in proportion to the entry: about
// as much for what servers send, some tens of times as much for what is made to
// take the most. [Decoder].MaxEntryBytes bounds both.
//
// # Guarantees
//
// What decoders of JSON, and walks over its tokens, leave to their users:
//
//   - A cut answer is an error at whatever byte it was cut
//     (TestEveryCutIsAnError).
//   - An entry has nothing of the one before it, nor an answer
//     (TestNothingStale).
//   - A number that does not fit is an error of that field alone, and the other
//     fields are there (TestFieldErrorSaysWhere, TestFieldErrorKeepsTheRest).
//   - Failed shards and nodes are an error, after the data
//     (TestQuirk09StatusFineDataGone, TestQuirk20and28and31NodesFail).
//   - How fast an entry is decoded depends on how usual it is; what comes of it
//     does not (TestShortcutEqualsReferenceOnMutations, FuzzShortcut).
package statsdecode
