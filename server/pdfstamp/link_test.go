package pdfstamp_test

import (
	"image"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/boombuler/barcode/qr"
	"github.com/makiuchi-d/gozxing"
	"github.com/makiuchi-d/gozxing/qrcode"

	"tcode/offline/binding"
	"tcode/offline/geometry"
	"tcode/offline/payload"
	raw "tcode/scanner/gray"
	"tcode/scanner/simulate"
	"tcode/scanner/simulate/photo"
	"tcode/server/pdfstamp"
	"tcode/testdata"
)

const link = "https://tcode.acme-university.example/d/TCR-SQEP1CY4WEDZRJ1Z"

// readQR reads a QR code as a phone does.
func readQR(img image.Image) string {
	bmp, err := gozxing.NewBinaryBitmapFromImage(img)
	if err != nil {
		return ""
	}
	r, err := qrcode.NewQRCodeReader().Decode(bmp, map[gozxing.DecodeHintType]any{gozxing.DecodeHintType_TRY_HARDER: true})
	if err != nil {
		return ""
	}
	return r.GetText()
}

// part returns r of a page that is drawn at dpi, with 1 mm around.
func part(img *image.Gray, r geometry.Rect, dpi float64) *image.Gray {
	px := func(mm float64) int { return int(math.Round(mm * dpi / 25.4)) }
	return img.SubImage(image.Rect(px(r.X-1), px(r.Y-1), px(r.X+r.Width+1), px(r.Y+r.Height+1))).(*image.Gray)
}

// TestLink: the QR code is read at 300 dpi from the page and in photographs, its quiet zone is empty, and the symbol beside it
// is read as without it.
func TestLink(t *testing.T) {
	t.Parallel()
	for _, tool := range []string{"mutool", "pdftoppm"} {
		need(t, tool)
	}
	letter, err := testdata.Documents.ReadFile("documents/letter.pdf")
	if err != nil {
		t.Fatal(err)
	}
	s := newStamper(t)
	caption := &pdfstamp.Caption{Text: "Check this page", Reference: true, Side: geometry.Below}
	beside := *caption
	beside.Side = geometry.LeftOf
	for name, pl := range map[string]pdfstamp.Placement{
		"upright": {Link: link},
		"turned":  {Link: link, Rotation: 90, Caption: caption, PaddingMM: 1},
		"beside":  {Link: link, Caption: &beside, Anchor: geometry.TopLeft},
		"bounded": {Link: link, MaxWNorm: 0.25, Anchor: geometry.BottomLeft},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			st, k := stamped(t, s, letter, pl, payload.Reference{1})
			if got := k.check(st.PDF); got.State != binding.Match {
				t.Errorf("binding %+v", got)
			}
			at := st.Places[0]
			if at.Link.Width < 1 || math.Abs(at.Link.Width-at.Quiet.Width) > 1e-6 || overlap(at.Link, at.Quiet) > 1e-6 || overlap(at.Link, at.Caption) > 1e-6 {
				t.Errorf("link %+v, symbol %+v, caption %+v", at.Link, at.Quiet, at.Caption)
			}
			if limit := pl.MaxWNorm * at.PageMM.Width; limit > 0 && at.Box.Width > limit+1e-6 {
				t.Errorf("box of %.1f mm, at most %.1f", at.Box.Width, limit)
			}
			file := filepath.Join(t.TempDir(), "stamped.pdf")
			if err := os.WriteFile(file, st.PDF, 0o600); err != nil {
				t.Fatal(err)
			}
			draw := renderMuPDF
			if pl.Caption == nil {
				draw = render
			}
			img := draw(t, file, st.Page(), 300)
			if got := readQR(part(img, at.Link, 300)); got != link {
				t.Errorf("the QR code is read as %q", got)
			}
			if got := readSymbol(part(img, at.Quiet, 300)); got != k.text {
				t.Errorf("the symbol is read as %q", got)
			}
			if name == "upright" {
				photographs(t, img, at.Link)
			}
			keep(t, st.PDF)
		})
	}
}

// photographs takes a picture of a page with the code, at an angle, and reads it.
func photographs(t *testing.T, page *image.Gray, at geometry.Rect) {
	t.Helper()
	const dpi = 300
	m := raw.New(page.Rect.Dx(), page.Rect.Dy())
	for y := range m.Height {
		copy(m.Row(y), page.Pix[y*page.Stride:][:m.Width])
	}
	code, err := qr.Encode(link, qr.M, qr.Auto)
	if err != nil {
		t.Fatal(err)
	}
	n := code.Bounds().Dx()
	module := at.Width / float64(n+8)
	sheet := photo.Sheet{Page: m, DPI: dpi, X: at.X + 4*module, Y: at.Y + 4*module, Module: module, Quiet: 4}
	// The simulation draws its symbol itself: the modules are taken from the page.
	sheet.Symbol = simulate.Symbol{Rows: n, Cols: n, Dark: make([]bool, n*n)}
	for i := range sheet.Symbol.Dark {
		x, y := at.X+(float64(i%n)+4.5)*module, at.Y+(float64(i/n)+4.5)*module
		sheet.Symbol.Dark[i] = m.Bilinear(x*dpi/25.4-0.5, y*dpi/25.4-0.5) < 128
	}
	classes, err := photo.Find([]string{"tilt"})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range classes { // a photograph takes seconds
		p, err := photo.Take(sheet, c.Settings(&sheet, rand.New(rand.NewPCG(1, 1))))
		if err != nil {
			t.Fatal(err)
		}
		if got := readQR(&image.Gray{Pix: p.Image.Pix, Stride: p.Image.Stride, Rect: image.Rect(0, 0, p.Image.Width, p.Image.Height)}); got != link {
			t.Errorf("%s: the photograph is read as %q", c.Name, got)
		}
	}
}
