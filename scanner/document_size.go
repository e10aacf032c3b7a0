package scanner

import "tcode/scanner/raster"

// FinestDPI returns the highest resolution at which a [Scanner] with the zero [Config] reads a page of a PDF of w x h
// points: a symbol that cannot be read then is not read at all. The error is an [*raster.Error], [raster.ErrTooLarge] for a page
// that is not drawn.
func FinestDPI(w, h float64) (float64, error) {
	return raster.Limits{}.Fit(w, h, DefaultThorough)
}
