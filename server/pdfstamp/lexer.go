package pdfstamp

import (
	"bytes"
	"errors"
	"strconv"
)

// errSyntax is returned where bytes are no PDF object.
var errSyntax = errors.New("not a PDF object")

// A lexer parses objects from b. Only stream data that it returns aliases b: tokens
// are copied.
type lexer struct {
	b      []byte
	pos    int
	budget *budget
}

func isSpace(c byte) bool {
	return c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '\f' || c == 0
}

func isDelimiter(c byte) bool {
	switch c {
	case '(', ')', '<', '>', '[', ']', '{', '}', '/', '%':
		return true
	}
	return false
}

func isRegular(c byte) bool { return !isSpace(c) && !isDelimiter(c) }

// skipSpace moves over white space and comments.
func (l *lexer) skipSpace() {
	at := l.pos
	defer func() { l.budget.scan(l.pos - at) }()
	for l.pos < len(l.b) {
		switch c := l.b[l.pos]; {
		case isSpace(c):
			l.pos++
		case c == '%':
			for l.pos < len(l.b) && l.b[l.pos] != '\n' && l.b[l.pos] != '\r' {
				l.pos++
			}
		default:
			return
		}
	}
}

// has reports whether s comes next, and moves over it if it does.
func (l *lexer) has(s string) bool {
	if l.pos <= len(l.b) && bytes.HasPrefix(l.b[l.pos:], []byte(s)) {
		l.pos += len(s)
		return true
	}
	return false
}

// regular moves over regular characters and returns them.
func (l *lexer) regular() []byte {
	at := l.pos
	for l.pos < len(l.b) && isRegular(l.b[l.pos]) {
		l.pos++
	}
	return l.b[at:l.pos]
}

// natural reads white space and an unsigned integer of at most ten digits. It
// does not move if there is none.
func (l *lexer) natural() (int, bool) {
	at := l.pos
	l.skipSpace()
	from := l.pos
	for l.pos < len(l.b) && l.b[l.pos] >= '0' && l.b[l.pos] <= '9' {
		l.pos++
	}
	if n := l.pos - from; n == 0 || n > 10 {
		l.pos = at
		return 0, false
	}
	n, err := strconv.Atoi(string(l.b[from:l.pos]))
	return n, err == nil
}

// header reads "n g obj". Where the text is another one, the position after it is
// undefined.
func (l *lexer) header() (num, gen int, ok bool) {
	if l.pos < 0 || l.pos >= len(l.b) || l.budget.scanned == 0 {
		return 0, 0, false
	}
	num, ok = l.natural()
	gen, ok2 := l.natural()
	l.skipSpace()
	return num, gen, ok && ok2 && l.has("obj")
}

// object parses the next object. depth counts the containers around it.
func (l *lexer) object(depth int) (any, error) {
	if depth > maxDepth {
		return nil, errTooComplex
	}
	if err := l.budget.object(); err != nil {
		return nil, err
	}
	l.skipSpace()
	if l.pos >= len(l.b) {
		return nil, errSyntax
	}
	switch c := l.b[l.pos]; {
	case c == '/':
		l.pos++
		return l.nameToken(), nil
	case c == '(':
		return l.literalString()
	case c == '<':
		if l.has("<<") {
			return l.dictionary(depth)
		}
		return l.hexString()
	case c == '[':
		l.pos++
		return l.array(depth)
	case c >= '0' && c <= '9':
		if r, ok := l.reference(); ok {
			return r, nil
		}
	}
	token := l.regular()
	if len(token) == 0 {
		return nil, errSyntax
	}
	return raw(token), nil
}

// nameToken reads a name after its slash. Escapes are decoded, so that /R#6fot
// is found as Root; a # that begins none stands for itself, as in every viewer.
func (l *lexer) nameToken() name {
	token := l.regular()
	if bytes.IndexByte(token, '#') < 0 {
		return name(token)
	}
	out := make([]byte, 0, len(token))
	for i := 0; i < len(token); i++ {
		if token[i] == '#' && i+2 < len(token) {
			if v, err := strconv.ParseUint(string(token[i+1:i+3]), 16, 8); err == nil {
				out = append(out, byte(v))
				i += 2
				continue
			}
		}
		out = append(out, token[i])
	}
	return name(out)
}

func (l *lexer) literalString() (any, error) {
	at, open := l.pos, 0
	defer func() { l.budget.scan(l.pos - at) }()
	for ; l.pos < len(l.b); l.pos++ {
		switch l.b[l.pos] {
		case '\\':
			l.pos++
		case '(':
			open++
		case ')':
			if open--; open == 0 {
				l.pos++
				return raw(l.b[at:l.pos]), nil
			}
		}
	}
	l.pos = len(l.b)
	return nil, errSyntax
}

func (l *lexer) hexString() (any, error) {
	n := bytes.IndexByte(l.b[l.pos:], '>')
	if n < 0 {
		l.budget.scan(len(l.b) - l.pos)
		return nil, errSyntax
	}
	l.budget.scan(n)
	token := l.b[l.pos : l.pos+n+1]
	l.pos += n + 1
	return raw(token), nil
}

func (l *lexer) array(depth int) (any, error) {
	a := array{}
	for {
		l.skipSpace()
		if l.has("]") {
			return a, nil
		}
		o, err := l.object(depth + 1)
		if err != nil {
			return nil, err
		}
		a = append(a, o)
	}
}

// dictionary reads a dictionary after its <<. The last of two equal
// keys counts, as in every reader that was tried.
func (l *lexer) dictionary(depth int) (any, error) {
	d := newDict()
	for {
		l.skipSpace()
		if l.has(">>") {
			return d, nil
		}
		if !l.has("/") {
			// No key: viewers skip it, and so lose no more than it.
			if _, err := l.object(depth + 1); err != nil {
				return nil, err
			}
			continue
		}
		k := l.nameToken()
		l.skipSpace()
		if bytes.HasPrefix(l.b[min(l.pos, len(l.b)):], []byte(">>")) {
			continue // a key without value, at the end
		}
		v, err := l.object(depth + 1)
		if err != nil {
			return nil, err
		}
		d.set(k, v)
	}
}

// reference reads "n g R". It does not move if the text is another one.
func (l *lexer) reference() (ref, bool) {
	at := l.pos
	n, ok := l.natural()
	if ok && l.pos < len(l.b) && isSpace(l.b[l.pos]) {
		if g, ok := l.natural(); ok {
			l.skipSpace()
			if l.has("R") && (l.pos >= len(l.b) || !isRegular(l.b[l.pos])) {
				l.budget.refer(n)
				return ref{n, g}, true
			}
		}
	}
	l.pos = at
	return ref{}, false
}
