// Package pages makes full document pages with a Data Matrix on them, as
// printers, scanners, phones, pens and coffee cups leave them, and knows the
// truth about each.
//
//	corpus/pdf ─▶ Sources ─▶ raster, 100..300 dpi ─▶ base ──┐
//	                                                        ├▶ scene ─▶ variant ─▶ image + Truth ─▶ cache
//	own stamp, zint, dmtxwrite ─▶ modules at a fractional ──┘             │
//	                              place, any turn                         └▶ ideal grid
//
// The symbol is never resampled: the scene knows it as geometry, and each pixel
// near it is the mean of 36 samples of what lies under it. Everything follows
// from seed, base page number and variant, so that pages can be kept on disk and
// made again alike.
package pages
