package statsdecode

import (
	"encoding/binary"
	"math/bits"
)

// Bytes are looked at eight at a time, as a little-endian word: the first byte
// is the lowest, on any machine. A test of all eight sets the high bit of the
// bytes that pass. A borrow or a carry may set more bits above the first one,
// so only the first counts.
const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

func word(b []byte) uint64 { return binary.LittleEndian.Uint64(b) }

// plainPrefix returns how many bytes b begins with that stand for themselves in
// a JSON string: no quote, no backslash, no control character.
func plainPrefix(b []byte) int {
	i := 0
	for ; len(b)-i >= 8; i += 8 {
		w := word(b[i:])
		quote, escape := w^ones*'"', w^ones*'\\'
		if special := (quote-ones)&^quote | (escape-ones)&^escape | (w-ones*' ')&^w; special&highs != 0 {
			return i + bits.TrailingZeros64(special&highs)/8
		}
	}
	for ; i < len(b); i++ {
		if c := b[i]; c == '"' || c == '\\' || c < ' ' {
			break
		}
	}
	return i
}

// natural reads the number that the word begins with, and returns how many
// digits it has: 0 where it has more than 7, or a sign, or a leading zero. What
// follows the digits is for the caller to judge.
func natural(w uint64) (n int64, digits uint) {
	w ^= ones * '0' // a digit is its value now
	digits = uint(bits.TrailingZeros64((w+ones*(0x7F-9)|w)&highs)) >> 3
	if digits > 7 || digits > 1 && w&0xFF == 0 {
		return 0, 0
	}
	return int64(decimal(w << ((64 - 8*digits) & 63))), digits
}

// longNatural is natural for numbers of 8 to 15 digits, such as bytes of disk
// and milliseconds since the epoch.
func longNatural(b []byte) (n int64, digits uint) {
	if len(b) < 16 {
		return 0, 0
	}
	first, second := word(b)^ones*'0', word(b[8:])^ones*'0'
	end := (second + ones*(0x7F-9) | second) & highs
	if (first+ones*(0x7F-9)|first)&highs != 0 || first&0xFF == 0 || end == 0 {
		return 0, 0
	}
	digits = uint(bits.TrailingZeros64(end)) >> 3
	n = int64(decimal(first) * tens[digits&7])
	if digits > 0 {
		n += int64(decimal(second << ((64 - 8*digits) & 63)))
	}
	return n, 8 + digits
}

var tens = [8]uint64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7}

// decimal returns the number of eight digits, the first one in the lowest byte.
// It joins neighbours: digits, then pairs, then fours.
func decimal(w uint64) uint64 {
	w = w*10 + w>>8
	const pairs = 0x000000FF000000FF
	return (w&pairs*(100+1000000<<32) + w>>16&pairs*(1+10000<<32)) >> 32
}

// numberPrefix returns how much of b is a number by the grammar of JSON, and
// whether that is a whole one.
func numberPrefix(b []byte) (n int, ok bool) {
	if n < len(b) && b[n] == '-' {
		n++
	}
	zero := n < len(b) && b[n] == '0'
	d := digitPrefix(b[n:])
	if n += d; d == 0 || zero && d > 1 {
		return n, false
	}
	if n < len(b) && b[n] == '.' {
		n++
		d = digitPrefix(b[n:])
		if n += d; d == 0 {
			return n, false
		}
	}
	if n < len(b) && b[n]|0x20 == 'e' {
		if n++; n < len(b) && (b[n] == '+' || b[n] == '-') {
			n++
		}
		d = digitPrefix(b[n:])
		n += d
	}
	return n, d > 0
}

func digitPrefix(b []byte) int {
	for i, c := range b {
		if c < '0' || c > '9' {
			return i
		}
	}
	return len(b)
}

// exactFloat returns the value of a number that is a quotient or product of two
// whole numbers which a float64 holds exactly: then IEEE 754 rounds it as it
// should be. Most floats of an answer are.
func exactFloat(number []byte) (f float64, ok bool) {
	var mantissa uint64
	digits, fraction := 0, 0
	negative := number[0] == '-'
	for i, c := range number {
		switch {
		case c == '-':
		case c == '.':
			fraction = len(number) - i - 1
		case '0' <= c && c <= '9':
			mantissa = 10*mantissa + uint64(c-'0')
			digits++
		default:
			return 0, false
		}
	}
	if digits > 15 {
		return 0, false
	}
	f = float64(mantissa) / exactTens[fraction]
	if negative {
		f = -f
	}
	return f, true
}

var exactTens = [16]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15}
