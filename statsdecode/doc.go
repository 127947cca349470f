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
// A nil item comes last, with the error that ended the walk. An item with an
// error is usable: one of its fields had the wrong type, all others are there,
// and the walk goes on. An item without a nil and without an error is whole.
// With Entries, whose items are values, the loop simply goes on after an error
// that it survives and ends after another.
//
// The item is valid until the next step, since the next entry is decoded into
// it. kept := *ix keeps an Index that has no Shards, and Clone keeps any Index
// or Node. Strings are never parts of the answer: keeping a name keeps nothing
// else alive.
//
// A whole walk reads to the end of the reader, so that an HTTP connection can
// be used again; break leaves the rest unread. A sequence is for one walk: used
// again it finds its reader at the end, and says so. [Decoder.Header] has what
// the answer says outside of its entries.
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
// Errors that end a walk end it for good. Where two of them are to be told,
// such as failed shards and a header of the wrong type, the last error joins
// both, and [errors.As] finds each.
//
// # Values
//
// Field names are the JSON keys in CamelCase, and each field's comment gives
// its unit, its versions and what -1 means. A section that is absent is zero;
// the Present bits of [CommonStats] and [Node] tell it from zeros that were
// sent. JSON is taken as encoding/json takes it: keys match in any case, of two
// equal keys the later one counts and objects merge, null leaves a value,
// unknown members are checked for syntax and skipped, and a number that does
// not fit is an error, never cut down. encoding/json fills the same structs.
//
// Methods of the sections derive figures from two polls: rates, mean times,
// ratios. They say so when a figure cannot be known, because a counter fell or
// nothing happened.
//
// # Memory
//
// A walk holds a window of 64 KiB, or twice the largest entry, and one
// item. A Decoder remembers up to MaxNames strings between answers. From the
// second answer with the same names on, a walk over the indices of a server
// allocates 16 times and 8 KiB at most, however many there are (held by
// TestAllocsPerAnswer); past MaxNames once an index. Decoding costs no more
// memory than a multiple of the largest entry, however large the answer is and
// whatever is in it.
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
