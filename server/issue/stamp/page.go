package stamp

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"image"
	"image/png"
	"io"
	"math"
	"slices"

	"tcode/offline/geometry"
	"tcode/scanner/readback"
	"tcode/server/issue/placement"
	"tcode/server/platform/spool"
	"tcode/server/tenant"
)

// anySide is the side of a symbol, in modules, for questions about pages alone.
const anySide = 40

// speck is the share of a page that a stamp takes where only the page matters.
const speck = 0.01

// Pages returns the size of each page of a file that is to be stamped. Faults are those
// of [Service.Create] for the file.
func (s *Service) Pages(ctx context.Context, pdf *spool.Upload) ([]geometry.Size, error) {
	f, err := s.opened(ctx, pdf)
	defer f.close()
	if err != nil {
		return nil, err
	}
	share := speck
	everywhere := &placement.Spec{PageScope: geometry.AllPages, Anchor: geometry.TopLeft, WNorm: &share, HNorm: &share}
	found, err := s.c.Stamper.Survey(ctx, Job{PDF: f.pdf.Section(), Placement: everywhere, Side: anySide})
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("survey: no place at all")
	}
	out := make([]geometry.Size, len(found[0].Places))
	for i, p := range found[0].Places {
		out[i] = p.PageMM
	}
	return out, nil
}

// Page draws a page of a file that is to be stamped.
func (s *Service) Page(ctx context.Context, pdf *spool.Upload, page int) (readback.Picture, error) {
	f, err := s.opened(ctx, pdf)
	defer f.close()
	if err != nil {
		return readback.Picture{}, err
	}
	return s.pageOf(ctx, f.pdf.Section(), page)
}

// opened checks the size of an upload and opens it. The caller closes the source.
func (s *Service) opened(ctx context.Context, pdf *spool.Upload) (source, error) {
	if err := s.checkSize(pdf.Size()); err != nil {
		return source{}, err
	}
	return s.open(ctx, pdf)
}

func (s *Service) pageOf(ctx context.Context, pdf *io.SectionReader, page int) (readback.Picture, error) {
	if s.c.Readback == nil {
		return readback.Picture{}, errNoReadback
	}
	p, err := s.c.Readback.Picture(ctx, pdf, page)
	if err != nil {
		return p, notDrawn(err)
	}
	return p, nil
}

// Limits of the search for a free place.
const (
	nearestTries = 5   // places that are tried
	nearestPages = 4   // pages whose ink counts; the others are checked with the place
	nearestStep  = 1.0 // mm, or more on a page that is large
	nearestSpots = 1e5
	nearestGap   = 0.5 // mm around the box
)

// Nearest returns r.Placement with the point that is nearest to its own and leaves the
// stamp a free place of the same size, within the margins. ok is false if there is none
// among the first ones that were tried. Faults are those of [Service.Preview].
func (s *Service) Nearest(ctx context.Context, id tenant.Identity, r PreviewRequest) (_ placement.Spec, ok bool, err error) {
	spec := placement.Spec{}
	if r.Placement != nil {
		spec = *r.Placement
	}
	safety := placement.DefaultScanSafety
	if spec.ScanSafety != nil {
		safety = *spec.ScanSafety
	}
	safety.Collision = placement.CollisionWarn // look at the place itself
	spec.ScanSafety = &safety
	r.Placement, r.NoPicture = &spec, true
	now, err := s.Preview(ctx, id, r)
	if err != nil || len(now.Places) == 0 {
		return spec, false, err
	}
	first := now.Places[0]
	m, err := s.inkOf(ctx, r.PDF, now.Places, spec.Margins())
	if err != nil {
		return spec, false, err
	}
	for range nearestTries {
		x, y, found := m.nearest(first.Box)
		if !found {
			return spec, false, nil
		}
		moved := spec.Moved(first.PageMM, x-first.Box.X, y-first.Box.Y)
		r.Placement = &moved
		then, err := s.Preview(ctx, id, r)
		if err != nil {
			return spec, false, err
		}
		if then.Refusal == nil && len(then.Collisions) == 0 {
			return moved, true, nil
		}
		m.block(geometry.Rect{X: x, Y: y, Width: first.Box.Width, Height: first.Box.Height})
		for _, c := range then.Collisions {
			if c.Kind != KindInk {
				m.block(c.Area)
			}
		}
	}
	return spec, false, nil
}

// An inkMap has the parts of a page that a stamp may not cover.
type inkMap struct {
	perMM  float64 // px
	w, h   int     // px
	room   geometry.Rect
	inked  []bool
	summed []int32 // of inked, above and to the left, one more row and column; nil: not up to date
}

