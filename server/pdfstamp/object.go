package pdfstamp

import (
	"maps"
	"slices"
	"strconv"
)

// The PDF objects the reader tells apart (ISO 32000-1, 7.3). Numbers, strings,
// booleans and null stay the same token: the written object must be equal to the one
// that was read, to the digit.
type (
	name string // without the slash; #xx of regular characters decoded
	raw  string // any other token, verbatim
	// cleartext is a string of an encrypted file, decrypted. Code that writes it
	// into an object encrypts it for that object.
	cleartext string
	array     []any
	ref       struct{ num, gen int }
	stream    struct {
		dict  *dict
		data  []byte // as stored; aliases the file
		from  ref    // whose stream it is
		clear bool   // stored without encryption in an encrypted file
		lie   bool   // its Length does not lead to its end
		other bool   // its Length is still a number, and viewers may believe it
	}
)

// A dict keeps the order of its keys, so that a copy is written as it was read.
type dict struct {
	pairs []pair
	index map[name]int // into pairs, once there are many; nil: they are looked through
}

type pair struct {
	key name
	val any
}

// manyKeys is the size from which a dict is indexed: few are found sooner by
// looking, in less memory, and pages by the hundred have few.
const manyKeys = 16

func newDict() *dict { return &dict{} }

// at returns where k is in d.pairs; -1: nowhere.
func (d *dict) at(k name) int {
	if d.index != nil {
		if i, ok := d.index[k]; ok {
			return i
		}
		return -1
	}
	for i := range d.pairs {
		if d.pairs[i].key == k {
			return i
		}
	}
	return -1
}

// get returns nil for an absent key and for a nil dict.
func (d *dict) get(k name) any {
	if d == nil {
		return nil
	}
	if i := d.at(k); i >= 0 {
		return d.pairs[i].val
	}
	return nil
}

func (d *dict) set(k name, v any) {
	if i := d.at(k); i >= 0 {
		d.pairs[i].val = v
		return
	}
	if d.pairs == nil {
		d.pairs = make([]pair, 0, 4)
	}
	d.pairs = append(d.pairs, pair{k, v})
	switch n := len(d.pairs); {
	case d.index != nil:
		d.index[k] = n - 1
	case n == manyKeys:
		d.index = make(map[name]int, 2*n)
		for i, p := range d.pairs {
			d.index[p.key] = i
		}
	}
}

// clone copies d, but not the objects it refers to. A nil d gives an empty dict.
func (d *dict) clone() *dict {
	if d == nil {
		return newDict()
	}
	return &dict{pairs: slices.Clone(d.pairs), index: maps.Clone(d.index)}
}

// number returns the value of a numeric object.
func number(o any) (float64, bool) {
	switch v := o.(type) {
	case raw:
		for _, c := range []byte(v) {
			if !isNumeric(c) { // an exponent, NaN or hex is no number of a PDF
				return 0, false
			}
		}
		f, err := strconv.ParseFloat(string(v), 64)
		return f, err == nil && f > -1e15 && f < 1e15
	case int:
		return float64(v), true
	}
	return 0, false
}

// integer returns the value of a numeric object without a fraction.
func integer(o any) (int, bool) {
	f, ok := number(o)
	return int(f), ok && f == float64(int(f))
}

// appendObject appends the text of o to b.
func appendObject(b []byte, o any) []byte {
	switch v := o.(type) {
	case name:
		return appendName(b, v)
	case raw:
		return append(b, v...)
	case cleartext:
		b = append(b, '<')
		for _, c := range []byte(v) {
			b = append(b, hexDigits[c>>4], hexDigits[c&15])
		}
		return append(b, '>')
	case int:
		return strconv.AppendInt(b, int64(v), 10)
	case float64:
		return appendNumber(b, v)
	case ref:
		b = strconv.AppendInt(b, int64(v.num), 10)
		b = append(b, ' ')
		b = strconv.AppendInt(b, int64(v.gen), 10)
		return append(b, " R"...)
	case array:
		b = append(b, '[')
		for i, e := range v {
			if i > 0 {
				b = append(b, ' ')
			}
			b = appendObject(b, e)
		}
		return append(b, ']')
	case *dict:
		b = append(b, "<<"...)
		for _, p := range v.pairs {
			b = append(appendName(b, p.key), ' ')
			b = append(appendObject(b, p.val), '\n')
		}
		return append(b, ">>"...)
	}
	return append(b, "null"...)
}

// appendName writes n with every irregular character, and #, as #xx.
func appendName(b []byte, n name) []byte {
	b = append(b, '/')
	for i := range len(n) {
		if c := n[i]; c <= ' ' || c > '~' || c == '#' || isDelimiter(c) {
			b = append(b, '#', hexDigits[c>>4], hexDigits[c&15])
		} else {
			b = append(b, c)
		}
	}
	return b
}

const hexDigits = "0123456789ABCDEF"

// appendNumber writes f with at most six decimals and no exponent: a PDF has
// none (ISO 32000-1, 7.3.3).
func appendNumber(b []byte, f float64) []byte {
	at := len(b)
	b = strconv.AppendFloat(b, f, 'f', 6, 64)
	for b[len(b)-1] == '0' {
		b = b[:len(b)-1]
	}
	if b[len(b)-1] == '.' {
		b = b[:len(b)-1]
	}
	if string(b[at:]) == "-0" {
		b = append(b[:at], '0')
	}
	return b
}
