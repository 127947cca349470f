package main

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
)

var (
	wholeNumber = regexp.MustCompile(`:[0-9]+\b`)
	uuidMember  = regexp.MustCompile(`"uuid":"[^"]*"`)
)

// larger makes the answer of a larger cluster from a recorded one: n entries
// below path that look like those of a real server, with names, uuids and
// numbers of their own. It is the same every time.
func larger(dir, name, path string, n int) ([]byte, error) {
	answer, err := recorded(filepath.Join(dir, name+".json.gz"))
	if err != nil {
		return nil, err
	}
	var outline map[string]json.RawMessage
	if err := json.Unmarshal(answer, &outline); err != nil {
		return nil, err
	}
	var named map[string]json.RawMessage
	if err := json.Unmarshal(outline[path], &named); err != nil {
		return nil, err
	}
	entries := make([]json.RawMessage, 0, len(named))
	for _, name := range keysInOrder(outline[path]) {
		entries = append(entries, named[name])
	}
	var b bytes.Buffer
	b.WriteByte('{')
	for _, key := range keysInOrder(answer) {
		if key != path {
			fmt.Fprintf(&b, "%q:%s,", key, outline[key])
		}
	}
	fmt.Fprintf(&b, "%q:{", path)
	random := rand.NewChaCha8([32]byte{})
	numbers := rand.New(random)
	uuid := func() string {
		var b [16]byte
		_, _ = random.Read(b[:])
		return base64.RawURLEncoding.EncodeToString(b[:])
	}
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		entry := wholeNumber.ReplaceAllFunc(entries[i%len(entries)], func([]byte) []byte {
			return fmt.Appendf(nil, ":%d", numbers.Int64N(1<<numbers.IntN(40)))
		})
		entry = uuidMember.ReplaceAllFunc(entry, func([]byte) []byte {
			return fmt.Appendf(nil, `"uuid":%q`, uuid())
		})
		fmt.Fprintf(&b, "%q:%s", fmt.Sprintf("logs-%s-%06d", uuid()[:8], i), entry)
	}
	b.WriteString("}}")
	return b.Bytes(), nil
}

func recorded(file string) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(z)
}

// keysInOrder lists the names of the members of a valid object.
func keysInOrder(object []byte) (keys []string) {
	d := json.NewDecoder(bytes.NewReader(object))
	_, _ = d.Token()
	for d.More() {
		key, _ := d.Token()
		keys = append(keys, key.(string))
		var value json.RawMessage
		_ = d.Decode(&value)
	}
	return keys
}
