package fault

import (
	"strings"
	"unicode/utf8"
)

// Text adds what is wrong with a text that a client may choose freely: it must
// be UTF-8 of at most most characters, not blank if it is needed, and without
// U+0000, which no text column of PostgreSQL holds. Everything else is kept as
// it came: whoever shows a text makes it harmless for where it is shown.
func (p *Fields) Text(field, text string, needed bool, most int) {
	if !utf8.ValidString(text) {
		p.Add(field, "must be valid UTF-8")
		return
	}
	if needed && strings.TrimSpace(text) == "" {
		p.Add(field, "must not be empty")
	}
	if n := utf8.RuneCountInString(text); n > most {
		p.Add(field, "must be at most %d characters, got %d", most, n)
	}
	if strings.IndexByte(text, 0) >= 0 {
		p.Add(field, "must not contain U+0000")
	}
}
