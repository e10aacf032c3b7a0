package raster_test

//race:off whole pages, by engines in other languages

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"os"
	"testing"
	"time"

	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"

	"tcode/offline/host/sandbox"
	"tcode/scanner/gray"
	"tcode/scanner/raster"
)

// cache is the folder of machine code that all tests share: the one from the environment, or a new one.
var cache string

func TestMain(m *testing.M) {
	sandbox.Main(raster.Roles()...)
	os.Exit(run(m))
}

func run(m *testing.M) int {
	if cache = os.Getenv("TCODE_CACHE"); cache != "" {
		return m.Run()
	}
	dir, err := os.MkdirTemp("", "raster")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	cache = dir
	return m.Run()
}

func newRasterizer(t testing.TB, l raster.Limits, opts ...raster.Option) *raster.Rasterizer {
	t.Helper()
	c := sandbox.Config{Size: 2, Wall: 5 * time.Minute} // enough time for a busy machine under the race detector
	r := raster.New(c, l, append([]raster.Option{raster.WithCache(cache)}, opts...)...)
	t.Cleanup(r.Close)
	return r
}

// eachEngine runs test with each engine of this build: all must give the same results.
func eachEngine(t *testing.T, test func(t *testing.T, engine raster.Option)) {
	t.Helper()
	for _, e := range []raster.Engine{raster.MuPDF, raster.PDFium} {
		if e == raster.MuPDF && raster.DefaultEngine != raster.MuPDF {
			continue // not linked
		}
		t.Run(string(e), func(t *testing.T) {
			t.Parallel()
			test(t, raster.WithEngine(e))
		})
	}
}

// pages renders all pages of file.
func pages(t testing.TB, r *raster.Rasterizer, file []byte, dpi float64) (ps []raster.Page, err error) {
	t.Helper()
	err = r.Open(t.Context(), file, func(d *raster.Document) error {
		for n := 1; n <= d.Pages; n++ {
			p, err := d.Page(n, dpi)
			if err != nil {
				return err
			}
			if !p.Image.Valid() || p.Image.Width == 0 || p.Image.Height == 0 {
				t.Errorf("page %d: image of %d x %d px with %d bytes", n, p.Image.Width, p.Image.Height, len(p.Image.Pix))
			}
			ps = append(ps, p)
		}
		return nil
	})
	return ps, err
}

func encode(t testing.TB, f func(w *bytes.Buffer) error) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := f(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// pngChunkAfterHeader puts a chunk behind the 8 + 25 bytes of signature and IHDR.
func pngChunkAfterHeader(file []byte, kind string, data []byte) []byte {
	return append(pngChunk(bytes.Clone(file[:33]), kind, data), file[33:]...)
}

func TestPDF(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, engine raster.Option) {
		r := newRasterizer(t, raster.Limits{}, engine)
		tests := []struct {
			name           string
			page           string
			w, h           int     // px at 150 dpi
			dpi            float64 // 0: 150
			blackX, whiteX int     // px in the middle of the lowest half inch
		}{
			{"letter", letter, 1275, 1650, 0, 75, 300},
			{"cropped", letter + " /CropBox [36 0 396 288]", 750, 600, 0, 35, 300},
			{"turned", letter + " /Rotate 180", 1275, 1650, 0, -1, 75},
			{"user unit 2", "/MediaBox [0 0 306 396] /UserUnit 2", 1275, 1650, 0, 150, 400},
			{"shifted origin", "/MediaBox [-100 -100 512 692]", 1275, 1650, 0, -1, 75},
			{"A0 plus", "/MediaBox [0 0 4000 4000]", 7723, 7723, 139, 70, 300},
		}
		for _, tt := range tests {
			t.Run(tt.name, func(t *testing.T) {
				ps, err := pages(t, r, pdf(tt.page), 150)
				if err != nil {
					t.Fatal(err)
				}
				want := tt.dpi
				if want == 0 {
					want = 150
				}
				m := ps[0].Image
				if m.Width != tt.w || m.Height != tt.h || ps[0].DPI != want {
					t.Errorf("%d x %d px at %g dpi, want %d x %d at %g", m.Width, m.Height, ps[0].DPI, tt.w, tt.h, want)
				}
				y := m.Height - 75
				if tt.blackX >= 0 && m.At(tt.blackX, y) != 0 {
					t.Errorf("pixel (%d, %d) = %d, want black", tt.blackX, y, m.At(tt.blackX, y))
				}
				if m.At(tt.whiteX, y) != 255 {
					t.Errorf("pixel (%d, %d) = %d, want white", tt.whiteX, y, m.At(tt.whiteX, y))
				}
			})
		}
	})
}

