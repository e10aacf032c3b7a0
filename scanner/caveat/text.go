package caveat

import (
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"tcode/scanner/pdfobj"
)

// textString decodes a text string (ISO 32000-2, 7.9.2.2): UTF-16BE or UTF-8 behind
// its mark, else PDFDocEncoding. It returns false for bytes without a meaning
// there.
func textString(s pdfobj.String) (string, bool) {
	b := s.Bytes()
	switch {
	case len(b) >= 2 && b[0] == 0xFE && b[1] == 0xFF:
		if len(b)%2 != 0 {
			return "", false
		}
		var units []uint16
		for i := 2; i < len(b); i += 2 {
			units = append(units, uint16(b[i])<<8|uint16(b[i+1]))
		}
		out := string(utf16.Decode(units))
		return out, !strings.ContainsRune(out, unicode.ReplacementChar)
	case strings.HasPrefix(string(b), "\xEF\xBB\xBF"):
		return string(b[3:]), utf8.Valid(b)
	}
	var out strings.Builder
	for _, c := range b {
		r := pdfDoc(c)
		if r == 0 {
			return "", false
		}
		out.WriteRune(r)
	}
	return out.String(), true
}

// squeezed returns s without white space and without invisible characters.
func squeezed(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || r == 0x00AD || r == 0x200B || r == 0xFEFF {
			return -1
		}
		return r
	}, s)
}

// Encodings of single bytes from 0x80 on; 0 where a byte has no character.
var (
	winUpper = [32]rune{
		'€', '•', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '•', 'Ž', '•',
		'•', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '•', 'ž', 'Ÿ',
	}
	docUpper = [32]rune{
		'•', '†', '‡', '…', '—', '–', 'ƒ', '⁄', '‹', '›', '−', '‰', '„', '“', '”', '‘',
		'’', '‚', '™', 'ﬁ', 'ﬂ', 'Ł', 'Œ', 'Š', 'Ÿ', 'Ž', 'ı', 'ł', 'œ', 'š', 'ž', 0,
	}
	docLower = [8]rune{'˘', 'ˇ', 'ˆ', '˙', '˝', '˛', '˚', '˜'}
)

// pdfDoc decodes a byte of PDFDocEncoding.
func pdfDoc(c byte) rune {
	switch {
	case c == '\t' || c == '\n' || c == '\r':
		return rune(c)
	case c >= 24 && c < 32:
		return docLower[c-24]
	case c < 32 || c == 127 || c == 173:
		return 0
	case c >= 0x80 && c < 0xA0:
		return docUpper[c-0x80]
	case c == 0xA0:
		return '€'
	}
	return rune(c)
}

// winAnsi decodes a byte of WinAnsiEncoding.
func winAnsi(c byte) rune {
	switch {
	case c < 32 || c == 127:
		return 0
	case c >= 0x80 && c < 0xA0:
		return winUpper[c-0x80]
	case c == 0xA0:
		return ' '
	}
	return rune(c)
}

// lower decodes a byte of the part of StandardEncoding and MacRomanEncoding that equals ASCII.
func lower(c byte) rune {
	if c < 32 || c > 126 || c == '\'' || c == '`' {
		return 0
	}
	return rune(c)
}
