package photo

import "math/rand/v2"

// A Paper describes a sheet of paper.
type Paper struct {
	White   float64 // reflectance; office paper has 0.8 to 0.9
	Fibre   float64 // standard deviation of the reflectance over tenths of a mm
	Cloud   float64 // the same over millimetres
	Scatter float64 // sigma of the spread of light inside, mm: optical dot gain (Yule and Nielsen 1951). 0.04 to 0.1
	Through float64 // contrast of the print on the back. ISO 2471 opacity of 80 g/m² paper is 91 to 95 %: 0.05 to 0.09
}

// carry puts a layer of ink, given by the light that passes it, onto paper and returns the
// reflectance. Light passes the ink, spreads in the paper and passes the ink again, so that
// paper close to ink is darker.
func (p Paper) carry(ink *light, s *Sheet, at part, r *rand.Rand) *light {
	inside := ink.clone()
	inside.blur(p.Scatter / at.step)
	fibre, cloud := newGrain(r, 0.15/at.step), newGrain(r, 2.5/at.step)
	var back *light
	if p.Through > 0 {
		back = p.back(s, at)
	}
	for y := range ink.h {
		row, in := ink.row(y), inside.row(y)
		for x, v := range row {
			white := p.White + p.Fibre*float64(fibre.at(x, y)) + p.Cloud*float64(cloud.at(x, y))
			if back != nil {
				white *= 1 - p.Through*float64(back.row(y)[x])
			}
			row[x] = v * in[x] * float32(white)
		}
	}
	return ink
}

// back returns the ink on the back of the sheet as it shows: the same page, mirrored, as in
// a document that is printed on both sides, and blurred by a sheet of 0.1 mm.
func (p Paper) back(s *Sheet, at part) *light {
	out := newLight(at.w, at.h)
	k := at.step * s.DPI / mmPerInch
	for y := range out.h {
		row := out.row(y)
		from := (at.v0/at.step + float64(y) + 0.5) * k
		for x := range row {
			u := float64(s.Page.Width) - (at.u0/at.step+float64(x)+0.5)*k
			row[x] = 1 - float32(s.Page.Bilinear(u, from))/255
		}
	}
	out.blur(0.2 / at.step)
	return out
}
