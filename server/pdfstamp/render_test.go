package pdfstamp_test

import (
	"bytes"
	"fmt"
	"image"
	"image/draw"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/makiuchi-d/gozxing"
	"github.com/makiuchi-d/gozxing/datamatrix"

	"tcode/offline/geometry"
)

// renderers are the programs whose pictures of a page are compared.
var renderers = map[string]func(t testing.TB, file string, page int, dpi float64, more ...string) *image.Gray{
	"poppler": render,
	"MuPDF":   renderMuPDF,
}

// outside counts the pixels that differ between two pictures of the stamped
// page, the stamp's box with a pixel around it left out.
func outside(was, now *image.Gray, p geometry.Place) int {
	kx, ky := float64(now.Rect.Dx())/p.PageMM.Width, float64(now.Rect.Dy())/p.PageMM.Height
	return differing(was, now, image.Rect(int(p.Box.X*kx)-1, int(p.Box.Y*ky)-1, int(math.Ceil((p.Box.X+p.Box.Width)*kx))+1, int(math.Ceil((p.Box.Y+p.Box.Height)*ky))+1))
}

// differing counts the pixels that differ between two pictures of one size,
// those in box left out.
func differing(was, now *image.Gray, box image.Rectangle) (changed int) {
	for y := range now.Rect.Dy() {
		for x := range now.Rect.Dx() {
			if !(image.Point{x, y}).In(box) && gray(was, x, y) != gray(now, x, y) {
				changed++
			}
		}
	}
	return changed
}

// crop draws the stamp's box at 300 dpi, or returns nil.
func crop(t testing.TB, file string, st inMemory) *image.Gray {
	r := boxPx(st, 300, 0)
	return render(t, file, st.Page(), 300, "-x", fmt.Sprint(r.Min.X), "-y", fmt.Sprint(r.Min.Y), "-W", fmt.Sprint(r.Dx()), "-H", fmt.Sprint(r.Dy()))
}

// boxPx returns the stamp's box in pixels of the rendered page, grown by grow.
func boxPx(st inMemory, dpi, grow float64) image.Rectangle {
	k := dpi / 25.4
	b := st.Places[0].Box
	return image.Rect(int(math.Floor(b.X*k-grow)), int(math.Floor(b.Y*k-grow)), int(math.Ceil((b.X+b.Width)*k+grow)), int(math.Ceil((b.Y+b.Height)*k+grow)))
}

func gray(img *image.Gray, x, y int) uint8 { return img.Pix[y*img.Stride+x] }

// render draws one page as poppler shows it, or nil.
func render(t testing.TB, file string, page int, dpi float64, more ...string) *image.Gray {
	t.Helper()
	out := filepath.Join(t.TempDir(), "page")
	n := fmt.Sprint(page)
	args := append([]string{"-cropbox", "-gray", "-png", "-singlefile", "-r", fmt.Sprint(dpi), "-f", n, "-l", n}, more...)
	if _, code := run(t, "pdftoppm", append(args, file, out)...); code != 0 {
		return nil
	}
	return readPNG(out + ".png")
}

// renderMuPDF draws one page as MuPDF shows it, or nil where it has something
// against it.
func renderMuPDF(t testing.TB, file string, page int, dpi float64, _ ...string) *image.Gray {
	t.Helper()
	img, code := lenientMuPDF(t, file, page, dpi)
	if code != 0 {
		return nil
	}
	return img
}

// lenientMuPDF returns MuPDF's drawing of one page, with or without faults, or nil.
func lenientMuPDF(t testing.TB, file string, page int, dpi float64) (*image.Gray, int) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "page.png")
	_, code := run(t, "mutool", "draw", "-q", "-c", "gray", "-r", fmt.Sprint(dpi), "-o", out, file, fmt.Sprint(page))
	return readPNG(out), code
}

func readPNG(file string) *image.Gray {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil
	}
	img, err := png.Decode(bytes.NewReader(b))
	if err != nil {
		return nil
	}
	return toGray(img)
}

// toGray returns pixels that a loop can read without a call for each.
func toGray(img image.Image) *image.Gray {
	g, ok := img.(*image.Gray)
	if !ok {
		g = image.NewGray(image.Rect(0, 0, img.Bounds().Dx(), img.Bounds().Dy()))
		draw.Draw(g, g.Rect, img, img.Bounds().Min, draw.Src)
	}
	return g
}

// readSymbol reads a tight crop with a reader that is not ours.
func readSymbol(img image.Image) string {
	bmp, err := gozxing.NewBinaryBitmapFromImage(img)
	if err != nil {
		return ""
	}
	reader := datamatrix.NewDataMatrixReader()
	for _, hints := range []map[gozxing.DecodeHintType]any{nil, {gozxing.DecodeHintType_PURE_BARCODE: true}} {
		if r, err := reader.Decode(bmp, hints); err == nil {
			return r.GetText()
		}
	}
	return ""
}
