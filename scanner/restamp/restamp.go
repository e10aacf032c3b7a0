package restamp

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"tcode/offline/binding"
	"tcode/scanner/pdfobj"
)

// ErrOther means that a revision could not be proven to be a stamp alone.
var ErrOther = errors.New("the appended part is not proven to be a TCode stamp alone")

func other(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrOther, fmt.Sprintf(format, args...))
}

// Bounds of one revision.
const (
	maxObjects = 4096
	maxNodes   = 100_000 // of the page tree
	maxDepth   = 64
)

// Prove returns the numbers, from 1 and ascending, of the pages on which the revision in
// file[from:to] puts a stamp. The error wraps [ErrOther] if any part of the revision is
// not of the forms that stamping adds. The caller must check whether the stamps at from
// and to are genuine.
func Prove(file []byte, from, to int64) (pages []int, err error) {
	if from <= 0 || from >= to || to > int64(len(file)) {
		return nil, other("its bounds are wrong")
	}
	r := &revision{file: file[:to], from: int(from), images: map[pdfobj.Ref]binding.Mark{}, streams: map[pdfobj.Ref]bool{}, used: map[pdfobj.Ref]bool{}}
	for _, step := range []func() error{r.split, r.open, r.fresh, r.crossReference} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	if len(r.images) != 1 || len(r.pages) == 0 {
		return nil, other("%d symbols on %d pages", len(r.images), len(r.pages))
	}
	for _, o := range r.pages {
		if err := r.page(o); err != nil {
			return nil, err
		}
	}
	if len(r.used) != len(r.streams) {
		return nil, other("a stream that no page shows")
	}
	return r.numbers()
}

// A revision is the examined part of a file, with the file before it and after
// it.
type revision struct {
	file          []byte
	from          int
	before, after *pdfobj.File
	objects       []object // in the order of the bytes
	images        map[pdfobj.Ref]binding.Mark
	streams, used map[pdfobj.Ref]bool // contents, and the streams that a page shows
	pages         []object
	xref          int // offset of the cross-reference section
	xrefStream    bool
}

// An object is one indirect object of a revision.
type object struct {
	num, at int
	text    string // of its value, without a stream's data
}

// heading takes the start of an object of generation 0, and returns its number.
func (c *cursor) heading() (num string) {
	c.failed = c.failed || strings.HasPrefix(c.rest, "0")
	num = c.short()
	c.word(" 0 obj\n")
	return num
}

// contents reads the dictionary of a stream that draws a stamp.
func contents(text string) (length string, ok bool) {
	c := cursor{rest: text}
	c.word("<<")
	c.maybe("/Filter /FlateDecode\n")
	c.word("/Length ")
	length = c.short()
	c.word("\n>>")
	return length, c.done()
}

// section reads the dictionary of a cross-reference stream, which crossReference reads in full.
func section(text string) (length string, ok bool) {
	at := strings.LastIndex(text, sectionType)
	if at < 0 || !strings.HasPrefix(text, "<<") {
		return "", false
	}
	c := cursor{rest: text[at:]}
	c.word(sectionType)
	c.digits()
	length = c.section()
	return length, c.done()
}

const sectionType = "/Type /XRef\n/Size "

// section takes the rest of the dictionary, after Size.
func (c *cursor) section() (length string) {
	c.word("\n/W [1 4 2]\n/Index [")
	index := c.some(func(b byte) bool { return isDigit(b) || b == ' ' })
	c.failed = c.failed || index == ""
	c.word("]\n/Length ")
	length = c.short()
	c.word("\n>>")
	return length
}

// split finds the objects of the revision. No byte may lie between them.
func (r *revision) split() error {
	pos := r.from
	if c := r.file[pos-1]; c != '\n' && c != '\r' {
		return other("the file before it does not end in a line end")
	}
	for !bytes.HasPrefix(r.file[pos:], []byte("xref\n")) {
		window := string(r.file[pos:min(len(r.file), pos+32)])
		c := cursor{rest: window}
		num := number(c.heading())
		if c.failed || len(r.objects) == maxObjects {
			return other("no object begins at byte %d", pos)
		}
		next, err := r.object(object{num: num, at: pos}, pos+len(window)-len(c.rest))
		if err != nil {
			return err
		}
		if pos = next; r.xrefStream {
			return nil
		}
	}
	r.xref = pos
	return nil
}

