package raster

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tcode/scanner/gray"
)

// A pnm is the header of one image of Netpbm: PBM, PGM, PPM (types 1 to 6) or PAM (type 7).
type pnm struct {
	kind          int // the digit behind P
	width, height int // px
	most          int // the value of white, 1 to 65535
	channels      int // samples of a pixel: gray or red, green and blue, and perhaps opacity at the end
	body          []byte
}

// pnmSide bounds a number in a header: larger ones are no size.
const pnmSide = 1 << 30

// parsePNM reads the header of the image at the start of file. body is the rest of the file.
func parsePNM(file []byte) (p pnm, ok bool) {
	if len(file) < 3 || file[0] != 'P' || file[1] < '1' || file[1] > '7' {
		return pnm{}, false
	}
	p = pnm{kind: int(file[1] - '0'), most: 1, channels: 1}
	if p.kind == 7 {
		return p.parsePAM(file)
	}
	rest := file[2:]
	fields := []*int{&p.width, &p.height}
	if p.kind != 1 && p.kind != 4 {
		fields = append(fields, &p.most)
	}
	if p.kind == 3 || p.kind == 6 {
		p.channels = 3
	}
	for _, to := range fields {
		if len(rest) == 0 || !pnmSpace(rest[0]) && rest[0] != '#' {
			return pnm{}, false
		}
		if *to, rest, ok = pnmNumber(rest); !ok {
			return pnm{}, false
		}
	}
	if len(rest) > 0 && !pnmSpace(rest[0]) {
		return pnm{}, false
	}
	p.body = rest[min(1, len(rest)):]
	return p, p.most >= 1 && p.most <= 65535
}

// parsePAM reads the header of a PAM file: lines of a name and a value.
func (p pnm) parsePAM(file []byte) (pnm, bool) {
	line, rest, ok := bytes.Cut(file, []byte("\n"))
	if !ok || strings.TrimRight(string(line), "\r") != "P7" {
		return pnm{}, false
	}
	for range 64 { // lines
		if line, rest, ok = bytes.Cut(rest, []byte("\n")); !ok || len(line) > 256 {
			return pnm{}, false
		}
		name, value, _ := strings.Cut(strings.TrimSpace(string(line)), " ")
		to := map[string]*int{"WIDTH": &p.width, "HEIGHT": &p.height, "MAXVAL": &p.most, "DEPTH": &p.channels}[name]
		switch {
		case name == "ENDHDR":
			p.body = rest
			return p, p.channels >= 1 && p.channels <= 4 && p.most >= 1 && p.most <= 65535
		case to != nil:
			n, err := strconv.Atoi(strings.TrimSpace(value))
			if err != nil || n < 0 || n > pnmSide {
				return pnm{}, false
			}
			*to = n
		}
	}
	return pnm{}, false
}

// pnmHeader reports whether head begins with a complete header, as opposed to a text that begins with P1.
func pnmHeader(head []byte) bool {
	_, ok := parsePNM(head)
	return ok
}

func pnmSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }

// pnmNumber reads a number behind white space and comments.
func pnmNumber(b []byte) (n int, rest []byte, ok bool) {
	for len(b) > 0 && (pnmSpace(b[0]) || b[0] == '#') {
		if b[0] == '#' {
			_, b, _ = bytes.Cut(b, []byte("\n"))
			continue
		}
		b = b[1:]
	}
	digits := 0
	for len(b) > 0 && b[0] >= '0' && b[0] <= '9' {
		if n = n*10 + int(b[0]-'0'); n > pnmSide {
			return 0, nil, false
		}
		b = b[1:]
		digits++
	}
	return n, b, digits > 0
}

// plain reports whether the samples are text.
func (p pnm) plain() bool { return p.kind <= 3 }

// row returns the bytes of a row of samples that are not text.
func (p pnm) row() int {
	switch {
	case p.kind == 4:
		return (p.width + 7) / 8
	case p.most > 255:
		return 2 * p.channels * p.width
	}
	return p.channels * p.width
}

