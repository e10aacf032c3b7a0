package charset_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"tcode/scanner/charset"
	"tcode/scanner/ecc200"
)

// TestDecode: the same letters in every set, with the bytes of its published code table.
func TestDecode(t *testing.T) {
	t.Parallel()
	tests := []struct {
		eci  int
		in   string
		want string
	}{
		{0, "\x81\x9c", "ü£"},
		{2, "\xe1", "ß"},
		{1, "\xe9", "é"},
		{3, "\xe9\x80", "é\u0080"},
		{4, "\xb1", "ą"},
		{5, "\xa1", "Ħ"},
		{6, "\xa2", "ĸ"},
		{7, "\xb6", "Ж"},
		{8, "\xc7", "ا"},
		{9, "\xe1", "α"},
		{10, "\xe0", "א"},
		{11, "\xfd", "ı"},
		{12, "\xe7", "į"},
		{13, "\xa1\x80", "ก\u0080"},
		{15, "\xd0", "Š"},
		{16, "\xf0", "ŵ"},
		{17, "\xa4", "€"},
		{18, "\xaa", "Ș"},
		{20, "\x93\xfa\x96\x7b\xb1", "日本ｱ"},
		{21, "\xb3", "ł"},
		{22, "\xc6", "Ж"},
		{23, "\x80", "€"},
		{24, "\xc7", "ا"},
		{25, "\x04\x16\xd8\x3d\xde\x00", "Ж😀"},
		{25, "\xff\xfd", "\ufffd"},
		{26, "\xd0\x96", "Ж"},
		{26, "\xef\xbf\xbd", "\ufffd"},
		{27, "AZ", "AZ"},
		{28, "\xa4\xa4\xa4\xe5", "中文"},
		{29, "\xd6\xd0\xce\xc4", "中文"},
		{30, "\xc7\xd1", "한"},
		{31, "\xd6\xd0", "中"},
		{32, "\xd6\xd0\x94\x39\xfc\x36", "中😀"},
		{33, "\x16\x04", "Ж"},
		{34, "\x00\x01\xf6\x00", "😀"},
		{35, "\x16\x04\x00\x00", "Ж"},
		{170, "AZ", "AZ"},
		{899, "\x00\xff", "\u0000ÿ"},
	}
	for _, tt := range tests {
		if got, ok := charset.Decode(tt.eci, []byte(tt.in)); got != tt.want || !ok {
			t.Errorf("ECI %d: Decode(%x) = %q, %v, want %q", tt.eci, tt.in, got, ok, tt.want)
		}
	}
}

// TestDecodeRefuses: bytes that are no text give no text, and above all no replacement character.
func TestDecodeRefuses(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		eci int
		in  string
	}{
		{14, "A"},
		{19, "A"},
		{36, "A"},
		{898, "A"},
		{999_999, "A"},
		{-1, "A"},
		{8, "\xa1"},
		{13, "\xdb"},
		{13, "\xff"},
		{20, "\x93"},
		{20, "\x81\x20"},
		{25, "\x04"},
		{25, "\xd8\x3d\x00\x41"},
		{26, "\xd0"},
		{27, "\x80"},
		{28, "\xa4"},
		{29, "\xff"},
		{30, "\xc7"},
		{32, "\x94\x39\xfc"},
		{34, "\x00\x11\x00\x00"},
		{34, "\x00\x00"},
		{35, "\x00\xd8\x00\x00"},
		{170, "\xff"},
	} {
		got, ok := charset.Decode(tt.eci, []byte(tt.in))
		if ok || got != "" {
			t.Errorf("ECI %d: Decode(%x) = %q, %v, want nothing", tt.eci, tt.in, got, ok)
		}
	}
}

// FuzzDecode: text is valid UTF-8, and has a replacement character only in sets that have that character. Content.Text
// keeps the bytes where Decode refuses.
func FuzzDecode(f *testing.F) {
	f.Add(20, []byte("\x93\xfa"))
	f.Add(32, []byte("\x84\x31\xa4\x37"))
	f.Add(25, []byte("\xd8\x3d\xde\x00"))
	f.Add(7, []byte("\xb6"))
	f.Fuzz(func(t *testing.T, eci int, b []byte) {
		text, ok := charset.Decode(eci, b)
		if !ok && text != "" || !utf8.ValidString(text) {
			t.Fatalf("Decode(%d, %x) = %q, %v", eci, b, text, ok)
		}
		all := map[int]bool{25: true, 26: true, 32: true, 33: true, 34: true, 35: true}
		if strings.ContainsRune(text, utf8.RuneError) && !all[eci] {
			t.Fatalf("Decode(%d, %x) = %q: a replacement character", eci, b, text)
		}
		c := ecc200.Content{Segments: []ecc200.Segment{{ECI: eci, Bytes: b}}}
		whole, guessed := c.Text(charset.Decode)
		if ok && (whole != text || len(guessed) > 0) {
			t.Fatalf("ECI %d of %x: %q with %v guessed, want %q", eci, b, whole, guessed, text)
		}
		if !ok && utf8.RuneCountInString(whole) != len(b) {
			t.Fatalf("ECI %d of %x: %q has not one character for each byte", eci, b, whole)
		}
	})
}