// object classifies the value at pos, stores it, and returns the start of the next
// object.
func (r *revision) object(o object, pos int) (next int, err error) {
	const stream, end, endStream = "\nstream\n", "\nendobj\n", "\nendstream\nendobj\n"
	rest := r.file[pos:]
	data, done := bytes.Index(rest, []byte(stream)), bytes.Index(rest, []byte(end))
	if done < 0 {
		return 0, other("object %d does not end", o.num)
	}
	if data < 0 || data > done {
		o.text = string(rest[:done])
		r.objects, r.pages = append(r.objects, o), append(r.pages, o)
		return pos + done + len(end), nil
	}
	o.text = string(rest[:data])
	var length int
	drawn, isContents := contents(o.text)
	listed, isSection := section(o.text)
	switch {
	case len(binding.Marks(rest[:data])) > 0:
		if length, err = r.image(o, pos+data+len(stream)); err != nil {
			return 0, err
		}
	case isContents:
		length = number(drawn)
		r.streams[pdfobj.Ref(o.num)] = true
	case isSection:
		length = number(listed)
		r.xref, r.xrefStream = o.at, true
	default:
		return 0, other("object %d is none that a stamp has", o.num)
	}
	pos += data + len(stream)
	if length > len(r.file)-pos || !bytes.HasPrefix(r.file[pos+length:], []byte(endStream)) {
		return 0, other("object %d is not as long as it says", o.num)
	}
	if r.streams[pdfobj.Ref(o.num)] && bytes.Contains(r.file[pos:pos+length], []byte("obj")) {
		return 0, other("object %d holds what a program that repairs files takes for an object", o.num)
	}
	r.objects = append(r.objects, o)
	return pos + length + len(endStream), nil
}

func number(digits string) int {
	n, _ := strconv.Atoi(digits) // nine digits at most
	return n
}

// image checks that o is the image of a stamp whose data begins at data, and returns their
// length.
func (r *revision) image(o object, data int) (length int, err error) {
	marks := binding.Marks([]byte(o.text))
	k := marks[0]
	m, ok := binding.Drawn(r.file, k)
	if !ok || len(marks) != 1 || k.End != int64(len(r.file)) {
		return 0, other("object %d holds no symbol of this revision", o.num)
	}
	iv := 0
	if k.Cipher.Method == binding.AES {
		iv = binding.IVLen
	}
	px := m.Side * binding.PxPerModule
	length = iv + int(k.Length)
	want := fmt.Appendf(nil, "<</Type/XObject/Subtype/Image/Width %d/Height %d/ImageMask true/BitsPerComponent 1/Length %d\n", px, px, length)
	if want = append(k.Append(want), ">>"...); o.text != string(want) || k.Start != int64(data+iv) {
		return 0, other("object %d is not the image of a stamp", o.num)
	}
	r.images[pdfobj.Ref(o.num)] = k
	return length, nil
}

// open reads the file before and after.
func (r *revision) open() error {
	r.before, r.after = pdfobj.Open(r.file[:r.from]), pdfobj.Open(r.file)
	if wrong := r.before.Wrong() + r.after.Wrong(); wrong != "" {
		return other("%s", wrong)
	}
	return nil
}

// fresh checks that all objects except pages are new: they must neither exist nor be named
// before, so that no older object shows them.
func (r *revision) fresh() error {
	highest := 0
	survey := pdfobj.Scan(r.file[:r.from], func(o pdfobj.Object) {
		highest = max(highest, o.Num)
		pdfobj.Each(o.Value, func(v any) {
			if n, ok := v.(pdfobj.Ref); ok {
				highest = max(highest, int(n))
			}
		})
	})
	if survey.Cut || survey.Packed {
		return other("the file before it could not be looked at")
	}
	seen := map[int]bool{}
	for _, o := range r.objects {
		page := slices.ContainsFunc(r.pages, func(p object) bool { return p.num == o.num })
		if seen[o.num] || page == (o.num > highest) {
			return other("object %d stands in place of another", o.num)
		}
		seen[o.num] = true
	}
	return nil
}