// pnmEngine is a file of such images, one after the other, each of them a page. Text has one.
type pnmEngine struct {
	images []pnm
	limits Limits
}

func openPNM(file []byte, l Limits) (engine, error) {
	e := &pnmEngine{limits: l}
	for len(e.images) <= l.MaxPages { // one more than the limit is enough for a refusal
		p, ok := parsePNM(file)
		if !ok {
			break
		}
		e.images = append(e.images, p)
		if p.plain() || checkSides(p.width, p.height, l) != nil || p.row()*p.height > len(p.body) {
			break // the page has its own error
		}
		file = p.body[p.row()*p.height:]
	}
	return e, nil
}

func (e *pnmEngine) pages() int { return len(e.images) }

func (e *pnmEngine) close() {}

func (e *pnmEngine) page(n int, _ float64, _ int, into *gray.Image) (drawn, error) {
	if n < 0 || n >= len(e.images) {
		return drawn{}, fmt.Errorf("page %d of %d", n+1, len(e.images))
	}
	p := e.images[n]
	if err := checkSides(p.width, p.height, e.limits); err != nil {
		return drawn{}, err
	}
	if !p.plain() && p.row()*p.height > len(p.body) {
		return drawn{}, &Error{Err: ErrDamaged, Detail: fmt.Sprintf("an image of %d x %d pixels needs %d bytes, the file has %d", p.width, p.height, p.row()*p.height, len(p.body))}
	}
	into.Reset(p.width, p.height)
	if p.plain() {
		return drawn{}, p.fromText(into)
	}
	for y := range p.height {
		row, to := p.body[y*p.row():][:p.row()], into.Row(y)
		if p.kind == 4 {
			for x := range to {
				to[x] = ^-(row[x/8] >> (7 - x%8) & 1) // 1 is black
			}
			continue
		}
		p.shade(to, row)
	}
	return drawn{}, nil
}

// shade fills to with the luminance of a row of samples, over white.
func (p pnm) shade(to, row []byte) {
	sample := func(i int) uint32 { return uint32(row[i]) }
	if p.most > 255 {
		sample = func(i int) uint32 { return uint32(binary.BigEndian.Uint16(row[2*i:])) }
	}
	var values [4]uint32
	for x := range to {
		for c := range p.channels {
			values[c] = sample(x*p.channels + c)
		}
		to[x] = p.luminance(values[:p.channels])
	}
}

// luminance returns that of the samples of one pixel, over white.
func (p pnm) luminance(v []uint32) byte {
	most := uint32(p.most)
	for i := range v {
		v[i] = (min(v[i], most)*255 + most/2) / most
	}
	opaque := uint32(255)
	if len(v)%2 == 0 {
		opaque = v[len(v)-1]
	}
	if len(v) < 3 {
		return lumaOver(v[0], v[0], v[0], opaque)
	}
	return lumaOver(v[0], v[1], v[2], opaque)
}

// fromText fills m from samples that are numbers in decimal, or digits 0 and 1 for type 1.
func (p pnm) fromText(m *gray.Image) error {
	b := p.body
	v := make([]uint32, p.channels)
	short := &Error{Err: ErrDamaged, Detail: fmt.Sprintf("the samples of an image of %d x %d pixels are not complete", p.width, p.height)}
	for i := range m.Pix {
		if p.kind == 1 {
			at := slices.IndexFunc(b, func(c byte) bool { return c == '0' || c == '1' })
			if at < 0 {
				return short
			}
			m.Pix[i] = ^-(b[at] & 1)
			b = b[at+1:]
			continue
		}
		for c := range v {
			n, rest, ok := pnmNumber(b)
			if !ok {
				return short
			}
			v[c], b = uint32(n), rest
		}
		m.Pix[i] = p.luminance(v)
	}
	return nil
}
