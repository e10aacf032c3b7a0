package strictjson

import (
	"unicode/utf16"
	"unicode/utf8"
)

// number reads -? int frac? exp? (RFC 8259 section 6).
func (p *parser) number(path string) (Node, error) {
	start := p.i
	if p.peek() == '-' {
		p.i++
	}
	if p.peek() == '0' {
		p.i++
	} else if !p.digits() {
		return Node{}, p.fail(path, ErrSyntax)
	}
	if p.peek() == '.' {
		p.i++
		if !p.digits() {
			return Node{}, p.fail(path, ErrSyntax)
		}
	}
	if c := p.peek(); c == 'e' || c == 'E' {
		p.i++
		if c := p.peek(); c == '+' || c == '-' {
			p.i++
		}
		if !p.digits() {
			return Node{}, p.fail(path, ErrSyntax)
		}
	}
	return Node{Kind: Number, raw: p.b[start:p.i]}, nil
}

// digits skips digits and reports whether there were any.
func (p *parser) digits() bool {
	start := p.i
	for c := p.peek(); '0' <= c && c <= '9'; c = p.peek() {
		p.i++
	}
	return p.i > start
}

// str reads a string and checks its escapes and its UTF-8.
func (p *parser) str(path string) (Node, error) {
	p.i++ // "
	n := Node{Kind: String}
	start := p.i
	for p.i < len(p.b) {
		switch c := p.b[p.i]; {
		case c == '"':
			n.raw = p.b[start:p.i]
			p.i++
			return n, nil
		case c == '\\':
			n.escaped = true
			if err := p.escape(); err != nil {
				return n, p.fail(path, err)
			}
		case c < ' ':
			return n, p.fail(path, ErrSyntax) // control characters must be escaped
		case c < utf8.RuneSelf:
			p.i++
		default:
			r, size := utf8.DecodeRune(p.b[p.i:])
			if r == utf8.RuneError && size == 1 {
				return n, p.fail(path, ErrUTF8)
			}
			p.i += size
		}
	}
	return n, p.fail(path, ErrTruncated)
}

// escape skips one escape, two where they make a surrogate pair.
func (p *parser) escape() error {
	if p.i+1 >= len(p.b) {
		return ErrTruncated
	}
	switch p.b[p.i+1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		p.i += 2
		return nil
	case 'u':
	default:
		return ErrSyntax
	}
	r, ok := hex4(p.b[p.i:])
	if !ok {
		return ErrSyntax
	}
	if !utf16.IsSurrogate(r) {
		p.i += 6
		return nil
	}
	low, ok := hex4(p.b[p.i+6:])
	if !ok || utf16.DecodeRune(r, low) == utf8.RuneError {
		return ErrSurrogate
	}
	p.i += 12
	return nil
}

// hex4 reads \uXXXX at the start of b.
func hex4(b []byte) (rune, bool) {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return 0, false
	}
	var r rune
	for _, c := range b[2:6] {
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c && c <= 'f':
			c -= 'a' - 10
		case 'A' <= c && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}

var single = map[byte]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// unescape resolves the escapes of raw, which str has checked.
func unescape(raw []byte) []byte {
	out := make([]byte, 0, len(raw))
	for i := 0; i < len(raw); {
		if raw[i] != '\\' {
			out = append(out, raw[i])
			i++
			continue
		}
		if raw[i+1] != 'u' {
			out = append(out, single[raw[i+1]])
			i += 2
			continue
		}
		r, _ := hex4(raw[i:])
		i += 6
		if utf16.IsSurrogate(r) {
			low, _ := hex4(raw[i:])
			r = utf16.DecodeRune(r, low)
			i += 6
		}
		out = utf8.AppendRune(out, r)
	}
	return out
}
