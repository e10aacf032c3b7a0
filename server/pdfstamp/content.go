package pdfstamp

import (
	"bytes"
	"errors"
)

// A balance says what page contents leave open at their end, and how many
// graphics states they take off the stack that they did not put there. 3 of 434
// real pages are not balanced; a stamp drawn after them without repair is
// misplaced, clipped or invisible.
type balance struct {
	missing int  // q operators to put before the contents
	open    int  // Q operators to put after them, our own q's not counted
	marked  int  // EMC operators: an open optional-content sequence hides what follows
	text    bool // a text object is open
	path    bool // a path is under construction
	unknown bool // the contents could not be read to the end
}

// maxMarked bounds the EMC operators that are written.
const maxMarked = 1000

// measure reads the operators of page contents.
func measure(b []byte) balance {
	var s balance
	depth, image := 0, false
	l := &lexer{b: b}
	for {
		l.skipSpace()
		if l.pos >= len(b) {
			break
		}
		op, ok := l.operator()
		if !ok {
			s.unknown = true
			break
		}
		switch op {
		case "q":
			depth++
		case "Q":
			depth--
			s.missing = max(s.missing, -depth)
		case "BT":
			s.text = true
		case "ET":
			s.text = false
		case "BI":
			image = true
		case "ID": // operator went on to EI
			image = false
		case "BMC", "BDC":
			s.marked++
		case "EMC":
			s.marked = max(0, s.marked-1)
		case "m", "re":
			s.path = true
		case "S", "s", "f", "F", "f*", "B", "B*", "b", "b*", "n":
			s.path = false
		}
	}
	s.open = depth + s.missing
	s.unknown = s.unknown || image // the image swallows all that follows
	return s
}

// operator moves over the next token and returns it if it is an operator, else
// "". It reports false where the contents cannot be followed further.
func (l *lexer) operator() (op string, ok bool) {
	switch l.b[l.pos] {
	case '(':
		_, err := l.literalString()
		return "", err == nil
	case '/':
		l.pos++
		l.regular()
		return "", true
	case '<':
		if l.has("<<") {
			return "", true
		}
		_, err := l.hexString()
		return "", err == nil
	case '>', '[', ']', '{', '}', ')':
		l.pos++
		return "", true
	}
	token := l.regular()
	if len(token) > 3 {
		return "", true // longer than any operator
	}
	op = string(token)
	if op == "ID" {
		return op, l.inlineImage()
	}
	return op, true
}

// inlineImage moves over the data of an inline image to its EI. The data has
// no length, so the first EI between white space that text follows ends it.
func (l *lexer) inlineImage() bool {
	for from := l.pos; ; {
		i := bytes.Index(l.b[from:], []byte("EI"))
		if i < 0 {
			return false
		}
		at := from + i
		from = at + 2
		if isSpace(l.b[at-1]) && (from >= len(l.b) || isSpace(l.b[from])) && isText(l.b[from:min(from+16, len(l.b))]) {
			l.pos = from
			return true
		}
	}
}

// isText reports whether b looks like operators rather than image samples.
func isText(b []byte) bool {
	for _, c := range b {
		if c > '~' || c < ' ' && !isSpace(c) || c == 0 {
			return false
		}
	}
	return true
}

// contents returns the content streams of p as they are listed, and what they
// leave open. Contents that cannot be read are taken for balanced.
func (d *document) contents(p *page) (array, balance, error) {
	var list array
	c := p.dict.get("Contents")
	switch v := d.resolve(c).(type) {
	case array:
		list = v
	case *stream:
		list = array{c}
	}
	var all []byte
	var refs array
	unknown := false
	for _, o := range list {
		r, isRef := o.(ref)
		s, isStream := d.resolve(o).(*stream)
		if !isRef || !isStream {
			continue // viewers draw nothing for it
		}
		refs = append(refs, r)
		data, err := d.decode(s)
		if errors.Is(err, errTooComplex) {
			return nil, balance{}, err
		}
		unknown = unknown || err != nil
		all = append(append(all, data...), '\n')
	}
	b := measure(all)
	b.unknown = b.unknown || unknown
	if unknown {
		b = balance{unknown: true}
	}
	return refs, b, nil
}
