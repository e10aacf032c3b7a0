package caveat

import (
	"strings"
	"unicode"
)

// maxName bounds a name that a file gives, in characters.
const maxName = 40

// clean is a name from a file as people may be shown it: without control
// characters, marks of direction and quotation marks, and not long.
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
