// Package charset turns bytes of a symbol into text by the number of their extended channel interpretation (ECI, AIM
// ITS/04-023). Call [Decode]; it is the Charset that package ecc200 asks.
//
// The package holds the tables of all sets, half a megabyte for the East Asian ones. Only programs that read documents link
// it: a reader in a browser does without, and shows such bytes as ISO/IEC 8859-1.
package charset

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"
)

// sets are the character sets by ECI. 14 and 19 are reserved; ASCII, UTF-8 and ISO/IEC 8859-1 need no table, but stand
// here too.
var sets = map[int]encoding.Encoding{
	0: charmap.CodePage437, 1: charmap.ISO8859_1, 2: charmap.CodePage437, 3: charmap.ISO8859_1,
	4: charmap.ISO8859_2, 5: charmap.ISO8859_3, 6: charmap.ISO8859_4, 7: charmap.ISO8859_5, 8: charmap.ISO8859_6,
	9: charmap.ISO8859_7, 10: charmap.ISO8859_8, 11: charmap.ISO8859_9, 12: charmap.ISO8859_10,
	13: charmap.Windows874, // and the control characters of 8859-11
	15: charmap.ISO8859_13, 16: charmap.ISO8859_14, 17: charmap.ISO8859_15, 18: charmap.ISO8859_16,
	20: japanese.ShiftJIS,
	21: charmap.Windows1250, 22: charmap.Windows1251, 23: charmap.Windows1252, 24: charmap.Windows1256,
	25: unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM),
	26: encoding.Nop, 27: encoding.Nop,
	28: traditionalchinese.Big5, 29: simplifiedchinese.GBK, // of which GB/T 2312 is a part
	30: korean.EUCKR, 31: simplifiedchinese.GBK, 32: simplifiedchinese.GB18030,
	33: unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM),
	34: utf32.UTF32(utf32.BigEndian, utf32.IgnoreBOM), 35: utf32.UTF32(utf32.LittleEndian, utf32.IgnoreBOM),
	170: encoding.Nop, 899: charmap.ISO8859_1,
}

const (
	thai      = 13
	utf8Set   = 26
	ascii     = 27
	invariant = 170
)

// Decode returns the UTF-8 text of b, bytes in the character set of eci. ok is false if the set is not known, or if b is
// no valid text in it: then text is empty. It never replaces bytes with U+FFFD.
func Decode(eci int, b []byte) (text string, ok bool) {
	set, ok := sets[eci]
	if !ok {
		return "", false
	}
	switch eci {
	case utf8Set:
		return valid(string(b))
	case ascii, invariant:
		if bytes.ContainsFunc(b, func(r rune) bool { return r >= utf8.RuneSelf }) {
			return "", false
		}
		return string(b), true
	case thai:
		return decodeThai(b)
	}
	out, err := set.NewDecoder().Bytes(b)
	if err != nil {
		return "", false
	}
	text = string(out)
	if strings.ContainsRune(text, utf8.RuneError) {
		// The character itself, which sets of all characters have, or bytes that are none.
		back, err := set.NewEncoder().Bytes(out)
		if err != nil || !bytes.Equal(back, b) {
			return "", false
		}
	}
	return valid(text)
}

func valid(text string) (string, bool) {
	if !utf8.ValidString(text) {
		return "", false
	}
	return text, true
}

// decodeThai decodes ISO/IEC 8859-11: where Windows has signs of its own, it has control characters.
func decodeThai(b []byte) (string, bool) {
	var out strings.Builder
	for _, v := range b {
		r := rune(v)
		if v >= 0xA0 {
			if r = charmap.Windows874.DecodeByte(v); r == utf8.RuneError {
				return "", false
			}
		}
		out.WriteRune(r)
	}
	return out.String(), true
}
