package pdfstamp_test

import (
	"bytes"
	"fmt"
	"image"
	"math"
	"os"
	"path/filepath"
	"testing"

	"tcode/offline/binding"
	"tcode/offline/geometry"
	"tcode/offline/payload"
	"tcode/server/pdfstamp"
)

// TestPlacement renders pages of every make and looks for the symbol's dark
// pixels: they must fill just the square that Stamped names, with the finder's
// finder pattern left and bottom as the page is shown.
func TestPlacement(t *testing.T) {
	t.Parallel()
	need(t, "pdftoppm")
	need(t, "mutool")
	s := newStamper(t)
	pages := map[string]string{
		"plain":           a4,
		"turned 90":       a4 + "/Rotate 90",
		"turned 180":      a4 + "/Rotate 180",
		"turned 270":      a4 + "/Rotate -90",
		"offset":          "/MediaBox[-100 50 495 892]",
		"corners swapped": "/MediaBox[595 842 0 0]",
		"cropped":         a4 + "/CropBox[50 60 400 500]",
		"cropped, turned": a4 + "/CropBox[50 60 400 500]/Rotate 90",
		"crop too large":  a4 + "/CropBox[-50 -60 4000 5000]",
		"landscape":       "/MediaBox[0 0 842 595]",
	}
	norm := pdfstamp.Placement{Anchor: geometry.TopLeft, At: &geometry.Point{X: 0.25, Y: 0.5}}
	bounded := pdfstamp.Placement{Anchor: geometry.TopLeft, At: &geometry.Point{X: 0.1, Y: 0.1}, MaxWNorm: 0.5, MaxHNorm: 0.25}
	placements := map[string]pdfstamp.Placement{
		"default":      {},
		"top left":     {Anchor: geometry.TopLeft, MarginsMM: &geometry.Margins{Top: 5, Left: 20}},
		"center":       {Anchor: geometry.Center},
		"at a point":   norm,
		"in a rect":    bounded,
		"large":        {SizeMM: 40, PaddingMM: 3, Anchor: geometry.Top},
		"upside down":  {Rotation: 180, Anchor: geometry.Left},
		"on its side":  {Rotation: 90, Anchor: geometry.Bottom},
		"on its other": {Rotation: 270, Anchor: geometry.BottomLeft},
		"off the page": {Anchor: geometry.TopLeft, At: &geometry.Point{X: 0.99, Y: 0.99}},
	}
	for pageName, attrs := range pages {
		for name, pl := range placements {
			t.Run(pageName+"/"+name, func(t *testing.T) {
				t.Parallel()
				pdf := pdfSpec{page: attrs, contents: []string{"0 g"}}.build()
				st, _ := stamped(t, s, pdf, pl, payload.Reference{1})
				file := filepath.Join(t.TempDir(), "stamped.pdf")
				if err := os.WriteFile(file, st.PDF, 0o600); err != nil {
					t.Fatal(err)
				}
				inside(t, render(t, file, 1, 100), st, pl.Rotation)
			})
		}
	}
}

// inside checks where img at 100 dpi is dark.
func inside(t *testing.T, img *image.Gray, st inMemory, rotation int) {
	t.Helper()
	if img == nil {
		t.Fatal("not rendered")
	}
	var dark image.Rectangle
	for y := range img.Bounds().Dy() {
		for x := range img.Bounds().Dx() {
			if gray(img, x, y) < 128 {
				dark = dark.Union(image.Rect(x, y, x+1, y+1))
			}
		}
	}
	at := st.Places[0].Symbol
	k := 100 / 25.4
	want := [4]float64{at.X * k, at.Y * k, (at.X + at.Width) * k, (at.Y + at.Height) * k}
	got := [4]float64{float64(dark.Min.X), float64(dark.Min.Y), float64(dark.Max.X), float64(dark.Max.Y)}
	for i := range got {
		if math.Abs(got[i]-want[i]) > 1.5 {
			t.Fatalf("dark pixels in %v, want %.1f", dark, want)
		}
	}
	// Sides of the finder pattern, by the symbol's rotation clockwise.
	solid := map[int][2]string{0: {"left", "bottom"}, 90: {"left", "top"}, 180: {"right", "top"}, 270: {"right", "bottom"}}[rotation]
	px := st.Places[0].ModuleMM * k
	sides := map[string]image.Rectangle{
		"left":   image.Rect(dark.Min.X, dark.Min.Y, dark.Min.X+int(px), dark.Max.Y),
		"right":  image.Rect(dark.Max.X-int(px), dark.Min.Y, dark.Max.X, dark.Max.Y),
		"top":    image.Rect(dark.Min.X, dark.Min.Y, dark.Max.X, dark.Min.Y+int(px)),
		"bottom": image.Rect(dark.Min.X, dark.Max.Y-int(px), dark.Max.X, dark.Max.Y),
	}
	for name, r := range sides {
		n := 0
		for y := r.Min.Y; y < r.Max.Y; y++ {
			for x := r.Min.X; x < r.Max.X; x++ {
				if gray(img, x, y) < 128 {
					n++
				}
			}
		}
		share := float64(n) / float64(r.Dx()*r.Dy())
		if isSolid := name == solid[0] || name == solid[1]; isSolid != (share > 0.9) {
			t.Errorf("side %s is %.0f %% dark, solid want %v", name, 100*share, isSolid)
		}
	}
}

