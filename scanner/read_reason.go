package scanner

// Codes of a [Reason].
const (
	CodeNoPixels     = "no_pixels"      // the image is empty
	CodeNothingFound = "nothing_found"  // nothing that looks like a symbol
	CodeTooFewPixels = "too_few_pixels" // modules below the size that can be read
	CodeDamaged      = "damaged"        // found, but more is spoilt than error correction restores
)

var reasonNoPixels = Reason{CodeNoPixels, "the image has no pixels", "send a page or a photo"}

// reason says why r read nothing.
func (r *reader) reason() Reason {
	return Reason{CodeNothingFound, "nothing on the image looks like a Data Matrix symbol", "check that the page shows the stamp; rescan at 200 dpi or more"}
}
