package strictjson

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"sort"
)

// ErrRestTooLong means that a document is too long without its large strings.
var ErrRestTooLong = errors.New("the document is too long")

// Stand-ins for a string that was lifted out, as JSON between quotes: the
// one for good Base64 is good Base64, and so on.
const (
	standIn       = `AAAA`
	standInEmpty  = ``
	standInBreaks = `\n` // Base64 with line breaks
	standInBad    = `!`  // anything else
)

// Lifted is a document without its large strings.
type Lifted struct {
	Rest []byte // the document, with a short stand-in for each of them
	cuts []cut
}

// A cut says how many bytes are missing at offset at of the rest.
type cut struct{ at, missing int }

// Lift reads one document of any length. The strings of the top-level object
// that sinks name are decoded from Base64 (RFC 4648 section 4, strict, without
// line breaks) into their sinks as they come; all else is kept, up to most
// bytes. A string that is no Base64, or is there a second time, has a stand-in
// that says so when the rest is checked; its sink holds nothing of use then.
//
//	{"name": "x", "zip": "UEsDBBQ..."} ─▶ rest {"name": "x", "zip": "AAAA"}
//	                       └─ decoded ──▶ sinks["zip"]
//
// Lift leaves all other checks to [Lifted.Parse]: the rest is a document
// exactly if the whole is. Errors are [ErrRestTooLong] and those of r and of the
// sinks.
func Lift(r io.Reader, limit int, sinks map[string]io.Writer) (Lifted, error) {
	l := lifter{in: bufio.NewReaderSize(r, 64<<10), most: limit, sinks: map[string]io.Writer{}}
	for name, w := range sinks {
		l.sinks[name] = w
	}
	for {
		b, err := l.next()
		if errors.Is(err, io.EOF) {
			return l.out, nil
		}
		if err == nil {
			err = l.token(b)
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return Lifted{}, err
		}
	}
}

// Parse reads the rest. Offsets of errors are those of the whole document.
func (l Lifted) Parse() (Node, error) {
	n, err := Parse(l.Rest)
	l.moveErrors(err)
	return n, err
}

func (l Lifted) moveErrors(err error) {
	if many, ok := err.(interface{ Unwrap() []error }); ok {
		for _, err := range many.Unwrap() {
			l.moveErrors(err)
		}
		return
	}
	if s, ok := errors.AsType[*SyntaxError](err); ok {
		after := sort.Search(len(l.cuts), func(i int) bool { return l.cuts[i].at > s.Offset })
		if after > 0 {
			s.Offset += l.cuts[after-1].missing
		}
	}
}

// A place is the role of the next string of the top-level object.
type place uint8

const (
	elsewhere place = iota
	name
	value
)

type lifter struct {
	in    *bufio.Reader
	n     int // bytes read
	most  int
	sinks map[string]io.Writer
	out   Lifted

	depth  int
	object bool // the document is an object
	over   bool // and it has ended
	at     place
	member string // whose value comes next
}

func (l *lifter) next() (byte, error) {
	b, err := l.in.ReadByte()
	if err == nil {
		l.n++
	}
	return b, err
}

func (l *lifter) put(b ...byte) error {
	if len(l.out.Rest)+len(b) > l.most {
		return ErrRestTooLong
	}
	l.out.Rest = append(l.out.Rest, b...)
	return nil
}

// token takes one byte, or the string that it begins.
func (l *lifter) token(b byte) error {
	if b == '"' {
		return l.str()
	}
	top := !l.over && l.depth == 1 && l.object
	switch b {
	case '{', '[':
		if l.at = elsewhere; l.depth == 0 && !l.over {
			l.object = b == '{'
			l.at = name
		}
		l.depth++
	case '}', ']':
		l.depth--
		l.over, l.at = l.over || l.depth <= 0, elsewhere
	case ',':
		l.at = where(top, name)
	case ':':
		l.at = where(top, value)
	case ' ', '\t', '\r', '\n':
	default:
		l.at = elsewhere
	}
	return l.put(b)
}

func where(top bool, p place) place {
	if top {
		return p
	}
	return elsewhere
}

// str takes a string, after its first quote.
func (l *lifter) str() error {
	at := l.at
	l.at = elsewhere
	if sink, ok := l.sinks[l.member]; ok && at == value {
		l.sinks[l.member] = io.Discard // Parse reports a second one
		return l.lift(sink)
	}
	start := len(l.out.Rest)
	if err := l.copyString(); err != nil {
		return err
	}
	if at == name {
		n, err := Parse(l.out.Rest[start:])
		if l.member = ""; err == nil {
			l.member = n.Text()
		}
	}
	return nil
}

func (l *lifter) copyString() error {
	if err := l.put('"'); err != nil {
		return err
	}
	for escaped := false; ; {
		b, err := l.next()
		if err == nil {
			err = l.put(b)
		}
		if err != nil || b == '"' && !escaped {
			return err
		}
		escaped = b == '\\' && !escaped
	}
}

// lift decodes a string into w.
func (l *lifter) lift(w io.Writer) error {
	d := decoder{w: w}
	text := standInBad
	err := l.run(&d)
	ended := err == nil
	if err == nil || errors.Is(err, io.EOF) {
		err = d.end()
	}
	switch {
	case err != nil:
		return err
	case d.breaks:
		text = standInBreaks
	case d.bad:
	case d.empty:
		text = standInEmpty
	default:
		text = standIn
	}
	if err := l.put(append([]byte{'"'}, text...)...); err != nil {
		return err
	}
	if !ended {
		return io.EOF
	}
	if err := l.put('"'); err != nil {
		return err
	}
	l.out.cuts = append(l.out.cuts, cut{len(l.out.Rest), l.n - len(l.out.Rest)})
	return nil
}

// run feeds d up to the closing quote.
func (l *lifter) run(d *decoder) error {
	for {
		if _, err := l.in.Peek(1); err != nil {
			return err
		}
		ready, _ := l.in.Peek(l.in.Buffered())
		n := plain(ready)
		if d.bad {
			if n = bytes.IndexAny(ready, `"\`); n < 0 {
				n = len(ready)
			}
		} else if err := d.feed(ready[:n]); err != nil {
			return err
		}
		l.in.Discard(n) // which are there
		l.n += n
		if n == len(ready) {
			continue
		}
		b, err := l.next()
		switch {
		case err != nil || b == '"':
			return err
		case b == '\\':
			if err := l.escape(d); err != nil {
				return err
			}
		default:
			d.bad = true
		}
	}
}

// escape reads an escape, after its backslash.
func (l *lifter) escape(d *decoder) error {
	b, err := l.next()
	if err != nil {
		return err
	}
	switch b {
	case 'n', 'r':
		d.breaks, d.bad = true, true
	case '/':
		return d.feed([]byte{'/'})
	case 'u':
		digits, _ := l.in.Peek(4)
		r, ok := hex4(append([]byte(`\u`), digits...))
		if !ok {
			d.bad = true
			return nil
		}
		l.in.Discard(len(digits))
		l.n += len(digits)
		if r >= 0x80 || !alphabet[byte(r)] {
			d.breaks, d.bad = d.breaks || r == '\n' || r == '\r', true
			return nil
		}
		return d.feed([]byte{byte(r)})
	default:
		d.bad = true
	}
	return nil
}