func TestPDFPages(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, engine raster.Option) {
		r := newRasterizer(t, raster.Limits{MaxPages: 5}, engine)
		giant := "/MediaBox [0 0 1000000000 1000000000]"
		err := r.Open(t.Context(), pdf(letter, giant, "/MediaBox [0 0 72 144]"), func(d *raster.Document) error {
			if d.Pages != 3 || d.Kind != raster.PDF {
				t.Errorf("%d pages of %s, want 3 of pdf", d.Pages, d.Kind)
			}
			_, err := d.Page(2, 150)
			if e, ok := errors.AsType[*raster.Error](err); !ok || e.Page != 2 || !errors.Is(err, raster.ErrTooLarge) {
				t.Errorf("giant page: err = %v, want ErrTooLarge of page 2", err)
			}
			for _, dpi := range []float64{72, 300} {
				p, err := d.Page(3, dpi)
				if err != nil {
					return err
				}
				if p.Image.Width != int(dpi) || p.Image.Height != 2*int(dpi) {
					t.Errorf("page 3 at %g dpi: %d x %d px", dpi, p.Image.Width, p.Image.Height)
				}
			}
			if _, err := d.Page(4, 150); err == nil {
				t.Error("page 4 of 3: no error")
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
		if _, err := pages(t, r, pdf(letter, letter, letter, letter, letter, letter), 72); !errors.Is(err, raster.ErrTooLarge) {
			t.Errorf("6 pages of 5: err = %v, want ErrTooLarge", err)
		}
		if ps, err := pages(t, r, append([]byte("HTTP/1.1 200 OK\r\n\r\n"), pdf(letter)...), 72); err != nil || len(ps) != 1 {
			t.Errorf("PDF behind other bytes: %d pages, %v", len(ps), err)
		}
	})
}

func TestImages(t *testing.T) {
	t.Parallel()
	r := newRasterizer(t, raster.Limits{})
	gray8 := corner(40, 60)
	asPNG := func(m image.Image) []byte { return encode(t, func(b *bytes.Buffer) error { return png.Encode(b, m) }) }
	deep := image.NewNRGBA64(gray8.Rect)
	veiled := image.NewNRGBA(gray8.Rect) // black everywhere, visible where it is opaque
	pal := image.NewPaletted(gray8.Rect, color.Palette{color.Black, color.White})
	cmyk := image.NewCMYK(gray8.Rect)
	for y := range 60 {
		for x := range 40 {
			v := gray8.GrayAt(x, y).Y
			deep.Set(x, y, color.Gray{v})
			veiled.SetNRGBA(x, y, color.NRGBA{A: 255 - v})
			pal.Set(x, y, color.Gray{v})
			cmyk.SetCMYK(x, y, color.CMYK{K: 255 - v})
		}
	}
	asJPEG := encode(t, func(b *bytes.Buffer) error { return jpeg.Encode(b, gray8, nil) })
	phys := []byte{0, 0, 0x2E, 0x23, 0, 0, 0x2E, 0x23, 1} // 11811 a metre
	tests := []struct {
		name string
		file []byte
		dpi  float64
	}{
		{"png gray", asPNG(gray8), 0},
		{"png 16 bit", asPNG(deep), 0},
		{"png alpha over white", asPNG(veiled), 0},
		{"png palette", asPNG(pal), 0},
		{"png 300 dpi", pngChunkAfterHeader(asPNG(gray8), "pHYs", phys), 299.9994},
		{"jpeg", asJPEG, 0},
		{"jpeg 300 dpi", withExif(asJPEG, exif(1, 300)), 300},
		{"jpeg 72 dpi is no resolution", withExif(asJPEG, exif(1, 72)), 0},
		{"gif", encode(t, func(b *bytes.Buffer) error { return gif.Encode(b, pal, nil) }), 0},
		{"bmp", encode(t, func(b *bytes.Buffer) error { return bmp.Encode(b, gray8) }), 0},
		{"tiff deflate", encode(t, func(b *bytes.Buffer) error {
			return tiff.Encode(b, gray8, &tiff.Options{Compression: tiff.Deflate, Predictor: true})
		}), 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			ps, err := pages(t, r, tt.file, 150)
			if err != nil {
				t.Fatal(err)
			}
			if ps[0].DPI != tt.dpi {
				t.Errorf("dpi = %g, want %g", ps[0].DPI, tt.dpi)
			}
			sameCorner(t, ps[0].Image, 40, 60, 5, 5)
		})
	}
}

