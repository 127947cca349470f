package main

import "strings"

// point is a statement and what it rests on: bullets for people, one sentence
// for programs.
type point struct {
	says  string
	parts []string
}

// MarshalText makes the sentence.
func (p point) MarshalText() ([]byte, error) {
	if len(p.parts) == 0 {
		return []byte(p.says), nil
	}
	return []byte(p.says + ": " + strings.Join(p.parts, "; ")), nil
}

// lines makes the bullets.
func (p point) lines() []string {
	if len(p.parts) == 0 {
		return []string{p.says}
	}
	lines := []string{p.says + ":"}
	for _, part := range p.parts {
		lines = append(lines, "- "+part)
	}
	return lines
}
