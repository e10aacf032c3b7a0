package caveat

import (
	"strings"
	"unicode"
)

// maxName bounds a name that a file gives, in characters.
const maxName = 40

// clean returns a name from a file in a form that is safe to show to people: without
// control characters, marks of direction and quotation marks, and not long.
func clean(s string) string {
	var b strings.Builder
	n := 0
	for _, r := range s {
		if n >= maxName {
			b.WriteString("…")
			break
		}
		if r == '“' || r == '”' || r == unicode.ReplacementChar || !unicode.IsPrint(r) {
			continue
		}
		b.WriteRune(r)
		n++
	}
	return b.String()
}
