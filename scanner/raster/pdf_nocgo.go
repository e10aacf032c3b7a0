//go:build !cgo || nomupdf

package raster

import "tcode/scanner/gray"

// DefaultEngine is the engine of a [Rasterizer] without [WithEngine]: MuPDF where it is linked, PDFium in builds
// without cgo.
const DefaultEngine = PDFium

// openMuPDFDocument fails: it needs cgo.
func openMuPDFDocument([]byte) (renderer, error) {
	return nil, &Error{Err: ErrUnsupported, Detail: "this program was built without MuPDF (cgo)"}
}

// drawImage fails as well.
func drawImage([]byte, int, int, float64, Limits, *gray.Image) error {
	return &Error{Err: ErrUnsupported}
}
