package main

import (
	"encoding/json"
	"strings"
	"testing"
)

// text is points as people read them.
func text(points []point) string {
	var lines []string
	for _, p := range points {
		lines = append(lines, p.lines()...)
	}
	return strings.Join(lines, "\n")
}

func TestPoint(t *testing.T) {
	points := []point{{"no for a", []string{"searches are fast", "memory is large"}}, {says: "left: b"}}
	if got, want := text(points), "no for a:\n- searches are fast\n- memory is large\nleft: b"; got != want {
		t.Errorf("for people: %q, want %q", got, want)
	}
	got, err := json.Marshal(points)
	if want := `["no for a: searches are fast; memory is large","left: b"]`; string(got) != want || err != nil {
		t.Errorf("for programs: %s, %v, want %s", got, err, want)
	}
}
