// Package enrolcode draws the codes with which scanners enrol: a QR code for a phone's own camera, which opens the gateway's
// web app, and a Data Matrix symbol for the camera of an app that is open. Call [New], then [Drawing.Text] or [Image]:
//
//	address, fingerprint ─▶ New ─┬─▶ Link ─▶ QR ──────┬─▶ Text: characters for a terminal
//	                             └─▶ Code ─▶ Symbol ──┴─▶ Image: pixels
package enrolcode

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"io"
	"os"
	"strings"

	"github.com/boombuler/barcode"
	"github.com/boombuler/barcode/datamatrix"
	"github.com/boombuler/barcode/qr"
	"golang.org/x/term"

	"tcode/cmd/internal/cli"
	"tcode/offline/trust"
	"tcode/sync/wire"
)

// Codes are the two forms of the code of one gateway (sync/wire/FORMAT.md).
type Codes struct {
	Code   string // the text of Symbol
	Link   string // the text of QR
	QR     Drawing
	Symbol Drawing
}

// New returns the codes of the gateway at an address, whose trust root has that fingerprint. The error is a
// [wire.ErrAddress], or says that the address is too long for a code.
func New(gateway string, root trust.Fingerprint) (c Codes, err error) {
	if c.Code, err = wire.EnrolmentCode(gateway, root); err != nil {
		return c, err
	}
	if c.Link, err = wire.EnrolmentLink(gateway, root); err != nil {
		return c, err
	}
	if c.QR, err = encodeQR(c.Link); err != nil {
		return c, err
	}
	c.Symbol, err = encodeSymbol(c.Code)
	return c, err
}

func encodeQR(text string) (Drawing, error) {
	code, err := qr.Encode(text, qr.M, qr.Auto)
	if err != nil {
		return Drawing{}, fmt.Errorf("QR code: %w", err)
	}
	return Drawing{code}, nil
}

func encodeSymbol(text string) (Drawing, error) {
	code, err := datamatrix.Encode(text)
	if err != nil {
		return Drawing{}, fmt.Errorf("symbol Data Matrix: %w", err)
	}
	return Drawing{code}, nil
}

// A Drawing is one code, with a margin around it.
type Drawing struct{ code barcode.Barcode }

// quiet is the light margin around a code, in modules: a QR code needs 4 (ISO/IEC 18004), Data Matrix 1 (ISO/IEC 16022).
const quiet = 4

// Width returns the number of columns of the text, and of modules of the picture.
func (d Drawing) Width() int { return d.code.Bounds().Dx() + 2*quiet }

// Fits reports whether the text fits the terminal w, if it is one: no scanner reads a code with cut lines.
func (d Drawing) Fits(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok || !cli.IsTerminal(w) {
		return true
	}
	columns, _, err := term.GetSize(int(f.Fd()))
	return err != nil || columns >= d.Width()
}

// Text draws the code in characters for w, each two modules high. On a terminal that shows colours it is black on white;
// elsewhere it draws light modules, as on a dark background.
func (d Drawing) Text(w io.Writer) string {
	return d.text(cli.Colours(w))
}

// dark reports whether a module is dark. Those of the margin are light.
func (d Drawing) dark(x, y int) bool {
	if !(image.Point{x, y}).In(d.code.Bounds()) {
		return false
	}
	r, _, _, _ := d.code.At(x, y).RGBA()
	return r == 0
}

func (d Drawing) text(colour bool) string {
	b := d.code.Bounds()
	var text bytes.Buffer
	for y := b.Min.Y - quiet; y < b.Max.Y+quiet; y += 2 {
		var row strings.Builder
		for x := b.Min.X - quiet; x < b.Max.X+quiet; x++ {
			row.WriteString(halves[d.dark(x, y) == colour][d.dark(x, y+1) == colour])
		}
		if colour {
			fmt.Fprintf(&text, "\x1b[30;107m%s\x1b[0m\n", row.String())
			continue
		}
		fmt.Fprintln(&text, row.String())
	}
	return strings.TrimSuffix(text.String(), "\n")
}

// halves are the characters whose upper and lower half is drawn or not.
var halves = map[bool]map[bool]string{true: {true: "█", false: "▀"}, false: {true: "▄", false: " "}}

// Image draws codes side by side with their margins, black on white, px pixels a module.
func Image(px int, codes ...Drawing) image.Image {
	wide, high := 0, 0
	for _, d := range codes {
		wide += d.Width()
		high = max(high, d.code.Bounds().Dy()+2*quiet)
	}
	img := image.NewPaletted(image.Rect(0, 0, wide*px, high*px), color.Palette{color.White, color.Black})
	left := quiet
	for _, d := range codes {
		b := d.code.Bounds()
		for y := range b.Dy() * px {
			for x := range b.Dx() * px {
				if d.dark(b.Min.X+x/px, b.Min.Y+y/px) {
					img.SetColorIndex(x+left*px, y+quiet*px, 1)
				}
			}
		}
		left += d.Width()
	}
	return img
}
