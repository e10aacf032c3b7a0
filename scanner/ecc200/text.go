package ecc200

import "errors"

// ErrText means that codewords proven by Reed-Solomon are no valid text.
var ErrText = errors.New("codewords are no valid text")

// Codewords with a meaning of their own in ASCII mode (ISO/IEC 16022 table 2).
const (
	cwPad          = 129
	cwC40          = 230
	cwBase256      = 231
	cwFNC1         = 232
	cwAppend       = 233
	cwProgram      = 234
	cwUpperShift   = 235
	cwMacro05      = 236
	cwMacro06      = 237
	cwX12          = 238
	cwText         = 239
	cwEDIFACT      = 240
	cwECI          = 241
	cwUnlatch      = 254
	groupSeparator = 0x1D
)

// Text returns the text of data codewords as UTF-8: [Parse] and then [Content.Text] without further sets. FNC1 in first place
// marks GS1 data and is left out; later ones are group separators. The error is [ErrText].
func Text(codewords []byte) (string, error) {
	c, err := Parse(codewords)
	if err != nil {
		return "", err
	}
	text, _ := c.Text(nil)
	return text, nil
}

// textReader walks through codewords.
type textReader struct {
	in        []byte
	at        int
	out       Content
	run       []byte // bytes under the current ECI
	eci       int
	symbology byte
	trailer   string
}

func (t *textReader) left() int { return len(t.in) - t.at }

func (t *textReader) ascii() error {
	upper := false
	for t.at < len(t.in) {
		c := t.in[t.at]
		t.at++
		if c <= 128 && c > 0 {
			if upper {
				c += 128
			}
			t.run = append(t.run, c-1)
			upper = false
			continue
		}
		if upper && !(c >= 130 && c <= 229) {
			return ErrText
		}
		upper = false
		if c == cwPad {
			return t.padding()
		}
		if c == cwUpperShift {
			upper = true
			continue
		}
		if c >= 130 && c <= 229 {
			t.run = append(t.run, '0'+(c-130)/10, '0'+(c-130)%10)
			continue
		}
		if err := t.control(c); err != nil {
			return err
		}
	}
	if upper {
		return ErrText
	}
	return nil
}

// control handles the codewords that are no characters.
func (t *textReader) control(c byte) error {
	switch c {
	case cwC40:
		return t.triplets(&c40Sets)
	case cwText:
		return t.triplets(&textSets)
	case cwX12:
		return t.x12()
	case cwEDIFACT:
		return t.edifact()
	case cwBase256:
		return t.base256()
	case cwECI:
		return t.interpretation()
	case cwFNC1:
		t.function(t.at - 1)
	case cwAppend:
		if t.at != 1 || t.left() < 3 {
			return ErrText
		}
		t.at += 3
	case cwProgram:
		if t.at != 1 {
			return ErrText
		}
	case cwMacro05, cwMacro06:
		if t.at != 1 {
			return ErrText
		}
		t.run = append(t.run, "[)>\x1e05\x1d"...)
		t.run[5] += c - cwMacro05
		t.trailer = "\x1e\x04"
	case cwUnlatch: // some writers unlatch at the very end
	default:
		return ErrText
	}
	return nil
}

// padding consumes everything after the first pad. Some writers do not randomise it, so
// its values are not checked here: see [Padded].
func (t *textReader) padding() error {
	t.at = len(t.in)
	return nil
}

// base256 reads a byte segment, each of whose codewords is randomised by place.
func (t *textReader) base256() error {
	next := func() (int, bool) {
		if t.at >= len(t.in) {
			return 0, false
		}
		t.at++
		v := int(t.in[t.at-1]) - (149*t.at%255 + 1)
		if v < 0 {
			v += 256
		}
		return v, true
	}
	n, ok := next()
	if !ok {
		return ErrText
	}
	switch {
	case n == 0:
		n = t.left()
	case n >= 250:
		low, ok := next()
		if !ok {
			return ErrText
		}
		n = 250*(n-249) + low
	}
	if n > t.left() {
		return ErrText
	}
	for range n {
		v, _ := next()
		t.run = append(t.run, byte(v))
	}
	return nil
}

// Padded reports whether the codewords from the first pad on follow ISO/IEC
// 16022 5.2.3: 129, then 129 randomised by place. from is the index of the first
// pad.
func Padded(codewords []byte, from int) bool {
	for i := from; i < len(codewords); i++ {
		want := cwPad
		if i > from {
			want += 149*(i+1)%253 + 1
			if want > 254 {
				want -= 254
			}
		}
		if int(codewords[i]) != want {
			return false
		}
	}
	return true
}
