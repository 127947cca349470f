package gzippool_test

import (
	"bytes"
	stdgzip "compress/gzip"
	"crypto/sha256"
	"hash"
	"io"
	"math/rand/v2"
	"os/exec"
	"testing"

	"github.com/lowalloc/lowalloc/gzippool"
	"github.com/lowalloc/lowalloc/internal/alloctest"
	"github.com/lowalloc/lowalloc/internal/corpus"
)

// gzipCommand runs the command over stdin, if there is one.
func gzipCommand(t *testing.T, stdin io.Reader, stdout io.Writer, args ...string) {
	t.Helper()
	path, err := exec.LookPath("gzip")
	if err != nil {
		t.Skip("no gzip command")
	}
	cmd := exec.Command(path, args...)
	cmd.Stdin, cmd.Stdout = stdin, stdout
	if err := cmd.Run(); err != nil {
		t.Fatalf("gzip %v: %v", args, err)
	}
}

func TestInterop(t *testing.T) {
	random := make([]byte, 300<<10)
	for i := range random {
		random[i] = byte(rand.IntN(256))
	}
	large := 100 << 20
	if alloctest.Skewed() {
		large = 2 << 20
	}
	block := corpus.Bulk(1 << 20)
	repeat := func(b []byte, n int) func() io.Reader {
		return func() io.Reader {
			readers := make([]io.Reader, n)
			for i := range readers {
				readers[i] = bytes.NewReader(b)
			}
			return io.MultiReader(readers...)
		}
	}
	for _, tt := range []struct {
		name    string
		members int
		content func() io.Reader // of one member
	}{
		{"empty", 1, repeat(nil, 1)},
		{"1 byte", 1, repeat([]byte("x"), 1)},
		{"incompressible", 1, repeat(random, 1)},
		{"multi-member", 3, repeat(block, 1)},
		{"empty members", 3, repeat(nil, 1)},
		{"large", 1, repeat(block, large>>20)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var p gzippool.Pool
			want := sha256.New()
			var ours, std, command bytes.Buffer
			for range tt.members {
				_, _ = io.Copy(want, tt.content())
				w := p.Writer(&ours)
				if _, err := w.ReadFrom(tt.content()); err != nil {
					t.Fatal(err)
				}
				if err := w.Close(); err != nil {
					t.Fatal(err)
				}
				sw, _ := stdgzip.NewWriterLevel(&std, stdgzip.BestSpeed)
				_, _ = io.Copy(sw, tt.content())
				_ = sw.Close()
			}
			equal := func(what string, got hash.Hash) {
				t.Helper()
				if !bytes.Equal(got.Sum(nil), want.Sum(nil)) {
					t.Errorf("%s: other content", what)
				}
			}
			sr, err := stdgzip.NewReader(bytes.NewReader(ours.Bytes()))
			if err != nil {
				t.Fatal(err)
			}
			got := sha256.New()
			if _, err := io.Copy(got, sr); err != nil {
				t.Fatal(err)
			}
			equal("ours, read by compress/gzip", got)

			read := func(what string, stream []byte) {
				t.Helper()
				got := sha256.New()
				r := p.Reader(bytes.NewReader(stream), gzippool.NoLimit)
				if _, err := io.Copy(got, r); err != nil {
					t.Errorf("%s: %v", what, err)
				}
				_ = r.Close()
				equal(what, got)
			}
			read("ours, read by ourselves", ours.Bytes())
			read("compress/gzip's, read by ours", std.Bytes())

			got = sha256.New()
			gzipCommand(t, bytes.NewReader(ours.Bytes()), got, "-dc")
			equal("ours, read by the gzip command", got)
			for range tt.members {
				gzipCommand(t, tt.content(), &command, "-1c")
			}
			read("the gzip command's, read by ours", command.Bytes())
		})
	}
}
