package pdfstamp

import "bytes"

// A balance holds the containers and states that page contents leave open at their
// end, and the number of graphics states that they pop without a push. It is an
// estimate: viewers do not agree on damaged contents. No contents are edited by it.
// With a wrong balance the stamp may not be readable, or the page may change, which a
// comparison of the page before and after finds.
type balance struct {
	strays  int    // Q operators without a q: viewers skip them
	open    int    // Q operators to put after the contents, our own q's not counted
	marked  int    // EMC operators: an open optional-content sequence hides later marks
	text    bool   // a text object is open
	path    bool   // a path is under construction
	rest    []byte // the text that completes the token or container at the end
	swallow bool   // an inline image without data or end would take in later operators
	shifted bool   // a stray Q comes after a change of state and before something else
	unsure  bool   // viewers may disagree on where an inline image ends, and then on the rest
	unknown bool   // the contents could not be read to the end
}

// beneath reports whether the place of a drawing after the contents is unknown, or
// whether a q before the contents would change their drawing.
func (b balance) beneath() bool { return b.swallow || b.shifted || b.unsure || b.unknown }

// Limits on the operators that are written around contents.
const (
	maxMarked = 1000
	maxOpen   = 1000
	maxStrays = 1000
)

// measure reads the operators of page contents.
func measure(b []byte) balance {
	m := meter{l: lexer{b: b}, work: maxWork}
	out := m.all()
	if !m.doubt {
		return out
	}
	m = meter{l: lexer{b: b}, work: maxWork, soon: true}
	out.unsure = !out.same(m.all())
	return out
}

// same reports whether b and c call for the same operators around the contents.
func (b balance) same(c balance) bool {
	return b.strays == c.strays && bytes.Equal(b.closing(), c.closing()) && b.beneath() == c.beneath()
}

// closers end the containers that contents may leave open. The null is the value
// of a last key without one; where there is none it is skipped.
var closers = map[byte]string{'[': "]", '<': "null>>"}

// maxNest is the limit on nested open containers; bytes with more are no contents.
const maxNest = 64

// A meter is a measurement under way.
type meter struct {
	balance
	l     lexer
	depth int    // of q, as viewers count
	image bool   // between BI and ID
	begun int    // where the entries of that image begin
	dirty bool   // the state that a stray Q would restore was changed
	nest  []byte // open containers

	soon  bool // images whose length is not known end at the first EI
	doubt bool // there is an image that ends elsewhere if soon
	work  int  // bytes that searches for the ends of images may still pass

	tell    func(op []byte) // called for each operator; may be nil
	numbers []float64       // operands of the operator that comes next, if tell
	last    name            // the last name among them
}

// all reads the contents to their end.
func (m *meter) all() balance {
	for {
		m.l.skipSpace()
		if m.l.pos >= len(m.l.b) {
			break
		}
		op, end := m.token()
		if end != nil {
			m.rest = append(m.rest, end...)
			break
		}
		m.operator(op)
		if m.tell != nil && len(op) > 0 {
			m.tell(op)
			m.numbers, m.last = m.numbers[:0], ""
		}
	}
	m.swallow = m.swallow || m.image // a BI without ID takes all that follows for its entries
	for i := len(m.nest) - 1; i >= 0; i-- {
		m.rest = append(m.rest, closers[m.nest[i]]...)
	}
	m.open = m.depth
	m.unknown = m.unknown || m.depth > maxOpen || m.marked > maxMarked || m.strays > maxStrays || len(m.rest) > maxOpen
	return m.balance
}

// operator takes account of op.
func (m *meter) operator(op []byte) {
	if len(op) == 0 || m.image && string(op) != "ID" {
		return
	}
	switch string(op) {
	case "q":
		m.depth++
	case "Q":
		if m.depth--; m.depth < 0 {
			m.depth = 0
			m.strays++
		}
		return
	case "BT":
		m.text, m.dirty = true, m.dirty || m.depth == 0
	case "ET":
		m.text = false
		return
	case "BI":
		m.image, m.begun = true, m.l.pos
	case "ID": // token moved on to EI
		m.image = false
	case "BMC", "BDC":
		m.marked++
	case "EMC":
		m.marked = max(0, m.marked-1)
		return
	case "m", "re":
		m.path = true
	case "S", "s", "f", "F", "f*", "B", "B*", "b", "b*", "n":
		m.path = false
	case "l", "c", "v", "y", "h", "Do", "sh", "MP", "DP", "BX", "EX": // leave no state behind
	case "true", "false", "null":
		return
	default:
		m.dirty = m.dirty || m.depth == 0
	}
	m.nest = m.nest[:0] // an operator inside a container: the viewer gave up on it
	if m.strays > 0 && m.dirty {
		m.shifted = true
	}
}

// token moves over the next token and returns it if it is an operator. If the
// contents end inside a token, end is the text that would complete it.
func (m *meter) token() (op, end []byte) {
	l := &m.l
	switch c := l.b[l.pos]; c {
	case '(':
		open := l.pos
		if _, err := l.literalString(); err != nil {
			return nil, openString(l.b[open:])
		}
		return nil, nil
	case '/':
		l.pos++
		if m.tell == nil {
			l.regular()
		} else {
			m.last = l.nameToken()
		}
		return nil, nil
	case '<':
		if l.has("<<") {
			m.push('<')
			return nil, nil
		}
		if _, err := l.hexString(); err != nil {
			return nil, []byte(">")
		}
		return nil, nil
	case '[':
		l.pos++
		m.push('[')
		return nil, nil
	case '>', ']', '{', '}', ')':
		l.pos++
		if n := len(m.nest); n > 0 && (c == ']' || c == '>' && l.has(">")) {
			m.nest = m.nest[:n-1]
		}
		return nil, nil
	case '+', '-', '.', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		at := l.pos
		for l.pos < len(l.b) && isNumeric(l.b[l.pos]) {
			l.pos++ // an operator may follow without a space
		}
		if m.tell != nil && len(m.numbers) < maxNest {
			v, _ := number(raw(l.b[at:l.pos]))
			m.numbers = append(m.numbers, v)
		}
		return nil, nil
	}
	op = l.regular()
	if string(op) == "ID" && m.image {
		m.imageData(l.b[m.begun : l.pos-len("ID")])
	}
	return op, nil
}

func (m *meter) push(c byte) {
	if len(m.nest) < maxNest {
		m.nest = append(m.nest, c)
	}
}

func isNumeric(c byte) bool { return c >= '0' && c <= '9' || c == '.' || c == '-' || c == '+' }

// openString returns the parentheses that end a literal string which the end of
// the contents cut off.
func openString(b []byte) []byte {
	depth := 0
	for i := 0; i < len(b); i++ {
		switch b[i] {
		case '\\':
			i++ // at the end: escapes the end of line before the parentheses
		case '(':
			depth++
		case ')':
			depth--
		}
	}
	return bytes.Repeat([]byte(")"), min(depth, maxOpen+1))
}

// closing returns the operators that close the page's open containers and the
// graphics states around them. It begins a line, because contents may end in a
// comment, which would include the operators.
func (b balance) closing() []byte {
	out := []byte("\n")
	if len(b.rest) > 0 {
		out = append(append(out, b.rest...), '\n')
	}
	if b.path {
		out = append(out, "n "...)
	}
	if b.text {
		out = append(out, "ET "...)
	}
	out = append(out, bytes.Repeat([]byte("EMC "), min(b.marked, maxMarked))...)
	out = append(out, bytes.Repeat([]byte("Q "), 1+min(b.open, maxOpen))...)
	return append(out, '\n')
}
