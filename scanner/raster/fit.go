package raster

// Fit returns the resolution at which [Document.Look] draws a page of a PDF of w x h points that is asked for at dpi: dpi,
// or less where the page has more pixels than l allows. The error is an [*Error]: [ErrTooLarge] where that lies below
// 72 dpi, so that the page is not drawn at all, [ErrDamaged] where the page has no area.
func (l Limits) Fit(w, h, dpi float64) (float64, error) {
	return fit(w, h, dpi, minDPI, l.withDefaults().MaxPixels)
}
