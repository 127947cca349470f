package main

import (
	"strconv"
	"strings"
	"unicode"
)

// unknown stands for a figure that cannot be known.
const unknown = "-"

// number writes a count or a rate: one decimal below 10, thousands separated.
func number(f figure) string {
	if !f.known {
		return unknown
	}
	return decimal(f.value)
}

func decimal(v float64) string {
	sign := ""
	if v < 0 {
		sign, v = "-", -v
	}
	digits := 0
	if v < 10 && v != float64(int64(v)) {
		digits = 1
		if v < 1 {
			digits = 2
		}
	}
	s := strconv.FormatFloat(v, 'f', digits, 64)
	whole, fraction, _ := strings.Cut(s, ".")
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if fraction = strings.TrimRight(fraction, "0"); fraction != "" {
		whole += "." + fraction
	}
	return sign + whole
}

// percentNumber writes percent without the sign, for a column that has it.
func percentNumber(f figure) string {
	const most = 999 // of memory to storage: what is more says no more
	switch {
	case !f.known:
		return unknown
	case f.value > most:
		return ">" + strconv.Itoa(most)
	case f.value < 100:
		return strconv.FormatFloat(f.value, 'f', 1, 64)
	}
	return strconv.FormatFloat(f.value, 'f', 0, 64)
}

func percent(f figure) string {
	if !f.known {
		return unknown
	}
	return percentNumber(f) + " %"
}

// limit writes a limit of percent, which is a round number.
func limit(v float64) string { return decimal(v) + " %" }

// duration writes milliseconds.
func duration(ms figure) string {
	switch {
	case !ms.known:
		return unknown
	case ms.value >= 1000:
		return scaled(ms.value/1000) + " s"
	}
	return decimal(ms.value) + " ms"
}

// size writes a size in powers of 1000.
func size(f figure) string {
	if !f.known {
		return unknown
	}
	v := f.value
	for _, unit := range []string{"B", "kB", "MB", "GB", "TB"} {
		if v < 1000 {
			return scaled(v) + " " + unit
		}
		v /= 1000
	}
	return scaled(v) + " PB"
}

// scaled writes what stands before a unit that grows with the figure.
func scaled(v float64) string {
	if v >= 100 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strings.TrimSuffix(strconv.FormatFloat(v, 'f', 1, 64), ".0")
}

// printable keeps what a server says on its line, and away from the terminal's
// control sequences.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return ' '
		case !unicode.IsPrint(r):
			return '?'
		}
		return r
	}, s)
}
