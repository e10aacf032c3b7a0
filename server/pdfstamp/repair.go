package pdfstamp

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
)

// maxTrailers bounds the trailers that rebuild parses.
const maxTrailers = 256

// rebuild reads the file without its cross-reference, as viewers do when it is
// damaged: it looks for objects from the start, and of two with one number the
// later counts. The revision then has a whole cross-reference of its own, which
// states the results that viewers had to guess; the bytes before it stay.
//
// A file that does not end as a PDF does was cut off on its way, and part of it
// may be missing: to stamp that would make it genuine, so it is refused.
func (d *document) rebuild() error {
	last := func(word string) int { return bytes.LastIndex(d.b, []byte(word)) }
	if end := max(last("%%EOF"), last("startxref")); end < 0 || end < max(last("endobj"), last("endstream")) {
		return errCutOff
	}
	d.rebuilt, d.isStream = true, false
	if err := d.scan(); err != nil {
		return err
	}
	packed := d.streamTrailers()
	d.ids = d.list(d.trailer.get("ID"))
	if err := d.openEncryption(); err != nil {
		return err
	}
	if err := d.unpackAll(packed); err != nil {
		return err
	}
	if d.pageRoot() == nil && !d.findCatalog() {
		return fmt.Errorf("%w: no catalog is left", errXref)
	}
	if n, ok := integer(d.trailer.get("Size")); ok && n <= maxNumber/2 {
		d.size = max(n, 0)
	}
	for n := range d.entries {
		d.size = max(d.size, n+1)
	}
	return nil
}

// scan enters every "n g obj" and keeps the last trailer that names a Root.
// Stream data is skipped: a file attached without compression has objects too.
func (d *document) scan() error {
	start := d.at(d.base)
	l := &start
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
		d.look(o)
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
	back := func(from int, in func(byte) bool, limit int) int {
		for from > d.base && in(d.b[from-1]) && limit > 0 {
			from--
			limit--
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

// skipObject moves l over the next object, if it can be parsed.
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
	l.endLine()
	direct := newDict() // the Length may be an object that is not found yet
	if n, ok := head.get("Length").(raw); ok {
		direct.set("Length", n)
	}
	data, _, err := d.streamData(l.pos, direct)
	l.pos += len(data)
	return err
}

// keepTrailer takes the trailer at l, if there is one. Entries that only an older
// trailer has stay, encryption above all.
func (d *document) keepTrailer(l *lexer) {
	from := l.pos
	if o, err := l.object(0); err == nil {
		if t, ok := o.(*dict); ok {
			d.mergeTrailer(t)
			return
		}
	}
	l.pos = from
}

// mergeTrailer makes t the trailer if it names a catalog. Otherwise it only adds the
// entries that the trailer lacks.
func (d *document) mergeTrailer(t *dict) {
	newer, older := t, d.trailer
	if t.get("Root") == nil && older != nil {
		newer, older = older, t
	}
	merged := newer.clone()
	for _, k := range []name{"Root", "Encrypt", "ID", "Info"} {
		if v := older.get(k); v != nil && merged.get(k) == nil {
			merged.set(k, v)
		}
	}
	d.trailer = merged
}

// streamTrailers takes the trailer from cross-reference streams where there is
// no other, and returns the object streams in the order of the file.
func (d *document) streamTrailers() (packed []int) {
	numbers := slices.SortedFunc(maps.Keys(d.entries), func(a, b int) int {
		return cmp.Compare(d.entries[a].at, d.entries[b].at)
	})
	table := d.trailer.get("Root") != nil
	for _, n := range numbers {
		s, ok := d.load(n).(*stream)
		if !ok {
			continue
		}
		d.lies = d.lies || s.lie
		switch s.dict.get("Type") {
		case name("XRef"):
			if !table {
				d.mergeTrailer(s.dict)
				d.isStream = true
			}
		case name("ObjStm"):
			packed = append(packed, n)
			d.isStream = true // a table cannot point into streams
		}
	}
	return packed
}

// unpackAll enters the objects of the object streams.
func (d *document) unpackAll(packed []int) error {
	for _, n := range packed {
		if s, ok := d.load(n).(*stream); ok {
			if err := d.enterPacked(n, s); err != nil {
				return err
			}
		}
	}
	d.dropObjects()
	return nil
}

// enterPacked enters the objects in object stream n, except those that a later object
// of the file replaced.
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
		if num < 1 || num > maxNumber || num == n {
			continue
		}
		e, taken := d.entries[num]
		if taken && e.kind == inFile && e.at > d.entries[n].at {
			continue
		}
		if len(d.entries) == maxEntries {
			return errTooComplex
		}
		d.entries[num] = entry{inStream, n, i}
	}
	return nil
}

// findCatalog points the trailer at the last catalog in the file that has
// pages. Where a handler of encryption is left that no trailer names, all that
// was found is in cipher, and nothing can be read.
func (d *document) findCatalog() bool {
	found := false
	for _, n := range slices.Sorted(maps.Keys(d.entries)) {
		c, ok := d.load(n).(*dict)
		if !ok {
			continue
		}
		if d.crypt == nil && c.get("Filter") == name("Standard") && c.get("O") != nil && c.get("U") != nil {
			return false
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
