package statsdecode

import (
	"bytes"
	"math"
	"strconv"

	"github.com/goccy/go-json"
)

// Addresses are addresses as the server wrote them: a string, or in
// Elasticsearch 1 and 2 an array of strings.
type Addresses []string

// UnmarshalJSON accepts a string or an array of strings. null leaves a.
func (a *Addresses) UnmarshalJSON(data []byte) error {
	data, err := checked(data)
	if err != nil || isNull(data) {
		return err
	}
	switch data[0] {
	case '[':
		*a = emptied(*a)
		return json.Unmarshal(data, (*[]string)(a))
	case '"':
		var old string
		if cap(*a) > 0 {
			old = (*a)[:1][0]
		}
		*a = append((*a)[:0], unquoteOr(old, data))
		return nil
	}
	return wrongType(data, *a)
}

// LoadAverage is the mean number of runnable tasks of the host. It is zero
// where the system has none, and in part zero where it has only some: macOS
// sends one minute alone. Windows sent -1 in Elasticsearch 2.
type LoadAverage struct {
	OneMinute      float64 `json:"1m"`
	FiveMinutes    float64 `json:"5m"`
	FifteenMinutes float64 `json:"15m"`
}

// UnmarshalJSON accepts the shapes that servers have sent: an object with the
// keys 1m, 5m and 15m, an array of up to three numbers (Elasticsearch 1), one
// number for one minute (Elasticsearch 2), and numbers in strings. null leaves l.
func (l *LoadAverage) UnmarshalJSON(data []byte) error {
	data, err := checked(data)
	switch {
	case err != nil || isNull(data):
		return err
	case data[0] == '{':
		*l = LoadAverage{}
		var first error
		for key, value := range members(data) {
			var dst *float64
			switch {
			case named(key, "1m"):
				dst = &l.OneMinute
			case named(key, "5m"):
				dst = &l.FiveMinutes
			case named(key, "15m"):
				dst = &l.FifteenMinutes
			default:
				continue
			}
			if err := lenientFloat(value, dst); err != nil && first == nil {
				first = err
			}
		}
		return first
	case data[0] == '[':
		*l = LoadAverage{}
		dst := [...]*float64{&l.OneMinute, &l.FiveMinutes, &l.FifteenMinutes}
		var first error
		i := 0
		for value := range elements(data) {
			if i == len(dst) {
				break
			}
			if err := lenientFloat(value, dst[i]); err != nil && first == nil {
				first = err
			}
			i++
		}
		return first
	default:
		*l = LoadAverage{}
		return lenientFloat(data, &l.OneMinute)
	}
}

// lenientFloat decodes a number, also one in a string. null leaves *dst.
func lenientFloat(data []byte, dst *float64) error {
	if isNull(data) {
		return nil
	}
	number := numberText(data)
	f, err := strconv.ParseFloat(string(number), 64)
	if err != nil || number == nil {
		return wrongType(data, *dst)
	}
	*dst = f
	return nil
}

// Rank is a number that servers send as a string, rounded to a tenth: "3.6".
type Rank float64

// UnmarshalJSON accepts a number, also one in a string. null leaves r.
func (r *Rank) UnmarshalJSON(data []byte) error {
	data, err := checked(data)
	if err != nil {
		return err
	}
	return lenientFloat(data, (*float64)(r))
}

// CgroupBytes is a number of bytes that servers send as a string, since a
// control group may say "max" where it has no limit. "max" and numbers past
// the largest int64 are math.MaxInt64.
type CgroupBytes int64

// noLimit is where limits begin that mean none: cgroup v1 sends the largest
// int64 rounded down to a page.
const noLimit = 1 << 62

// Limit returns the limit in bytes and whether there is one: values that are
// not positive, or too large to be meant, are none.
func (c CgroupBytes) Limit() (bytes int64, ok bool) {
	return int64(c), c > 0 && c < noLimit
}

// UnmarshalJSON accepts a whole number, a string with one, or "max". null
// leaves c.
func (c *CgroupBytes) UnmarshalJSON(data []byte) error {
	data, err := checked(data)
	if err != nil || isNull(data) {
		return err
	}
	if string(data) == `"max"` {
		*c = math.MaxInt64
		return nil
	}
	number := numberText(data)
	n, err := strconv.ParseInt(string(number), 10, 64)
	if err != nil && (number == nil || n != math.MaxInt64 || bytes.ContainsAny(number, ".eE")) {
		return wrongType(data, *c)
	}
	*c = CgroupBytes(n)
	return nil
}

// numberText returns the number that a valid value is, or holds as a string,
// or nil.
func numberText(value []byte) []byte {
	if value[0] == '"' {
		value = value[1 : len(value)-1]
	}
	if !isNumber(value) || !json.Valid(value) {
		return nil
	}
	return value
}
