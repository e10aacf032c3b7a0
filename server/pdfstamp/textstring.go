package pdfstamp

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// maxText bounds a text string that is shown to people, in bytes of UTF-8.
const maxText = 200

// text returns a text string (ISO 32000-1, 7.9.2.2) for people, without characters
// that do not print.
func (d *document) text(o any) string {
	b := string(d.bytesOf(o))
	var s string
	switch {
	case strings.HasPrefix(b, "\xFE\xFF"):
		units := make([]uint16, 0, len(b)/2)
		for i := 2; i+1 < len(b); i += 2 {
			units = append(units, uint16(b[i])<<8|uint16(b[i+1]))
		}
		s = string(utf16.Decode(units))
	case strings.HasPrefix(b, "\xEF\xBB\xBF") && utf8.ValidString(b):
		s = b[3:]
	default: // PDFDocEncoding, which is Latin 1 where it matters here
		runes := make([]rune, len(b))
		for i := range len(b) {
			runes[i] = rune(b[i])
		}
		s = string(runes)
	}
	s = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, s)
	for len(s) > maxText {
		_, n := utf8.DecodeLastRuneInString(s)
		s = s[:len(s)-n]
	}
	return s
}

// stringBytes returns the bytes of a string token (7.3.4), "" if it is none.
func stringBytes(token string) string {
	if len(token) < 2 {
		return ""
	}
	body := token[1 : len(token)-1]
	switch token[0] {
	case '(':
		return literalBytes(body)
	case '<':
		return hexBytes(body)
	}
	return ""
}

func hexBytes(s string) string {
	var out []byte
	high := -1
	for i := range len(s) {
		v, err := strconv.ParseUint(s[i:i+1], 16, 8)
		if err != nil {
			continue // white space
		}
		if high < 0 {
			high = int(v)
			continue
		}
		out = append(out, byte(high<<4|int(v)))
		high = -1
	}
	if high >= 0 {
		out = append(out, byte(high<<4))
	}
	return string(out)
}

// escapes are the letters that a backslash turns into something else.
var escapes = map[byte]byte{'n': '\n', 'r': '\r', 't': '\t', 'b': '\b', 'f': '\f'}

func literalBytes(s string) string {
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			out = append(out, s[i])
			continue
		}
		i++
		c := s[i]
		if c >= '0' && c <= '7' {
			n := 1
			for n < 3 && i+n < len(s) && s[i+n] >= '0' && s[i+n] <= '7' {
				n++
			}
			v, _ := strconv.ParseUint(s[i:i+n], 8, 16) // three octal digits always parse
			out = append(out, byte(v))
			i += n - 1
			continue
		}
		switch e, known := escapes[c]; {
		case known:
			out = append(out, e)
		case c == '\r': // an escaped line end is none; CR LF is one line end
			if i+1 < len(s) && s[i+1] == '\n' {
				i++
			}
		case c != '\n':
			out = append(out, c)
		}
	}
	return string(out)
}
