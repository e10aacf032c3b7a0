package fault

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"tcode/offline/trust"
)

// MaxName is the longest name of anything, in characters.
const MaxName = 200

// Text adds the problems of a text that a client may choose freely: it is a [Fields.Sought]
// text, with a visible character if it is needed, and without invisible characters that no
// script needs: people would read another text than the one that is signed. It is otherwise kept
// unchanged: code that shows a text must escape it for its place.
func (p *Fields) Text(field, text string, needed bool, limit int) {
	p.Sought(field, text, limit)
	if !utf8.ValidString(text) {
		return
	}
	if needed && !strings.ContainsFunc(text, seen) {
		p.Add(field, "must not be empty")
		return
	}
	if name, at := hidden(text); name != "" {
		p.Add(field, "must not contain %s (character %d), which is invisible: remove it, or type the text again", name, at)
	}
}

// Sought adds the problems of a text that is only searched for: it must be UTF-8 of at most
// limit characters, without U+0000, which no text column of PostgreSQL holds.
func (p *Fields) Sought(field, text string, limit int) {
	if !utf8.ValidString(text) {
		p.Add(field, "must be valid UTF-8")
		return
	}
	if n := utf8.RuneCountInString(text); n > limit {
		p.Add(field, "must be at most %d characters, got %d", limit, n)
	}
	if strings.IndexByte(text, 0) >= 0 {
		p.Add(field, "must not contain U+0000")
	}
}

// Scripts that are written with invisible characters: marks of direction between words that run
// to the left, and the zero width space between words without spaces.
var (
	leftward = []*unicode.RangeTable{unicode.Arabic, unicode.Hebrew, unicode.Syriac, unicode.Thaana, unicode.Nko}
	joined   = []*unicode.RangeTable{unicode.Khmer, unicode.Lao, unicode.Myanmar, unicode.Thai}
)

// hidden returns the name of the first invisible character of text that no script of it needs,
// and its number from 1; name is "" if there is none. Tabs and line ends are visible. U+200C and
// U+200D are parts of words in Persian and in the scripts of India.
func hidden(text string) (name string, at int) {
	has := func(scripts []*unicode.RangeTable) bool {
		return strings.ContainsFunc(text, func(r rune) bool { return unicode.In(r, scripts...) })
	}
	for _, r := range text {
		at++
		switch {
		case !trust.Invisible(r) || strings.ContainsRune("\x00\t\n\r\u200c\u200d", r):
		case r == '\u200b' && has(joined):
		case strings.ContainsRune("\u200e\u200f\u061c", r) && has(leftward):
		default:
			return strings.TrimSpace(fmt.Sprintf("U+%04X %s", r, names[r])), at
		}
	}
	return "", 0
}

// names are those of Unicode, of characters that programs put into texts.
var names = map[rune]string{
	'\u0085': "NEXT LINE", '\u00ad': "SOFT HYPHEN", '\u061c': "ARABIC LETTER MARK",
	'\u200b': "ZERO WIDTH SPACE", '\u200e': "LEFT-TO-RIGHT MARK", '\u200f': "RIGHT-TO-LEFT MARK",
	'\u2028': "LINE SEPARATOR", '\u2029': "PARAGRAPH SEPARATOR",
	'\u202a': "LEFT-TO-RIGHT EMBEDDING", '\u202b': "RIGHT-TO-LEFT EMBEDDING",
	'\u202c': "POP DIRECTIONAL FORMATTING", '\u202d': "LEFT-TO-RIGHT OVERRIDE",
	'\u202e': "RIGHT-TO-LEFT OVERRIDE", '\u2060': "WORD JOINER",
	'\u2066': "LEFT-TO-RIGHT ISOLATE", '\u2067': "RIGHT-TO-LEFT ISOLATE",
	'\u2068': "FIRST STRONG ISOLATE", '\u2069': "POP DIRECTIONAL ISOLATE",
	'\ufeff': "ZERO WIDTH NO-BREAK SPACE",
}

// seen reports whether r is visible. White space, controls and ignorable
// characters, such as the zero width space and the Hangul filler, are
// not.
func seen(r rune) bool {
	return !unicode.IsSpace(r) && !unicode.In(r, unicode.Cc, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// Name adds the problems of the name of something that an operator makes: it is a
// needed [Fields.Text] of at most [MaxName] characters on one line, because commands
// print it and every device shows it.
func (p *Fields) Name(field, name string) {
	p.Text(field, name, true, MaxName)
	if strings.ContainsAny(name, "\t\n\r") {
		p.Add(field, "must not contain control characters")
	}
}
