package pdfstamp_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"image/color"
	"image/png"
	"strings"
	"testing"

	"tcode/server/pdfstamp"
)

// TestBarcodePixels: a standard decoder finds every module where it belongs, for all sizes.
func TestBarcodePixels(t *testing.T) {
	t.Parallel()
	for _, length := range []int{1, 10, 40, 168, 500, 1000, 1500} {
		for _, px := range []int{1, 3, 8} {
			text := strings.Repeat("A", length)
			m, err := pdfstamp.Symbol(text)
			if err != nil {
				t.Fatal(err)
			}
			raw, err := pdfstamp.BarcodePNG(text, px)
			if err != nil {
				t.Fatal(err)
			}
			img, err := png.Decode(bytes.NewReader(raw))
			if err != nil {
				t.Fatalf("%d characters, %d px: %v", length, px, err)
			}
			side := (m.Side + 4) * px
			if img.Bounds().Dx() != side || img.Bounds().Dy() != side {
				t.Fatalf("%v, want %d", img.Bounds(), side)
			}
			for y := range side {
				for x := range side {
					mx, my := x/px-2, y/px-2
					black := mx >= 0 && my >= 0 && mx < m.Side && my < m.Side && m.Dark[my*m.Side+mx]
					if got := color.GrayModel.Convert(img.At(x, y)).(color.Gray).Y; (got == 0) != black || got != 0 && got != 255 {
						t.Fatalf("%d characters, %d px: pixel %d, %d is %d", length, px, x, y, got)
					}
				}
			}
		}
	}
}

// TestBarcodeForever: the picture of a stored payload is drawn again for each download, and
// clients know its hash. If this test fails, put the old bytes back.
func TestBarcodeForever(t *testing.T) {
	t.Parallel()
	for text, want := range barcodes {
		raw, err := pdfstamp.BarcodePNG(text, 8)
		if err != nil {
			t.Fatal(err)
		}
		if sum := sha256.Sum256(raw); hex.EncodeToString(sum[:]) != want {
			t.Errorf("%.20q (%d characters) has %d bytes with hash %x, want %s", text, len(text), len(raw), sum, want)
		}
	}
}

var barcodes = map[string]string{
	"A":                       "25eba184fb87187edc2e9e8ba3de7cf76148455a5e0b63efce7603f81c69dd3b",
	strings.Repeat("0Z9", 56): "d8d509ab2365c4c43053fc96226acd991f458f4d28d38d4dfd16c42a2e684772",
}
