package main

import "testing"

func TestUnits(t *testing.T) {
	for _, tt := range []struct {
		write func(figure) string
		name  string
		f     figure
		want  string
	}{
		{number, "number", figure{}, "-"},
		{number, "number", known(0), "0"},
		{number, "number", known(0.04), "0.04"},
		{number, "number", known(1.6), "1.6"},
		{number, "number", known(7), "7"},
		{number, "number", known(999.7), "1,000"},
		{number, "number", known(1234567), "1,234,567"},
		{number, "number", known(-1.6), "-1.6"},
		{number, "number", known(-100), "-100"},
		{number, "number", known(-101457), "-101,457"},
		{percent, "percent", figure{}, "-"},
		{percent, "percent", known(5), "5.0 %"},
		{percent, "percent", known(100), "100 %"},
		{percent, "percent", known(364597), ">999 %"},
		{duration, "duration", figure{}, "-"},
		{duration, "duration", known(0.94), "0.94 ms"},
		{duration, "duration", known(62), "62 ms"},
		{duration, "duration", known(1234), "1.2 s"},
		{duration, "duration", known(180000), "180 s"},
		{size, "size", figure{}, "-"},
		{size, "size", known(208), "208 B"},
		{size, "size", known(46_665), "46.7 kB"},
		{size, "size", known(1.2e12), "1.2 TB"},
		{size, "size", known(3.5e18), "3500 PB"},
	} {
		if got := tt.write(tt.f); got != tt.want {
			t.Errorf("%s(%v) = %q, want %q", tt.name, tt.f, got, tt.want)
		}
	}
}

func TestTableAlignsWideNames(t *testing.T) {
	tab := &table{left: map[int]bool{0: true}}
	tab.row("größe-東京", "1")
	tab.row("a\u0301", "200")
	tab.row("\x1b[2Jx", "3")
	want := "größe-東京    1\n" + "a\u0301           200\n" + "?[2Jx         3\n"
	if got := tab.String(); got != want {
		t.Errorf("table is\n%s, want\n%s", got, want)
	}
}
