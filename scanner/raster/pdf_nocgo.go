//go:build !cgo

package raster

import "tcode/scanner/gray"

// openPDF needs MuPDF, which needs cgo.
func openPDF([]byte, Limits) (engine, error) {
	return nil, &Error{Err: ErrUnsupported, Detail: "this program was built without PDF support (cgo)"}
}

// drawImage too.
func drawImage([]byte, int, int, float64, Limits, *gray.Image) error {
	return &Error{Err: ErrUnsupported}
}
