package restamp

import "strings"

// token returns the value without parts, or the reference, at the start of s: "" if there is none.
// A literal string is no token.
func token(s string) string {
	c := cursor{rest: s}
	switch {
	case c.maybe("/"):
		c.name()
	case c.maybe("true"), c.maybe("false"), c.maybe("null"):
	case c.maybe("<"):
		c.some(isHex)
		c.word(">")
	default:
		if ref := (cursor{rest: s}); ref.reference() {
			c = ref
		} else {
			c.number()
		}
	}
	if c.failed {
		return ""
	}
	return s[:len(s)-len(c.rest)]
}

// name takes the regular characters of a name, and #xx.
func (c *cursor) name() {
	for {
		c.some(isRegular)
		if len(c.rest) < 3 || c.rest[0] != '#' || !isHex(c.rest[1]) || !isHex(c.rest[2]) {
			return
		}
		c.rest = c.rest[3:]
	}
}

// isRegular reports whether b stands for itself in a name (ISO 32000-1, 7.3.5).
func isRegular(b byte) bool { return '!' <= b && b <= '~' && strings.IndexByte("#%()/<>[]{}", b) < 0 }

// reference takes a reference to an object of generation 0.
func (c *cursor) reference() bool {
	c.failed = c.failed || strings.HasPrefix(c.rest, "0")
	c.digits()
	c.word(" 0 R")
	return !c.failed
}

// number takes an integer or a number with a point.
func (c *cursor) number() {
	if !c.maybe("+") {
		c.maybe("-")
	}
	whole := c.some(isDigit)
	fraction := ""
	if c.maybe(".") {
		fraction = c.some(isDigit)
	}
	c.failed = c.failed || whole+fraction == ""
}

// written reports whether text is one dictionary as the stamper writes it: in
// any other form, a parser that is more lenient than others would see another
// value.
func written(text string) bool {
	rest, ok := value(text, 0)
	return ok && rest == "" && strings.HasPrefix(text, "<<")
}

// value takes one value from the start of s and returns the rest.
func value(s string, depth int) (rest string, ok bool) {
	if depth > maxDepth {
		return s, false
	}
	switch {
	case strings.HasPrefix(s, "<<"):
		return pairs(s[2:], depth+1)
	case strings.HasPrefix(s, "["):
		return elements(s[1:], depth+1)
	case strings.HasPrefix(s, "("):
		return literal(s)
	}
	n := len(token(s))
	return s[n:], n > 0
}

// pairs takes the entries of a dictionary and its end.
func pairs(s string, depth int) (rest string, ok bool) {
	for !strings.HasPrefix(s, ">>") {
		key := token(s)
		if !strings.HasPrefix(key, "/") || !strings.HasPrefix(s[len(key):], " ") {
			return s, false
		}
		if s, ok = value(s[len(key)+1:], depth); !ok || !strings.HasPrefix(s, "\n") {
			return s, false
		}
		s = s[1:]
	}
	return s[2:], true
}

// elements takes the elements of an array and its end.
func elements(s string, depth int) (rest string, ok bool) {
	for first := true; !strings.HasPrefix(s, "]"); first = false {
		if !first {
			if !strings.HasPrefix(s, " ") {
				return s, false
			}
			s = s[1:]
		}
		if s, ok = value(s, depth); !ok {
			return s, false
		}
	}
	return s[1:], true
}

// literal takes a string in parentheses.
func literal(s string) (rest string, ok bool) {
	depth := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return s[i+1:], true
			}
		}
	}
	return s, false
}