// sameCorner checks the size of m and that it is black around (x, y) and white in the middle.
func sameCorner(t *testing.T, m *gray.Image, w, h, x, y int) {
	t.Helper()
	if m.Width != w || m.Height != h {
		t.Fatalf("%d x %d px, want %d x %d", m.Width, m.Height, w, h)
	}
	if v := m.At(x, y); v > 8 {
		t.Errorf("pixel (%d, %d) = %d, want black", x, y, v)
	}
	for _, p := range [][2]int{{5, 5}, {w - 6, 5}, {5, h - 6}, {w - 6, h - 6}, {w / 2, h / 2}} {
		if v := m.At(p[0], p[1]); v < 247 && p != [2]int{x, y} {
			t.Errorf("pixel %v = %d, want white", p, v)
		}
	}
}

func TestOrientation(t *testing.T) {
	t.Parallel()
	r := newRasterizer(t, raster.Limits{})
	asJPEG := encode(t, func(b *bytes.Buffer) error { return jpeg.Encode(b, corner(40, 60), nil) })
	tests := []struct{ orientation, w, h, x, y int }{ // the expected place of the black quarter
		{1, 40, 60, 5, 5},
		{2, 40, 60, 34, 5},
		{3, 40, 60, 34, 54},
		{4, 40, 60, 5, 54},
		{5, 60, 40, 5, 5},
		{6, 60, 40, 54, 5},
		{7, 60, 40, 54, 34},
		{8, 60, 40, 5, 34},
		{9, 40, 60, 5, 5},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprint(tt.orientation), func(t *testing.T) {
			ps, err := pages(t, r, withExif(asJPEG, exif(uint16(tt.orientation), 300)), 0+150)
			if err != nil {
				t.Fatal(err)
			}
			sameCorner(t, ps[0].Image, tt.w, tt.h, tt.x, tt.y)
		})
	}
}

func TestWebP(t *testing.T) {
	t.Parallel()
	// One white pixel, lossless, as libwebp writes it.
	file, err := base64.StdEncoding.DecodeString("UklGRhwAAABXRUJQVlA4TA8AAAAvAAAAAAcQ/Y/+ByKi/wEA")
	if err != nil {
		t.Fatal(err)
	}
	ps, err := pages(t, newRasterizer(t, raster.Limits{}), file, 150)
	if err != nil {
		t.Fatal(err)
	}
	if m := ps[0].Image; m.Width != 1 || m.Height != 1 {
		t.Errorf("%d x %d px, want 1 x 1", m.Width, m.Height)
	}
}

func TestTIFFPages(t *testing.T) {
	t.Parallel()
	ps, err := pages(t, newRasterizer(t, raster.Limits{}), tiffPages(7, 5, 10, 20, 30), 150)
	if err != nil {
		t.Fatal(err)
	}
	var got []byte
	for _, p := range ps {
		got = append(got, p.Image.At(3, 3))
		if p.DPI != 200 {
			t.Errorf("dpi = %g, want 200", p.DPI)
		}
	}
	if !bytes.Equal(got, []byte{10, 20, 30}) {
		t.Errorf("gray values of the pages = %v, want 10, 20, 30", got)
	}
}

// TestTIFFOfJPEG reads a format that office scanners write and the decoder does not know. MuPDF does, where
// it is linked.
func TestTIFFOfJPEG(t *testing.T) {
	t.Parallel()
	page := func(m image.Image) []byte {
		return encode(t, func(b *bytes.Buffer) error { return jpeg.Encode(b, m, &jpeg.Options{Quality: 100}) })
	}
	blank := corner(400, 600)
	for i := range blank.Pix {
		blank.Pix[i] = 255
	}
	file := tiffOf(400, 600, 7, page(blank), page(corner(400, 600)))
	ps, err := pages(t, newRasterizer(t, raster.Limits{}), file, 150)
	if raster.DefaultEngine != raster.MuPDF && errors.Is(err, raster.ErrUnsupported) {
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	if len(ps) != 2 || ps[1].DPI != 200 {
		t.Fatalf("%d pages, the last of %g dpi; want 2, 200", len(ps), ps[len(ps)-1].DPI)
	}
	sameCorner(t, ps[1].Image, 400, 600, 5, 5)
	if v := ps[0].Image.At(100, 75); v < 250 {
		t.Errorf("first page at (100, 75) = %d, want white", v)
	}
}
