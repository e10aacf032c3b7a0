package locate

import (
	"slices"

	"tcode/scanner/gray"
)

const (
	// quietTaps is the number of places along an arm of a corner at which the quiet zone is looked at.
	quietTaps = 24
	// quietLeast is the share of them that must be light.
	quietLeast = 0.8
)

// quietReach are the distances from an arm in px at which it is looked at.
var quietReach = []float64{0.7, 1.5}

// lone returns the corners of in with a quiet zone, in the same order.
func lone(img *gray.Image, in []corner) []corner {
	out := in[:0]
	for i := range in {
		if in[i].quiet(img, quietReach) {
			out = append(out, in[i])
		}
	}
	return out
}

// quiet reports whether the ground outside both arms of c is light: at some of reach next to each place, because the place
// of an arm is only known to half a pixel, and a narrow quiet zone has little more than a pixel.
func (c *corner) quiet(img *gray.Image, reach []float64) bool {
	var dark, light [families * quietTaps]byte
	n := 0
	for k := range families {
		inward := c.sides[k].inward()
		for i := range quietTaps {
			p := c.at.Add(c.arms[k].Mul(c.length[k] * (0.05 + 0.9*(float64(i)+0.5)/quietTaps)))
			dark[n] = min(pixel(img, p.Add(inward.Mul(0.5))), pixel(img, p.Add(inward.Mul(1.5))))
			for _, d := range reach {
				light[n] = max(light[n], pixel(img, p.Sub(inward.Mul(d))))
			}
			n++
		}
	}
	slices.Sort(dark[:])
	slices.Sort(light[:])
	mid := (int(dark[n/2]) + int(light[n*3/4])) / 2
	at, _ := slices.BinarySearch(light[:], byte(mid))
	return float64(n-at) >= quietLeast*float64(n)
}

// pixel returns the pixel of img at p, or the nearest one.
func pixel(img *gray.Image, p gray.Point) byte {
	x, y := min(max(int(p.X), 0), img.Width-1), min(max(int(p.Y), 0), img.Height-1)
	return img.Pix[y*img.Stride+x]
}
