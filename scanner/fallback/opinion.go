package fallback

import "tcode/scanner/gray"

// An Opinion is gozxing's result for a box.
type Opinion struct {
	Codewords []byte // data codewords after its error correction, padding included
	// Corners are the approximate corners of the symbol, px of the box: top left, top right,
	// bottom right, bottom left.
	Corners [4]gray.Point
}
