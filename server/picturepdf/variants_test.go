package picturepdf_test

import (
	"bytes"
	"fmt"
	"image"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tcode/offline/host/sandbox"
	"tcode/scanner/gray"
	"tcode/scanner/raster"
	"tcode/server/picturepdf"
)

// refusals has, for the variants of TIFF that are not stamped, a part of their names and the word for the refusal.
var refusals = []struct{ part, word string }{
	{"bigtiff", "kind"},
	{"g32d", "fax"},
	{"fill", "fax"},
	{"-planes", "planes"},
	{"-ycbcr", "variant"},
	{"none-lsb", "bits"},
	{"packbits-lsb", "bits"},
	{"lzw-lsb", "bits"},
	{"zip-lsb", "bits"},
}

// TestVariants: a picture is in every variant of TIFF the one that libtiff wrote, pixel by pixel: as the scanner reads it, and on
// the page of its PDF as MuPDF and PDFium draw it. Or it is refused by a name of the variant.
func TestVariants(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join("..", "..", "scanner", "raster", "testdata", "tiff", "*.tif"))
	if err != nil || len(files) != 61 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	mupdf := raster.New(sandbox.Config{Size: 1}, raster.Limits{})
	t.Cleanup(mupdf.Close)
	pdfium := raster.New(sandbox.Config{Size: 1}, raster.Limits{}, raster.WithEngine(raster.PDFium), raster.WithCache(os.Getenv("TCODE_CACHE")))
	t.Cleanup(pdfium.Close)
	want := page(t, mupdf, sample(t, "1bit.png"), 1, 96)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			b, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var read *gray.Image
			err = mupdf.Open(t.Context(), bytes.Clone(b), func(d *raster.Document) error {
				p, err := d.Page(1, 96)
				read = p.Image
				return err
			})
			switch {
			case err == nil:
				same(t, "the scanner reads", read, want)
			case !strings.Contains(err.Error(), "BigTIFF") && !strings.Contains(err.Error(), "separate planes"):
				t.Errorf("the scanner: %v", err)
			}
			word := ""
			for _, r := range refusals {
				if word == "" && strings.Contains(filepath.Base(file), r.part) {
					word = r.word
				}
			}
			pdf, refused := picturepdf.ConvertForTest(b)
			if refused != word {
				t.Fatalf("refused as %q, want %q", refused, word)
			}
			if word == "" {
				same(t, "MuPDF draws", page(t, mupdf, pdf, 1, 96), want)
				same(t, "PDFium draws", page(t, pdfium, pdf, 1, 96), want)
			}
		})
	}
}

// same compares the middles of the pixels of want with the same places of got, which may be larger.
func same(t *testing.T, who string, got, want *gray.Image) {
	t.Helper()
	wrong := 0
	for y := range want.Height {
		for x := range want.Width {
			at := got.At((2*x+1)*got.Width/(2*want.Width), (2*y+1)*got.Height/(2*want.Height))
			if (at < 128) != (want.At(x, y) < 128) {
				wrong++
			}
		}
	}
	if wrong > 0 {
		t.Errorf("%s %d of %d pixels differently", who, wrong, want.Width*want.Height)
	}
}

// TestRuns: the first run of a row coded by Modified Huffman is white, or black if the picture is BlackIsZero (TIFF 6.0,
// sections 10 and 11).
func TestRuns(t *testing.T) {
	t.Parallel()
	for colours, left := range []byte{0xFF, 0} {
		row := []byte{0b10011_000, 0b101_00000} // a white run of 8, a black one of 8
		file := tiffFile([][]entry{{
			{256, 4, 16}, {257, 4, 16}, {258, 3, 1}, {259, 3, 2}, {262, 3, uint32(colours)}, {273, 4, atPixels}, {277, 3, 1}, {278, 4, 16}, {279, 4, 32},
		}}, bytes.Repeat(row, 16))
		pdf := must(t, file)
		r := raster.New(sandbox.Config{Size: 1}, raster.Limits{})
		t.Cleanup(r.Close)
		half := image.Rect(0, 0, 8, 16)
		want := &gray.Image{Width: 16, Height: 16, Stride: 16, Pix: bytes.Repeat([]byte{^left}, 256)}
		for y := range half.Max.Y {
			for x := range half.Max.X {
				want.Pix[16*y+x] = left
			}
		}
		same(t, fmt.Sprintf("of colours %d, MuPDF draws", colours), page(t, r, pdf, 1, 96), want)
		same(t, fmt.Sprintf("of colours %d, the scanner reads", colours), page(t, r, file, 1, 96), want)
	}
}
