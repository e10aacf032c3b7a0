// Package codetest reads the codes of package enrolcode back, for tests: call [Typeset] on one in characters, then [ReadQR] or
// [ReadSymbol]:
//
//	text of a terminal ─▶ Typeset ─▶ picture ─┬─▶ ReadQR
//	                          PNG ────────────┴─▶ ReadSymbol
package codetest

import (
	"image"
	"image/color"
	"regexp"
	"strings"
	"testing"

	"github.com/makiuchi-d/gozxing"
	"github.com/makiuchi-d/gozxing/qrcode"

	"tcode/scanner/gray"
	"tcode/scanner/symbol"
)

// colours are the characters that set the colours of a terminal.
var colours = regexp.MustCompile("\x1b\\[[0-9;]*m")

// ReadQR returns the text of the QR code that fills img, by a third-party reader. Another picture fails t.
func ReadQR(t testing.TB, img image.Image) string {
	t.Helper()
	bitmap, err := gozxing.NewBinaryBitmapFromImage(img)
	if err != nil {
		t.Fatal(err)
	}
	// The detector for photographs misreads the size of one symbol in a hundred.
	result, err := qrcode.NewQRCodeReader().Decode(bitmap, map[gozxing.DecodeHintType]any{gozxing.DecodeHintType_PURE_BARCODE: true})
	if err != nil {
		t.Fatal(err)
	}
	return result.GetText()
}

// ReadSymbol returns the text of the only Data Matrix symbol on img, by the scanner's reader. Another picture fails t.
func ReadSymbol(t testing.TB, img image.Image) string {
	t.Helper()
	b := img.Bounds()
	m := gray.New(b.Dx(), b.Dy())
	for y := range m.Height {
		for x := range m.Row(y) {
			m.Row(y)[x] = color.GrayModel.Convert(img.At(b.Min.X+x, b.Min.Y+y)).(color.Gray).Y
		}
	}
	got := symbol.ReadImage(t.Context(), m, symbol.Options{})
	if len(got.Symbols) != 1 {
		t.Fatalf("%d Data Matrix symbols: %s", len(got.Symbols), got.Reason.Message)
	}
	return got.Symbols[0].Text
}

// Typeset draws a code in characters as a terminal does, a module 4 px wide: light characters on a dark ground, or with
// colours black on white.
func Typeset(text string) image.Image {
	ink, ground := color.Gray{0xff}, color.Gray{}
	if strings.Contains(text, "\x1b") {
		ink, ground = ground, ink
	}
	const px = 4
	rows := strings.Split(colours.ReplaceAllString(text, ""), "\n")
	img := image.NewGray(image.Rect(0, 0, len([]rune(rows[0]))*px, len(rows)*2*px))
	for y, row := range rows {
		for x, r := range []rune(row) {
			for dy := range 2 * px {
				c := ground
				if r == '█' || r == '▀' && dy < px || r == '▄' && dy >= px {
					c = ink
				}
				for dx := range px {
					img.SetGray(x*px+dx, y*2*px+dy, c)
				}
			}
		}
	}
	return img
}
