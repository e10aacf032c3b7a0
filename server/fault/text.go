package fault

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxName is the longest name of anything, in characters.
const MaxName = 200

// Text adds the problems of a text that a client may choose freely: it must be
// UTF-8 of at most limit characters, with a visible character if it is needed,
// and without U+0000, which no text column of PostgreSQL holds. The text is
// otherwise kept unchanged: code that shows a text must escape it for its
// place.
func (p *Fields) Text(field, text string, needed bool, limit int) {
	if !utf8.ValidString(text) {
		p.Add(field, "must be valid UTF-8")
		return
	}
	if needed && !strings.ContainsFunc(text, seen) {
		p.Add(field, "must not be empty")
	}
	if n := utf8.RuneCountInString(text); n > limit {
		p.Add(field, "must be at most %d characters, got %d", limit, n)
	}
	if strings.IndexByte(text, 0) >= 0 {
		p.Add(field, "must not contain U+0000")
	}
}

// seen reports whether r is visible. White space, controls and ignorable
// characters, such as the zero width space and the Hangul filler, are
// not.
func seen(r rune) bool {
	return !unicode.IsSpace(r) && !unicode.In(r, unicode.Cc, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// Name adds the problems of the name of something that an operator makes: it is a
// needed [Fields.Text] of at most [MaxName] characters on one line, without control
// characters and line separators, because commands print it and every device shows
// it.
func (p *Fields) Name(field, name string) {
	p.Text(field, name, true, MaxName)
	if utf8.ValidString(name) && strings.ContainsFunc(name, breaksLine) {
		p.Add(field, "must not contain control characters")
	}
}

func breaksLine(r rune) bool { return r != 0 && unicode.IsControl(r) || r == '\u2028' || r == '\u2029' }
