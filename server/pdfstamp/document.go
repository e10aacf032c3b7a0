package pdfstamp

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"

	"tcode/offline/geometry"
)

// Reasons why a file cannot be read.
var (
	errNotPDF  = errors.New("no PDF header")
	errXref    = errors.New("cross-reference is damaged")
	errCutOff  = errors.New("file is cut off")
	errNoPages = errors.New("no page")
)

// An entry holds the position of an object (ISO 32000-1, 7.5.4 and 7.5.8).
type entry struct {
	kind entryKind
	at   int // inFile: offset from base; inStream: number of the object stream
	gen  int // inFile: generation; inStream: index
}

type entryKind uint8

const (
	free entryKind = iota
	inFile
	inStream
)

// A file is the PDF to stamp, as the child holds it.
type file struct {
	b     []byte
	drop  func() // takes b out of memory until it is read again; nil: it stays
	looks int    // since it was dropped
	near  int    // the first span read since then
}

// Limits on the part of a file in memory. A look brings in 64 KiB, or the system's
// whole piece, which since Linux 6.18 can be a span of 2 MiB: so a look at another
// span drops the pages read before. A drop takes as long as a few looks, so it happens
// after looksHeld of them at the latest and after looksLeast at the earliest.
const (
	span       = 2 << 20
	looksHeld  = 32
	looksLeast = 8
)

// look counts a look into the file at an offset.
func (f *file) look(at int) {
	if f.drop == nil {
		return
	}
	if f.looks >= looksHeld || f.looks >= looksLeast && at/span != f.near {
		f.drop()
		f.looks = 0
	}
	if f.looks == 0 {
		f.near = at / span
	}
	f.looks++
}

// A document reads its file lazily. It is not safe for concurrent use.
type document struct {
	*file
	base      int // the origin of offsets: the header, or 0
	entries   map[int]entry
	trailer   *dict // of the newest section
	ids       array // the trailer's ID
	size      int   // lowest object number that no section knows
	startXref int   // as the file has it
	isStream  bool  // the newest section is a stream
	rebuilt   bool  // the sections are damaged; entries come from a scan
	recounted bool  // a table numbers its entries from 1 instead of 0, and not all viewers see that
	lies      bool  // rebuilt, and the Length of a stream is wrong
	misplaced bool  // an object is not at the position in its entry
	crypt     *encryption
	plainNum  int // of the encryption dictionary, which is not encrypted; 0: none
	budget    *budget

	cache   map[int]any
	loading map[int]bool
	packed  map[int]map[int]any           // object stream -> its objects
	leaves  []*page                       // once walked
	filled  []int                         // pages with contents, from 1; see decodable
	stamps  map[*page][]geometry.Obstacle // on a page
	marked  map[*dict]bool                // resources that have a TCode stamp's image among them

	inflater io.Reader // of the stream before, for the next
	damaged  bool      // a stream that was decoded since this was reset is cut by damage
}

// open finds the objects of f: by its cross-reference sections or, where they
// are damaged, by looking for them.
func open(f *file) (*document, error) {
	header := bytes.Index(f.b[:min(len(f.b), 1024)], []byte("%PDF-"))
	// Offsets count from the header; some writers that put bytes before it
	// count from the start of the file.
	type try struct {
		base int
		read func(*document) error
	}
	tries := []try{{max(0, header), (*document).readXref}, {0, (*document).readXref}, {max(0, header), (*document).rebuild}}
	if header <= 0 {
		tries = slices.Delete(tries, 1, 2)
	}
	budget := newBudget()
	var first error
	for _, try := range tries {
		d := &document{file: f, base: try.base, budget: budget}
		d.forget()
		err := try.read(d)
		if err == nil {
			err = d.check()
		}
		if err == nil || isFinal(err) {
			return d, err
		}
		if first == nil || errors.Is(err, errCutOff) {
			first = err
		}
	}
	if header < 0 {
		return nil, errNotPDF
	}
	return nil, first
}

// isFinal reports whether err is an answer that no other way of reading the
// file can change.
func isFinal(err error) bool {
	for _, final := range []error{errPassword, errHandler, errTooComplex, errTooManyPages} {
		if errors.Is(err, final) {
			return true
		}
	}
	return false
}

// forget drops all data on the file.
func (d *document) forget() {
	d.entries = map[int]entry{}
	d.trailer, d.size, d.crypt, d.plainNum = nil, 0, nil, 0
	d.dropObjects()
}

// dropObjects drops the parsed objects and keeps their entries.
func (d *document) dropObjects() {
	d.cache, d.loading, d.packed, d.leaves = map[int]any{}, map[int]bool{}, map[int]map[int]any{}, nil
	d.stamps, d.marked = map[*page][]geometry.Obstacle{}, map[*dict]bool{}
}

// check checks that the sections lead to pages, and that the objects of the pages are
// at the offsets in the sections. A viewer that finds an object elsewhere repairs the
// file, and so must this package: with that object absent it would draw another page.
func (d *document) check() error {
	d.ids = d.list(d.trailer.get("ID")) // before its strings could be taken for encrypted ones
	if d.crypt == nil {
		if err := d.openEncryption(); err != nil {
			return err
		}
	}
	if d.pageRoot() == nil {
		return fmt.Errorf("%w: it leads to no page tree", errXref)
	}
	pages, err := d.pages()
	if errors.Is(err, errNoPages) && !d.misplaced && !d.rebuilt {
		return nil // reported by the caller that asks for pages
	}
	if err != nil {
		return err
	}
	seen := map[ref]bool{} // lists that pages share
	for _, p := range pages {
		d.verify(p.dict.get("Resources"))
		if p.resources != nil {
			for _, r := range p.resources.pairs {
				d.verify(r.val)
			}
		}
		c := p.dict.get("Contents")
		if r, ok := c.(ref); ok && seen[r] {
			continue
		} else if ok {
			seen[r] = true
			d.verify(r)
		}
		list, _ := d.resolve(c).(array)
		for _, o := range list {
			d.verify(o)
		}
	}
	if d.misplaced && !d.rebuilt {
		return fmt.Errorf("%w: objects lie elsewhere", errXref)
	}
	return nil
}

