package restamp

import "strings"

// token is a value without parts, or a reference. A literal string comes
// without its text.
var token = later(`^(?:/(?:[!"$&'*-.0-;=?-Z\\^-z|~]|#[0-9A-Fa-f]{2})*|[1-9]\d* 0 R|[+-]?(?:\d+\.?\d*|\.\d+)|true|false|null|<[0-9A-Fa-f]*>)`)

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
	n := len(token().FindString(s))
	return s[n:], n > 0
}

// pairs takes the entries of a dictionary and its end.
func pairs(s string, depth int) (rest string, ok bool) {
	for !strings.HasPrefix(s, ">>") {
		key := token().FindString(s)
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
