package picturepdf_test

import (
	"bytes"
	"image"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/pdfcpu/pdfcpu/pkg/api"

	"tcode/offline/host/sandbox"
	"tcode/scanner/gray"
	"tcode/scanner/raster"
	"tcode/server/picturepdf"
)

// TestLooks compares each page of the PDF, as MuPDF draws it, with the picture as the scanner's own decoders read it, which
// turn it by its orientation.
func TestLooks(t *testing.T) {
	t.Parallel()
	r := raster.New(sandbox.Config{Size: 1}, raster.Limits{})
	t.Cleanup(r.Close)
	pictures := map[string][]byte{}
	for _, pattern := range []string{"*.png", "*.jpg", "*.tif"} {
		files, err := filepath.Glob(filepath.Join("..", "..", "scanner", "raster", "testdata", pattern))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %v, %v", pattern, files, err)
		}
		for _, f := range files {
			b, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			pictures[filepath.Base(f)] = b
		}
	}
	corners := asJPEG(t, quadrants(image.NewRGBA(image.Rect(0, 0, 80, 48))))
	for o := range 9 {
		pictures["orientation "+strconv.Itoa(o)] = oriented(corners, byte(o))
	}
	for name, picture := range pictures {
		t.Run(name, func(t *testing.T) {
			// A fax without end-of-line codes, gray with alpha.
			if want := map[string]string{"group3.tif": "fax", "alpha.tif": "variant"}[name]; want != "" {
				if _, refused := picturepdf.ConvertForTest(picture); refused != want {
					t.Errorf("refused as %q, want %q", refused, want)
				}
				return
			}
			pdf := must(t, picture)
			dims, err := api.PageDims(bytes.NewReader(pdf), nil)
			if err != nil {
				t.Fatal(err)
			}
			for n := range dims {
				want := page(t, r, picture, n+1, 72)
				got := page(t, r, pdf, n+1, 72)
				if off := difference(want, got); off > 6 {
					t.Errorf("page %d differs by %.1f of 255", n+1, off)
				}
			}
		})
	}
}

func page(t *testing.T, r *raster.Rasterizer, file []byte, n int, dpi float64) (m *gray.Image) {
	t.Helper()
	err := r.Open(t.Context(), file, func(d *raster.Document) error {
		p, err := d.Page(n, dpi)
		m = p.Image
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// difference returns how much the cells of an 8 x 8 grid differ at most, on average over each cell.
func difference(a, b *gray.Image) (most float64) {
	const cells = 8
	if shape := float64(a.Width*b.Height) / float64(a.Height*b.Width); shape < 0.97 || shape > 1.03 {
		return 255
	}
	mean := func(m *gray.Image, i, j int) float64 {
		sum, n := 0, 0
		for y := j * m.Height / cells; y < (j+1)*m.Height/cells; y++ {
			for _, v := range m.Row(y)[i*m.Width/cells : (i+1)*m.Width/cells] {
				sum, n = sum+int(v), n+1
			}
		}
		return float64(sum) / float64(max(n, 1))
	}
	for i := range cells {
		for j := range cells {
			most = max(most, math.Abs(mean(a, i, j)-mean(b, i, j)))
		}
	}
	return most
}

// TestPolyglot: a file that is a PDF to one reader and a picture to the next is neither.
func TestPolyglot(t *testing.T) {
	t.Parallel()
	both := oriented(asJPEG(t, image.NewGray(image.Rect(0, 0, 8, 8))), 1)
	both = []byte(strings.Replace(string(both), "MM\x00*", "%PDF-1.4", 1))
	if _, refused := picturepdf.ConvertForTest(both); refused != "kind" {
		t.Errorf("refused as %q", refused)
	}
}
