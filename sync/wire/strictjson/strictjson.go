// Package strictjson parses one JSON document the strict way (RFC 8259 with the
// restrictions of I-JSON, RFC 7493), so that no two readers of a request can
// disagree about it. Package encoding/json is not suitable: it takes the last of
// two equal names, matches names in any case, and turns bad UTF-8 and lone
// surrogates into U+FFFD. Call [Parse], or [Lift] for a body with large files.
//
//	bytes ─▶ Parse ─▶ Node tree ─▶ Text, Number, Member ...
//	            └─▶ Problems: path of the field ─▶ its errors
//
// Refused: bytes that are not UTF-8, lone surrogates, a member named twice in
// one object, anything after the document, a byte order mark, more than 32
// arrays and objects in one another. Only [Node.Text]
// copies strings, so that a Base64 file of megabytes costs one pass.
package strictjson

import (
	"errors"
	"fmt"
	"strconv"
	"unicode/utf8"
)

// Reasons for a [*SyntaxError].
var (
	ErrEmpty     = errors.New("the body is empty")
	ErrUTF8      = errors.New("not UTF-8")
	ErrSurrogate = errors.New("an escape is half of a surrogate pair")
	ErrTrailing  = errors.New("there is more after the document")
	ErrDepth     = errors.New("nested too deep")
	ErrSyntax    = errors.New("not JSON")
	ErrTruncated = errors.New("the document ends too early")
	ErrDuplicate = errors.New("the member is there twice")
)

// maxDepth is the limit of nested arrays and objects. No body of requests to a
// gateway needs more than 6, no reply more than 4. Parsing recurses as deep.
const maxDepth = 32

// SyntaxError is the place where a document stops being JSON, and the reason.
type SyntaxError struct {
	Offset int    // byte offset
	Path   string // of the value that is read, "" for the document itself
	Err    error  // one of the sentinels
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("%v at byte %d", e.Err, e.Offset)
}

// Unwrap returns the reason.
func (e *SyntaxError) Unwrap() error { return e.Err }

// Kind is the type of a value.
type Kind uint8

// The kinds of JSON values.
const (
	Null Kind = iota
	Bool
	Number
	String
	Array
	Object
)

// String returns the name of a value of the kind, such as "an object".
func (k Kind) String() string {
	return [...]string{"null", "a boolean", "a number", "a string", "an array", "an object"}[k]
}

// A Node is one value. It aliases the bytes given to [Parse].
type Node struct {
	Kind    Kind
	True    bool     // of a Bool
	Members []Member // of an Object, in order, names are unique
	Items   []Node   // of an Array
	Size    int      // bytes of its source
	raw     []byte   // of a Number its text; of a String the characters between the quotes
	escaped bool
}

// A Member is one name and value of an object.
type Member struct {
	Name  string
	Value Node
}

// Member returns the value called name.
func (n Node) Member(name string) (Node, bool) {
	for _, m := range n.Members {
		if m.Name == name {
			return m.Value, true
		}
	}
	return Node{}, false
}

// Text returns the text of a String, or the digits of a Number.
func (n Node) Text() string {
	if !n.escaped {
		return string(n.raw)
	}
	return string(unescape(n.raw))
}

// Bytes returns what [Node.Text] returns, without a copy where there are no
// escapes. The caller must not change it.
func (n Node) Bytes() []byte {
	if !n.escaped {
		return n.raw
	}
	return unescape(n.raw)
}

// Float returns the value of a Number; ok is false if it is out of range.
func (n Node) Float() (v float64, ok bool) {
	v, err := strconv.ParseFloat(string(n.raw), 64)
	return v, err == nil
}

// maxPath bounds paths in bytes: a client's name of megabytes would otherwise
// be copied for each member below it. Longer paths are cut.
const maxPath = 256

// Join returns the path of a member called name in the object at path.
func Join(path, name string) string {
	name = name[:min(len(name), max(0, maxPath-len(path)))]
	if path == "" {
		return name
	}
	return path + "." + name
}

// Index returns the path of item i of the array at path.
func Index(path string, i int) string { return path + "[" + strconv.Itoa(i) + "]" }

// Parse reads the one document in b. It returns a [*SyntaxError], or several
// joined where members are there twice.
func Parse(b []byte) (Node, error) {
	p := parser{b: b}
	p.space()
	if p.i == len(b) {
		return Node{}, &SyntaxError{p.i, "", ErrEmpty}
	}
	n, err := p.value("", 0)
	if err != nil {
		return Node{}, err
	}
	p.space()
	if p.i != len(b) {
		return Node{}, &SyntaxError{p.i, "", ErrTrailing}
	}
	return n, errors.Join(p.twice...)
}

