package raster

import (
	"encoding/binary"
	"fmt"
	"slices"

	"tcode/scanner/filekind"
	"tcode/scanner/gray"
)

// A netpbm is one image of such a file.
type netpbm struct{ filekind.Netpbm }

// plain reports whether the samples are text.
func (p netpbm) plain() bool { return p.Type <= 3 }

// row returns the bytes of a row of samples that are not text.
func (p netpbm) row() int {
	switch {
	case p.Type == 4:
		return (p.Width + 7) / 8
	case p.Most > 255:
		return 2 * p.Channels * p.Width
	}
	return p.Channels * p.Width
}

// pnmEngine is a file of such images, one after the other, each of them a page. Text has one.
type pnmEngine struct {
	images []netpbm
	limits Limits
}

func openPNM(file []byte, l Limits) (engine, error) {
	e := &pnmEngine{limits: l}
	for len(e.images) <= l.MaxPages { // one more than the limit is enough for a refusal
		head, ok := filekind.ParseNetpbm(file)
		p := netpbm{head}
		if !ok {
			break
		}
		e.images = append(e.images, p)
		if p.plain() || checkSides(p.Width, p.Height, l) != nil || p.row()*p.Height > len(p.Body) {
			break // the page has its own error
		}
		file = p.Body[p.row()*p.Height:]
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
	if err := checkSides(p.Width, p.Height, e.limits); err != nil {
		return drawn{}, err
	}
	if !p.plain() && p.row()*p.Height > len(p.Body) {
		return drawn{}, &Error{Err: ErrDamaged, Detail: fmt.Sprintf("an image of %d x %d pixels needs %d bytes, the file has %d", p.Width, p.Height, p.row()*p.Height, len(p.Body))}
	}
	into.Reset(p.Width, p.Height)
	if p.plain() {
		return drawn{}, p.fromText(into)
	}
	for y := range p.Height {
		row, to := p.Body[y*p.row():][:p.row()], into.Row(y)
		if p.Type == 4 {
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
func (p netpbm) shade(to, row []byte) {
	sample := func(i int) uint32 { return uint32(row[i]) }
	if p.Most > 255 {
		sample = func(i int) uint32 { return uint32(binary.BigEndian.Uint16(row[2*i:])) }
	}
	var values [4]uint32
	for x := range to {
		for c := range p.Channels {
			values[c] = sample(x*p.Channels + c)
		}
		to[x] = p.luminance(values[:p.Channels])
	}
}

// luminance returns that of the samples of one pixel, over white.
func (p netpbm) luminance(v []uint32) byte {
	most := uint32(p.Most)
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
func (p netpbm) fromText(m *gray.Image) error {
	b := p.Body
	v := make([]uint32, p.Channels)
	short := &Error{Err: ErrDamaged, Detail: fmt.Sprintf("the samples of an image of %d x %d pixels are not complete", p.Width, p.Height)}
	for i := range m.Pix {
		if p.Type == 1 {
			at := slices.IndexFunc(b, func(c byte) bool { return c == '0' || c == '1' })
			if at < 0 {
				return short
			}
			m.Pix[i] = ^-(b[at] & 1)
			b = b[at+1:]
			continue
		}
		for c := range v {
			n, rest, ok := filekind.NetpbmNumber(b)
			if !ok {
				return short
			}
			v[c], b = uint32(n), rest
		}
		m.Pix[i] = p.luminance(v)
	}
	return nil
}
