package pdfstamp

import (
	"bytes"
	"compress/zlib"
	"io"
)

// imageData moves over the data of an inline image to behind its EI. entries is
// the text between its BI and ID.
//
// The data has no length of its own. poppler, MuPDF and PDFium take as many bytes
// as the size of the image or its filter calls for, and look for EI behind them;
// pdf.js looks for an EI that text follows. Where both do not lead to one EI, the
// latter counts, and doubt is set.
func (m *meter) imageData(entries []byte) {
	l := &m.l
	from := l.pos
	data := l.b[from:]
	least, end := m.sizedImage(data, entries)
	if end > 0 {
		l.pos = from + end
		return
	}
	next := -1
	if least < len(data) {
		next = bytes.Index(data[least:], []byte("EI"))
	}
	if next < 0 {
		l.pos, m.swallow = len(l.b), true
		return
	}
	next += least + 2
	if m.soon {
		l.pos = from + next
		return
	}
	if end = textAfter(data); end < 0 {
		l.pos, m.swallow = len(l.b), true
		return
	}
	m.doubt = m.doubt || next != end
	l.pos = from + end
}

// textAfter returns the offset behind the first EI in b that stands between
// white space and has text after it; -1: there is none.
func textAfter(b []byte) int {
	for from := 0; ; {
		i := bytes.Index(b[from:], []byte("EI"))
		if i < 0 {
			return -1
		}
		at := from + i
		from = at + 2
		if at > 0 && isSpace(b[at-1]) && (from >= len(b) || isSpace(b[from])) && isText(b[from:min(from+16, len(b))]) {
			return from
		}
	}
}

// isText reports whether b looks like operators rather than image samples.
func isText(b []byte) bool {
	for _, c := range b {
		if c > '~' || c < ' ' && !isSpace(c) || c == 0 {
			return false
		}
	}
	return true
}

// sizedImage returns the offset in b, which begins after ID, behind the EI of an
// image whose entries say how long its data is. end is 0 where no EI follows the
// data, or its length is not known; least is where the search for EI begins.
func (m *meter) sizedImage(b, entries []byte) (least, end int) {
	image, ok := imageEntries(entries)
	if !ok || len(b) == 0 || !isSpace(b[0]) {
		return 0, 0
	}
	starts := []int{1}
	if bytes.HasPrefix(b, []byte("\r\n")) {
		starts = []int{2, 1} // some take one end of line, some one character
	}
	for _, start := range starts {
		n, ok := image.length(b[min(start, len(b)):], &m.work)
		if !ok {
			return 0, 0
		}
		least = start + n
		at := least
		for at < len(b) && isSpace(b[at]) {
			at++
		}
		if at < len(b) && bytes.HasPrefix(b[at:], []byte("EI")) && (at+2 == len(b) || isSpace(b[at+2])) {
			return least, at + 2
		}
	}
	return least, 0
}

// An inlineImage holds the facts on an inline image's data that its entries give.
type inlineImage struct {
	row    int // bytes; -1: not known
	height int
	filter name // "" if there is none
}

// imageKeys are the short names of entries (ISO 32000-1, table 93).
var imageKeys = map[name]name{
	"BitsPerComponent": "BPC", "ColorSpace": "CS", "Decode": "D", "DecodeParms": "DP", "Filter": "F",
	"Height": "H", "ImageMask": "IM", "Interpolate": "I", "Width": "W",
}

// components maps a colour space to the count of numbers in a pixel. Other colour
// spaces have names of the page's resources.
var components = map[name]int{
	"G": 1, "DeviceGray": 1, "CalGray": 1, "RGB": 3, "DeviceRGB": 3, "CalRGB": 3, "CMYK": 4, "DeviceCMYK": 4, "I": 1, "Indexed": 1,
}

// maxSide limits the sides in an inline image's entries.
const maxSide = 1 << 15

