package restamp

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"tcode/scanner/pdfobj"
)

// entries are those of the trailer of a stamped file.
type entries struct {
	refs       [3]string // numbers of the objects Root, Info and Encrypt; "" if missing
	id         string    // first file identifier; "" if missing
	prev, size string
}

// entries takes the entries of a trailer up to Prev. They are alike in a dictionary of its own
// and in a cross-reference stream.
func (c *cursor) entries() (e entries) {
	c.word("<<")
	for i, key := range trailerRefs {
		if c.maybe("/" + string(key) + " ") {
			e.refs[i] = c.digits()
			c.word(" 0 R\n")
		}
	}
	c.failed = c.failed || e.refs[0] == ""
	if c.maybe("/ID [") {
		e.id = c.identifier()
		c.word(" <")
		second := c.some(func(b byte) bool { return isHex(b) && b < 'a' })
		c.failed = c.failed || len(second) != 32
		c.word(">]\n")
	}
	c.word("/Prev ")
	e.prev = c.digits()
	c.word("\n")
	return e
}

var trailerRefs = [...]pdfobj.Name{"Root", "Info", "Encrypt"}

// identifier takes a hexadecimal string, or a literal one without parentheses in it.
func (c *cursor) identifier() string {
	start := c.rest
	if c.maybe("<") {
		c.some(isHex)
		c.word(">")
		return start[:len(start)-len(c.rest)]
	}
	c.word("(")
	for {
		c.some(func(b byte) bool { return strings.IndexByte(`()\`, b) < 0 })
		if len(c.rest) < 2 || c.rest[0] != '\\' {
			break
		}
		c.rest = c.rest[2:]
	}
	c.word(")")
	return start[:len(start)-len(c.rest)]
}

// starts reports whether a stamp's trailer begins text.
func starts(text string) bool {
	c := cursor{rest: text}
	c.entries()
	return !c.failed
}

// inTable reads the trailer that follows a cross-reference table.
func inTable(text string) (entries, bool) {
	c := cursor{rest: text}
	e := c.entries()
	c.word("/Size ")
	e.size = c.short()
	c.word("\n>>\n")
	return e, c.done()
}

// inStream reads the dictionary of a cross-reference stream.
func inStream(text string) (entries, bool) {
	c := cursor{rest: text}
	e := c.entries()
	c.word(sectionType)
	e.size = c.short()
	c.section()
	return e, c.done()
}

// crossReference checks that the section at the end names the objects of the revision,
// each at its place, and leads to the section before.
func (r *revision) crossReference() error {
	slices.SortStableFunc(r.objects, func(a, b object) int { return a.num - b.num })
	end := fmt.Sprintf("startxref\n%d\n%%%%EOF\n", r.xref)
	text, ok := strings.CutSuffix(string(r.file[r.xref:]), end)
	if !ok {
		return other("it does not end in its cross-reference")
	}
	var e entries
	if r.xrefStream {
		e, ok = r.sectionStream()
	} else if text, ok = strings.CutPrefix(text, r.table()+"trailer\n"); ok {
		e, ok = inTable(text)
	}
	if !ok {
		return other("its cross-reference is not a stamp's")
	}
	return r.trailer(e)
}

// runs calls yield with the objects in runs of consecutive numbers.
func (r *revision) runs(yield func(run []object)) {
	for i := 0; i < len(r.objects); {
		j := i + 1
		for j < len(r.objects) && r.objects[j].num == r.objects[j-1].num+1 {
			j++
		}
		yield(r.objects[i:j])
		i = j
	}
}

// table returns the cross-reference table of the objects.
func (r *revision) table() string {
	b := []byte("xref\n")
	r.runs(func(run []object) {
		b = fmt.Appendf(b, "%d %d\n", run[0].num, len(run))
		for _, o := range run {
			b = fmt.Appendf(b, "%010d 00000 n \n", o.at)
		}
	})
	return string(b)
}

// sectionStream checks the cross-reference stream, which is the last object,
// and returns the trailer's entries.
func (r *revision) sectionStream() (entries, bool) {
	i := slices.IndexFunc(r.objects, func(o object) bool { return o.at == r.xref })
	o, ok := r.after.Object(pdfobj.Ref(r.objects[i].num))
	if !ok {
		return entries{}, false
	}
	data, ok := r.after.Data(o)
	var rows []byte
	var index pdfobj.Array
	r.runs(func(run []object) {
		index = append(index, run[0].num, len(run))
		for _, o := range run {
			rows = binary.BigEndian.AppendUint32(append(rows, 1), uint32(o.at))
			rows = append(rows, 0, 0)
		}
	})
	if !ok || !bytes.Equal(data, rows) || !reflect.DeepEqual(o.Dict()["Index"], index) {
		return entries{}, false
	}
	return inStream(r.objects[i].text)
}

// trailer compares the entries e of the newest trailer with the one before, which also
// ends a stamp.
func (r *revision) trailer(e entries) error {
	was := r.before.Trailer()
	for i, key := range trailerRefs {
		old, had := was[key].(pdfobj.Ref)
		if now := e.refs[i]; had != (now != "") || had && int(old) != number(now) || !had && was.Has(key) {
			return other("its trailer has another %s", key)
		}
	}
	ids, _ := was["ID"].(pdfobj.Array)
	switch {
	case e.id == "" && len(ids) == 0:
	case e.id != "" && len(ids) == 2 && reflect.DeepEqual(ids[0], pdfobj.String(e.id)):
	default:
		return other("its trailer has another ID")
	}
	// Some programs ignore objects beyond Size.
	size, isInt := was["Size"].(int)
	if now := number(e.size); !isInt || now < size || now != max(size, r.objects[len(r.objects)-1].num+1) {
		return other("its trailer has another Size")
	}
	before := r.file[:r.from]
	at := bytes.LastIndex(before, []byte("startxref\n"))
	if at < 0 || string(before[at:]) != fmt.Sprintf("startxref\n%s\n%%%%EOF\n", e.prev) {
		return other("it does not follow the revision before")
	}
	// References in the trailer before also name generation 0, because it is a stamp's.
	newest := bytes.LastIndex(before[:at], []byte("<</Root "))
	if newest < 0 || !starts(string(before[newest:at])) {
		return other("the trailer before is not a stamp's")
	}
	return nil
}
