package pdfstamp

import "tcode/offline/payload"

// PrepareForTest lays a stamp out in this process and returns the file with an
// empty hole and the stamped page.
func PrepareForTest(pdf []byte, pl Placement, r payload.Reference, side int) ([]byte, int, error) {
	p, err := prepare(pdf, pl, r, side)
	if err != nil {
		return nil, 0, err
	}
	out, _, err := join(pdf, p, r, side)
	return out, Stamped{Places: p.Places}.Page(), err
}

// ClosingForTest returns what is written before and after contents to leave
// the graphics state as it was, and whether the contents could be followed.
func ClosingForTest(contents string) (opening int, closing string, unknown bool) {
	b := measure([]byte(contents))
	return 1 + len(b.strays), string(b.closing()), b.unknown
}

// DecodeForTest undoes the filters of a stream object as it stands in a file.
func DecodeForTest(object []byte) ([]byte, error) {
	d := &document{b: append([]byte("1 0 obj\n"), object...), budget: newBudget()}
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
