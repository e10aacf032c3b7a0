package pdfobj

import (
	"bytes"
	"fmt"
	"strconv"
)

// A chain is the cross-reference of a file: the newest section and the older ones that it
// names, read exactly as ISO 32000-2, 7.5.4 to 7.5.8 says. In a file that follows these
// rules, all programs find the same objects. In any other, each program repairs the
// cross-reference in its own way.
type chain struct {
	entries  map[int]entry
	replaced map[int]bool // the keywords of objects of older revisions
	gens     map[int]int  // generations other than 0 of objects in use
	trailers []Dict       // newest first
	tails    map[int]bool
	wrong    string // why programs may find other objects, a clause; empty if nothing is wrong
	// loose is a clause like wrong: some programs follow the chain, others make their own.
	// Both find the same objects unless an object stands in the file twice.
	loose   string
	hybrid  map[int]bool // objects in use that only the stream next to a table names
	settled map[int]bool // those of them that an older table names as well
	beside  bool         // such a stream is being read
	read    int          // entries, of all sections
}

// An entry is the place that the cross-reference gives for an object.
type entry struct {
	at     int // offset of the keyword obj; 0 if the object is free, in a stream, or not there
	stream int // number of the object stream that holds it; 0 for none
	index  int // in that stream
}

// Bounds of a cross-reference.
const (
	maxSections = 1000
	maxEntries  = 2 << 20 // read in all sections
	maxTail     = 1024    // bytes before the end of the file in which programs look for startxref
)

// chainOf reads the cross-reference of f.
func chainOf(f *File) *chain {
	c := &chain{entries: map[int]entry{}, replaced: map[int]bool{}, gens: map[int]int{}, hybrid: map[int]bool{}, settled: map[int]bool{}, tails: map[int]bool{}}
	at := bytes.LastIndex(f.data, []byte("startxref"))
	if at < 0 || len(bytes.TrimRight(f.data, "\x00\t\n\f\r "))-at > maxTail {
		c.wrong = "its end does not say where its cross-reference stands"
		return c
	}
	left := spare
	next, ok := (&lexer{b: f.data, pos: at + len("startxref"), left: &left}).value(0).(int)
	for seen := map[int]bool{}; ok; {
		if next < 0 || next >= len(f.data) || seen[next] || len(seen) >= maxSections {
			c.wrong = "its cross-reference leads nowhere"
			return c
		}
		seen[next] = true
		trailer := c.section(f, next)
		if trailer == nil {
			c.fail("its cross-reference at byte %d cannot be read", next)
			return c
		}
		c.trailers = append(c.trailers, trailer)
		if !trailer.Has("Prev") {
			break
		}
		next, ok = trailer["Prev"].(int)
	}
	if !ok {
		c.wrong = "its cross-reference leads nowhere"
	}
	for _, t := range c.trailers {
		if t.Has("Root") && !same(t["Root"], c.trailers[0]["Root"]) {
			c.wrong = "its revisions begin at different objects"
		}
	}
	return c
}

func (c *chain) fail(format string, args ...any) {
	if c.wrong == "" {
		c.wrong = fmt.Sprintf(format, args...)
	}
}

// section reads the section at pos, with the stream that a table names for programs of PDF
// 1.5 and later. It returns its trailer, or nil if it cannot be read.
func (c *chain) section(f *File, pos int) Dict {
	pos += blanks(f.data[pos:])
	if !bytes.HasPrefix(f.data[pos:], []byte("xref")) {
		return c.stream(f, pos)
	}
	left := spare
	l := &lexer{b: f.data, pos: pos + len("xref"), left: &left}
	var free []int
	for l.peek() != 't' {
		first, ok1 := l.value(0).(int)
		count, ok2 := l.value(0).(int)
		if !ok1 || !ok2 || first < 0 || count < 0 || first > maxNumber || count > maxNumber {
			return nil
		}
		for l.pos < len(l.b) && l.b[l.pos] == ' ' {
			l.pos++
		}
		l.pos = behindEOL(l.b, l.pos)
		for i := range count {
			if c.read++; c.read > maxEntries || len(l.b)-l.pos < entryLen {
				return nil
			}
			e := l.b[l.pos : l.pos+entryLen]
			if l.pos += entryLen; !isSpace(e[19]) && isSpace(e[18]) {
				l.pos--
				c.loose = fmt.Sprintf("the entries of its cross-reference at byte %d are too short", pos)
			}
			offset, gen, used, ok := tableEntry(e)
			if !ok {
				return nil
			}
			if used {
				c.plain(f, first+i, offset, gen)
			} else {
				free = append(free, first+i)
			}
		}
	}
	if !bytes.HasPrefix(l.b[l.pos:], []byte("trailer")) {
		return nil
	}
	l.pos += len("trailer")
	tail := l.pos
	trailer, _ := l.value(0).(Dict)
	if trailer == nil || l.odd || l.out || l.twice != "" {
		return nil
	}
	c.tails[tail] = true
	if x, ok := trailer["XRefStm"].(int); ok {
		c.beside = true
		ok := x >= 0 && x < len(f.data) && c.stream(f, x+blanks(f.data[x:])) != nil
		if c.beside = false; !ok {
			return nil
		}
	} else if trailer.Has("XRefStm") {
		return nil
	}
	for _, num := range free {
		c.set(num, entry{})
	}
	return trailer
}

