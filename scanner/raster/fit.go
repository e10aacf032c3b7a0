package raster

// Fit returns the resolution at which [Document.Look] draws a PDF page of w x h points that is requested at dpi: dpi, or
// less if the page has more pixels than l allows. The error is an [*Error]: [ErrTooLarge] if the resolution would be below
// 72 dpi, so that the page is not drawn at all, [ErrDamaged] if the page has no area.
func (l Limits) Fit(w, h, dpi float64) (float64, error) {
	return fit(w, h, dpi, minDPI, l.withDefaults().MaxPixels)
}
