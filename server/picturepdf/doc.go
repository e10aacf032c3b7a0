// Package picturepdf makes a PDF of a scanned original: a PNG or JPEG picture, or a TIFF file of one or more
// pages. Call [New] with a pool of [Role], then [Maker.Make].
//
//	parent                     child (sandbox)
//	──────                     ───────────────
//	Make: the picture        ▶ kind ─▶ size and pages within bounds ─▶ decoded ─▶ on white, 8 bits ─▶ PDF by pdfcpu
//	   io.Writer             ◀ the PDF, in pieces
//
// Bounds are checked before a pixel is decoded. A JPEG of gray or YCbCr goes into the PDF as it is coded, without
// its metadata, after it was decoded once for a check. All else is stored without loss, and without transparency:
// on white, in 8 bits of gray or RGB, or in 1 bit where the picture is black and white. CMYK becomes RGB.
//
// A page has the picture's size by its resolution, turned as its orientation says (Exif, TIFF). Where a picture has no
// resolution, or one that makes a page smaller than 30 mm or larger than 2 m, the page is the largest one of
// the picture's shape that fits on A4.
//
// The same picture always gives the same bytes. No key is in reach of the child, and the gateway never decodes a
// picture itself.
package picturepdf
