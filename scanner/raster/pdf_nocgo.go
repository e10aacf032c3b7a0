//go:build !cgo

package raster

// openPDF needs MuPDF, which needs cgo.
func openPDF([]byte, Limits) (engine, error) {
	return nil, &Error{Err: ErrUnsupported, Detail: "this program was built without PDF support (cgo)"}
}
