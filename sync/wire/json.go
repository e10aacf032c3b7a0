package wire

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// kind is the type of a JSON value.
type kind uint8

const (
	kindNull kind = iota
	kindBool
	kindNumber
	kindString
	kindArray
	kindObject
)

func (k kind) String() string {
	return [...]string{"null", "a boolean", "a number", "a string", "an array", "an object"}[k]
}

// A value is one JSON value with the length of its source. Package
// encoding/json is not suitable: it takes the last of two equal names, matches
// names in any case, and turns bad UTF-8 and lone surrogates into U+FFFD.
type value struct {
	kind    kind
	text    string // the characters of a string, the source of a number
	yes     bool   // of a boolean
	elems   []value
	members []member
	size    int // bytes of source
}

type member struct {
	name  string
	value value
}

// maxDepth is the deepest nesting; the deepest known body has four levels.
const maxDepth = 32

// A scanner reads one JSON document (RFC 8259).
type scanner struct {
	src   []byte
	pos   int
	depth int
}

// parseJSON reads src as one document. The error is a *FieldError with
// [ErrSyntax] or [ErrDuplicate].
func parseJSON(src []byte) (value, error) {
	if !utf8.Valid(src) {
		return value{}, &FieldError{bodyPath, "not UTF-8", ErrSyntax}
	}
	s := &scanner{src: src}
	v, err := s.value("")
	if err != nil {
		return value{}, err
	}
	if s.space(); s.pos != len(src) {
		return value{}, s.syntax("something follows the document")
	}
	return v, nil
}

func (s *scanner) syntax(detail string) error {
	return &FieldError{bodyPath, fmt.Sprintf("%s at byte %d", detail, s.pos), ErrSyntax}
}

func (s *scanner) space() {
	for s.pos < len(s.src) {
		switch s.src[s.pos] {
		case ' ', '\t', '\n', '\r':
			s.pos++
		default:
			return
		}
	}
}

// peek skips space and returns the next byte, 0 at the end.
func (s *scanner) peek() byte {
	if s.space(); s.pos < len(s.src) {
		return s.src[s.pos]
	}
	return 0
}

func (s *scanner) value(path string) (v value, err error) {
	c := s.peek()
	start := s.pos
	switch {
	case c == '{':
		v, err = s.object(path)
	case c == '[':
		v, err = s.array(path)
	case c == '"':
		v.kind = kindString
		v.text, err = s.str()
	case c == '-' || c >= '0' && c <= '9':
		v.kind = kindNumber
		v.text, err = s.number()
	case s.literal("true"):
		v.kind, v.yes = kindBool, true
	case s.literal("false"):
		v.kind = kindBool
	case s.literal("null"):
		v.kind = kindNull
	default:
		err = s.syntax("no value")
	}
	v.size = s.pos - start
	return v, err
}

func (s *scanner) literal(word string) bool {
	if !strings.HasPrefix(string(s.src[s.pos:min(len(s.src), s.pos+len(word))]), word) {
		return false
	}
	s.pos += len(word)
	return true
}

// enter goes one level deeper; the caller returns with s.depth--.
func (s *scanner) enter() error {
	s.pos++
	if s.depth++; s.depth > maxDepth {
		return s.syntax("nested too deep")
	}
	return nil
}

func (s *scanner) object(path string) (v value, err error) {
	v.kind = kindObject
	if err := s.enter(); err != nil {
		return v, err
	}
	defer func() { s.depth-- }()
	seen := map[string]bool{}
	if s.peek() == '}' {
		s.pos++
		return v, nil
	}
	for {
		if s.peek() != '"' {
			return v, s.syntax("no member name")
		}
		name, err := s.str()
		if err != nil {
			return v, err
		}
		p := join(path, name)
		if seen[name] {
			return v, &FieldError{p, "", ErrDuplicate}
		}
		seen[name] = true
		if s.peek() != ':' {
			return v, s.syntax("no colon")
		}
		s.pos++
		x, err := s.value(p)
		if err != nil {
			return v, err
		}
		v.members = append(v.members, member{name, x})
		if more, err := s.more('}'); !more {
			return v, err
		}
	}
}

