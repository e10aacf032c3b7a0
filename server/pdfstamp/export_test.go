package pdfstamp

import (
	"bytes"
	"fmt"
	"slices"

	"tcode/offline/geometry"
	"tcode/offline/host/sandbox"
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

// ClosingForTest returns the operators that are written before and after contents to
// restore the graphics state, and whether the stamp is beneath the contents.
func ClosingForTest(contents string) (opening int, closing string, beneath bool) {
	b := measure([]byte(contents))
	return 1 + b.strays, string(b.closing()), b.beneath()
}

// DecodeForTest undoes the filters of a stream object in the form of a file.
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

// CloseForTest returns contents as a page draws them before a stamp, and the balance
// after them; ok is false where the stamp is beneath.
func CloseForTest(contents []byte) (closed []byte, open string, ok bool) {
	b := measure(contents)
	if b.beneath() {
		return nil, "", false
	}
	closed = slices.Concat(bytes.Repeat([]byte("q "), 1+b.strays), contents, b.closing())
	again := measure(closed)
	if again.open != 0 || again.strays != 0 || again.marked != 0 || again.text || again.path || len(again.rest) > 0 || again.beneath() {
		open = fmt.Sprintf("%+v, then %+v", b, again)
	}
	return closed, open, true
}

// EnclosedForTest returns an error unless after lists the content streams of each
// page of before as they were, with others before or after them only, and replaces
// no object of before but pages.
func EnclosedForTest(before, after []byte) error {
	was, err := open(&file{b: before})
	if err != nil {
		return err
	}
	now, err := open(&file{b: after})
	if err != nil {
		return err
	}
	pages, err := was.pages()
	if err != nil {
		return err
	}
	stamped, err := now.pages()
	if err != nil || len(stamped) != len(pages) {
		return fmt.Errorf("%d pages, then %d: %w", len(pages), len(stamped), err)
	}
	isPage := map[int]bool{}
	for i, p := range pages {
		isPage[p.ref.num] = true
		old, list := was.streamsOf(p), now.streamsOf(stamped[i])
		at := -1
		for j := 0; j+len(old) <= len(list) && at < 0; j++ {
			if slices.Equal(list[j:j+len(old)], old) {
				at = j
			}
		}
		if at < 0 || len(list) > len(old)+2 {
			return fmt.Errorf("page %d: contents %v are now %v", i+1, old, list)
		}
	}
	objects, _, err := ObjectsForTest(before)
	if err != nil {
		return err
	}
	left, _, err := ObjectsForTest(after)
	for n, o := range objects {
		if left[n] != o && !isPage[n] {
			return fmt.Errorf("object %d is replaced: %.200q became %.200q", n, o, left[n])
		}
	}
	return err
}

// streamsOf returns the content streams that p lists.
func (d *document) streamsOf(p *page) (refs array) {
	for _, o := range d.list(p.dict.get("Contents")) {
		if s, ok := o.(*stream); ok {
			o = s.from // the one stream of a page without a list
			if r, ok := p.dict.get("Contents").(ref); ok {
				o = r
			}
		}
		if _, ok := d.resolve(o).(*stream); ok {
			refs = append(refs, o)
		}
	}
	return refs
}

// ObjectsForTest returns the text of every object of a file by number, and
// whether its cross-reference had to be rebuilt. That of a file whose streams have
// wrong lengths stays damaged on purpose, and that of a file with an object
// that lies where it is to and cannot be read tells nothing: every reader tries
// a repair then, and finds the same bytes.
func ObjectsForTest(pdf []byte) (objects map[int]string, rebuilt bool, err error) {
	d, err := open(&file{b: pdf})
	if err != nil {
		return nil, false, err
	}
	objects, rebuilt = map[int]string{}, d.rebuilt && !d.lies
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

// LayoutForTest places a symbol of side modules and a caption, whose width and height in a font of 1 pt
// are given in mm, on a page with its MediaBox at a corner of its user space.
func LayoutForTest(pl Placement, left, bottom, width, height, unit float64, rotate, side int, text [2]float64) (place geometry.Place, onPage geometry.Rect, err error) {
	p := &page{number: 1, visible: rect{left, bottom, left + width, bottom + height}, rotate: rotate, userUnit: unit}
	b, err := pl.layout(p, side, block{text[0], text[1], 1})
	if err != nil {
		return place, onPage, err
	}
	return b.place, p.onPage(b.toUser.rect(b.quiet)), nil
}

// RefusalForTest returns the client's fault of an error of the layout of page 1.
func RefusalForTest(err error) error {
	err = fmt.Errorf("page 1: %w", err)
	return refusal(&sandbox.TaskError{Code: codeOf(err), Message: err.Error()})
}
