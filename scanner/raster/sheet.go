package raster

import (
	"math"
	"time"

	"tcode/offline/host/sandbox"
	"tcode/scanner/gray"
)

// canvas is the memory in which pages are drawn, kept from one document of the child to the next: fresh memory costs
// as much as a tenth of a text page.
var canvas *gray.Image

// keepCanvas is the size of the largest canvas that is kept, bytes: an A4 page at 300 dpi.
const keepCanvas = 9 << 20

// sheet is the page that was rendered last, so that its parts are rendered only once.
type sheet struct {
	engine engine
	limits Limits

	image *gray.Image
	asked request // what image answers, without its part or squares; zero: nothing
	made  drawn
}

func (s *sheet) release() {
	canvas = nil
	if s.image != nil && cap(s.image.Pix) <= keepCanvas {
		canvas = s.image
	}
}

// send renders the page or part that r requests and sends it, or the error.
func (s *sheet) send(c *sandbox.Conn, r request) error {
	start := time.Now()
	img, h, err := s.look(r)
	if err != nil {
		te := taskError(err)
		return c.Send(kindRefused, appendRefused(te.Code, te.Message))
	}
	pix := img.Pix[:img.Width*img.Height]
	if r.squares != 0 && h.parts == 1 {
		if cut := cutSquares(img, h); cut != nil {
			pix, h.less = cut, lessSquares
		}
	}
	h.took = time.Since(start)
	if err := c.Send(kindHeader, h.append(nil)); err != nil {
		return err
	}
	return c.Send(kindPixels, pix)
}

// look returns the image that r requests.
func (s *sheet) look(r request) (*gray.Image, header, error) {
	r.maxPixels = min(r.maxPixels, s.limits.MaxPixels)
	if err := s.render(r); err != nil {
		return nil, header{}, err
	}
	m := s.image
	h := header{width: m.Width, height: m.Height, pageWidth: m.Width, pageHeight: m.Height, parts: 1, drawn: s.made}
	if m.Width*m.Height <= r.maxPixels {
		return m, h, nil
	}
	if r.part == 0 {
		m, by := shrink(m, r.maxPixels)
		h.width, h.height, h.pageWidth, h.pageHeight, h.drawn = m.Width, m.Height, m.Width, m.Height, drawn{dpi: s.made.dpi / float64(by), shrunk: true}
		return m, h, nil
	}
	parts := split(m.Width, m.Height, r.maxPixels)
	part := parts[min(r.part, len(parts))-1]
	h.x, h.y, h.width, h.height, h.parts = part.X0, part.Y0, part.X1-part.X0, part.Y1-part.Y0, len(parts)
	h.pictures = nil // they are for requests of the whole page
	return m.Crop(part).Clone(), h, nil
}

// render fills s.image. Parts are cut from the whole page.
func (s *sheet) render(r request) error {
	want := r
	want.squares = 0
	if r.part > 0 {
		want.maxPixels, want.part = s.limits.MaxPixels, 0
	}
	if s.asked == want {
		return nil
	}
	s.asked = request{}
	if s.image == nil {
		s.image = new(gray.Image)
	}
	made, err := s.engine.page(r.page-1, r.dpi, want.maxPixels, s.image)
	if err != nil {
		return err
	}
	s.asked, s.made = want, made
	if s.image.Width*s.image.Height > want.maxPixels { // an image in its own size is the same for every request
		s.asked.maxPixels = s.limits.MaxPixels
	}
	return nil
}

// shrink returns m reduced by a whole number, by means over squares, so that it has at most maxPixels.
func shrink(m *gray.Image, maxPixels int) (small *gray.Image, by int) {
	by = int(math.Ceil(math.Sqrt(float64(m.Width) * float64(m.Height) / float64(maxPixels))))
	w, h := max(1, m.Width/by), max(1, m.Height/by)
	for w*h > maxPixels { // one side is already a single pixel
		by++
		w, h = max(1, m.Width/by), max(1, m.Height/by)
	}
	small = gray.New(w, h)
	sums := make([]uint32, w)
	for y := range h {
		clear(sums)
		rows := min(by, m.Height)
		for dy := range rows {
			src := m.Row(y*by + dy)
			for x := range sums {
				for _, v := range src[min(x*by, len(src)):min(x*by+by, len(src))] {
					sums[x] += uint32(v)
				}
			}
		}
		n := uint32(rows * min(by, m.Width))
		for x, v := range sums {
			small.Pix[y*w+x] = byte((v + n/2) / n)
		}
	}
	return small, by
}

// split covers w x h px with few areas of at most maxPixels, each overlapping the next one by at least a third, so
// that everything smaller than that lies completely in one of them.
func split(w, h, maxPixels int) []gray.Rect {
	const fresh = 2.0 / 3
	side := func(n, k int) int { return int(math.Ceil(float64(n) / (1 + float64(k-1)*fresh))) }
	cols, rows, worst := 1, 1, math.Inf(1)
	for c := 1; c <= maxParts; c++ {
		for r := 1; c*r <= maxParts; r++ {
			pw, ph := side(w, c), side(h, r)
			// The fewest parts come first, then the squarest.
			bad := float64(c*r) + 0.5*(1-float64(min(pw, ph))/float64(max(pw, ph)))
			if pw*ph <= maxPixels && bad < worst {
				cols, rows, worst = c, r, bad
			}
		}
	}
	pw, ph := side(w, cols), side(h, rows)
	var out []gray.Rect
	for r := range rows {
		for c := range cols {
			x, y := (w-pw)*c/max(cols-1, 1), (h-ph)*r/max(rows-1, 1)
			out = append(out, gray.Rect{X0: x, Y0: y, X1: x + pw, Y1: y + ph})
		}
	}
	return out
}
