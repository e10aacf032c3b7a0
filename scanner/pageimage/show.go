package pageimage

import (
	"context"
	"math"

	"tcode/scanner/gray"
)

// Show shows page n, from 1. Pictures of JPEG go to decode; nil: there is no such decoder. Errors: ErrContents,
// ErrCoding, that of ctx, and those of decode.
func (d *Document) Show(ctx context.Context, n int, decode Decode) (Shown, error) {
	placed, err := d.Placed(n)
	if err != nil {
		return Shown{}, err
	}
	for _, p := range placed {
		if p.Picture.Coded {
			return Shown{}, ErrCoding
		}
	}
	page := d.pages[n-1]
	toPage, w, h := page.turned()
	scale := finest(placed, w, h, MaxDPI/72.0*page.unit)
	wide, high := max(1, int(math.Round(w*scale))), max(1, int(math.Round(h*scale)))
	sheet := &sheet{w: wide, h: high}
	for _, p := range placed {
		m := p.m.then(toPage).then(matrix{a: scale, d: scale})
		if err := d.put(ctx, sheet, p, m, toPage.then(matrix{a: scale, d: scale}).box(p.seen), decode); err != nil {
			return Shown{}, err
		}
	}
	return Shown{sheet.whole(), scale * 72 / page.unit}, nil
}

// turned returns the map from user space to the page as it is shown, from its top left downwards, and the page's size there, in units of
// user space.
func (p found) turned() (m matrix, w, h float64) {
	b := p.box
	w, h = b.x1-b.x0, b.y1-b.y0
	switch p.turn {
	case 1:
		return matrix{b: 1, c: 1, e: -b.y0, f: -b.x0}, h, w
	case 2:
		return matrix{a: -1, d: 1, e: b.x1, f: -b.y0}, w, h
	case 3:
		return matrix{b: -1, c: -1, e: b.y1, f: b.x1}, h, w
	}
	return matrix{a: 1, d: -1, e: -b.x0, f: b.y1}, w, h
}

// finest returns the px of a unit of user space at which a page of w by h units is shown: as many as its finest picture has, at most
// most, and so many that the page is not too large.
func finest(placed []Placed, w, h, most float64) float64 {
	const least = 72.0 / 72
	scale := least
	for _, p := range placed {
		across, up := math.Hypot(p.m.a, p.m.b), math.Hypot(p.m.c, p.m.d)
		scale = max(scale, float64(p.Picture.Width)/across, float64(p.Picture.Height)/up)
	}
	scale = min(scale, most)
	if area := w * h * scale * scale; area > maxShown {
		scale *= math.Sqrt(maxShown / area)
	}
	return min(scale, maxShown/max(w, h)/2)
}

// A sheet is a page that is being shown: white at first.
type sheet struct {
	w, h int
	img  *gray.Image
}

func (s *sheet) whole() *gray.Image {
	if s.img == nil {
		s.img = gray.New(s.w, s.h)
		s.img.Fill(255)
	}
	return s.img
}

// put puts a picture on the sheet. m maps the unit square to px of the sheet, seen is the part that shows, in px.
func (d *Document) put(ctx context.Context, s *sheet, p Placed, m matrix, seen rect, decode Decode) error {
	box := m.box(rect{0, 0, 1, 1})
	x0, y0, x1, y1 := px(box.x0), px(box.y0), px(box.x1), px(box.y1)
	clip := gray.Rect{X0: px(seen.x0), Y0: px(seen.y0), X1: px(seen.x1), Y1: px(seen.y1)}.Clip(s.w, s.h)
	wide, high := x1-x0, y1-y0
	if wide < 1 || high < 1 || clip.Empty() {
		return nil
	}
	if d.painted -= clip.Area(); d.painted < 0 {
		return ErrCoding
	}
	w, h := wide, high
	if m.turned() {
		w, h = high, wide
	}
	if w > 2*maxShown/h { // much of it is outside of the page
		return ErrCoding
	}
	img, err := d.gray(ctx, p.Picture, min(w, p.Picture.Width), min(h, p.Picture.Height), decode)
	if err != nil {
		return err
	}
	plain := !m.turned() && m.a > 0 && m.d < 0 && img.Width == s.w && img.Height == s.h
	if plain && x0 == 0 && y0 == 0 && clip == (gray.Rect{X1: s.w, Y1: s.h}) && s.img == nil {
		s.img = img
		return nil
	}
	// The px of the picture's row and column for each px of the sheet.
	columns, rows := steps(wide, img.Width, m.a < 0), steps(high, img.Height, m.d > 0)
	if m.turned() {
		columns, rows = steps(wide, img.Height, m.c > 0), steps(high, img.Width, m.b < 0)
	}
	page := s.whole()
	across := make([]int, clip.X1-clip.X0)
	for x := range across {
		across[x] = columns(x + clip.X0 - x0)
	}
	for y := clip.Y0; y < clip.Y1; y++ {
		to, down := page.Row(y)[clip.X0:clip.X1], rows(y-y0)
		if m.turned() {
			for x := range to {
				to[x] = onto(to[x], img.Pix[across[x]*img.Stride+down], p.Picture.Stencil)
			}
			continue
		}
		line := img.Row(down)
		for x := range to {
			to[x] = onto(to[x], line[across[x]], p.Picture.Stencil)
		}
	}
	return nil
}

// onto returns the px of a page with a picture's on it. The light parts of a stencil are holes.
func onto(below, v byte, stencil bool) byte {
	if stencil {
		return min(below, v)
	}
	return v
}

// steps returns the px, of from, for each px of to; in the other direction with back.
func steps(to, from int, back bool) func(i int) int {
	return func(i int) int {
		i = min(max(i, 0), to-1)
		if back {
			i = to - 1 - i
		}
		return i * from / to
	}
}

func px(v float64) int { return int(math.Round(min(max(v, -1e8), 1e8))) }
