package intake

import (
	"bytes"
	"encoding/binary"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// byteOrderMark is U+FEFF in UTF-8.
const byteOrderMark = "\ufeff"

// decode returns the text of a CSV file as UTF-8 without byte order marks: some
// programs put a second one before the first. Spreadsheets write UTF-8 with one, and
// "Unicode text" as UTF-16. Any other encoding cannot be told from its neighbours by
// its bytes (0xE4 is ä, ð, δ or ф), so its bytes stay, for [Sheet.readable] to find.
func decode(b []byte) []byte {
	switch {
	case bytes.HasPrefix(b, []byte{0xFF, 0xFE}):
		b = fromUTF16(b[2:], binary.LittleEndian)
	case bytes.HasPrefix(b, []byte{0xFE, 0xFF}):
		b = fromUTF16(b[2:], binary.BigEndian)
	default:
		if order := unmarked(b); order != nil {
			b = fromUTF16(b, order)
		}
	}
	for bytes.HasPrefix(b, []byte(byteOrderMark)) {
		b = b[len(byteOrderMark):]
	}
	return b
}

// unmarked returns the byte order of UTF-16 without a byte order mark, or nil: half of
// the first characters or more are ASCII, so that one of their bytes is zero, always on
// the same side.
func unmarked(b []byte) binary.ByteOrder {
	const looked = 128
	head, zeros := b[:min(len(b), looked)&^1], [2]int{}
	for i, c := range head {
		if c == 0 {
			zeros[i%2]++
		}
	}
	switch enough := func(n int) bool { return n > 0 && 4*n >= len(head) }; {
	case enough(zeros[1]) && zeros[0] == 0:
		return binary.LittleEndian
	case enough(zeros[0]) && zeros[1] == 0:
		return binary.BigEndian
	}
	return nil
}

// fromUTF16 turns UTF-16 without its byte order mark into UTF-8. Half a
// character at the end, or a surrogate on its own, stays visible as U+FFFD.
func fromUTF16(b []byte, order binary.ByteOrder) []byte {
	out := make([]byte, 0, len(b)) // most texts get shorter
	for ; len(b) >= 2; b = b[2:] {
		r := rune(order.Uint16(b))
		if utf16.IsSurrogate(r) && len(b) >= 4 {
			if pair := utf16.DecodeRune(r, rune(order.Uint16(b[2:]))); pair != utf8.RuneError {
				r, b = pair, b[2:]
			}
		}
		out = utf8.AppendRune(out, r) // half a pair is U+FFFD
	}
	if len(b) == 1 {
		out = utf8.AppendRune(out, utf8.RuneError)
	}
	return out
}

// invalidUTF8 returns the offset of the first byte that is not UTF-8, or -1.
func invalidUTF8(s string) int {
	for i, r := range s {
		if r == utf8.RuneError {
			if _, n := utf8.DecodeRuneInString(s[i:]); n == 1 {
				return i
			}
		}
	}
	return -1
}

// trim drops white space at both ends, no-break spaces and byte order marks among it.
func trim(s string) string {
	return strings.TrimFunc(s, func(r rune) bool { return unicode.IsSpace(r) || r == '\ufeff' })
}
