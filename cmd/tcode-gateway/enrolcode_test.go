package main

import (
	"bytes"
	"encoding/json"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/boombuler/barcode/datamatrix"
	"github.com/boombuler/barcode/qr"
	"github.com/makiuchi-d/gozxing"
	"github.com/makiuchi-d/gozxing/qrcode"

	"tcode/scanner/gray"
	"tcode/scanner/symbol"
)

// readQR reads a QR code with a third-party reader.
func readQR(t *testing.T, img image.Image) string {
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

// readDataMatrix reads the Data Matrix symbol of img with the scanner's reader.
func readDataMatrix(t *testing.T, img image.Image) string {
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

// typeset draws the output of codeText as a terminal does, a module 4 px wide.
// ink is the colour of a drawn half, ground of the rest.
func typeset(text string, ink, ground color.Gray) image.Image {
	const px = 4
	rows := strings.Split(text, "\n")
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

// The code in characters is readable from a terminal, with colours and without.
func TestQRText(t *testing.T) {
	t.Parallel()
	black, white := color.Gray{}, color.Gray{0xff}
	for _, text := range []string{"https://a/#tcode-enrol=", "https://gateway.example/#tcode-enrol=" + strings.Repeat("0a", 32), strings.Repeat("x", 300)} {
		code, err := qr.Encode(text, qr.M, qr.Auto)
		if err != nil {
			t.Fatal(err)
		}
		coloured := regexp.MustCompile("\x1b\\[[0-9;]*m").ReplaceAllString(codeText(code, true), "")
		if got := readQR(t, typeset(coloured, black, white)); got != text {
			t.Errorf("black on white: read %q, want %q", got, text)
		}
		if got := readQR(t, typeset(codeText(code, false), white, black)); got != text {
			t.Errorf("light on dark: read %q, want %q", got, text)
		}
		matrix, err := datamatrix.Encode(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := readDataMatrix(t, typeset(codeText(matrix, false), white, black)); got != text {
			t.Errorf("symbol: read %q, want %q", got, text)
		}
		const px = 3
		img := codeImage([2]namedCode{{Barcode: code}, {Barcode: matrix}}, px).(*image.Paletted)
		if got := readQR(t, img.SubImage(image.Rect(0, 0, width(code)*px, img.Rect.Max.Y))); got != text {
			t.Errorf("picture: read %q, want %q", got, text)
		}
		if got := readDataMatrix(t, img); got != text {
			t.Errorf("picture: the symbol says %q, want %q", got, text)
		}
	}
}

// The program shows the same text in all forms.
func TestEnrolCode(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	data, file := filepath.Join(dir, "data"), filepath.Join(dir, "code.png")
	gateway(t, data, "init")
	gateway(t, data, "tenant", "create", "--name", "Acme", "--reference", "ACME01")
	var root struct{ Fingerprint string }
	if err := json.Unmarshal([]byte(gateway(t, data, "root", "show", "--json")), &root); err != nil {
		t.Fatal(err)
	}
	want := "https://gateway.example/#tcode-enrol=" + root.Fingerprint
	var line enrolCodeLine
	if err := json.Unmarshal([]byte(gateway(t, data, "enrol-code", "--json", "--public-url", "https://gateway.example/v1", "-o", file)), &line); err != nil {
		t.Fatal(err)
	}
	if line.Code != want || line.Gateway != "https://gateway.example" || line.Fingerprint != root.Fingerprint || line.File != file {
		t.Errorf("%+v, want the code %s", line, want)
	}
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	link := "https://gateway.example/scan/#tcode-enrol=" + root.Fingerprint
	if line.Link != link {
		t.Errorf("link %s, want %s", line.Link, link)
	}
	if got := readQR(t, img.(*image.Paletted).SubImage(image.Rect(0, 0, img.Bounds().Max.X*57/100, img.Bounds().Max.Y))); got != link {
		t.Errorf("the picture says %q, want %q", got, link)
	}
	if got := readDataMatrix(t, img); got != want {
		t.Errorf("the symbol of the picture says %q, want %q", got, want)
	}
	shown := gateway(t, data, "enrol-code", "--public-url", "https://gateway.example")
	if !strings.Contains(shown, "█") || !strings.Contains(shown, "\n"+want+"\n") || strings.Contains(shown, "\x1b") {
		t.Errorf("shown in a pipe:\n%s", shown)
	}
}
