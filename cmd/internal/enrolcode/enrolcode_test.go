package enrolcode

import (
	"image"
	"strings"
	"testing"

	"tcode/cmd/internal/enrolcode/codetest"
	"tcode/offline/trust"
)

// The codes are readable from a terminal, with colours and without, and from a picture.
func TestDrawings(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"https://a/#tcode-enrol=", "https://gateway.example/#tcode-enrol=" + strings.Repeat("0a", 32), strings.Repeat("x", 300)} {
		code, err := encodeQR(text)
		if err != nil {
			t.Fatal(err)
		}
		for _, colour := range []bool{false, true} {
			if got := codetest.ReadQR(t, codetest.Typeset(code.text(colour))); got != text {
				t.Errorf("colour %t: read %q, want %q", colour, got, text)
			}
		}
		matrix, err := encodeSymbol(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := codetest.ReadSymbol(t, codetest.Typeset(matrix.text(false))); got != text {
			t.Errorf("symbol: read %q, want %q", got, text)
		}
		const px = 3
		img := Image(px, code, matrix).(*image.Paletted)
		if got := codetest.ReadQR(t, img.SubImage(image.Rect(0, 0, code.Width()*px, img.Rect.Max.Y))); got != text {
			t.Errorf("picture: read %q, want %q", got, text)
		}
		if got := codetest.ReadSymbol(t, img); got != text {
			t.Errorf("picture: the symbol says %q, want %q", got, text)
		}
	}
}

// An address that no scanner takes has no code.
func TestAddress(t *testing.T) {
	t.Parallel()
	root := trust.Fingerprint{1}
	c, err := New("https://gateway.example/v1", root)
	if err != nil || c.Link != "https://gateway.example/scan/#tcode-enrol="+root.String() || c.Code != "https://gateway.example/#tcode-enrol="+root.String() {
		t.Errorf("%+v, %v", c, err)
	}
	for _, address := range []string{"gateway.example", "https://gateway.example/scan", "https://" + strings.Repeat("a.", 2000) + "example"} {
		if c, err := New(address, root); err == nil {
			t.Errorf("%.40s: %.80s", address, c.Link)
		}
	}
}