// entryLen is the length of a table's entry. Programs rely on it.
const entryLen = 20

func tableEntry(e []byte) (offset, gen int, used, ok bool) {
	offset, err1 := strconv.Atoi(string(e[:10]))
	gen, err2 := strconv.Atoi(string(e[11:16]))
	ok = err1 == nil && err2 == nil && offset >= 0 && gen >= 0 && e[10] == ' ' && e[16] == ' ' &&
		(e[17] == 'n' || e[17] == 'f') && isSpace(e[18])
	return offset, gen, e[17] == 'n', ok
}

// stream reads the cross-reference stream at pos.
func (c *chain) stream(f *File, pos int) Dict {
	num, _, at, ok := heading(f.data, pos)
	if !ok {
		return nil
	}
	o := f.at(num, at)
	d := o.Dict()
	if !o.Stream || d.Name("Type") != "XRef" {
		return nil
	}
	o.plain = true // it is never encrypted
	data, ok := f.Data(o)
	widths, _ := d["W"].(Array)
	size, isInt := d["Size"].(int)
	index, isArray := d["Index"].(Array)
	if !d.Has("Index") {
		index, isArray = Array{0, size}, true
	}
	if !ok || len(widths) < 3 || !isInt || !isArray || len(index)%2 != 0 {
		return nil
	}
	var w [3]int
	for i := range w {
		n, ok := widths[i].(int)
		if !ok || n < 0 || n > 8 {
			return nil
		}
		w[i] = n
	}
	row := w[0] + w[1] + w[2]
	for i := 0; i < len(index); i += 2 {
		first, ok1 := index[i].(int)
		count, ok2 := index[i+1].(int)
		if !ok1 || !ok2 || row == 0 || first < 0 || count < 0 || first > maxNumber || count > maxNumber || len(data)/row < count {
			return nil
		}
		for n := range count {
			if c.read++; c.read > maxEntries {
				return nil
			}
			c.row(f, first+n, data[:row], w)
			data = data[row:]
		}
	}
	return d
}

// row reads one entry of a cross-reference stream.
func (c *chain) row(f *File, num int, b []byte, w [3]int) {
	var field [3]int
	for i, n := range w {
		for _, digit := range b[:n] {
			field[i] = field[i]<<8 | int(digit)
		}
		b = b[n:]
	}
	kind := field[0]
	if w[0] == 0 {
		kind = 1
	}
	switch kind {
	case 1:
		c.plain(f, num, field[1], field[2])
	case 2:
		c.set(num, entry{stream: field[1], index: field[2]})
	default:
		c.set(num, entry{})
	}
}

// plain notes an object in use at offset.
func (c *chain) plain(f *File, num, offset, gen int) {
	n, g, at, ok := heading(f.data, offset)
	if !ok || n != num || g != gen {
		at = 0
	}
	if e, newer := c.entries[num]; newer {
		c.replaced[at] = true
		c.older(num, e == entry{at: at})
		return
	}
	if gen != 0 {
		c.gens[num] = gen
	}
	c.set(num, entry{at: at})
}

// set keeps e unless a newer section names the object.
func (c *chain) set(num int, e entry) {
	now, newer := c.entries[num]
	switch {
	case newer:
		c.older(num, now == e)
		return
	case c.beside && (e.at > 0 || e.stream > 0):
		c.hybrid[num] = true
	}
	c.entries[num] = e
}

// older notes the entry of an older section for an object that is in the stream next to a
// table. same says whether programs that do not read that stream find the same object.
func (c *chain) older(num int, same bool) {
	if _, open := c.hybrid[num]; open && !c.beside && !c.settled[num] {
		c.settled[num] = true
		if same {
			delete(c.hybrid, num)
		}
	}
}

// heading reads "n g obj" at pos, behind white space. at is the offset of the
// keyword.
func heading(file []byte, pos int) (num, gen, at int, ok bool) {
	if pos < 0 || pos >= len(file) {
		return 0, 0, 0, false
	}
	read := func() int {
		from := pos
		for pos < len(file) && isDigit(file[pos]) && pos-from < 10 {
			pos++
		}
		n, err := strconv.Atoi(string(file[from:pos]))
		if err != nil {
			return -1
		}
		return n
	}
	pos += blanks(file[pos:])
	num = read()
	space := blanks(file[pos:])
	pos += space
	gen = read()
	pos += blanks(file[pos:])
	return num, gen, pos, num >= 0 && gen >= 0 && space > 0 && bytes.HasPrefix(file[pos:], []byte("obj"))
}

// blanks counts the white space at the beginning of b, up to 64 bytes.
func blanks(b []byte) int {
	const most = 64
	n := 0
	for n < len(b) && n < most && isSpace(b[n]) {
		n++
	}
	return n
}
