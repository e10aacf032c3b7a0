package pdfstamp_test

import (
	"fmt"
	"image"
	_ "image/png"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"tcode/offline/binding"
	"tcode/offline/geometry"
	"tcode/offline/payload"
	"tcode/server/pdfstamp"
	"tcode/testdata/corpus"
)

// pagesOfAllMakes are small pages that are shown 80 x 120 mm or 120 x 80 mm,
// for any boxes and rotations. Each entry begins with its description.
var pagesOfAllMakes = []struct {
	name, attrs   string
	width, height float64 // mm, as shown
}{
	{"plain", "/MediaBox[0 0 226.77165 340.15748]", 80, 120},
	{"turned 90", "/MediaBox[0 0 226.77165 340.15748]/Rotate 90", 120, 80},
	{"turned 180", "/MediaBox[0 0 226.77165 340.15748]/Rotate 180", 80, 120},
	{"turned 270", "/MediaBox[0 0 226.77165 340.15748]/Rotate 270", 120, 80},
	{"offset", "/MediaBox[-100 50 126.77165 390.15748]", 80, 120},
	{"cropped", "/MediaBox[0 0 595 842]/CropBox[50 60 276.77165 400.15748]", 80, 120},
	{"cropped, turned 90", "/MediaBox[0 0 595 842]/CropBox[50 60 276.77165 400.15748]/Rotate 90", 120, 80},
	{"cropped, turned 270", "/MediaBox[0 0 595 842]/CropBox[50 60 276.77165 400.15748]/Rotate -90", 120, 80},
}

// nine maps the nine anchors to their points on a box or page.
var nine = map[geometry.Anchor][2]float64{
	geometry.TopLeft: {0, 0}, geometry.Top: {0.5, 0}, geometry.TopRight: {1, 0},
	geometry.Left: {0, 0.5}, geometry.Center: {0.5, 0.5}, geometry.Right: {1, 0.5},
	geometry.BottomLeft: {0, 1}, geometry.Bottom: {0.5, 1}, geometry.BottomRight: {1, 1},
}

// anchorDPI shows a module of 0.375 mm as three pixels.
const anchorDPI = 203.2

// TestAnchors stamps pages of all makes at every anchor, in one rotation (one anchor and, with
// TCODE_LONG=all, all of them in every rotation), in the margins and at a point, and renders each page: the symbol is at the place of
// the anchor, and every module of it shows.
func TestAnchors(t *testing.T) {
	t.Parallel()
	need(t, "pdftoppm")
	s := newStamper(t)
	spec := pdfSpec{contents: []string{"0 g"}}
	for _, p := range pagesOfAllMakes {
		spec.each = append(spec.each, p.attrs)
	}
	pdf := spec.build()
	margins := geometry.Margins{Top: 3, Right: 6, Bottom: 9, Left: 12}
	for k, anchor := range slices.Sorted(maps.Keys(nine)) {
		at := nine[anchor]
		for i, rotation := range []int{0, 90, 180, 270} {
			if k > 0 && i != k%4 && !corpus.Long() {
				continue
			}
			t.Run(fmt.Sprintf("%s/%d", anchor, rotation), func(t *testing.T) {
				t.Parallel()
				pl := pdfstamp.Placement{Scope: geometry.AllPages, Anchor: anchor, Rotation: rotation, MarginsMM: &margins}
				if rotation == 180 { // the point in the middle of the page, and a bound of 25 mm
					pl.At, pl.MaxWNorm, pl.DesignedMM = &geometry.Point{X: 0.5, Y: 0.5}, 0.25, &geometry.Size{Width: 100, Height: 100}
				}
				st, k := stamped(t, s, pdf, pl, payload.Reference{1})
				if len(st.Pages()) != len(pagesOfAllMakes) {
					t.Fatalf("pages %v", st.Pages())
				}
				for i, img := range renderAll(t, st.PDF) {
					page := pagesOfAllMakes[i]
					box, size := 16.5, 15.0
					if pl.At != nil {
						box, size = 25, 25*40.0/44
					}
					x := margins.Left + at[0]*(page.width-margins.Left-margins.Right-box)
					y := margins.Top + at[1]*(page.height-margins.Top-margins.Bottom-box)
					if pl.At != nil {
						x, y = page.width/2-at[0]*box, page.height/2-at[1]*box
					}
					edge := (box - size) / 2
					lies(t, page.name, img, x+edge, y+edge, size)
					shows(t, page.name, img, x+edge, y+edge, size, rotation, k.modules)
				}
			})
		}
	}
}

