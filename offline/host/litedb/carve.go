package litedb

import (
	"encoding/binary"
	"math"
)

// Sizes of the file formats (sqlite.org/fileformat.html).
const (
	fileHeaderLen  = 100
	walHeaderLen   = 32
	frameHeaderLen = 24
	leafTablePage  = 0x0d
	leafHeaderLen  = 8
	maxCarvedRow   = 64 << 20 // a longer row has a damaged length
)

// A Row is one row that [Carve] found: its rowid and its values with the types
// of database/sql: nil, int64, float64, string or []byte. A column that is the
// rowid is nil.
type Row struct {
	ID     int64
	Values []any
}

// Carve finds the rows of all tables in the raw bytes of a database file and of
// its write-ahead log. Either may be damaged or nil. Carve ignores indexes and
// inner pages: it reads each page by itself, in the file and then in each frame
// of the log, so later versions of a row come later. A row may come several
// times and may be damaged: the caller verifies each by the row's own checksum.
// Carve does not find rows of tables WITHOUT ROWID.
func Carve(file, log []byte, each func(Row)) {
	c := carver{size: pageSize(file, log), file: file, frames: map[uint32][]byte{}}
	for n := uint32(1); int(n-1)*c.size < len(file); n++ {
		c.page(c.inFile(n), n == 1, each)
	}
	var frames [][]byte
	for at := walHeaderLen; at+frameHeaderLen+c.size <= len(log); at += frameHeaderLen + c.size {
		page := log[at+frameHeaderLen:][:c.size]
		c.frames[binary.BigEndian.Uint32(log[at:])] = page
		frames = append(frames, page)
	}
	for i, page := range frames {
		first := binary.BigEndian.Uint32(log[walHeaderLen+i*(frameHeaderLen+c.size):]) == 1
		c.page(page, first, each)
	}
}

// pageSize reads the size of a page from the header of the file or of the log.
func pageSize(file, log []byte) int {
	const usual = 4096
	if len(file) >= fileHeaderLen {
		if n := int(binary.BigEndian.Uint16(file[16:])); n >= 512 && n&(n-1) == 0 {
			return n
		}
	}
	if len(log) >= walHeaderLen {
		if n := int(binary.BigEndian.Uint32(log[8:])); n >= 512 && n <= 65536 && n&(n-1) == 0 {
			return n
		}
	}
	return usual
}

type carver struct {
	size   int
	file   []byte
	frames map[uint32][]byte // the newest version of each page in the log
}

// inFile returns a page of the file, or its beginning if the file is cut short.
func (c *carver) inFile(n uint32) []byte {
	if n == 0 || int(n-1)*c.size >= len(c.file) {
		return nil
	}
	page := c.file[int(n-1)*c.size:]
	return page[:min(len(page), c.size)]
}

// page reads the cells of a leaf page of a table.
func (c *carver) page(page []byte, first bool, each func(Row)) {
	at := 0
	if first {
		at = fileHeaderLen
	}
	if len(page) < at+leafHeaderLen || page[at] != leafTablePage {
		return
	}
	cells := int(binary.BigEndian.Uint16(page[at+3:]))
	for i := range cells {
		pointer := at + leafHeaderLen + 2*i
		if pointer+2 > len(page) {
			return
		}
		cell := int(binary.BigEndian.Uint16(page[pointer:]))
		if cell >= len(page) {
			continue
		}
		// This prefers the newest overflow pages, and then uses those of the
		// file alone.
		for _, log := range []bool{true, false} {
			if row, ok := c.row(page[cell:], log); ok {
				each(row)
			}
			if len(c.frames) == 0 {
				break
			}
		}
	}
}

// row reads one cell: length, rowid, record, and the number of the first
// overflow page if there is one.
func (c *carver) row(cell []byte, log bool) (Row, bool) {
	length, n := varint(cell)
	id, m := varint(cell[n:])
	if n == 0 || m == 0 || length == 0 || length > maxCarvedRow {
		return Row{}, false
	}
	body := cell[n+m:]
	size, most := int(length), c.size-35
	if size > most {
		least := (c.size-12)*32/255 - 23
		local := least + (size-least)%(c.size-4)
		if local > most {
			local = least
		}
		if len(body) < local+4 {
			return Row{}, false
		}
		body = c.overflow(append(make([]byte, 0, size), body[:local]...), binary.BigEndian.Uint32(body[local:]), size, log)
	}
	if len(body) < size {
		return Row{}, false
	}
	values, ok := record(body[:size])
	return Row{int64(id), values}, ok
}

// overflow appends the pages of a chain until body has size bytes.
func (c *carver) overflow(body []byte, next uint32, size int, log bool) []byte {
	for next != 0 && len(body) < size {
		page := c.frames[next]
		if page == nil || !log {
			page = c.inFile(next)
		}
		if len(page) < 5 {
			return body
		}
		next = binary.BigEndian.Uint32(page)
		body = append(body, page[4:min(len(page), 4+size-len(body))]...)
	}
	return body
}

// record reads a record: the length of its header, the types, the values.
func record(b []byte) (values []any, ok bool) {
	head, n := varint(b)
	if n == 0 || head > uint64(len(b)) || head < uint64(n) {
		return nil, false
	}
	types, body := b[n:head], b[head:]
	for len(types) > 0 {
		kind, n := varint(types)
		if n == 0 {
			return nil, false
		}
		types = types[n:]
		v, rest, ok := column(kind, body)
		if !ok {
			return nil, false
		}
		values, body = append(values, v), rest
	}
	return values, len(body) == 0
}

// column reads one value of a serial type.
func column(kind uint64, b []byte) (v any, rest []byte, ok bool) {
	size := 0
	switch {
	case kind == 0:
		return nil, b, true
	case kind <= 4:
		size = int(kind)
	case kind == 5:
		size = 6
	case kind == 6 || kind == 7:
		size = 8
	case kind == 8 || kind == 9:
		return int64(kind - 8), b, true
	case kind < 12 || kind > 2*maxCarvedRow:
		return nil, nil, false
	default:
		size = int(kind-12) / 2
	}
	if len(b) < size {
		return nil, nil, false
	}
	raw, rest := b[:size], b[size:]
	switch {
	case kind == 7:
		return math.Float64frombits(binary.BigEndian.Uint64(raw)), rest, true
	case kind <= 6:
		n := int64(int8(raw[0]))
		for _, x := range raw[1:] {
			n = n<<8 | int64(x)
		}
		return n, rest, true
	case kind%2 == 0:
		return append([]byte{}, raw...), rest, true
	}
	return string(raw), rest, true
}

// varint reads a variable-length integer of 1 to 9 bytes; n is 0 if b is too short.
func varint(b []byte) (v uint64, n int) {
	for n < len(b) && n < 9 {
		x := b[n]
		n++
		if n == 9 {
			return v<<8 | uint64(x), n
		}
		v = v<<7 | uint64(x&0x7f)
		if x < 0x80 {
			return v, n
		}
	}
	return 0, 0
}
