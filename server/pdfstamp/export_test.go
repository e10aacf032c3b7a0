package pdfstamp

import "tcode/offline/payload"

// PrepareForTest lays a stamp out in this process.
func PrepareForTest(pdf []byte, pl Placement, r payload.Reference, side int) ([]byte, error) {
	p, err := prepare(pdf, pl, r, side)
	if err != nil {
		return nil, err
	}
	out, _, err := join(pdf, p, r, side)
	return out, err
}
