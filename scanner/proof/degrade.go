package proof

import (
	"math"
	"math/rand/v2"

	"tcode/scanner/gray"
	"tcode/scanner/simulate"
)

// The effects of a poor scan on a page: laid in askew, out of focus, gray instead of black and white, with noise, and
// compressed hard.
const (
	scanSkew    = 1.3  // degrees clockwise
	scanBlur    = 0.55 // px, sigma
	scanBlack   = 40
	scanWhite   = 225
	scanNoise   = 6 // gray levels, sigma
	scanQuality = 55
)

// scanned returns s as a poor scan at dpi shows it, and the map from s to it; the same s gives the same pixels.
func (s sight) scanned(dpi float64) (scan sight, toScan gray.Homography, ok bool) {
	scale := dpi / s.dpi
	toPage, w, h := simulate.Rotation(s.img, scanSkew, scale)
	toScan, ok = toPage.Inverse()
	if !ok || w < 1 || h < 1 {
		return sight{}, toScan, false
	}
	samples := int(min(max(math.Ceil(1.2/scale), 2), 8)) // a side; all of the page must count
	m := simulate.Warp(s.img, toPage, w, h, samples, 255)
	simulate.Blur(m, scanBlur)
	simulate.Contrast(m, scanBlack, scanWhite, 1)
	simulate.Noise(m, rand.New(rand.NewPCG(0x70726f6f66, uint64(dpi))), scanNoise, 0)
	m, err := simulate.JPEG(m, scanQuality)
	if err != nil {
		return sight{}, toScan, false
	}
	out := sight{img: m, dpi: dpi, symbol: [4]float64{math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)}}
	for _, x := range []float64{s.symbol[0], s.symbol[2]} {
		for _, y := range []float64{s.symbol[1], s.symbol[3]} {
			p := toScan.Map(gray.Point{X: x, Y: y})
			out.symbol[0], out.symbol[1] = min(out.symbol[0], p.X), min(out.symbol[1], p.Y)
			out.symbol[2], out.symbol[3] = max(out.symbol[2], p.X), max(out.symbol[3], p.Y)
		}
	}
	return out, toScan, true
}