// inkOf draws some of the pages of places that are as large as the first, and returns
// the ink of them all.
func (s *Service) inkOf(ctx context.Context, pdf *spool.Upload, places []geometry.Place, margins geometry.Margins) (*inkMap, error) {
	f, err := s.opened(ctx, pdf)
	defer f.close()
	if err != nil {
		return nil, err
	}
	page := places[0].PageMM
	m := &inkMap{room: geometry.Rect{X: margins.Left, Y: margins.Top, Width: page.Width - margins.Left - margins.Right, Height: page.Height - margins.Top - margins.Bottom}}
	for i, p := range places {
		if i == nearestPages {
			break
		}
		if p.PageMM != page {
			continue
		}
		drawn, err := s.pageOf(ctx, f.pdf.Section(), p.Page)
		if err != nil {
			return nil, err
		}
		if err := m.add(drawn); err != nil {
			return nil, err
		}
	}
	for _, o := range places[0].Under {
		m.block(o.Area)
	}
	return m, nil
}

// inkLevels is the difference from the ground, in gray levels, of a pixel that counts as
// ink, as package proof counts.
const inkLevels = 24

// add marks the ink of a picture.
func (m *inkMap) add(p readback.Picture) error {
	img, err := png.Decode(bytes.NewReader(p.PNG))
	if err != nil {
		return fmt.Errorf("picture of a page: %w", err)
	}
	b := img.Bounds()
	if m.inked == nil {
		m.w, m.h, m.perMM = b.Dx(), b.Dy(), p.DPI/25.4
		m.inked = make([]bool, m.w*m.h)
	}
	if b.Dx() != m.w || b.Dy() != m.h {
		return nil // not as large as the first
	}
	levels := grayOf(img)
	var count [256]int
	for _, v := range levels {
		count[v]++
	}
	ground := 255
	for v := 255; v >= 128; v-- {
		if count[v] > count[ground] {
			ground = v
		}
	}
	for i, v := range levels {
		m.inked[i] = m.inked[i] || int(v) < ground-inkLevels || int(v) > ground+inkLevels
	}
	m.summed = nil
	return nil
}

// grayOf returns the lightness of each pixel.
func grayOf(img image.Image) []uint8 {
	b := img.Bounds()
	out := make([]uint8, 0, b.Dx()*b.Dy())
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			r, g, bl, _ := img.At(x, y).RGBA()
			out = append(out, uint8((19595*r+38470*g+7471*bl+1<<15)>>24))
		}
	}
	return out
}

// block marks an area as not free.
func (m *inkMap) block(r geometry.Rect) {
	x0, y0, x1, y1 := m.px(r, 0)
	for y := y0; y < y1; y++ {
		for x := x0; x < x1; x++ {
			m.inked[y*m.w+x] = true
		}
	}
	m.summed = nil
}

// px returns the pixels of r with mm around it.
func (m *inkMap) px(r geometry.Rect, mm float64) (x0, y0, x1, y1 int) {
	at := func(v float64, limit int) int { return max(0, min(limit, int(math.Round(v*m.perMM)))) }
	return at(r.X-mm, m.w), at(r.Y-mm, m.h), at(r.X+r.Width+mm, m.w), at(r.Y+r.Height+mm, m.h)
}

// sum fills in m.summed.
func (m *inkMap) sum() {
	m.summed = make([]int32, (m.w+1)*(m.h+1))
	for y := range m.h {
		row := int32(0)
		for x := range m.w {
			if m.inked[y*m.w+x] {
				row++
			}
			m.summed[(y+1)*(m.w+1)+x+1] = m.summed[y*(m.w+1)+x+1] + row
		}
	}
}

// free reports whether there is no ink in r and close around it.
func (m *inkMap) free(r geometry.Rect) bool {
	x0, y0, x1, y1 := m.px(r, nearestGap)
	at := func(x, y int) int32 { return m.summed[y*(m.w+1)+x] }
	return at(x1, y1)-at(x0, y1)-at(x1, y0)+at(x0, y0) == 0
}

// nearest returns the corner of the free place for box that is nearest to it.
func (m *inkMap) nearest(box geometry.Rect) (x, y float64, ok bool) {
	if m.summed == nil {
		m.sum()
	}
	step := max(nearestStep, math.Sqrt(m.room.Width*m.room.Height/nearestSpots), (m.room.Width+m.room.Height)/nearestSpots)
	steps := func(least, most, own float64) (out []float64) {
		for v := least; v <= most+1e-9; v += step {
			out = append(out, v)
		}
		if own > least && own < most {
			out = append(out, own)
		}
		return append(out, most)
	}
	type spot struct{ x, y, far float64 }
	var all []spot
	right, bottom := m.room.X+m.room.Width-box.Width, m.room.Y+m.room.Height-box.Height
	if right < m.room.X || bottom < m.room.Y {
		return 0, 0, false
	}
	for _, y := range steps(m.room.Y, bottom, box.Y) {
		for _, x := range steps(m.room.X, right, box.X) {
			all = append(all, spot{x, y, math.Hypot(x-box.X, y-box.Y)})
		}
	}
	slices.SortFunc(all, func(a, b spot) int { return cmp.Compare(a.far, b.far) })
	for _, at := range all {
		if m.free(geometry.Rect{X: at.x, Y: at.y, Width: box.Width, Height: box.Height}) {
			return at.x, at.y, true
		}
	}
	return 0, 0, false
}
