package ecc200

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// A Content is the data of a symbol: its bytes, and the character sets that the symbol names for them.
type Content struct {
	Segments []Segment // in order, none of them empty
	// Symbology is the identifier of ISO/IEC 15424: "]d1", or "]d2" for GS1 data (FNC1 in first place), "]d3" for data with
	// FNC1 in second place, and "]d4", "]d5", "]d6" for the same with an ECI.
	Symbology string
	// Named are the numbers of the extended channel interpretations (ECI) that the symbol names, each once, in order.
	Named []int
}

// A Segment is the bytes under one character set.
type Segment struct {
	ECI   int // [DefaultECI] where the symbol names none
	Bytes []byte
}

// Numbers of extended channel interpretations (AIM ITS/04-023) that need no table.
const (
	DefaultECI = 3   // ISO/IEC 8859-1
	eciUTF8    = 26  //
	eciASCII   = 27  // ISO/IEC 646
	eciInvar   = 170 // the part of it that all countries share
	eciBinary  = 899 // bytes that are no text, taken as ISO/IEC 8859-1
	maxECI     = 999_999
)

// wide are the sets of more than one byte for an ASCII character.
var wide = []int{25, 33, 34, 35}

// A Charset returns the UTF-8 text of b, bytes in the character set of an ECI. ok is false if it does not know the set, or
// if b is no valid text in it.
type Charset func(eci int, b []byte) (text string, ok bool)

// Bytes returns the bytes of all segments.
func (c *Content) Bytes() []byte {
	var out []byte
	for _, s := range c.Segments {
		out = append(out, s.Bytes...)
	}
	return out
}

// Text returns the text of c as UTF-8. It takes ISO/IEC 8859-1, 8859-1 for bytes that are no text (ECI 899), UTF-8 and
// ASCII itself, and asks others, which may be nil, for the rest. The bytes of a segment in a set that is not known, or that are
// no valid text in it, become characters of ISO/IEC 8859-1: no byte is lost, and no text contains a replacement character that is
// not in the symbol. guessed lists the ECI of those segments, each once.
func (c *Content) Text(others Charset) (text string, guessed []int) {
	var out strings.Builder
	for _, s := range c.Segments {
		known, ok := s.known()
		if !ok && others != nil {
			known, ok = others(s.ECI, s.Bytes)
		}
		if !ok || !utf8.ValidString(known) {
			known = latin1(s.Bytes)
			if !slices.Contains(guessed, s.ECI) {
				guessed = append(guessed, s.ECI)
			}
		}
		out.WriteString(known)
	}
	return out.String(), guessed
}

// known returns the text of s if its set needs no table.
func (s *Segment) known() (string, bool) {
	switch s.ECI {
	case 1, DefaultECI, eciBinary:
		return latin1(s.Bytes), true
	case eciUTF8:
		return string(s.Bytes), utf8.Valid(s.Bytes)
	case eciASCII, eciInvar:
		return string(s.Bytes), !slices.ContainsFunc(s.Bytes, func(b byte) bool { return b >= utf8.RuneSelf })
	}
	return "", false
}

func latin1(b []byte) string {
	var out strings.Builder
	for _, v := range b {
		out.WriteRune(rune(v))
	}
	return out.String()
}

// Parse returns the content of data codewords, in all six encodation schemes. FNC1 in first or second place is not a
// byte but part of Symbology; later ones are group separators. The error is [ErrText].
func Parse(codewords []byte) (Content, error) {
	t := textReader{in: codewords, eci: DefaultECI, symbology: '1'}
	if err := t.ascii(); err != nil {
		return Content{}, err
	}
	t.flush()
	if t.trailer != "" {
		t.eci, t.run = DefaultECI, append(t.run, t.trailer...)
		t.flush()
	}
	if len(t.out.Named) > 0 {
		t.symbology += 3
	}
	t.out.Symbology = "]d" + string(rune(t.symbology))
	return t.out, nil
}

// flush ends the current segment.
func (t *textReader) flush() {
	if len(t.run) == 0 {
		return
	}
	if n := len(t.out.Segments); n > 0 && t.out.Segments[n-1].ECI == t.eci {
		t.out.Segments[n-1].Bytes = append(t.out.Segments[n-1].Bytes, t.run...)
	} else {
		t.out.Segments = append(t.out.Segments, Segment{t.eci, slices.Clone(t.run)})
	}
	t.run = t.run[:0]
}

// separate adds a group separator. It is one byte, also among characters of two or four.
func (t *textReader) separate() {
	if !slices.Contains(wide, t.eci) {
		t.run = append(t.run, groupSeparator)
		return
	}
	eci := t.eci
	t.flush()
	t.eci, t.run = DefaultECI, append(t.run, groupSeparator)
	t.flush()
	t.eci = eci
}

// function handles FNC1, which is codeword at, from 0. In first place it marks GS1 data, in second place, after one letter or two
// digits, data of an industry that these name; a header of structured append does not count.
func (t *textReader) function(at int) {
	if t.in[0] == cwAppend {
		at -= 4
	}
	switch before := byte(0); {
	case at == 0:
		t.symbology = '2'
	case at == 1:
		before = t.in[t.at-2] - 1
		if letter := before | 0x20; letter >= 'a' && letter <= 'z' || before >= 129 && before <= 228 {
			t.symbology = '3'
			return
		}
		t.separate()
	default:
		t.separate()
	}
}

// interpretation reads the number of an extended channel interpretation.
func (t *textReader) interpretation() error {
	if t.left() < 1 {
		return ErrText
	}
	c := int(t.in[t.at])
	more, number := 0, c-1
	switch {
	case c >= 128 && c <= 191:
		more = 1
	case c >= 192 && c <= 207:
		more = 2
	case c == 0 || c > 207:
		return ErrText
	}
	if t.left() < 1+more {
		return ErrText
	}
	for _, v := range t.in[t.at+1 : t.at+1+more] {
		if v == 0 || v == 255 {
			return ErrText
		}
	}
	switch more {
	case 1:
		number = (c-128)*254 + int(t.in[t.at+1]) - 1 + 127
	case 2:
		number = (c-192)*64516 + (int(t.in[t.at+1])-1)*254 + int(t.in[t.at+2]) - 1 + 16383
	}
	if number > maxECI {
		return ErrText
	}
	t.at += 1 + more
	t.flush()
	t.eci = number
	if !slices.Contains(t.out.Named, number) {
		t.out.Named = append(t.out.Named, number)
	}
	return nil
}