// Problems returns the messages of err, an error of [Parse], by field path; the
// document itself has the path "$body".
func Problems(err error) map[string][]string {
	fields := map[string][]string{}
	add := func(err error) {
		var s *SyntaxError
		if !errors.As(err, &s) {
			return
		}
		path, message := s.Path, s.Error()
		if path == "" {
			path = "$body"
		}
		if s.Err == ErrDuplicate {
			message = "is there twice"
		}
		fields[path] = append(fields[path], message)
	}
	if many, ok := err.(interface{ Unwrap() []error }); ok {
		for _, err := range many.Unwrap() {
			add(err)
		}
	} else {
		add(err)
	}
	return fields
}

type parser struct {
	b     []byte
	i     int
	twice []error
}

func (p *parser) fail(path string, err error) error {
	if p.i >= len(p.b) && err == ErrSyntax {
		err = ErrTruncated
	}
	return &SyntaxError{p.i, path, err}
}

func (p *parser) space() {
	for p.i < len(p.b) {
		switch p.b[p.i] {
		case ' ', '\t', '\r', '\n':
			p.i++
		default:
			return
		}
	}
}

// peek returns the next byte, 0 at the end; a NUL in the document is never
// valid where peek is asked.
func (p *parser) peek() byte {
	if p.i < len(p.b) {
		return p.b[p.i]
	}
	return 0
}

// value reads a value that is nested in depth arrays and objects.
func (p *parser) value(path string, depth int) (n Node, err error) {
	start := p.i
	switch c := p.peek(); {
	case (c == '{' || c == '[') && depth == maxDepth:
		return Node{}, p.fail(path, ErrDepth)
	case c == '{':
		n, err = p.object(path, depth)
	case c == '[':
		n, err = p.array(path, depth)
	case c == '"':
		n, err = p.str(path)
	case c == '-' || '0' <= c && c <= '9':
		n, err = p.number(path)
	case c >= utf8.RuneSelf:
		return Node{}, p.fail(path, p.badRune())
	case p.word("true"):
		n = Node{Kind: Bool, True: true}
	case p.word("false"):
		n = Node{Kind: Bool}
	case p.word("null"):
	default:
		return Node{}, p.fail(path, ErrSyntax)
	}
	n.Size = p.i - start
	return n, err
}

// word skips a word if it comes next.
func (p *parser) word(w string) bool {
	if len(p.b)-p.i < len(w) || string(p.b[p.i:p.i+len(w)]) != w {
		return false
	}
	p.i += len(w)
	return true
}

// badRune tells bytes that are not UTF-8 from characters that are out of place.
func (p *parser) badRune() error {
	if r, size := utf8.DecodeRune(p.b[p.i:]); r == utf8.RuneError && size == 1 {
		return ErrUTF8
	}
	return ErrSyntax
}

func (p *parser) object(path string, depth int) (Node, error) {
	n := Node{Kind: Object}
	p.i++ // {
	p.space()
	if p.peek() == '}' {
		p.i++
		return n, nil
	}
	seen := map[string]bool{}
	for {
		p.space()
		if p.peek() != '"' {
			return n, p.fail(path, ErrSyntax)
		}
		at := p.i
		name, err := p.str(path)
		if err != nil {
			return n, err
		}
		m := Member{Name: name.Text()}
		inner := Join(path, m.Name)
		p.space()
		if p.peek() != ':' {
			return n, p.fail(inner, ErrSyntax)
		}
		p.i++
		p.space()
		if m.Value, err = p.value(inner, depth+1); err != nil {
			return n, err
		}
		if seen[m.Name] {
			p.twice = append(p.twice, &SyntaxError{at, inner, ErrDuplicate})
		} else {
			seen[m.Name] = true
			n.Members = append(n.Members, m)
		}
		p.space()
		switch p.peek() {
		case ',':
			p.i++
		case '}':
			p.i++
			return n, nil
		default:
			return n, p.fail(path, ErrSyntax)
		}
	}
}

func (p *parser) array(path string, depth int) (Node, error) {
	n := Node{Kind: Array}
	p.i++ // [
	p.space()
	if p.peek() == ']' {
		p.i++
		return n, nil
	}
	for {
		p.space()
		item, err := p.value(Index(path, len(n.Items)), depth+1)
		if err != nil {
			return n, err
		}
		n.Items = append(n.Items, item)
		p.space()
		switch p.peek() {
		case ',':
			p.i++
		case ']':
			p.i++
			return n, nil
		default:
			return n, p.fail(path, ErrSyntax)
		}
	}
}
