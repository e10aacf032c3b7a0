package restamp

import "strings"

// A cursor takes the parts of a text one after the other. It has failed if a part was not there.
type cursor struct {
	rest   string
	failed bool
}

// done reports whether all parts were there and nothing follows them.
func (c *cursor) done() bool { return !c.failed && c.rest == "" }

// word takes w.
func (c *cursor) word(w string) { c.failed = !c.maybe(w) || c.failed }

// maybe takes w if it is next.
func (c *cursor) maybe(w string) (taken bool) {
	c.rest, taken = strings.CutPrefix(c.rest, w)
	return taken
}

// some takes bytes as long as is holds, and returns them.
func (c *cursor) some(is func(byte) bool) string {
	n := 0
	for n < len(c.rest) && is(c.rest[n]) {
		n++
	}
	taken := c.rest[:n]
	c.rest = c.rest[n:]
	return taken
}

// digits takes all digits that are next, at least one.
func (c *cursor) digits() string {
	taken := c.some(isDigit)
	c.failed = c.failed || taken == ""
	return taken
}

// short takes all digits that are next, one to nine.
func (c *cursor) short() string {
	taken := c.digits()
	c.failed = c.failed || len(taken) > 9
	return taken
}

func isDigit(b byte) bool { return '0' <= b && b <= '9' }

func isHex(b byte) bool { return isDigit(b) || 'A' <= b && b <= 'F' || 'a' <= b && b <= 'f' }

func isSpace(b byte) bool { return b == ' ' || '\t' <= b && b <= '\r' && b != '\v' }
