package pdfstamp

import (
	"bytes"
	"fmt"
)

// readXref follows the cross-reference sections from the newest back. The
// first entry seen of an object is its newest.
func (d *document) readXref() error {
	i := bytes.LastIndex(d.b, []byte("startxref"))
	if i < 0 {
		return fmt.Errorf("%w: no startxref", errXref)
	}
	l := d.at(i + len("startxref"))
	at, ok := l.natural()
	if !ok {
		return fmt.Errorf("%w: startxref names no offset", errXref)
	}
	d.startXref = at
	seen := map[int]bool{}
	for ok && !seen[at] {
		if len(seen) == maxSections {
			return errTooComplex
		}
		seen[at] = true
		var hidden freed
		section, isStream, err := d.readSection(at, &hidden)
		if err != nil {
			return err
		}
		if d.trailer == nil {
			d.trailer, d.isStream = section, isStream
		}
		if n, ok := integer(section.get("Size")); ok && n > d.size && n <= maxNumber/2 {
			d.size = n // numbers below it may be referred to, and must stay free
		}
		// A hybrid table sends readers that can to a stream, which counts before
		// the older sections, and has the objects that are free in the table
		// (ISO 32000-1, 7.5.8.4).
		if hybrid, ok := integer(section.get("XRefStm")); ok && !isStream && !seen[hybrid] {
			seen[hybrid] = true
			if _, _, err := d.readSection(hybrid, &hidden); err != nil {
				return err
			}
		}
		for _, n := range hidden {
			if err := d.put(n, entry{}); err != nil {
				return err
			}
		}
		at, ok = integer(section.get("Prev"))
		ok = ok && at > 0
	}
	for n := range d.entries {
		d.size = max(d.size, n+1)
	}
	return nil
}

// put enters an object unless a newer section has it.
func (d *document) put(n int, e entry) error {
	if n < 0 || n > maxNumber {
		return nil // no object can have this number
	}
	if _, ok := d.entries[n]; ok {
		return nil
	}
	if len(d.entries) == maxEntries {
		return errTooComplex
	}
	d.entries[n] = e
	return nil
}

// freed are the objects that a table says are free.
type freed []int

// readSection reads the table or stream at offset at and returns its trailer.
// The entries of a table that are free wait in f.
func (d *document) readSection(at int, f *freed) (trailer *dict, isStream bool, err error) {
	l := d.at(d.base + at)
	if l.pos < 0 || l.pos >= len(d.b) {
		return nil, false, fmt.Errorf("%w: a section lies outside the file", errXref)
	}
	l.skipSpace()
	if l.has("xref") {
		trailer, err = d.readTable(&l, f)
		return trailer, false, err
	}
	_, o, err := d.objectAt(l.pos)
	if err != nil {
		return nil, true, fmt.Errorf("%w: %w", errXref, err)
	}
	s, ok := o.(*stream)
	if !ok || s.dict.get("W") == nil {
		return nil, true, fmt.Errorf("%w: startxref or Prev leads elsewhere", errXref)
	}
	return s.dict, true, d.readStream(s)
}

// readTable reads the subsections and the trailer of a table (ISO 32000-1,
// 7.5.4). Lines are not held to 20 bytes: many writers miss that.
func (d *document) readTable(l *lexer, f *freed) (*dict, error) {
	for {
		l.skipSpace()
		if l.has("trailer") {
			o, err := l.object(0)
			if err != nil {
				return nil, fmt.Errorf("%w: trailer: %w", errXref, err)
			}
			t, ok := o.(*dict)
			if !ok {
				return nil, fmt.Errorf("%w: no trailer dictionary", errXref)
			}
			return t, nil
		}
		first, ok := l.natural()
		count, ok2 := l.natural()
		if !ok || !ok2 {
			return nil, fmt.Errorf("%w: neither a subsection nor a trailer", errXref)
		}
		for n := first; n < first+count; n++ {
			at, ok := l.natural()
			if !ok {
				break // the count is too high; the trailer must come
			}
			gen, ok := l.natural()
			l.skipSpace()
			e := entry{free, at, gen}
			if l.has("n") {
				e.kind = inFile
			} else if !l.has("f") {
				ok = false
			}
			if !ok {
				return nil, fmt.Errorf("%w: entry of object %d", errXref, n)
			}
			if n == 1 && first == 1 && e == (entry{free, 0, 65535}) {
				n, first = 0, 0 // the head of the free list is object 0: the writer counted wrong
				d.recounted = true
			}
			if e.kind == free {
				if *f = append(*f, n); len(*f) > maxEntries {
					return nil, errTooComplex
				}
			} else if err := d.put(n, e); err != nil {
				return nil, err
			}
		}
	}
}

// readStream reads the entries of a cross-reference stream (ISO 32000-1,
// 7.5.8).
func (d *document) readStream(s *stream) error {
	data, err := d.decode(s)
	if err != nil {
		return fmt.Errorf("%w: %w", errXref, err)
	}
	var width [3]int
	widths, _ := d.resolve(s.dict.get("W")).(array)
	if len(widths) < len(width) {
		return fmt.Errorf("%w: no field widths", errXref)
	}
	total := 0
	for i := range width {
		n, ok := integer(widths[i])
		if !ok || n < 0 || n > 8 {
			return fmt.Errorf("%w: field widths", errXref)
		}
		width[i] = n
		total += n
	}
	if total == 0 {
		return fmt.Errorf("%w: field widths", errXref)
	}
	index, _ := d.resolve(s.dict.get("Index")).(array)
	if len(index) < 2 {
		index = array{0, s.dict.get("Size")}
	}
	for i := 0; i+1 < len(index); i += 2 {
		first, _ := integer(index[i])
		count, _ := integer(index[i+1])
		for n := first; n < first+count && len(data) >= total; n++ {
			if err := d.putRow(n, data[:total], width); err != nil {
				return err
			}
			data = data[total:]
		}
	}
	return nil
}

func (d *document) putRow(n int, row []byte, width [3]int) error {
	var field [3]int
	for i, w := range width {
		for _, c := range row[:w] {
			field[i] = field[i]<<8 | int(c)
		}
		row = row[w:]
	}
	if width[0] == 0 {
		field[0] = int(inFile) // the default (ISO 32000-1, table 18)
	}
	if field[0] < 0 || field[0] > int(inStream) || field[1] < 0 {
		return nil // reserved: reads as null
	}
	return d.put(n, entry{entryKind(field[0]), field[1], field[2]})
}
