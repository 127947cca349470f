package statsdecode_test

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/lowalloc/lowalloc/internal/alloctest"
	"github.com/lowalloc/lowalloc/statsdecode"
)

func TestCgroupBytes(t *testing.T) {
	for _, c := range []struct {
		json string
		want statsdecode.CgroupBytes
		bad  bool // a type error is wanted, and the value left as it was
	}{
		{json: `"max"`, want: math.MaxInt64},
		{json: `"9223372036854771712"`, want: 9223372036854771712},
		{json: `"9223372036854775807"`, want: math.MaxInt64},
		{json: `"9223372036854775808"`, want: math.MaxInt64},
		{json: `"18446744073709551616"`, want: math.MaxInt64},
		{json: `18446744073709551616`, want: math.MaxInt64},
		{json: `"536870912"`, want: 536870912},
		{json: `536870912`, want: 536870912},
		{json: ` 536870912 `, want: 536870912},
		{json: `0`, want: 0},
		{json: `"0"`, want: 0},
		{json: `-1`, want: -1},
		{json: `"-9223372036854775808"`, want: math.MinInt64},
		{json: `null`, want: unset},
		{json: `"-9223372036854775809"`, bad: true},
		{json: `""`, bad: true},
		{json: `" 5"`, bad: true},
		{json: `"5 "`, bad: true},
		{json: `"+5"`, bad: true},
		{json: `"05"`, bad: true},
		{json: `"0x10"`, bad: true},
		{json: `"1_000"`, bad: true},
		{json: `"1.5"`, bad: true},
		{json: `1.5`, bad: true},
		{json: `1e3`, bad: true},
		{json: `"99999999999999999999.5"`, bad: true},
		{json: `99999999999999999999e2`, bad: true},
		{json: `"-"`, bad: true},
		{json: `"Max"`, bad: true},
		{json: `"maximum"`, bad: true},
		{json: `"512mb"`, bad: true},
		{json: `"5,6"`, bad: true},
		{json: `"null"`, bad: true},
		{json: `true`, bad: true},
		{json: `{}`, bad: true},
		{json: `["5"]`, bad: true},
	} {
		for way, unmarshal := range ways {
			got, want := unset, c.want
			if c.bad {
				want = unset
			}
			err := unmarshal([]byte(c.json), &got)
			if got != want || isTypeError(err) != c.bad || err != nil && !c.bad {
				t.Errorf("%s, %s: %d, %v; want %d, type error %t", way, c.json, got, err, want, c.bad)
			}
		}
	}
}

// unset is what a value holds before; no answer here has it.
const unset statsdecode.CgroupBytes = 4711

func TestCgroupBytesLimit(t *testing.T) {
	for bytes, want := range map[statsdecode.CgroupBytes]bool{
		1: true, 536870912: true, 1<<62 - 1: true,
		0: false, -1: false, math.MinInt64: false, 1 << 62: false, 9223372036854771712: false, math.MaxInt64: false,
	} {
		if got, ok := bytes.Limit(); got != int64(bytes) || ok != want {
			t.Errorf("CgroupBytes(%d).Limit() = %d, %t; want %d, %t", bytes, got, ok, bytes, want)
		}
	}
}

func TestLoadAverage(t *testing.T) {
	type load = statsdecode.LoadAverage
	old := load{OneMinute: 7, FiveMinutes: 8, FifteenMinutes: 9}
	for _, c := range []struct {
		json string
		want load
		bad  bool // a type error is wanted as well
	}{
		{json: `{"1m": 1.5, "5m": 2, "15m": 0.25}`, want: load{1.5, 2, 0.25}},
		{json: `{"1m": 1.5}`, want: load{OneMinute: 1.5}},
		{json: `{"15m": 2.1E-5}`, want: load{FifteenMinutes: 2.1e-5}},
		{json: `{"1m": -1.0, "5m": -1, "15m": -1}`, want: load{-1, -1, -1}},
		{json: `{"1m": 1, "2m": "x", "5m": 2, "1h": [{}]}`, want: load{1, 2, 0}},
		{json: `{"1m": "1.5", "5m": "2"}`, want: load{1.5, 2, 0}},
		{json: `{"1m": null, "5m": 2}`, want: load{0, 2, 0}},
		{json: `{"1m": 1, "1m": 3}`, want: load{OneMinute: 3}},
		{json: `{}`, want: load{}},
		{json: `[1.5, 2, 0.25]`, want: load{1.5, 2, 0.25}},
		{json: `[1.5]`, want: load{OneMinute: 1.5}},
		{json: `[1, 2, 3, 4, 5]`, want: load{1, 2, 3}},
		{json: `[null, 2, null]`, want: load{0, 2, 0}},
		{json: `["1.5", 2]`, want: load{1.5, 2, 0}},
		{json: `[]`, want: load{}},
		{json: `3.14`, want: load{OneMinute: 3.14}},
		{json: `-1.0`, want: load{OneMinute: -1}},
		{json: `0`, want: load{}},
		{json: `"3.14"`, want: load{OneMinute: 3.14}},
		{json: `null`, want: old},

		{json: `{"1m": true, "5m": 2, "15m": 3}`, want: load{0, 2, 3}, bad: true},
		{json: `{"1m": {}, "5m": [], "15m": 3}`, want: load{0, 0, 3}, bad: true},
		{json: `{"1m": 1e999, "5m": 2}`, want: load{0, 2, 0}, bad: true},
		{json: `["a", 2, 3]`, want: load{0, 2, 3}, bad: true},
		{json: `""`, want: load{}, bad: true},
		{json: `" 1"`, want: load{}, bad: true},
		{json: `"1 "`, want: load{}, bad: true},
		{json: `"NaN"`, want: load{}, bad: true},
		{json: `"Infinity"`, want: load{}, bad: true},
		{json: `"0x1p4"`, want: load{}, bad: true},
		{json: `"1_0"`, want: load{}, bad: true},
		{json: `"1,5"`, want: load{}, bad: true},
		{json: `false`, want: load{}, bad: true},
	} {
		for way, unmarshal := range ways {
			got := old
			err := unmarshal([]byte(c.json), &got)
			if got != c.want || isTypeError(err) != c.bad || err != nil && !c.bad {
				t.Errorf("%s, %s: %v, %v; want %v, type error %t", way, c.json, got, err, c.want, c.bad)
			}
		}
	}
}

