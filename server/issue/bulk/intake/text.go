package intake

import (
	"bytes"
	"encoding/binary"
	"unicode/utf16"
	"unicode/utf8"
)

// decode returns the text of a CSV file as UTF-8 without byte order mark.
// Spreadsheets write UTF-8 with one, and "Unicode text" as UTF-16. Any other
// encoding cannot be told from its neighbours by its bytes (0xE4 is ä, ð, δ or
// ф), so it is refused, with the line where that shows.
func decode(b []byte, p *Problems) (text []byte, ok bool) {
	switch {
	case bytes.HasPrefix(b, []byte{0xEF, 0xBB, 0xBF}):
		b = b[3:]
	case bytes.HasPrefix(b, []byte{0xFF, 0xFE}):
		b = fromUTF16(b[2:], binary.LittleEndian)
	case bytes.HasPrefix(b, []byte{0xFE, 0xFF}):
		b = fromUTF16(b[2:], binary.BigEndian)
	}
	if i := invalidUTF8(b); i >= 0 {
		p.Add(lineAt(b, i), "", "byte 0x%02X is not UTF-8; save the file as \"CSV UTF-8\" (it looks like Windows-1252 or another single-byte encoding)", b[i])
		return nil, false
	}
	if i := bytes.IndexByte(b, 0); i >= 0 {
		p.Add(lineAt(b, i), "", "the file has a null character; it is no CSV text")
		return nil, false
	}
	return b, true
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
func invalidUTF8(b []byte) int {
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return -1
}

// lineAt returns the line, from 1, of offset i in b.
func lineAt(b []byte, i int) int { return 1 + bytes.Count(b[:i], []byte{'\n'}) }
