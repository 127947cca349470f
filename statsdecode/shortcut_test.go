package statsdecode_test

import (
	"bytes"
	"testing"

	"github.com/lowalloc/lowalloc/statsdecode"
)

// The answers of real servers do not need the reference.
func TestRecordedAnswersTakeTheShortcut(t *testing.T) {
	eachRecorded(t, statsAnswers, func(t *testing.T, answer []byte) {
		var d statsdecode.Decoder
		n := len(indices(&d, bytes.NewReader(answer)))
		if n == 0 || d.Slow() > 0 {
			t.Errorf("%d of %d indices went to the reference", d.Slow(), n)
		}
	})
	eachRecorded(t, nodesAnswers, func(t *testing.T, answer []byte) {
		var d statsdecode.Decoder
		n := len(nodes(&d, bytes.NewReader(answer)))
		if n == 0 || d.Slow() > 0 {
			t.Errorf("%d of %d nodes went to the reference", d.Slow(), n)
		}
	})
}
