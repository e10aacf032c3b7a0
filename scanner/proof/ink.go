package proof

import (
	"context"
	"io"

	"tcode/offline/geometry"
	"tcode/scanner/gray"
)

const (
	// inkDPI is the resolution of the search for ink: a full stop of 8 pt type has two pixels.
	inkDPI = 110
	// inkLevels is the difference from the ground, in gray levels, of a pixel that counts as ink. Grain of a scanned page
	// stays below, the lightest gray of a printed form is above.
	inkLevels = 24
	// paleGround is the darkest gray that is the ground of a page: paper, or a tint. Anything darker was painted there.
	paleGround = 128
)

// Ink returns for each area the share of it, 0 to 1, that is not ground: the most common gray level there, if it is pale.
// An area outside its page has none. Errors are those of package raster, [ErrPages], [ErrTooLong] and the cause of ctx.
func (p *Prover) Ink(ctx context.Context, pdf *io.SectionReader, areas []geometry.Area) ([]float64, error) {
	grounds, err := p.grounds(ctx, pdf, areas, false)
	out := make([]float64, len(grounds))
	for i, g := range grounds {
		out[i] = g.Ink
	}
	return out, err
}

// inkOf is the share of m's pixels that are not ground.
func inkOf(m *gray.Image) float64 {
	var h gray.Histogram
	h.Count(m, 1)
	ground := 255
	for v := 255; v >= 0; v-- { // of two as common the lighter one
		if h[v] > h[ground] {
			ground = v
		}
	}
	if ground < paleGround {
		return 1
	}
	ink := 0
	for v, n := range h {
		if v < ground-inkLevels || v > ground+inkLevels {
			ink += n
		}
	}
	return float64(ink) / float64(m.Width*m.Height)
}
