package pdfstamp

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
)

// Reasons why a file cannot be read.
var (
	errNotPDF    = errors.New("no PDF header")
	errXref      = errors.New("cross-reference is damaged")
	errCutOff    = errors.New("file is cut off")
	errNoPages   = errors.New("no page")
	errEncrypted = errors.New("file is encrypted")
)

// An entry says where an object lies (ISO 32000-1, 7.5.4 and 7.5.8).
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

// A document reads b lazily. It is not safe for concurrent use.
type document struct {
	b         []byte
	base      int // what offsets count from: the header, or 0
	entries   map[int]entry
	trailer   *dict // of the newest section
	size      int   // lowest object number that no section knows
	startXref int   // as the file has it
	isStream  bool  // the newest section is a stream
	rebuilt   bool  // the sections are damaged; entries come from a scan
	budget    *budget

	cache   map[int]any
	loading map[int]bool
	packed  map[int]map[int]any // object stream -> its objects
}

// open finds the objects of b: by its cross-reference sections or, where they
// are damaged, by looking for them.
func open(b []byte) (*document, error) {
	header := bytes.Index(b[:min(len(b), 1024)], []byte("%PDF-"))
	if header < 0 {
		return nil, errNotPDF
	}
	// Offsets count from the header; some writers that put bytes before it
	// count from the start of the file.
	tries := []struct {
		base int
		read func(*document) error
	}{{header, (*document).readXref}, {0, (*document).readXref}, {header, (*document).rebuild}}
	if header == 0 {
		tries = slices.Delete(tries, 1, 2)
	}
	budget := newBudget()
	var err error
	for _, try := range tries {
		d := &document{b: b, base: try.base, budget: budget}
		d.forget()
		if err = try.read(d); err == nil {
			err = d.check()
		}
		if err == nil || errors.Is(err, errEncrypted) || errors.Is(err, errTooComplex) {
			return d, err
		}
	}
	return nil, err
}

// forget drops all that was learned from the file.
func (d *document) forget() {
	d.entries = map[int]entry{}
	d.trailer, d.size = nil, 0
	d.cache, d.loading, d.packed = map[int]any{}, map[int]bool{}, map[int]map[int]any{}
}

// check looks whether the sections lead to a page tree.
func (d *document) check() error {
	if d.trailer.get("Encrypt") != nil {
		return errEncrypted
	}
	if d.pageRoot() == nil {
		return fmt.Errorf("%w: it leads to no page tree", errXref)
	}
	return nil
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
		if num, v, err := d.objectAt(d.base + e.at); err == nil && num == n {
			o = v
		}
	case inStream:
		o = d.unpack(e.at)[n]
	}
	d.cache[n] = o
	return o
}

// objectAt parses "n g obj ..." at pos, an offset from the start of the file.
func (d *document) objectAt(pos int) (num int, o any, err error) {
	if pos < 0 || pos >= len(d.b) {
		return 0, nil, errSyntax
	}
	l := &lexer{d.b, pos, d.budget}
	num, ok := l.natural()
	if !ok {
		return 0, nil, errSyntax
	}
	if _, ok := l.natural(); !ok {
		return 0, nil, errSyntax
	}
	l.skipSpace()
	if !l.has("obj") {
		return 0, nil, errSyntax
	}
	if o, err = l.object(0); err != nil {
		return 0, nil, err
	}
	head, ok := o.(*dict)
	if !ok {
		return num, o, nil
	}
	l.skipSpace()
	if !l.has("stream") {
		return num, o, nil
	}
	l.has("\r")
	l.has("\n")
	data, err := d.streamData(l.pos, head)
	return num, &stream{head, data}, err
}

// streamData returns the bytes of the stream that begins at pos. A Length that
// does not lead to endstream is a lie; then endstream is searched.
func (d *document) streamData(pos int, head *dict) ([]byte, error) {
	if n, ok := integer(d.resolve(head.get("Length"))); ok && n >= 0 && n <= len(d.b)-pos {
		l := &lexer{d.b, pos + n, d.budget}
		l.skipSpace()
		if l.has("endstream") {
			return d.b[pos : pos+n], nil
		}
	}
	n := bytes.Index(d.b[pos:], []byte("endstream"))
	if n < 0 {
		n = len(d.b) - pos
	}
	if err := take(&d.budget.scanned, n); err != nil {
		return nil, err
	}
	return bytes.TrimRight(d.b[pos:pos+n], "\r\n"), nil
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
		// Only what the cross-reference says lies here is worth parsing.
		if e := d.entries[num]; e.kind != inStream || e.at != n || first < 0 || at > len(data)-first {
			continue
		}
		in := &lexer{data, first + at, d.budget}
		if o, err := in.object(0); err == nil {
			objects[num] = o
		}
	}
	return objects
}
