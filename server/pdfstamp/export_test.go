package pdfstamp

import (
	"bytes"
	"fmt"
	"slices"

	"tcode/offline/payload"
)

// PrepareForTest lays a stamp out in this process and returns the file with an
// empty hole and the stamped page.
func PrepareForTest(pdf []byte, pl Placement, r payload.Reference, side int) ([]byte, int, error) {
	p, err := prepare(&file{b: pdf}, pl, r, side)
	if err != nil {
		return nil, 0, err
	}
	_, err = p.mark(int64(len(pdf)), r, side)
	return append(bytes.Clone(pdf), p.Revision...), Addition{Places: p.Places}.Page(), err
}

// ClosingForTest returns what is written before and after contents to leave
// the graphics state as it was, and whether the contents could be followed.
func ClosingForTest(contents string) (opening int, closing string, unknown bool) {
	b := measure([]byte(contents))
	return 1 + len(b.strays), string(b.closing()), b.unknown
}

// DecodeForTest undoes the filters of a stream object as it stands in a file.
func DecodeForTest(object []byte) ([]byte, error) {
	d := &document{file: &file{b: append([]byte("1 0 obj\n"), object...)}, budget: newBudget()}
	d.forget()
	_, o, err := d.objectAt(0)
	if err != nil {
		return nil, err
	}
	s, ok := o.(*stream)
	if !ok {
		return nil, errSyntax
	}
	return d.decode(s)
}

// TextForTest returns the text of a string token for people.
func TextForTest(token string) string {
	return (&document{budget: newBudget()}).text(raw(token))
}

// StringBytesForTest returns the bytes of a string token.
func StringBytesForTest(token string) string { return stringBytes(token) }

// RewriteForTest parses an object and writes it again.
func RewriteForTest(b []byte) ([]byte, error) {
	l := &lexer{b: b, budget: newBudget()}
	o, err := l.object(0)
	return appendObject(nil, o), err
}

// CloseForTest returns contents as a page lists them before the stamp, and what
// is still open after them; ok is false where they cannot be followed.
func CloseForTest(contents []byte) (closed []byte, open string, ok bool) {
	b := measure(contents)
	if b.unknown {
		return nil, "", false
	}
	text, anew := bytes.Clone(contents), b.shifted || b.cuts
	if b.cuts {
		text = text[:b.cut]
		b = measure(text)
	}
	opening := 1 + len(b.strays)
	if anew {
		for _, at := range b.strays {
			text[at] = ' '
		}
		opening = 1
	}
	closed = slices.Concat(bytes.Repeat([]byte("q "), opening), text, b.closing())
	again := measure(closed)
	if again.open != 0 || len(again.strays) != 0 || again.marked != 0 || again.text || again.path || again.cuts || len(again.rest) > 0 || again.unknown {
		open = fmt.Sprintf("%+v, then %+v", b, again)
	}
	return closed, open, true
}

// ObjectsForTest returns the text of every object of a file by number, and
// whether its cross-reference had to be rebuilt. That of a file with an object
// that lies where it is to and cannot be read tells nothing: every reader tries
// a repair then, and finds the same bytes.
func ObjectsForTest(pdf []byte) (objects map[int]string, rebuilt bool, err error) {
	d, err := open(&file{b: pdf})
	if err != nil {
		return nil, false, err
	}
	objects, rebuilt = map[int]string{}, d.rebuilt
	for n, e := range d.entries {
		if e.kind == inFile {
			_, _, err := d.objectAt(d.base + e.at)
			rebuilt = rebuilt && err == nil
		}
		switch o := d.load(n).(type) {
		case nil:
		case *stream:
			if o.lie && bytes.HasSuffix(bytes.TrimRight(pdf, "\r\n"), o.data) {
				continue // it never ends, and takes in whatever is appended
			}
			objects[n] = string(appendObject(nil, o.dict)) + string(o.data)
		default:
			objects[n] = string(appendObject(nil, o))
		}
	}
	return objects, rebuilt, nil
}
