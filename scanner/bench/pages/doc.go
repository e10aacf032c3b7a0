// Package pages makes full document pages with a Data Matrix on them, as printers,
// scanners, phones, pens and coffee cups leave them, and records the truth about each.
// Call [Make] first.
//
//	corpus/pdf ─▶ Sources ─▶ raster, 100..300 dpi ─▶ base ──┐
//	                                                        ├▶ scene ─▶ variant ─▶ image + Truth ─▶ cache
//	own stamp, zint, dmtxwrite ─▶ modules at a fractional ──┘             │
//	                              place, any turn                         └▶ ideal grid
//
// The symbol is never resampled: the scene describes it as geometry, and each pixel
// near it is the mean of 36 samples of the scene. Everything is determined by seed,
// base page number and variant, so that pages can be kept on disk and made again
// identically.
package pages
