package pdfstamp

import "tcode/offline/payload"

// PrepareForTest lays a stamp out in this process and returns the file with an
// empty hole and the stamped page.
func PrepareForTest(pdf []byte, pl Placement, r payload.Reference, side int) ([]byte, int, error) {
	p, err := prepare(pdf, pl, r, side)
	if err != nil {
		return nil, 0, err
	}
	out, _, err := join(pdf, p, r, side)
	return out, p.Page, err
}
