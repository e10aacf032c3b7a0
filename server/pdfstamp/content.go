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
	strays  []int // where a Q has no q: viewers skip it
	open    int   // Q operators to put after the contents, our own q's not counted
	marked  int   // EMC operators: an open optional-content sequence hides what follows
	text    bool  // a text object is open
	path    bool  // a path is under construction
	cut     int   // where an image begins that has no data, if cuts
	cuts    bool
	rest    []byte // what ends the token or container that the contents end in
	shifted bool   // a stray Q comes after a change of state and before something else
	unknown bool   // the contents could not be read to the end
}

// Bounds on what is written to repair contents.
const (
	maxMarked = 1000
	maxOpen   = 1000
	maxStrays = 100_000
)

// measure reads the operators of page contents.
func measure(b []byte) balance {
	m := meter{l: lexer{b: b}}
	for {
		m.l.skipSpace()
		if m.l.pos >= len(b) {
			break
		}
		at := m.l.pos
		op, end := m.token()
		if end != nil {
			m.rest = append(m.rest, end...)
			break
		}
		m.operator(at, op)
	}
	if m.image { // a BI without ID takes all that follows for its entries
		m.cut, m.cuts = m.begun, true
	}
	for i := len(m.nest) - 1; i >= 0; i-- {
		m.rest = append(m.rest, closers[m.nest[i]]...)
	}
	m.balance.open = m.depth
	m.unknown = m.unknown || m.depth > maxOpen || m.marked > maxMarked || len(m.rest) > maxOpen
	return m.balance
}

// closers end the containers that contents may leave open. The null is the value
// of a last key without one; where there is none it is skipped.
var closers = map[byte]string{'[': "]", '<': "null>>"}

// maxNest is how many open containers are followed; more are no contents.
const maxNest = 64

// A meter is a measurement under way.
type meter struct {
	balance
	l     lexer
	depth int    // of q, as viewers count
	image bool   // between BI and ID
	begun int    // where BI stands
	dirty bool   // the state that a stray Q would restore was changed
	nest  []byte // open containers
}

// operator takes account of op, which stands at offset at.
func (m *meter) operator(at int, op []byte) {
	if len(op) == 0 || m.image && string(op) != "ID" {
		return
	}
	switch string(op) {
	case "q":
		m.depth++
	case "Q":
		if m.depth--; m.depth < 0 {
			m.depth = 0
			m.strays = append(m.strays, at)
			m.unknown = m.unknown || len(m.strays) > maxStrays
		}
		return
	case "BT":
		m.text = true
	case "ET":
		m.text = false
		return
	case "BI":
		m.image, m.begun = true, at
	case "ID": // token went on to EI
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
	case "cm", "w", "J", "j", "M", "d", "ri", "i", "gs", "CS", "cs", "SC", "SCN", "sc", "scn",
		"G", "g", "RG", "rg", "K", "k", "Tc", "Tw", "Tz", "TL", "Tf", "Tr", "Ts", "W", "W*":
		m.dirty = m.dirty || m.depth == 0
	}
	m.nest = m.nest[:0] // an operator inside a container: the viewer gave up on it
	if len(m.strays) > 0 && m.dirty {
		m.shifted = true
	}
}

// token moves over the next token and returns it if it is an operator. end is
// what would end a token that the contents break off in.
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
		l.regular()
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
		for l.pos < len(l.b) && isNumeric(l.b[l.pos]) {
			l.pos++ // an operator may follow without a space
		}
		return nil, nil
	}
	op = l.regular()
	if string(op) == "ID" && m.image && !l.inlineImage() {
		m.image = false
		return nil, []byte("\nEI ")
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

// inlineImage moves over the data of an inline image to its EI. The data has
// no length, so the first EI between white space that text follows ends it.
func (l *lexer) inlineImage() bool {
	for from := l.pos; ; {
		i := bytes.Index(l.b[from:], []byte("EI"))
		if i < 0 {
			l.pos = len(l.b)
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

// closing returns the operators that close what the page left open, and the
// graphics states around it. It begins a line, as contents may end in a comment
// that would swallow it.
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

// contents returns the content streams of p as they are listed, their text, and
// what they leave open. Contents that cannot be read are taken for balanced.
func (d *document) contents(p *page) (refs array, text []byte, b balance, err error) {
	var list array
	c := p.dict.get("Contents")
	switch v := d.resolve(c).(type) {
	case array:
		list = v
	case *stream:
		list = array{c}
	}
	if len(list) > maxNodes {
		return nil, nil, balance{}, errTooComplex
	}
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
			return nil, nil, balance{}, err
		}
		unknown = unknown || err != nil
		if len(text)+len(data) > maxContents {
			return nil, nil, balance{}, errTooComplex
		}
		if len(list) == 1 {
			text = data
		} else {
			text = append(append(text, data...), '\n')
		}
	}
	if unknown {
		return refs, nil, balance{unknown: true}, nil
	}
	return refs, text, measure(text), nil
}

// contents returns what to list before the stamp on page p, and how to go on
// from there. It is the original streams, but for kinds of damage after which the
// contents are written anew:
//
//   - A Q without a q is skipped by viewers. Within our own q it would restore
//     the state from before, which shows if the state was changed and more is
//     drawn. It is blanked.
//   - In a stream whose Length is a lie viewers do not agree on where it ends, and
//     what one of them takes for contents may hide the stamp.
//   - An inline image that has no data is left out: it would swallow the stamp.
//
// Pages that share their contents share the outcome.
func (r *revision) contents(p *page) (array, balance, error) {
	key := string(appendObject(nil, p.dict.get("Contents")))
	if done, ok := r.measured[key]; ok {
		return done.streams, done.balance, nil
	}
	streams, b, err := r.repairContents(p)
	if err == nil {
		r.measured[key] = measured{streams, b}
	}
	return streams, b, err
}

// measured is what became of the contents of a page.
type measured struct {
	streams array
	balance balance
}

func (r *revision) repairContents(p *page) (array, balance, error) {
	refs, text, b, err := r.doc.contents(p)
	if err != nil || b.unknown {
		return refs, b, err
	}
	lie := false
	for _, o := range refs {
		if s, ok := r.doc.resolve(o).(*stream); ok && s.lie {
			lie = true
		}
	}
	if !b.shifted && !lie && !b.cuts {
		return refs, b, nil
	}
	text = bytes.Clone(text)
	if b.cuts {
		text = text[:b.cut]
		b = measure(text)
	}
	for _, at := range b.strays {
		text[at] = ' '
	}
	b.strays = nil
	copied := r.alloc()
	head, data := deflated(text)
	r.stream(copied, head, data)
	return array{copied}, b, nil
}
