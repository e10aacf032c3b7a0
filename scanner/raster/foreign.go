package raster

import "tcode/scanner/filekind"

// unsupported returns the error about a file of unknown kind. It describes the apparent format, so
// that the user knows what to do.
func unsupported(file []byte) *Error {
	name, advice := filekind.Foreign(file)
	if name == "" {
		return &Error{Err: ErrUnsupported}
	}
	if filekind.OfImage(file) != Unknown {
		return &Error{Err: ErrUnsupported, Detail: "it is " + name, Advice: advice}
	}
	return &Error{Err: ErrUnsupported, Detail: "it looks like " + name, Advice: advice}
}
