package pdfobj

import (
	"bytes"
	"reflect"
	"strconv"
	"strings"
)

// Bounds of one object: the depth of nested values, and the number of values. A value
// takes two bytes in the file and 16 or more in memory.
const (
	maxDepth  = 48
	maxValues = 500_000
)

// lexer reads values from b. It stops and sets out when the budget is used up, when values
// are nested too deeply or when there are too many.
type lexer struct {
	b      []byte
	pos    int
	left   *int // bytes that may still be read, of all lexers of a file together
	values int
	out    bool
	odd    bool // the bytes are against the grammar; programs read them in different ways
	twice  Name
	gens   map[int]int // generations other than 0 that references must have
	refs   *bits       // nil, or the set of the numbers of references
}

func isSpace(c byte) bool {
	return c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '\f' || c == 0
}

func isDelimiter(c byte) bool {
	return bytes.IndexByte([]byte("()<>[]{}/%"), c) >= 0
}

func isRegular(c byte) bool { return !isSpace(c) && !isDelimiter(c) }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// spend takes n bytes from the budget.
func (l *lexer) spend(n int) bool {
	*l.left -= n
	if *l.left < 0 {
		l.out = true
	}
	return !l.out
}

// peek skips white space and comments and returns the next byte, 0 at the end.
func (l *lexer) peek() byte {
	from := l.pos
	for l.pos < len(l.b) {
		c := l.b[l.pos]
		switch {
		case isSpace(c):
			l.pos++
		case c == '%':
			for l.pos < len(l.b) && l.b[l.pos] != '\n' && l.b[l.pos] != '\r' {
				l.pos++
			}
		default:
			l.spend(l.pos - from)
			return c
		}
	}
	l.spend(l.pos - from)
	return 0
}

// An end is a value that marks the end of a container, for lexers only.
type end byte

// value reads one value, or an end: ']' and '>' close a container, 0 is the end of the
// bytes.
func (l *lexer) value(depth int) any {
	if l.values++; depth > maxDepth || l.values > maxValues {
		l.out = true
	}
	c := l.peek()
	if l.out || l.pos >= len(l.b) {
		return end(0)
	}
	from := l.pos
	defer func() { l.spend(l.pos - from) }()
	switch {
	case c == '/':
		return l.name()
	case c == '(':
		return l.literal()
	case c == '<' && l.next('<'):
		l.pos += 2
		return l.dict(depth)
	case c == '<':
		return l.hex()
	case c == '>' && l.next('>'):
		l.pos += 2
		return end('>')
	case c == '[':
		l.pos++
		return l.array(depth)
	case c == ']':
		l.pos++
		return end(']')
	case isRegular(c):
		return l.word()
	}
	l.pos++ // a bracket that closes nothing
	l.odd = true
	return nil
}

func (l *lexer) next(c byte) bool { return l.pos+1 < len(l.b) && l.b[l.pos+1] == c }

// regular returns the run of regular characters that begins here.
func (l *lexer) regular() []byte {
	from := l.pos
	for l.pos < len(l.b) && isRegular(l.b[l.pos]) {
		l.pos++
	}
	return l.b[from:l.pos]
}

func (l *lexer) name() Name {
	l.pos++
	raw := l.regular()
	if bytes.IndexByte(raw, '#') < 0 {
		return Name(raw)
	}
	var out []byte
	for i := 0; i < len(raw); i++ {
		if raw[i] == '#' {
			if i+2 < len(raw) {
				if v, err := strconv.ParseUint(string(raw[i+1:i+3]), 16, 8); err == nil {
					out = append(out, byte(v))
					l.odd = l.odd || v == 0 // some programs end a name here, as in C
					i += 2
					continue
				}
			}
			l.odd = true
		}
		out = append(out, raw[i])
	}
	return Name(out)
}

func (l *lexer) literal() String {
	from, depth := l.pos, 0
	for ; l.pos < len(l.b); l.pos++ {
		switch l.b[l.pos] {
		case '\\':
			l.pos++
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				l.pos++
				return String(l.b[from:l.pos])
			}
		}
	}
	l.pos, l.odd = len(l.b), true
	return String(l.b[from:])
}

func (l *lexer) hex() String {
	from := l.pos
	n := bytes.IndexByte(l.b[l.pos:], '>')
	if n < 0 {
		l.pos = len(l.b)
	} else {
		l.pos += n + 1
	}
	text := String(l.b[from:l.pos])
	for _, c := range bytes.TrimSuffix(text[1:], []byte(">")) {
		l.odd = l.odd || !isSpace(c) && bytes.IndexByte([]byte("0123456789abcdefABCDEF"), c) < 0
	}
	l.odd = l.odd || n < 0
	return text
}

func (l *lexer) array(depth int) Array {
	var a Array
	for !l.out {
		v := l.value(depth + 1)
		switch v := v.(type) {
		case end:
			if v == ']' {
				return a
			}
			if l.odd = true; v == '>' {
				l.pos -= 2 // the bracket of the container of this value
			}
			return a
		}
		a = append(a, v)
	}
	return a
}

func (l *lexer) dict(depth int) Dict {
	d := Dict{}
	for !l.out {
		k := l.value(depth + 1)
		if e, ok := k.(end); ok && (e == '>' || e == 0) {
			l.odd = l.odd || e == 0
			break
		}
		key, ok := k.(Name)
		if !ok {
			if l.odd = true; isKeyword(l.b[:l.pos]) {
				break // the dictionary was never closed
			}
			continue
		}
		v := l.value(depth + 1)
		if e, ok := v.(end); ok {
			if l.odd = true; e == ']' {
				continue
			}
			break
		}
		if old, ok := d[key]; ok && l.twice == "" && !same(old, v) {
			l.twice = key
		}
		d[key] = v
	}
	return d
}

// isKeyword reports whether b ends with a word after which no dictionary continues.
func isKeyword(b []byte) bool {
	return bytes.HasSuffix(b, []byte("endobj")) || bytes.HasSuffix(b, []byte("stream"))
}

func same(a, b any) bool { return reflect.DeepEqual(a, b) }

// word reads a number, a reference, true, false, null or another word.
func (l *lexer) word() any {
	w := string(l.regular())
	switch w {
	case "true":
		return true
	case "false":
		return false
	case "null":
		return nil
	}
	n, err := strconv.Atoi(w)
	if err != nil {
		if f, err := strconv.ParseFloat(w, 64); err == nil && strings.Trim(w, "+-.0123456789") == "" {
			return f
		}
		l.odd = true
		return nil
	}
	if n < 0 || !isDigit(w[0]) {
		return n
	}
	// This may be "n g R".
	back := l.pos
	if isDigit(l.peek()) {
		if gen, err := strconv.Atoi(string(l.regular())); err == nil && l.peek() == 'R' && len(l.regular()) == 1 {
			l.odd = l.odd || gen != l.gens[n] // some programs check generations, others do not
			if l.refs != nil {
				l.refs.set(n)
			}
			return Ref(n)
		}
	}
	l.pos = back
	return n
}
