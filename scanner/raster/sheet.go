package raster

import (
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
		by := gray.Reduction(m.Width, m.Height, r.maxPixels)
		small := new(gray.Image)
		gray.Shrink(small, m, by)
		m = small
		h.width, h.height, h.pageWidth, h.pageHeight, h.drawn = m.Width, m.Height, m.Width, m.Height, drawn{dpi: s.made.dpi / float64(by), shrunk: true}
		return m, h, nil
	}
	parts := gray.Split(m.Width, m.Height, r.maxPixels)
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
