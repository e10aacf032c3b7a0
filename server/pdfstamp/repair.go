package pdfstamp

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
)

// tailLen is how many bytes may hold the end-of-file marker (ISO 32000-1, annex
// H, note 18).
const tailLen = 1024

// maxTrailers bounds the trailers that rebuild parses.
const maxTrailers = 256

// rebuild reads the file without its cross-reference, as viewers do when it is
// damaged: it looks for objects from the start, and of two with one number the
// later counts. The revision then brings a whole cross-reference of its own, and
// what viewers had to guess is written down; the bytes before it stay.
//
// A file that does not end as a PDF does was cut off on its way, and part of it
// may be missing: to stamp that would make it genuine, so it is refused.
func (d *document) rebuild() error {
	if !bytes.Contains(d.b[max(0, len(d.b)-tailLen):], []byte("%%EOF")) {
		return errCutOff
	}
	d.rebuilt, d.isStream = true, false
	if err := d.scan(); err != nil {
		return err
	}
	if err := d.unpackAll(); err != nil {
		return err
	}
	if d.pageRoot() == nil && !d.findCatalog() {
		return fmt.Errorf("%w: no catalog is left", errXref)
	}
	for n := range d.entries {
		d.size = max(d.size, n+1)
	}
	return nil
}

// scan enters every "n g obj" and keeps the last trailer that names a Root.
// Stream data is skipped: a file attached without compression has objects too.
func (d *document) scan() error {
	l := &lexer{d.b, d.base, d.budget}
	object, trailer := finder{word: "obj"}, finder{word: "trailer"}
	for trailers := 0; ; {
		o, t := object.next(l), trailer.next(l)
		if o < 0 && t < 0 {
			return nil
		}
		if o < 0 || t >= 0 && t < o {
			l.pos = t + len("trailer")
			if trailers++; trailers > maxTrailers {
				return errTooComplex
			}
			d.keepTrailer(l)
			continue
		}
		l.pos = o + len("obj")
		n, e, ok := d.headBefore(o)
		if !ok {
			continue
		}
		if len(d.entries) == maxEntries {
			return errTooComplex
		}
		d.entries[n] = e
		if err := d.skipObject(l); err != nil {
			return err
		}
	}
}

// A finder looks for a word ahead of a lexer. It searches no byte twice.
type finder struct {
	word string
	at   int // where it was found; -1: nowhere ahead
	done bool
}

func (f *finder) next(l *lexer) int {
	if f.at >= l.pos && f.done || f.at < 0 {
		return f.at
	}
	f.done = true
	f.at = bytes.Index(l.b[l.pos:], []byte(f.word))
	if f.at >= 0 {
		f.at += l.pos
	}
	return f.at
}

// headBefore reads "n g " backwards from at.
func (d *document) headBefore(at int) (n int, e entry, ok bool) {
	back := func(from int, in func(byte) bool, most int) int {
		for from > d.base && in(d.b[from-1]) && most > 0 {
			from--
			most--
		}
		return from
	}
	isDigit := func(c byte) bool { return c >= '0' && c <= '9' }
	genEnd := back(at, isSpace, 16)
	gen := back(genEnd, isDigit, 5)
	numEnd := back(gen, isSpace, 16)
	num := back(numEnd, isDigit, 10)
	if gen == genEnd || numEnd == gen || num == numEnd || num > d.base && isRegular(d.b[num-1]) {
		return 0, entry{}, false
	}
	n, _ = (&lexer{b: d.b, pos: num}).natural()
	g, _ := (&lexer{b: d.b, pos: gen}).natural()
	return n, entry{inFile, num - d.base, g}, n > 0 && n <= maxNumber && g <= 65535
}

// skipObject moves l over the object it stands before, if it can be parsed.
func (d *document) skipObject(l *lexer) error {
	from := l.pos
	o, err := l.object(0)
	if errors.Is(err, errTooComplex) {
		return err
	}
	head, ok := o.(*dict)
	if err != nil || !ok {
		l.pos = from
		return nil
	}
	l.skipSpace()
	if !l.has("stream") {
		return nil
	}
	l.has("\r")
	l.has("\n")
	direct := newDict() // the Length may be an object that is not found yet
	if n, ok := head.get("Length").(raw); ok {
		direct.set("Length", n)
	}
	data, err := d.streamData(l.pos, direct)
	l.pos += len(data)
	return err
}

func (d *document) keepTrailer(l *lexer) {
	from := l.pos
	if o, err := l.object(0); err == nil {
		if t, ok := o.(*dict); ok && t.get("Root") != nil {
			d.trailer = t
			return
		}
	}
	l.pos = from
}

// unpackAll enters the objects of object streams and takes the trailer from a
// cross-reference stream where there is no other.
func (d *document) unpackAll() error {
	for _, n := range slices.Sorted(maps.Keys(d.entries)) {
		s, ok := d.load(n).(*stream)
		if !ok {
			continue
		}
		switch kind, _ := s.dict.get("Type").(name); kind {
		case "XRef":
			if s.dict.get("Root") != nil && (d.trailer == nil || d.isStream) {
				d.trailer, d.isStream = s.dict, true
			}
		case "ObjStm":
			if err := d.enterPacked(n, s); err != nil {
				return err
			}
			d.isStream = true // a table cannot point into streams
		}
	}
	d.cache, d.packed = map[int]any{}, map[int]map[int]any{}
	return nil
}

// enterPacked enters what object stream n holds and no object in the file has.
func (d *document) enterPacked(n int, s *stream) error {
	data, err := d.decode(s)
	if errors.Is(err, errTooComplex) {
		return err
	}
	count, _ := integer(d.resolve(s.dict.get("N")))
	l := &lexer{b: data, budget: d.budget}
	for i := range min(count, 65535) {
		num, ok := l.natural()
		_, ok2 := l.natural()
		if !ok || !ok2 {
			break
		}
		if e, taken := d.entries[num]; (!taken || e.kind == inStream) && num > 0 && num <= maxNumber {
			if len(d.entries) == maxEntries {
				return errTooComplex
			}
			d.entries[num] = entry{inStream, n, i}
		}
	}
	return nil
}

// findCatalog points the trailer at the last catalog in the file that has
// pages. What else the trailer says stays, encryption above all.
func (d *document) findCatalog() bool {
	found := false
	for _, n := range slices.Sorted(maps.Keys(d.entries)) {
		c, ok := d.load(n).(*dict)
		if !ok {
			continue
		}
		kind, _ := d.resolve(c.get("Type")).(name)
		if _, pages := d.resolve(c.get("Pages")).(*dict); pages && kind == "Catalog" {
			d.trailer = d.trailer.clone()
			d.trailer.set("Root", ref{n, 0})
			found = true
		}
	}
	return found
}
