package picturepdf_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/hhrutter/tiff"
	"github.com/pdfcpu/pdfcpu/pkg/api"

	"tcode/server/picturepdf"
)

// quadrants draws a picture whose corners differ: red, green, blue and white, from the top left on.
func quadrants(m interface {
	image.Image
	Set(x, y int, c color.Color)
},
) image.Image {
	b := m.Bounds()
	for y := range b.Dy() {
		for x := range b.Dx() {
			c := []color.Color{color.RGBA{220, 0, 0, 255}, color.RGBA{0, 180, 0, 255}, color.RGBA{0, 0, 200, 255}, color.White}
			m.Set(x, y, c[2*(2*y/b.Dy())+2*x/b.Dx()])
		}
	}
	return m
}

func asPNG(t testing.TB, m image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func asJPEG(t testing.TB, m image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, m, &jpeg.Options{Quality: 95}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func asTIFF(t testing.TB, m image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := tiff.Encode(&b, m, &tiff.Options{Compression: tiff.Deflate}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// density puts a resolution into the JFIF segment of a JPEG file, or before its first segment.
func density(file []byte, dpi uint16) []byte {
	jfif := []byte{0xFF, 0xE0, 0, 16, 'J', 'F', 'I', 'F', 0, 1, 1, 1, byte(dpi >> 8), byte(dpi), byte(dpi >> 8), byte(dpi), 0, 0}
	return append(append([]byte{0xFF, 0xD8}, jfif...), file[2:]...)
}

// oriented puts an Exif orientation into a JPEG file.
func oriented(file []byte, o byte) []byte {
	ifd := append([]byte("Exif\x00\x00MM\x00*\x00\x00\x00\x08\x00\x01"), 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, o, 0, 0, 0, 0, 0, 0)
	segment := append([]byte{0xFF, 0xE1, 0, byte(len(ifd) + 2)}, ifd...)
	return append(append([]byte{0xFF, 0xD8}, segment...), file[2:]...)
}

// boxes returns the page sizes of a PDF in mm, rounded.
func boxes(t testing.TB, pdf []byte) (out []string) {
	t.Helper()
	dims, err := api.PageDims(bytes.NewReader(pdf), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range dims {
		out = append(out, fmt.Sprintf("%.1fx%.1f", d.Width*25.4/72, d.Height*25.4/72))
	}
	return out
}

func must(t testing.TB, picture []byte) []byte {
	t.Helper()
	pdf, refused := picturepdf.ConvertForTest(picture)
	if refused != "" {
		t.Fatalf("refused: %s", refused)
	}
	return pdf
}

// TestSizes: a page has the size of the picture by its resolution, or that of A4.
func TestSizes(t *testing.T) {
	t.Parallel()
	wide, high := quadrants(image.NewRGBA(image.Rect(0, 0, 600, 300))), quadrants(image.NewRGBA(image.Rect(0, 0, 300, 600)))
	for _, tt := range []struct {
		name    string
		picture []byte
		want    string
	}{
		{"150 dpi", density(asJPEG(t, wide), 150), "101.6x50.8"},
		{"none", asJPEG(t, wide), "297.0x148.5"},
		{"none, high", asPNG(t, high), "148.5x297.0"},
		{"of a screen", density(asJPEG(t, wide), 72), "297.0x148.5"},
		{"so fine that the page is a stamp", density(asJPEG(t, wide), 1200), "297.0x148.5"},
		{"so coarse that the page is a wall", density(asJPEG(t, wide), 3), "297.0x148.5"},
		{"turned", oriented(density(asJPEG(t, wide), 150), 6), "50.8x101.6"},
		{"turned, without a resolution", oriented(asJPEG(t, wide), 8), "148.5x297.0"},
		{"fax", fax(t, 1728, 1000), "215.2x259.2"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := strings.Join(boxes(t, must(t, tt.picture)), " "); got != tt.want {
				t.Errorf("page of %s mm, want %s", got, tt.want)
			}
		})
	}
}

// fax is a black and white TIFF file of 204 x 98 dpi.
func fax(t testing.TB, w, h int) []byte {
	t.Helper()
	row := bytes.Repeat([]byte{0xF0}, (w+7)/8)
	return tiffFile([][]entry{{
		{256, 4, uint32(w)},
		{257, 4, uint32(h)},
		{258, 3, 1},
		{259, 3, 1},
		{262, 3, 1},
		{273, 4, atPixels},
		{277, 3, 1},
		{278, 4, uint32(h)},
		{279, 4, uint32(len(row) * h)},
		{282, 5, 204},
		{283, 5, 98},
		{296, 3, 2},
	}}, bytes.Repeat(row, h))
}

// An entry is a tag of a TIFF directory: a short (3), a long (4) or a whole fraction (5).
type entry struct {
	tag, kind uint16
	value     uint32
}

// atPixels stands for the offset of the pixels.
const atPixels = 0xFFFFFFFF

// tiffFile writes directories that share their pixels.
func tiffFile(frames [][]entry, pixels []byte) []byte {
	order := binary.LittleEndian
	out := append([]byte("II*\x00\x00\x00\x00\x00"), pixels...)
	if len(out)%2 == 1 {
		out = append(out, 0)
	}
	link := 4
	for _, entries := range frames {
		var fractions [][2]int
		order.PutUint32(out[link:], uint32(len(out)))
		out = order.AppendUint16(out, uint16(len(entries)))
		for i, e := range entries {
			out = order.AppendUint16(order.AppendUint16(out, e.tag), e.kind)
			out = order.AppendUint32(out, 1)
			switch v := e.value; {
			case e.kind == 3:
				out = order.AppendUint16(order.AppendUint16(out, uint16(v)), 0)
				continue
			case v == atPixels:
				out = order.AppendUint32(out, 8)
				continue
			case e.kind == 5:
				fractions = append(fractions, [2]int{len(out), i})
			}
			out = order.AppendUint32(out, e.value)
		}
		link = len(out)
		out = order.AppendUint32(out, 0)
		for _, f := range fractions {
			order.PutUint32(out[f[0]:], uint32(len(out)))
			out = order.AppendUint32(order.AppendUint32(out, entries[f[1]].value), 1)
		}
	}
	return out
}

// pages returns a TIFF file of n gray pages that share their pixels.
func pages(n, w, h int) []byte {
	frames := make([][]entry, n)
	for i := range frames {
		frames[i] = []entry{
			{256, 4, uint32(w)}, {257, 4, uint32(h)}, {258, 3, 8}, {259, 3, 1}, {262, 3, 1}, {273, 4, atPixels}, {277, 3, 1}, {278, 4, uint32(h)}, {279, 4, uint32(w * h)},
		}
	}
	return tiffFile(frames, bytes.Repeat([]byte{0x80}, w*h))
}

var (
	spaceOf  = regexp.MustCompile(`/ColorSpace\s*/(\w+)`)
	bitsOf   = regexp.MustCompile(`/BitsPerComponent (\d+)`)
	filterOf = regexp.MustCompile(`/Filter\s*/(\w+)`)
)

// TestForms: every kind of pixels becomes an image of a kind that all viewers draw, without transparency.
func TestForms(t *testing.T) {
	t.Parallel()
	r := image.Rect(0, 0, 40, 60)
	cmyk := image.NewCMYK(r)
	copy(cmyk.Pix, bytes.Repeat([]byte{200, 10, 0, 30}, 2400))
	blank := image.NewNRGBA(r) // transparent all over: white
	ink := image.NewGray(r)
	for i := range ink.Pix {
		ink.Pix[i] = byte(0xFF * (i % 2))
	}
	palette := image.NewPaletted(r, color.Palette{color.RGBA{1, 2, 3, 255}, color.Transparent, color.RGBA{200, 0, 0, 255}})
	for i := range palette.Pix {
		palette.Pix[i] = byte(i % 3)
	}
	for _, tt := range []struct {
		name    string
		picture []byte
		want    string
	}{
		{"png rgb", asPNG(t, quadrants(image.NewRGBA(r))), "DeviceRGB 8 FlateDecode"},
		{"png rgb 16", asPNG(t, quadrants(image.NewRGBA64(r))), "DeviceRGB 8 FlateDecode"},
		{"png rgba", asPNG(t, blank), "DeviceGray 1 FlateDecode"},
		{"png rgba 16", asPNG(t, quadrants(image.NewNRGBA64(r))), "DeviceRGB 8 FlateDecode"},
		{"png gray", asPNG(t, quadrants(image.NewGray(r))), "DeviceGray 8 FlateDecode"},
		{"png gray 16", asPNG(t, quadrants(image.NewGray16(r))), "DeviceGray 8 FlateDecode"},
		{"png black and white", asPNG(t, ink), "DeviceGray 1 FlateDecode"},
		{"png palette", asPNG(t, palette), "DeviceRGB 8 FlateDecode"},
		{"jpeg rgb", asJPEG(t, quadrants(image.NewRGBA(r))), "DeviceRGB 8 DCTDecode"},
		{"jpeg gray", asJPEG(t, quadrants(image.NewGray(r))), "DeviceGray 8 DCTDecode"},
		{"jpeg cmyk, all gray", sample(t, "cmyk.jpg"), "DeviceGray 8 FlateDecode"},
		{"jpeg progressive, gray", sample(t, "progressive.jpg"), "DeviceGray 8 DCTDecode"},
		{"tiff rgb", asTIFF(t, quadrants(image.NewRGBA(r))), "DeviceRGB 8 FlateDecode"},
		{"tiff rgba 16", asTIFF(t, quadrants(image.NewNRGBA64(r))), "DeviceRGB 8 FlateDecode"},
		{"tiff gray 16", asTIFF(t, quadrants(image.NewGray16(r))), "DeviceGray 8 FlateDecode"},
		{"tiff cmyk", asTIFF(t, cmyk), "DeviceRGB 8 FlateDecode"},
		{"tiff black and white", fax(t, 32, 20), "DeviceGray 1 FlateDecode"},
		{"tiff fax G4", sample(t, "group4.tif"), "DeviceGray 1 FlateDecode"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			pdf := must(t, tt.picture)
			got := fmt.Sprintf("%s %s %s", spaceOf.FindSubmatch(pdf)[1], bitsOf.FindSubmatch(pdf)[1], filterOf.FindSubmatch(pdf)[1])
			if got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
			if bytes.Contains(pdf, []byte("SMask")) {
				t.Error("transparent")
			}
			for range 3 {
				if again := must(t, tt.picture); !bytes.Equal(again, pdf) {
					t.Fatal("the same picture gives another PDF")
				}
			}
		})
	}
}

// sample returns a picture that the reader is tested with too.
func sample(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "..", "scanner", "raster", "testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestPages: each page of a TIFF file is one of the PDF, and a preview is none.
func TestPages(t *testing.T) {
	t.Parallel()
	if got := len(boxes(t, must(t, pages(7, 30, 40)))); got != 7 {
		t.Errorf("%d pages, want 7", got)
	}
	preview := tiffFile([][]entry{
		{{254, 4, 1}, {256, 4, 3}, {257, 4, 4}, {258, 3, 8}, {259, 3, 1}, {262, 3, 1}, {273, 4, atPixels}, {277, 3, 1}, {278, 4, 4}, {279, 4, 12}},
		{{256, 4, 30}, {257, 4, 40}, {258, 3, 8}, {259, 3, 1}, {262, 3, 1}, {273, 4, atPixels}, {277, 3, 1}, {278, 4, 40}, {279, 4, 1200}},
	}, make([]byte, 1200))
	if got := len(boxes(t, must(t, preview))); got != 1 {
		t.Errorf("%d pages with a preview, want 1", got)
	}
}

// TestEndless: a JPEG that lacks its end marker alone, as phones write panoramas, is whole.
func TestEndless(t *testing.T) {
	t.Parallel()
	photo := asJPEG(t, quadrants(image.NewRGBA(image.Rect(0, 0, 60, 40))))
	if got := must(t, photo[:len(photo)-2]); !bytes.Equal(got, must(t, photo)) {
		t.Errorf("%d bytes, which are others than those of the complete file", len(got))
	}
	must(t, photo[:len(photo)-1])
	progressive := sample(t, "progressive.jpg")
	if got := must(t, progressive[:len(progressive)-2]); !bytes.Equal(got, must(t, progressive)) {
		t.Errorf("progressive: %d bytes, which are others than those of the complete file", len(got))
	}
	for at := 0; ; at++ { // each scan with all those before it, but for the last one
		next := bytes.Index(progressive[at:], []byte{0xFF, 0xDA})
		if next < 0 {
			break
		}
		at += next
		if _, got := picturepdf.ConvertForTest(progressive[:at]); got != "cut" {
			t.Errorf("the first %d bytes, which lack scans, are refused as %q", at, got)
		}
	}
}

// TestNoMetadata: the place where a photo was taken does not get into the PDF, nor does data after the end of a picture.
func TestNoMetadata(t *testing.T) {
	t.Parallel()
	photo := append(oriented(asJPEG(t, quadrants(image.NewRGBA(image.Rect(0, 0, 40, 60)))), 1), "SECRET"...)
	pdf := must(t, photo)
	for _, word := range []string{"Exif", "SECRET"} {
		if bytes.Contains(pdf, []byte(word)) {
			t.Errorf("the PDF contains %s", word)
		}
	}
}
