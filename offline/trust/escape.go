package trust

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// escaped lists the code points, in addition to the backslash, that a text always
// escapes: controls, line separators, and characters that change the direction or
// visibility of the text around them. The list is fixed, so that the canonical
// form does not depend on a version of Unicode (FORMAT.md, "Texts").
var escaped = [][2]rune{
	{0x0000, 0x001F},
	{0x007F, 0x009F},
	{0x00AD, 0x00AD},
	{0x061C, 0x061C},
	{0x200B, 0x200F},
	{0x2028, 0x202E},
	{0x2060, 0x206F},
	{0xFEFF, 0xFEFF},
	{0xFFF9, 0xFFFB},
	{0xE0000, 0xE007F},
}

// Invisible reports whether r is a control character, a line separator, or one that changes the
// direction or the visibility of the text around it. [Escape] writes each as its number.
func Invisible(r rune) bool {
	for _, span := range escaped {
		if r >= span[0] && r <= span[1] {
			return true
		}
	}
	return false
}

// Escape puts any UTF-8 text into one line: `\\` for a backslash, `\u{h}` with
// lower-case hexadecimal digits for the code points of escaped and for a space
// that begins or ends the text. The result is safe to print: it can neither
// move the cursor nor reverse the line.
func Escape(s string) string {
	var b strings.Builder
	for i, r := range s {
		switch edge := i == 0 || i == len(s)-1; {
		case r == '\\':
			b.WriteString(`\\`)
		case Invisible(r), r == ' ' && edge:
			b.WriteString(`\u{` + strconv.FormatInt(int64(r), 16) + `}`)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// unescape is the inverse of Escape. ok is false if s is not the result of
// Escape for any text, so that one text has one spelling.
func unescape(s string) (text string, ok bool) {
	var b strings.Builder
	for rest := s; rest != ""; {
		plain, after, found := strings.Cut(rest, `\`)
		b.WriteString(plain)
		if !found {
			break
		}
		if after, found = strings.CutPrefix(after, `\`); found {
			b.WriteByte('\\')
			rest = after
			continue
		}
		digits, after, found := strings.Cut(strings.TrimPrefix(after, "u{"), "}")
		r, err := strconv.ParseUint(digits, 16, 21)
		if !found || err != nil || !utf8.ValidRune(rune(r)) {
			return "", false
		}
		b.WriteRune(rune(r))
		rest = after
	}
	text = b.String()
	return text, Escape(text) == s
}

// validText reports whether s may be a name or label.
func validText(s string) bool {
	return s != "" && len(s) <= MaxTextLen && utf8.ValidString(s)
}

// validLanguage reports whether s looks like a BCP 47 tag in its usual case:
// a language of 2 or 3 lower-case letters, then subtags of 1 to 8 letters and
// digits, 35 characters at most.
func validLanguage(s string) bool {
	if len(s) > 35 {
		return false
	}
	for i, part := range strings.Split(s, "-") {
		if i == 0 && (len(part) < 2 || len(part) > 3) || part == "" || len(part) > 8 {
			return false
		}
		for j := range len(part) {
			if c := part[j]; !alphanumeric(c) || i == 0 && (c < 'a' || c > 'z') {
				return false
			}
		}
	}
	return true
}

// validCode reports whether s is n characters of 0-9 and A-Z.
func validCode(s string, n int) bool {
	for i := range len(s) {
		if c := s[i]; (c < 'A' || c > 'Z') && (c < '0' || c > '9') {
			return false
		}
	}
	return len(s) == n
}

// validFieldKey reports whether s can be the key of a payload's field.
func validFieldKey(s string) bool {
	for i := range len(s) {
		if c := s[i]; (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '_' {
			return false
		}
	}
	return len(s) >= 1 && len(s) <= 16
}