func (s *scanner) array(path string) (v value, err error) {
	v.kind = kindArray
	if err := s.enter(); err != nil {
		return v, err
	}
	defer func() { s.depth-- }()
	if s.peek() == ']' {
		s.pos++
		return v, nil
	}
	for {
		x, err := s.value(index(path, len(v.elems)))
		if err != nil {
			return v, err
		}
		v.elems = append(v.elems, x)
		if more, err := s.more(']'); !more {
			return v, err
		}
	}
}

// more reads a comma or the closing byte.
func (s *scanner) more(closing byte) (bool, error) {
	switch s.peek() {
	case ',':
		s.pos++
		return true, nil
	case closing:
		s.pos++
		return false, nil
	}
	return false, s.syntax("no comma")
}

// number reads exactly RFC 8259's grammar: no 01, no +1, no 1., no NaN.
func (s *scanner) number() (string, error) {
	start := s.pos
	digits := func() bool {
		from := s.pos
		for s.pos < len(s.src) && s.src[s.pos] >= '0' && s.src[s.pos] <= '9' {
			s.pos++
		}
		return s.pos > from
	}
	next := func(set string) bool {
		if s.pos < len(s.src) && strings.IndexByte(set, s.src[s.pos]) >= 0 {
			s.pos++
			return true
		}
		return false
	}
	next("-")
	whole := s.pos
	ok := digits() && (s.src[whole] != '0' || s.pos == whole+1)
	if ok && next(".") {
		ok = digits()
	}
	if ok && next("eE") {
		next("+-")
		ok = digits()
	}
	if !ok {
		return "", s.syntax("malformed number")
	}
	return string(s.src[start:s.pos]), nil
}

// str reads a string. It requires escaped control characters and paired
// surrogates; anything else would decode to other text than the client wrote.
func (s *scanner) str() (string, error) {
	s.pos++
	start := s.pos
	var b []byte // nil while nothing was escaped
	for s.pos < len(s.src) {
		switch c := s.src[s.pos]; {
		case c == '"':
			t := string(s.src[start:s.pos])
			if b != nil {
				t = string(append(b, t...))
			}
			s.pos++
			return t, nil
		case c < 0x20:
			return "", s.syntax("control character")
		case c == '\\':
			b = append(b, s.src[start:s.pos]...)
			r, err := s.escape()
			if err != nil {
				return "", err
			}
			b = utf8.AppendRune(b, r)
			start = s.pos
		default:
			s.pos++
		}
	}
	return "", s.syntax("string does not end")
}

func (s *scanner) escape() (rune, error) {
	if s.pos+1 >= len(s.src) {
		return 0, s.syntax("string does not end")
	}
	c := s.src[s.pos+1]
	if c != 'u' {
		if i := strings.IndexByte(`"\/bfnrt`, c); i >= 0 {
			s.pos += 2
			return rune("\"\\/\b\f\n\r\t"[i]), nil
		}
		return 0, s.syntax("unknown escape")
	}
	r, err := s.hex4()
	if err != nil || !utf16.IsSurrogate(r) {
		return r, err
	}
	low, err := s.hex4()
	if err != nil {
		return 0, err
	}
	if r = utf16.DecodeRune(r, low); r == utf8.RuneError {
		return 0, s.syntax("lone surrogate")
	}
	return r, nil
}

// hex4 reads \uXXXX.
func (s *scanner) hex4() (rune, error) {
	if s.pos+6 > len(s.src) || s.src[s.pos] != '\\' || s.src[s.pos+1] != 'u' {
		return 0, s.syntax("lone surrogate")
	}
	n, err := strconv.ParseUint(string(s.src[s.pos+2:s.pos+6]), 16, 16)
	if err != nil {
		return 0, s.syntax("unknown escape")
	}
	s.pos += 6
	return rune(n), nil
}

func join(path, name string) string {
	if path == "" {
		return printable(name)
	}
	return path + "." + printable(name)
}

func index(path string, i int) string { return path + "[" + strconv.Itoa(i) + "]" }

// printable makes a client's member name fit for a header or a log line.
func printable(name string) string {
	const most = 64
	clean := strings.Map(func(r rune) rune {
		if r <= ' ' || r > '~' || r == '"' || r == ',' {
			return '?'
		}
		return r
	}, name)
	if len(clean) > most {
		clean = clean[:most]
	}
	return clean
}
