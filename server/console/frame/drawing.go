package frame

import (
	"fmt"
	"image"
	"strings"

	"github.com/boombuler/barcode/datamatrix"
	"github.com/boombuler/barcode/qr"
)

// A Drawing is a code as a path of SVG, in modules.
type Drawing struct {
	Size int // with the quiet zone
	Path string
}

// quietZone is the margin of a code in modules: a QR code needs 4 (ISO/IEC 18004), Data
// Matrix 1 (ISO/IEC 16022).
const quietZone = 4

// QR draws a QR code of a text.
func QR(text string) (Drawing, error) {
	code, err := qr.Encode(text, qr.M, qr.Auto)
	if err != nil {
		return Drawing{}, fmt.Errorf("draw QR code: %w", err)
	}
	return draw(code), nil
}

// DataMatrix draws a Data Matrix symbol of a text.
func DataMatrix(text string) (Drawing, error) {
	code, err := datamatrix.Encode(text)
	if err != nil {
		return Drawing{}, fmt.Errorf("draw Data Matrix symbol: %w", err)
	}
	return draw(code), nil
}

func draw(code image.Image) Drawing {
	var b strings.Builder
	n := code.Bounds().Dx()
	for y := range n {
		for x := range n {
			if r, _, _, _ := code.At(x, y).RGBA(); r == 0 {
				fmt.Fprintf(&b, "M%d %dh1v1h-1z", x+quietZone, y+quietZone)
			}
		}
	}
	return Drawing{n + 2*quietZone, b.String()}
}
