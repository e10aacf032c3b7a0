package pdfstamp

import (
	"fmt"

	"github.com/boombuler/barcode/qr"

	"tcode/offline/binding"
)

const (
	qrQuiet         = 4    // modules around the code (ISO/IEC 18004, 6.3.8)
	leastQRModuleMM = 0.3  // below it a phone may not read a print: 3.5 dots at 300 dpi
	maxLink         = 1000 // bytes; a longer one has modules that no square of a stamp shows
)

// A qrCode is the link of a stamp as an image that all pages share. The zero value is none.
type qrCode struct {
	modules int // a side
	ref     ref
}

// newQR writes the image of text, of the level of correction that a code has on paper as a rule, M.
func newQR(rev *revision, text string) (qrCode, error) {
	if text == "" {
		return qrCode{}, nil
	}
	if len(text) > maxLink {
		return qrCode{}, errPlacement
	}
	code, err := qr.Encode(text, qr.M, qr.Auto)
	if err != nil {
		return qrCode{}, fmt.Errorf("%w: %w", errPlacement, err)
	}
	n := code.Bounds().Dx()
	side := n * binding.PxPerModule
	row := (side + 7) / 8
	mask := make([]byte, row*side) // a bit that is 0 is painted
	for y := range side {
		for x := range side {
			if r, _, _, _ := code.At(x/binding.PxPerModule, y/binding.PxPerModule).RGBA(); r != 0 {
				mask[y*row+x/8] |= 0x80 >> (x % 8)
			}
		}
	}
	head, data := deflated(mask)
	for _, kv := range entries("Type", name("XObject"), "Subtype", name("Image"), "Width", side, "Height", side, "ImageMask", raw("true"), "BitsPerComponent", 1).pairs {
		head.set(kv.key, kv.val)
	}
	q := qrCode{n, rev.alloc()}
	rev.stream(q.ref, head, data)
	return q, nil
}

// moduleIn returns the side of a module in the place that b has for the code, in mm.
func (q qrCode) moduleIn(b box) float64 { return b.link.width() / float64(q.modules+2*qrQuiet) }

// operators draws the code into its place of b.
func (q qrCode) operators(out []byte, b box, as name) []byte {
	quiet := qrQuiet * q.moduleIn(b)
	side := b.link.width() - 2*quiet
	out = append(appendNumbers(append(out, "q "...), side, 0, 0, side, b.link.left+quiet, b.link.bottom+quiet), "cm "...)
	return append(appendName(out, as), " Do Q "...)
}
