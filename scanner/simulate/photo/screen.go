package photo

import (
	"math"

	"tcode/scanner/gray"
)

// A Screen is a display that shows the page instead of paper.
type Screen struct {
	Pitch float64 // distance of pixels, mm: 0.27 for 96 a inch, 0.18 for a laptop, 0.06 for a phone
	Gap   float64 // share of a pixel between its lines, and of a third of it between its columns, that is black
	Dark  float64 // light of black, 1 for white: 0.01 and less in a dark room, more with reflections
}

// Weights of the stripes of a pixel in the gray of a picture (ITU-R BT.601).
var stripes = [3]float64{0.299, 0.587, 0.114}

// shown is a part of a page on a screen.
type shown struct {
	*Screen
	at     part
	values []float32 // linear light of each pixel
}

// show draws a part of the sheet in the pixels of the screen.
func (c *Screen) show(s *Sheet, u0, v0, u1, v1 float64) *shown {
	at := s.newPart(u0, v0, u1, v1, c.Pitch)
	// Viewers draw with several samples a pixel: so does the page here.
	const n = 4
	fine := s.draw(part{at.u0, at.v0, at.step / n, at.w * n, at.h * n})
	small, tmp := gray.New(at.w*2, at.h*2), gray.New(at.w, at.h)
	gray.Halve(small, fine)
	gray.Halve(tmp, small)
	out := &shown{c, at, make([]float32, at.w*at.h)}
	for y := range at.h {
		for x, v := range tmp.Row(y) {
			out.values[y*at.w+x] = float32(c.Dark + (1-c.Dark)*math.Pow(float64(v)/255, 2.2)) // sRGB, about
		}
	}
	return out
}

// reflect returns the light of the screen at a point of the page: stripes of red, green and
// blue with black between them. Its mean over a white pixel is 1.
func (c *shown) reflect(u, v float64) float64 {
	x, y := (u-c.at.u0)/c.at.step, (v-c.at.v0)/c.at.step
	i, j := int(math.Floor(x)), int(math.Floor(y))
	if i < 0 || j < 0 || i >= c.at.w || j >= c.at.h {
		return 0
	}
	x, y = 3*(x-float64(i)), y-float64(j)
	k := min(int(x), 2)
	x -= float64(k)
	if y < c.Gap || x < c.Gap {
		return 0
	}
	open := (1 - c.Gap) * (1 - c.Gap)
	return float64(c.values[j*c.at.w+i]) * 3 * stripes[k] / open
}