// TestScopes renders every page of a file: those that the scope names carry the
// same symbol, the others nothing.
func TestScopes(t *testing.T) {
	t.Parallel()
	need(t, "pdftoppm")
	s := newStamper(t)
	spec := pdfSpec{contents: []string{"0 g"}}
	for _, p := range pagesOfAllMakes {
		spec.each = append(spec.each, p.attrs)
	}
	pdf := spec.build()
	for _, tt := range []struct {
		pl   pdfstamp.Placement
		want []int
	}{
		{pdfstamp.Placement{}, []int{8}},
		{pdfstamp.Placement{Scope: geometry.FirstPage}, []int{1}},
		{pdfstamp.Placement{Scope: geometry.LastPage}, []int{8}},
		{pdfstamp.Placement{Scope: geometry.AllPages}, []int{1, 2, 3, 4, 5, 6, 7, 8}},
		{pdfstamp.Placement{Scope: geometry.OddPages}, []int{1, 3, 5, 7}},
		{pdfstamp.Placement{Scope: geometry.EvenPages}, []int{2, 4, 6, 8}},
		{pdfstamp.Placement{Scope: geometry.CustomPages, Pages: []int{1, 3, 4, 5, -1}}, []int{1, 3, 4, 5, 8}},
		{pdfstamp.Placement{Scope: geometry.CustomPages, Pages: []int{-8, 400}}, []int{1}},
	} {
		t.Run(fmt.Sprint(tt.pl.Scope, tt.pl.Pages), func(t *testing.T) {
			t.Parallel()
			st, k := stamped(t, s, pdf, tt.pl, payload.Reference{1})
			if !slices.Equal(st.Pages(), tt.want) || st.Page() != tt.want[0] {
				t.Errorf("pages %v from %d, want %v", st.Pages(), st.Page(), tt.want)
			}
			for i, img := range renderAll(t, st.PDF) {
				page := pagesOfAllMakes[i]
				if !slices.Contains(tt.want, i+1) {
					if dark := darkIn(img); !dark.Empty() {
						t.Errorf("page %d is dark in %v", i+1, dark)
					}
					continue
				}
				x, y := page.width-10-0.75-15, page.height-10-0.75-15
				lies(t, page.name, img, x, y, 15)
				shows(t, page.name, img, x, y, 15, 0, k.modules)
			}
		})
	}
}

// renderAll returns all pages of pdf.
func renderAll(t *testing.T, pdf []byte) []*image.Gray {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "stamped.pdf")
	if err := os.WriteFile(file, pdf, 0o600); err != nil {
		t.Fatal(err)
	}
	if out, code := run(t, "pdftoppm", "-cropbox", "-gray", "-png", "-r", fmt.Sprint(anchorDPI), file, filepath.Join(dir, "page")); code != 0 {
		t.Fatal(out)
	}
	names, err := filepath.Glob(filepath.Join(dir, "page-*.png"))
	if err != nil || len(names) != len(pagesOfAllMakes) {
		t.Fatalf("%d pages rendered, %v", len(names), err)
	}
	var pages []*image.Gray
	for _, name := range names { // of one digit, so in order
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		img, _, err := image.Decode(f)
		f.Close()
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, toGray(img))
	}
	return pages
}

// darkIn returns the rectangle around all dark pixels.
func darkIn(img *image.Gray) (dark image.Rectangle) {
	for y := range img.Bounds().Dy() {
		for x := range img.Bounds().Dx() {
			if gray(img, x, y) < 128 {
				dark = dark.Union(image.Rect(x, y, x+1, y+1))
			}
		}
	}
	return dark
}

// lies checks that the dark pixels fill the square at (x, y) of that size, all
// in mm from the top left.
func lies(t *testing.T, what string, img *image.Gray, x, y, size float64) {
	t.Helper()
	const k, tolerance = anchorDPI / 25.4, 1.5
	dark := darkIn(img)
	got := [4]float64{float64(dark.Min.X), float64(dark.Min.Y), float64(dark.Max.X), float64(dark.Max.Y)}
	want := [4]float64{x * k, y * k, (x + size) * k, (y + size) * k}
	for i := range got {
		if math.Abs(got[i]-want[i]) > tolerance {
			t.Fatalf("%s: dark pixels in %v, want %.1f", what, dark, want)
		}
	}
}

// shows checks the middle of every module of a symbol that is turned clockwise.
func shows(t *testing.T, what string, img *image.Gray, x, y, size float64, rotation int, want binding.Modules) {
	t.Helper()
	const k = anchorDPI / 25.4
	n := want.Side
	wrong := 0
	for i, dark := range want.Dark {
		column, row := i%n, i/n
		for range rotation / 90 {
			column, row = n-1-row, column
		}
		px := int((x + size*(float64(column)+0.5)/float64(n)) * k)
		py := int((y + size*(float64(row)+0.5)/float64(n)) * k)
		if dark != (gray(img, px, py) < 128) {
			wrong++
		}
	}
	if wrong > 0 {
		t.Errorf("%s: %d of %d modules show something else", what, wrong, n*n)
	}
}