// TestUserUnit: a page of larger units has a symbol of the same millimetres.
// MuPDF honours UserUnit, poppler does not.
func TestUserUnit(t *testing.T) {
	t.Parallel()
	need(t, "mutool")
	st, _ := stamped(t, newStamper(t), pdfSpec{page: "/MediaBox[0 0 300 300]/UserUnit 2", contents: []string{"0 g"}}.build(), pdfstamp.Placement{}, payload.Reference{1})
	dir := t.TempDir()
	file, out := filepath.Join(dir, "stamped.pdf"), filepath.Join(dir, "page.png")
	if err := os.WriteFile(file, st.PDF, 0o600); err != nil {
		t.Fatal(err)
	}
	if msg, code := run(t, "mutool", "draw", "-q", "-r", "100", "-o", out, file); code != 0 {
		t.Fatal(msg)
	}
	b, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	img, _, err := image.Decode(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	inside(t, toGray(img), st, 0)
}

func TestPageScopes(t *testing.T) {
	t.Parallel()
	s := newStamper(t)
	pdf := pdfSpec{page: a4, count: 5, contents: []string{text("shared")}}.build()
	tests := []struct {
		pl   pdfstamp.Placement
		want string
	}{
		{pdfstamp.Placement{}, "[5]"},
		{pdfstamp.Placement{Scope: geometry.LastPage}, "[5]"},
		{pdfstamp.Placement{Scope: geometry.FirstPage}, "[1]"},
		{pdfstamp.Placement{Scope: geometry.AllPages}, "[1 2 3 4 5]"},
		{pdfstamp.Placement{Scope: geometry.OddPages}, "[1 3 5]"},
		{pdfstamp.Placement{Scope: geometry.EvenPages}, "[2 4]"},
		{pdfstamp.Placement{Scope: geometry.CustomPages, Pages: []int{-1, 2, 2, 9, 0}}, "[2 5]"},
	}
	for _, tt := range tests {
		st, k := stamped(t, s, pdf, tt.pl, payload.Reference{1})
		if got := fmt.Sprint(st.Pages()); got != tt.want {
			t.Errorf("%s %v: pages %s, want %s", tt.pl.Scope, tt.pl.Pages, got, tt.want)
		}
		if got := k.check(st.PDF); got.State != binding.Match {
			t.Errorf("%s: %+v", tt.pl.Scope, got)
		}
	}
}

// TestUnbalanced: contents that leave a state open neither move nor hide the stamp,
// and their own drawing does not change.
func TestUnbalanced(t *testing.T) {
	t.Parallel()
	need(t, "pdftoppm")
	s := newStamper(t)
	ocg := "/OCProperties<</OCGs[10 0 R]/D<</OFF[10 0 R]/Order[10 0 R]>>>>"
	for name, contents := range map[string][]string{
		"open q":                 {"q 0.1 0 0 0.1 50 50 cm"},
		"many open q":            {"q q q 2 0 0 2 0 0 cm", "q"},
		"stray Q":                {"Q Q 0.5 0 0 0.5 10 10 cm"},
		"Q, then q":              {"Q q 3 0 0 3 9 9 cm"},
		"matrix left over":       {"0.5 0 0 0.5 10 10 cm 1 0 0 rg"},
		"text left open":         {"BT /F1 12 Tf"},
		"path left open":         {"100 100 m 200 200 l"},
		"clip left over":         {"0 0 10 10 re W n"},
		"hidden layer left open": {"/OC /MC0 BDC"},
		"q in a string":          {"BT /F1 12 Tf (q q \\( q) Tj ET"},
		"q in an inline image":   {"q BI /W 4 /H 1 /BPC 8 /CS /G ID q q EI Q"},
		"color left over":        {"/Pattern cs"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			spec := pdfSpec{page: a4, resources: "/Properties<</MC0 10 0 R>>", catalog: ocg, extra: []string{"<</Type/OCG/Name(x)>>"}, contents: contents}
			pdf := spec.build()
			st, _ := stamped(t, s, pdf, pdfstamp.Placement{}, payload.Reference{1})
			file := filepath.Join(t.TempDir(), "stamped.pdf")
			if err := os.WriteFile(file, st.PDF, 0o600); err != nil {
				t.Fatal(err)
			}
			img := render(t, file, 1, 100)
			if img == nil {
				t.Fatal("not rendered")
			}
			box := boxPx(st, 100, 0)
			dark := 0
			for y := box.Min.Y; y < box.Max.Y; y++ {
				for x := box.Min.X; x < box.Max.X; x++ {
					if gray(img, x, y) < 128 {
						dark++
					}
				}
			}
			if share := float64(dark) / float64(box.Dx()*box.Dy()); share < 0.3 || share > 0.6 {
				t.Errorf("%.0f %% of the box is dark", 100*share)
			}
		})
	}
}