// verify sets misplaced if the object that o refers to is not at the position in its
// entry.
func (d *document) verify(o any) {
	r, ok := o.(ref)
	if !ok || d.entries[r.num].kind != inFile {
		return
	}
	l := d.at(d.base + d.entries[r.num].at)
	if num, _, ok := l.header(); !ok || num != r.num {
		d.misplaced = true
	}
}

func (d *document) catalog() *dict {
	c, _ := d.resolve(d.trailer.get("Root")).(*dict)
	return c
}

func (d *document) pageRoot() *dict {
	p, _ := d.resolve(d.catalog().get("Pages")).(*dict)
	return p
}

// resolve follows references until an object comes that is none. Absent and
// damaged objects are nil, as absent ones are null in every viewer.
func (d *document) resolve(o any) any {
	for range 16 {
		r, ok := o.(ref)
		if !ok {
			return o
		}
		o = d.load(r.num)
	}
	return nil
}

// load returns object n, or nil. An object that needs itself to be read (a
// stream whose length is in the stream) is nil inside.
func (d *document) load(n int) any {
	if o, ok := d.cache[n]; ok {
		return o
	}
	if d.loading[n] {
		return nil
	}
	d.loading[n] = true
	defer delete(d.loading, n)
	var o any
	switch e := d.entries[n]; e.kind {
	case inFile:
		num, v, err := d.objectAt(d.base + e.at)
		if err == nil && num == n {
			o = v
		} else if !errors.Is(err, errTooComplex) {
			d.misplaced = true
		}
	case inStream:
		o = d.unpack(e.at)[n]
	}
	d.cache[n] = o
	return o
}

// at returns a lexer of the file at pos, an offset from its start.
func (d *document) at(pos int) lexer {
	d.look(pos)
	return lexer{d.b, pos, d.budget}
}

// objectAt parses "n g obj ..." at pos, an offset from the start of the file.
func (d *document) objectAt(pos int) (num int, o any, err error) {
	l := d.at(pos)
	num, gen, ok := l.header()
	if !ok {
		return 0, nil, errSyntax
	}
	if o, err = l.object(0); err != nil {
		return 0, nil, err
	}
	self := ref{num, gen}
	if d.crypt != nil && num != d.plainNum {
		o = d.openStrings(o, &self)
	}
	head, ok := o.(*dict)
	if !ok {
		return num, o, nil
	}
	l.skipSpace()
	if !l.has("stream") {
		return num, o, nil
	}
	l.endLine()
	data, lie, err := d.streamData(l.pos, head)
	length, ok := integer(d.resolve(head.get("Length")))
	return num, &stream{dict: head, data: data, from: self, clear: head.get("Type") == name("XRef"), lie: lie, other: lie && ok && length > 0}, err
}

// endLine moves over the end of the line of the keyword stream.
func (l *lexer) endLine() {
	at := l.pos
	for l.has(" ") {
	}
	if cr, lf := l.has("\r"), l.has("\n"); !cr && !lf {
		l.pos = at // the data begins with spaces
	}
}

// streamData returns the bytes of the stream that begins at pos. A Length that
// does not lead to its end is a lie; then the end is searched.
func (d *document) streamData(pos int, head *dict) (data []byte, lie bool, err error) {
	if n, ok := integer(d.resolve(head.get("Length"))); ok && n >= 0 && n <= len(d.b)-pos {
		l := d.at(pos + n)
		l.skipSpace()
		if l.has("endstream") || l.has("endobj") {
			return d.b[pos : pos+n], false, nil
		}
	}
	n := bytes.Index(d.b[pos:], []byte("endstream"))
	if n < 0 {
		n = len(d.b) - pos
	}
	if err := take(&d.budget.scanned, n); err != nil {
		return nil, true, err
	}
	// The word may be missing; then the search finds the end of another stream.
	if i := bytes.Index(d.b[pos:pos+n], []byte("\nendobj")); i >= 0 {
		l := d.at(pos + i + len("\nendobj"))
		if _, _, ok := l.header(); ok {
			n = i
		}
	}
	return bytes.TrimRight(d.b[pos:pos+n], "\r\n"), true, nil
}

// unpack returns the objects of object stream n by number (ISO 32000-1, 7.5.7).
func (d *document) unpack(n int) map[int]any {
	if objects, ok := d.packed[n]; ok {
		return objects
	}
	objects := map[int]any{}
	d.packed[n] = objects
	if d.entries[n].kind != inFile {
		return objects // an object stream in an object stream
	}
	s, ok := d.load(n).(*stream)
	if !ok {
		return objects
	}
	data, err := d.decode(s)
	if err != nil {
		return objects
	}
	count, _ := integer(d.resolve(s.dict.get("N")))
	first, _ := integer(d.resolve(s.dict.get("First")))
	l := &lexer{b: data, budget: d.budget}
	for range min(count, maxEntries) {
		num, ok := l.natural()
		at, ok2 := l.natural()
		if !ok || !ok2 {
			break
		}
		// Parse only objects that the cross-reference places here.
		if e := d.entries[num]; e.kind != inStream || e.at != n || first < 0 || at > len(data)-first {
			continue
		}
		in := &lexer{data, first + at, d.budget}
		if o, err := in.object(0); err == nil {
			if d.crypt != nil {
				o = d.openStrings(o, nil)
			}
			objects[num] = o
		}
	}
	return objects
}
