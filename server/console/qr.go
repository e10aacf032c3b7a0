package console

import (
	"fmt"
	"strings"

	"github.com/boombuler/barcode/qr"
)

// qrCode is a QR code as a path of SVG, in modules.
type qrCode struct {
	Size int // with the quiet zone
	Path string
}

// quietZone is the margin of a QR code in modules (ISO/IEC 18004).
const quietZone = 4

func newQR(text string) (qrCode, error) {
	code, err := qr.Encode(text, qr.M, qr.Auto)
	if err != nil {
		return qrCode{}, fmt.Errorf("draw QR code: %w", err)
	}
	var b strings.Builder
	n := code.Bounds().Dx()
	for y := range n {
		for x := range n {
			if r, _, _, _ := code.At(x, y).RGBA(); r == 0 {
				fmt.Fprintf(&b, "M%d %dh1v1h-1z", x+quietZone, y+quietZone)
			}
		}
	}
	return qrCode{n + 2*quietZone, b.String()}, nil
}