// page checks that o equals a page of the file before, except for the stamp.
func (r *revision) page(o object) error {
	old, ok := r.before.Object(pdfobj.Ref(o.num))
	now, ok2 := r.after.Object(pdfobj.Ref(o.num))
	was, is := old.Dict(), now.Dict()
	if !ok || !ok2 || was.Name("Type") != "Page" || old.Stream || now.Stream || old.Twice != "" || now.Twice != "" {
		return other("object %d is no copy of a page", o.num)
	}
	// Values do not include generations: all must be 0, and nothing may hide one.
	text, ok := r.textOf(old)
	if !ok || !zeros(text) || !written(o.text) {
		return other("page object %d is not written as a stamper writes it", o.num)
	}
	for key := range is {
		if key != "Contents" && key != "Resources" && !reflect.DeepEqual(is[key], was[key]) {
			return other("page object %d has another %s", o.num, key)
		}
	}
	for key := range was {
		if _, has := is[key]; !has {
			return other("page object %d has no %s", o.num, key)
		}
	}
	names, err := r.resources(o.num, r.inherited(was), is["Resources"])
	if err != nil {
		return err
	}
	return r.contents(o.num, was["Contents"], is["Contents"], names)
}

// textOf returns the bytes of an object outside of streams.
func (r *revision) textOf(o pdfobj.Object) (string, bool) {
	head := fmt.Appendf(nil, "%d 0 ", o.Num)
	end := bytes.Index(r.file[o.At:r.from], []byte("endobj"))
	if end < 0 || !bytes.HasSuffix(r.file[:o.At], head) {
		return "", false
	}
	return string(r.file[o.At+len("obj") : o.At+end]), true
}

// zeros reports whether all references in the text of an object name
// generation 0. It has no comments, which could stand within a reference.
func zeros(text string) bool {
	for at := range len(text) {
		if text[at] != 'R' {
			continue
		}
		rest, spaced := dropEnd(text[:at], isSpace)
		number, isNumber := dropEnd(rest, isDigit)
		before, apart := dropEnd(number, isSpace)
		_, isRef := dropEnd(before, isDigit)
		if spaced && isNumber && apart && isRef && rest[len(number):] != "0" {
			return false
		}
	}
	return !strings.Contains(text, "%")
}

// dropEnd removes the last bytes of text for which is holds.
func dropEnd(text string, is func(byte) bool) (rest string, some bool) {
	n := len(text)
	for n > 0 && is(text[n-1]) {
		n--
	}
	return text[:n], n < len(text)
}

// inherited returns the resources of a page, its own or of the nodes above.
func (r *revision) inherited(page pdfobj.Dict) pdfobj.Dict {
	for range maxDepth {
		if page.Has("Resources") || !page.Has("Parent") {
			break
		}
		page = r.before.Dict(page["Parent"])
	}
	return r.before.Dict(page["Resources"])
}

// numbers returns the numbers of the pages with the stamp, in the file after.
func (r *revision) numbers() ([]int, error) {
	w := walk{file: r.after, wanted: map[pdfobj.Ref]bool{}, above: map[pdfobj.Ref]bool{}, met: map[pdfobj.Ref]bool{}}
	for _, o := range r.pages {
		w.wanted[pdfobj.Ref(o.num)] = true
	}
	w.node(r.after.Dict(r.after.Trailer()["Root"])["Pages"], 0)
	if w.lost || len(w.met) != len(r.pages) {
		return nil, other("its pages are not found")
	}
	return w.found, nil
}

// walk goes over a page tree.
type walk struct {
	file               *pdfobj.File
	wanted, above, met map[pdfobj.Ref]bool
	found              []int
	leaves, nodes      int
	lost               bool
}

func (w *walk) node(v any, depth int) {
	n, isRef := v.(pdfobj.Ref)
	d := w.file.Dict(v)
	if w.nodes++; w.nodes > maxNodes || depth > maxDepth || !isRef || w.above[n] || d == nil {
		w.lost = true
		return
	}
	kids := w.file.Array(d["Kids"])
	if kids == nil || d.Name("Type") == "Page" {
		if w.leaves++; w.wanted[n] {
			w.found, w.met[n] = append(w.found, w.leaves), true
		}
		return
	}
	w.above[n] = true
	defer delete(w.above, n)
	for _, k := range kids {
		w.node(k, depth+1)
	}
}