func TestAddresses(t *testing.T) {
	old := statsdecode.Addresses{"old:1", "old:2", "old:3"}
	for _, c := range []struct {
		json string
		want statsdecode.Addresses
		bad  bool
	}{
		{json: `"127.0.0.1:9300"`, want: statsdecode.Addresses{"127.0.0.1:9300"}},
		{json: `"[::1]:9300"`, want: statsdecode.Addresses{"[::1]:9300"}},
		{json: `["inet[/10.0.0.1:9300]", "NONE"]`, want: statsdecode.Addresses{"inet[/10.0.0.1:9300]", "NONE"}},
		{json: `"\u0031"`, want: statsdecode.Addresses{"1"}},
		{json: `""`, want: statsdecode.Addresses{""}},
		{json: `[]`, want: statsdecode.Addresses{}},
		{json: `[null, "b"]`, want: statsdecode.Addresses{"", "b"}},
		{json: `["a", null]`, want: statsdecode.Addresses{"a", ""}},
		{json: `null`, want: old},
		{json: `["a", 5, "c"]`, want: statsdecode.Addresses{"a", "", "c"}, bad: true},
		{json: `17`, want: old, bad: true},
		{json: `true`, want: old, bad: true},
		{json: `{"a": "b"}`, want: old, bad: true},
	} {
		for way, unmarshal := range ways {
			got := slices.Clone(old)
			err := unmarshal([]byte(c.json), &got)
			if !slices.Equal(got, c.want) || isTypeError(err) != c.bad || err != nil && !c.bad {
				t.Errorf("%s, %s: %q, %v; want %q, type error %t", way, c.json, got, err, c.want, c.bad)
			}
		}
	}
}

// What a node held before shows in none of its fields.
func TestLenientFieldsOfTheNextNode(t *testing.T) {
	const answer = `{"nodes": {
		"a": {"ip": ["10.0.0.1:9300", "10.0.0.2:9300"], "os": {"load_average": [1, 2, 3], "cpu": {"load_average": {"1m": 4}}, "cgroup": {"memory": {"limit_in_bytes": "max"}}}},
		"b": {"ip": ["10.0.0.3:9300", null], "os": {"load_average": null, "cpu": {"load_average": {}}, "cgroup": {"memory": {"limit_in_bytes": null}}}},
		"c": {}
	}}`
	seen := 0
	for n, err := range new(statsdecode.Decoder).Nodes(strings.NewReader(answer)) {
		if err != nil {
			t.Fatal(err)
		}
		seen++
		var wantIPs statsdecode.Addresses
		switch n.ID {
		case "a":
			continue
		case "b":
			wantIPs = statsdecode.Addresses{"10.0.0.3:9300", ""}
		}
		if !slices.Equal(n.IPs, wantIPs) {
			t.Errorf("node %s has the addresses %q, want %q", n.ID, n.IPs, wantIPs)
		}
		if len(wantIPs) == 0 && n.IP != "" || len(wantIPs) > 0 && n.IP != wantIPs[0] {
			t.Errorf("node %s has the address %q, want the first of %q", n.ID, n.IP, wantIPs)
		}
		if n.OS != (statsdecode.OS{}) {
			t.Errorf("node %s has %+v, want none of it", n.ID, n.OS)
		}
	}
	if seen != 3 {
		t.Errorf("%d nodes, want 3", seen)
	}
}

func TestLenientValuesDoNotAllocate(t *testing.T) {
	var (
		load  statsdecode.LoadAverage
		bytes statsdecode.CgroupBytes
		ips   statsdecode.Addresses
	)
	for _, c := range []struct {
		dst  json.Unmarshaler
		json string
	}{
		{&load, `{"1m": 1.5, "5m": 2.25, "15m": 3}`},
		{&load, `[1.5, 2.25, 3]`},
		{&load, `1.5`},
		{&bytes, `"max"`},
		{&bytes, `"9223372036854771712"`},
		{&ips, `"127.0.0.1:9300"`},
	} {
		data := []byte(c.json)
		alloctest.Gate(t, 1000, 0, 0, func() {
			if err := c.dst.UnmarshalJSON(data); err != nil {
				t.Fatal(err)
			}
		})
	}
}