// imageEntries reads the entries of an image. ok is false where viewers may
// disagree on them: they do on a key that comes twice, and on a length.
func imageEntries(b []byte) (out inlineImage, ok bool) {
	l := &lexer{b: b, budget: &budget{objects: 1000, scanned: 1 << 20}}
	d := newDict()
	for l.skipSpace(); l.pos < len(b); l.skipSpace() {
		if !l.has("/") {
			return out, false
		}
		key := l.nameToken()
		if short, ok := imageKeys[key]; ok {
			key = short
		}
		v, err := l.object(0)
		if err != nil || d.get(key) != nil {
			return out, false
		}
		d.set(key, v)
	}
	if d.get("L") != nil || d.get("Length") != nil {
		return out, false
	}
	if out.filter, ok = imageFilter(d.get("F")); !ok {
		return out, false
	}
	width, ok := integer(d.get("W"))
	height, ok2 := integer(d.get("H"))
	if !ok || !ok2 || width < 1 || height < 1 || width > maxSide || height > maxSide {
		return out, false
	}
	out.row, out.height = -1, height
	if n := imageBits(d); n > 0 {
		out.row = (width*n + 7) / 8
	}
	return out, true
}

// imageFilter returns the filter that is undone first. A second filter works on the
// output of the first, and so does not affect the end of the data.
func imageFilter(o any) (name, bool) {
	switch v := o.(type) {
	case nil:
		return "", true
	case name:
		return v, true
	case array:
		if len(v) == 0 {
			return "", true
		}
		n, ok := v[0].(name)
		return n, ok
	}
	return "", false
}

// imageBits returns the bits of a pixel; 0: not known.
func imageBits(d *dict) int {
	if d.get("IM") == raw("true") {
		return 1
	}
	space := d.get("CS")
	if list, ok := space.(array); ok && len(list) > 0 {
		space = list[0]
	}
	kind, _ := space.(name)
	bits, ok := integer(d.get("BPC"))
	if !ok || bits < 1 || bits > 16 {
		return 0
	}
	return components[kind] * bits
}

// maxInline bounds the data of an inline image whose end is searched for by its
// filter, and maxWork the bytes that all searches of one page's contents pass or
// inflate.
const (
	maxInline = 1 << 20
	maxWork   = 64 << 20
)

// length returns how many bytes of b, which begins with it, are the data. Where
// it has to look for them, that counts against work.
func (i inlineImage) length(b []byte, work *int) (int, bool) {
	if i.filter == "" {
		return i.row * i.height, i.row > 0
	}
	b = b[:min(len(b), maxInline, *work)]
	n, cost := -1, len(b)
	switch i.filter {
	case "AHx", "ASCIIHexDecode":
		n = after(b, ">")
	case "A85", "ASCII85Decode":
		n = after(b, "~>")
	case "RL", "RunLengthDecode":
		n = runLengthEnd(b)
	case "Fl", "FlateDecode":
		n, cost = zlibEnd(b, *work)
	}
	if n >= 0 && i.filter[0] != 'F' {
		cost = n
	}
	*work = max(0, *work-cost)
	return n, n >= 0
}

// after returns the offset in b behind the first s; -1: there is none.
func after(b []byte, s string) int {
	if i := bytes.Index(b, []byte(s)); i >= 0 {
		return i + len(s)
	}
	return -1
}

// runLengthEnd returns the offset behind the end marker of RunLengthDecode; -1:
// there is none.
func runLengthEnd(b []byte) int {
	for at := 0; at < len(b); {
		n := int(b[at])
		switch {
		case n == 128:
			return at + 1
		case n < 128:
			at += n + 2
		default:
			at += 2
		}
	}
	return -1
}

// zlibEnd returns the offset behind the zlib data at the start of b, -1 where the data
// is damaged or inflates to more than limit bytes, and the cost of the search.
func zlibEnd(b []byte, limit int) (end, cost int) {
	r := &counter{b: b}
	z, err := zlib.NewReader(r)
	if err != nil {
		return -1, r.n + 1
	}
	n, err := io.Copy(io.Discard, io.LimitReader(z, int64(limit)+1))
	if cost = r.n + int(n); err != nil || n > int64(limit) {
		return -1, cost
	}
	return r.n, cost
}

// A counter reads b and counts. Package flate takes no byte more than it needs
// from an [io.ByteReader].
type counter struct {
	b []byte
	n int
}

func (c *counter) ReadByte() (byte, error) {
	if c.n == len(c.b) {
		return 0, io.EOF
	}
	c.n++
	return c.b[c.n-1], nil
}

func (c *counter) Read(p []byte) (int, error) {
	n := copy(p, c.b[c.n:])
	c.n += n
	if n == 0 && len(p) > 0 {
		return 0, io.EOF
	}
	return n, nil
}
