package pdfobj

import (
	"bytes"
	"encoding/hex"
	"strings"
)

// Values are nil, bool, int, float64, [Name], [String], [Ref], [Array] and
// [Dict] (ISO 32000-1, 7.3). Operators and other words are nil.
type (
	// Name is a name without its slash, #xx decoded.
	Name string
	// String is the raw text of a string with its brackets, still escaped and, in an encrypted
	// file, encrypted.
	String []byte
	// Ref is the number of an indirect object.
	Ref int
	// Array is an array, as far as it could be read.
	Array []any
	// Dict is a dictionary, as far as it could be read. The last value
	// of a repeated key counts here.
	Dict map[Name]any
)

// An Object is one value of a file that others can refer to.
type Object struct {
	Num    int  // its number; -1 if none could be read, -2 for a trailer
	At     int  // offset of its keyword in the file, or of its object stream's
	Value  any  // as far as it could be read
	Stream bool // data follows Value, which is a Dict
	Live   bool // the cross-reference names it, or is wrong, so that programs may come across it
	Twice  Name // a key that stands twice in one dictionary of Value, with different values; else empty

	data  int  // offset behind the keyword stream
	plain bool // it is not encrypted in an encrypted file
}

// Trailer is the number of a trailer dictionary.
const Trailer = -2

// Dict returns the object's dictionary, nil if it is another value.
func (o Object) Dict() Dict {
	d, _ := o.Value.(Dict)
	return d
}

// Each calls yield with v and every value inside it.
func Each(v any, yield func(v any)) {
	yield(v)
	switch v := v.(type) {
	case Array:
		for _, e := range v {
			Each(e, yield)
		}
	case Dict:
		for _, e := range v {
			Each(e, yield)
		}
	}
}

// Name returns the value of key if it is a name.
func (d Dict) Name(key Name) Name {
	n, _ := d[key].(Name)
	return n
}

// Has reports whether d has key with a value other than null.
func (d Dict) Has(key Name) bool { return d[key] != nil }

// Bytes returns the bytes of the string: escapes are undone, hexadecimal digits
// joined.
func (s String) Bytes() []byte {
	if len(s) > 0 && s[0] == '<' {
		digits := bytes.Map(func(r rune) rune {
			if strings.ContainsRune("0123456789abcdefABCDEF", r) {
				return r
			}
			return -1
		}, s)
		if len(digits)%2 == 1 {
			digits = append(digits, '0')
		}
		out, _ := hex.DecodeString(string(digits))
		return out
	}
	var out []byte
	for i := 1; i < len(s)-1; i++ {
		c := s[i]
		if c != '\\' {
			out = append(out, c)
			continue
		}
		i++
		switch c = s[i]; {
		case c >= '0' && c <= '7':
			n := 0
			for j := 0; j < 3 && i < len(s)-1 && s[i] >= '0' && s[i] <= '7'; j++ {
				n = 8*n + int(s[i]-'0')
				i++
			}
			i--
			out = append(out, byte(n))
		case c == '\r':
			if i+1 < len(s) && s[i+1] == '\n' {
				i++
			}
		case c == '\n':
		default:
			if at := strings.IndexByte("nrtbf", c); at >= 0 {
				c = "\n\r\t\b\f"[at]
			}
			out = append(out, c)
		}
	}
	return out
}

// Numbers returns the numbers in list. It returns false if another value is in it.
func Numbers(list []any) ([]float64, bool) {
	out := make([]float64, 0, len(list))
	for _, v := range list {
		switch v := v.(type) {
		case int:
			out = append(out, float64(v))
		case float64:
			out = append(out, v)
		default:
			return nil, false
		}
	}
	return out, true
}
