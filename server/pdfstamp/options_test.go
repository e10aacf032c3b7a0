package pdfstamp_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"image"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tcode/offline/geometry"
	"tcode/offline/payload"
	"tcode/server/fault"
	"tcode/server/pdfstamp"
)

// striped is a page of gray stripes on which a white ground shows.
var striped = pdfSpec{page: "/MediaBox[0 0 300 300]", contents: []string{
	"0.8 g 0 0 300 300 re f 0.5 G 0 5 m 300 5 l 0 25 m 300 25 l 0 45 m 300 45 l 0 65 m 300 65 l 0 150 m 300 150 l S",
}}

// TestEveryOption: every option of a placement gives a different drawing.
func TestEveryOption(t *testing.T) {
	t.Parallel()
	need(t, "pdftoppm")
	s := newStamper(t)
	caption := func(c pdfstamp.Caption) pdfstamp.Placement { return pdfstamp.Placement{Caption: &c} }
	seen := map[[32]byte]string{}
	for _, tt := range []struct {
		name string
		pl   pdfstamp.Placement
	}{
		{"nothing asked", pdfstamp.Placement{}},
		{"anchor", pdfstamp.Placement{Anchor: geometry.Left}},
		{"at", pdfstamp.Placement{At: &geometry.Point{X: 0.9, Y: 0.8}}},
		{"at and anchor", pdfstamp.Placement{At: &geometry.Point{X: 0.9, Y: 0.8}, Anchor: geometry.TopRight}},
		{"width", pdfstamp.Placement{MaxWNorm: 0.3}},
		{"height", pdfstamp.Placement{MaxHNorm: 0.25}},
		{"designed for another page", pdfstamp.Placement{MaxWNorm: 0.3, DesignedMM: &geometry.Size{Width: 210, Height: 297}}},
		{"margins", pdfstamp.Placement{MarginsMM: &geometry.Margins{Right: 20, Bottom: 5}}},
		{"size", pdfstamp.Placement{SizeMM: 22}},
		{"rotation", pdfstamp.Placement{Rotation: 90}},
		{"quiet zone", pdfstamp.Placement{QuietModules: 5}},
		{"padding", pdfstamp.Placement{PaddingMM: 4}},
		{"opacity", pdfstamp.Placement{Opacity: 0.5}},
		{"no white box", pdfstamp.Placement{NoWhiteBox: true}},
		{"text", caption(pdfstamp.Caption{Text: "one"})},
		{"other text", caption(pdfstamp.Caption{Text: "two"})},
		{"text above", caption(pdfstamp.Caption{Text: "one", Side: geometry.Above})},
		{"small text", caption(pdfstamp.Caption{Text: "one", FontSizePt: 5})},
		{"reference", caption(pdfstamp.Caption{Reference: true})},
		{"text and reference", caption(pdfstamp.Caption{Text: "one", Reference: true})},
	} {
		st, _ := stamped(t, s, striped.build(), tt.pl, payload.Reference{1})
		// The symbols differ with the fingerprint: look beside them.
		img := shownPage(t, st, 100)
		hide(img, pixels(st.Places[0].Symbol, 100, 1))
		h := sha256.Sum256(append(img.Pix, fmt.Sprint(pixels(st.Places[0].Symbol, 100, 0))...))
		if tt.pl.Rotation != 0 {
			h[0]++ // shows in the symbol alone
		}
		if other, ok := seen[h]; ok {
			t.Errorf("%q draws what %q draws", tt.name, other)
		}
		seen[h] = tt.name
	}
}

func hide(img *image.Gray, r image.Rectangle) {
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			img.Pix[img.PixOffset(x, y)] = 0
		}
	}
}

// TestWhiteBox checks the ground around the symbol.
func TestWhiteBox(t *testing.T) {
	t.Parallel()
	need(t, "pdftoppm")
	s := newStamper(t)
	const meta = "<</Type/Metadata/Subtype/XML/Length 60>>stream\n<pdfaid:part>1</pdfaid:part>                                \nendstream"
	pdfa := striped
	pdfa.catalog, pdfa.extra = "/Metadata 10 0 R", []string{meta}
	intent := striped
	intent.catalog = "/OutputIntents[<</S/GTS_PDFX>>]"
	old := func(b []byte) []byte { return bytes.Replace(b, []byte("%PDF-1.7"), []byte("%PDF-1.3"), 1) }
	for _, tt := range []struct {
		name  string
		pdf   []byte
		pl    pdfstamp.Placement
		want  int // shade of the ground between symbol and padding
		warns bool
	}{
		{"opaque", striped.build(), pdfstamp.Placement{}, 255, false},
		{"none", striped.build(), pdfstamp.Placement{NoWhiteBox: true}, 204, false},
		{"half", striped.build(), pdfstamp.Placement{Opacity: 0.5}, 230, false},
		{"a tenth", striped.build(), pdfstamp.Placement{Opacity: 0.1}, 209, false},
		{"one", striped.build(), pdfstamp.Placement{Opacity: 1}, 255, false},
		{"half in PDF/A", pdfa.build(), pdfstamp.Placement{Opacity: 0.5}, 255, true},
		{"half in PDF/X", intent.build(), pdfstamp.Placement{Opacity: 0.5}, 255, true},
		{"half in PDF 1.3", old(striped.build()), pdfstamp.Placement{Opacity: 0.5}, 255, true},
		{"none in PDF/A", pdfa.build(), pdfstamp.Placement{Opacity: 0.5, NoWhiteBox: true}, 204, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.pl.PaddingMM = 5
			tt.pl.Anchor, tt.pl.At = geometry.TopLeft, &geometry.Point{X: 0.1, Y: 0.6} // between two stripes
			st, _ := stamped(t, s, tt.pdf, tt.pl, payload.Reference{1})
			at, img := st.Places[0], shownPage(t, st, 100)
			for _, p := range [][2]float64{{at.Box.X + 1, at.Box.Y + 1}, {at.Quiet.X - 1, at.Quiet.Y + 5}} {
				if got := int(gray(img, int(p[0]/25.4*100), int(p[1]/25.4*100))); math.Abs(float64(got-tt.want)) > 2 {
					t.Errorf("ground at %v mm is %d, want %d", p, got, tt.want)
				}
			}
			if got := int(gray(img, int((at.Box.X-1)/25.4*100), int((at.Box.Y+1)/25.4*100))); got != 204 {
				t.Errorf("ground beside the box is %d", got)
			}
			if got := strings.Contains(strings.Join(st.Warnings, " "), "transparency"); got != tt.warns {
				t.Errorf("warnings %q", st.Warnings)
			}
			added := st.PDF[len(tt.pdf):]
			if got := bytes.Contains(added, []byte("/ca ")); got != (tt.want > 204 && tt.want < 255) {
				t.Errorf("transparency in the revision: %v", got)
			}
			for _, never := range []string{"/SMask", "/CA", "/BM", "/OCG", "/Group"} {
				if bytes.Contains(added, []byte(never)) {
					t.Errorf("%s in the revision", never)
				}
			}
		})
	}
}

// TestArchiveFont: the revision has the entries that ISO 19005-1 requires of an
// embedded font in a subset (6.3).
func TestArchiveFont(t *testing.T) {
	t.Parallel()
	pl := pdfstamp.Placement{Caption: &pdfstamp.Caption{Text: "Diploma", Reference: true}}
	st, _ := stamped(t, newStamper(t), blank.build(), pl, payload.Reference{1})
	added := string(st.PDF[len(blank.build()):])
	for _, want := range []string{
		"/Encoding /Identity-H", "/CIDToGIDMap /Identity", "/Registry (Adobe)", "/Ordering (Identity)", "/FontFile2 ", "/CIDSet ",
		"/ToUnicode ", "/W [0 [", "/Length1 ", "/FontBBox [",
	} {
		if !strings.Contains(added, want) {
			t.Errorf("no %s", want)
		}
	}
}

// TestArchiveGray: PDF/A without a device of its own gets a gray that needs
// none, and looks the same.
func TestArchiveGray(t *testing.T) {
	t.Parallel()
	need(t, "pdftoppm")
	need(t, "mutool")
	s := newStamper(t)
	const meta = "<</Type/Metadata/Subtype/XML/Length 28>>stream\n<pdfaid:part>2</pdfaid:part>\nendstream"
	pl := pdfstamp.Placement{Caption: &pdfstamp.Caption{Text: "Diploma"}}
	for _, tt := range []struct {
		name, catalog string
		extra         []string
		calibrated    bool
	}{
		{"no PDF/A", "", nil, false},
		{"PDF/A", "/Metadata 10 0 R", []string{meta}, true},
		{"PDF/A for a device", "/Metadata 10 0 R/OutputIntents[<</S/GTS_PDFA1>>]", []string{meta}, false},
		{"PDF/X", "/OutputIntents[<</S/GTS_PDFX>>]", nil, false},
		{"metadata that cannot be read", "/Metadata 10 0 R", []string{"<</Filter/None/Length 1>>stream\nx\nendstream"}, true},
	} {
		spec := blank
		spec.catalog, spec.extra = tt.catalog, tt.extra
		st, k := stamped(t, s, spec.build(), pl, payload.Reference{1})
		if got := bytes.Contains(st.PDF, []byte("/CalGray")); got != tt.calibrated {
			t.Errorf("%s: calibrated %v", tt.name, got)
		}
		file := filepath.Join(t.TempDir(), "stamped.pdf")
		if err := os.WriteFile(file, st.PDF, 0o600); err != nil {
			t.Fatal(err)
		}
		for _, img := range []*image.Gray{render(t, file, 1, anchorDPI), renderMuPDF(t, file, 1, anchorDPI)} {
			at := st.Places[0]
			shows(t, tt.name, img, at.Symbol.X, at.Symbol.Y, at.Symbol.Width, 0, k.modules)
			if g := gray(img, int((at.Quiet.X+0.3)*anchorDPI/25.4), int((at.Quiet.Y+0.3)*anchorDPI/25.4)); g < 252 { // MuPDF has 253
				t.Errorf("%s: white is %d", tt.name, g)
			}
		}
	}
}

// TestRefusedPage: of several pages the one that is too small is named, with the sizes and with
// what would fit.
func TestRefusedPage(t *testing.T) {
	t.Parallel()
	pdf := pdfSpec{each: []string{a4, a4, "/MediaBox[0 0 20 20]"}, contents: []string{"0 g"}}.build()
	s := newStamper(t)
	pl := pdfstamp.Placement{Scope: geometry.AllPages}
	_, err := s.Stamp(t.Context(), pdf, pl, payload.Reference{1}, side, nil)
	_, asked := s.Survey(t.Context(), pdf, pl, payload.Reference{1}, side)
	want := "the page is too small for the stamp (page 3): it takes 16.5 x 16.5 mm, the page or the bounds of the template have 7.05 x 7.05 mm; " +
		"modules of 0.16 mm fit, and scanners read those of 0.2 mm and more"
	for _, err := range []error{err, asked} {
		if f := fault.As(err); f == nil || f.Code != fault.CodePDFNotStampable || f.Message != want {
			t.Errorf("err = %v", err)
		}
	}
}

// TestPagesOfAllSizes: a page too small for the stamp is refused with the
// reason, one that is just large enough is not, and a huge one works.
func TestPagesOfAllSizes(t *testing.T) {
	t.Parallel()
	s := newStamper(t)
	bounded := pdfstamp.Placement{MaxWNorm: 1, MaxHNorm: 1}
	for _, tt := range []struct {
		name, page string
		pl         pdfstamp.Placement
		want       string // part of the refusal; "" for none
		module     float64
	}{
		{"tiny", "/MediaBox[0 0 20 20]", pdfstamp.Placement{}, "too small", 0},
		{"narrow", "/MediaBox[0 0 20 2000]", pdfstamp.Placement{}, "too small", 0},
		{"a hair too small", "/MediaBox[0 0 46.7 46.7]", pdfstamp.Placement{}, "too small", 0},
		{"just large enough", "/MediaBox[0 0 46.78 46.78]", pdfstamp.Placement{}, "", 0.375},
		{"too small for the caption", "/MediaBox[0 0 46.78 46.78]", pdfstamp.Placement{Caption: &pdfstamp.Caption{Text: "x"}}, "caption", 0},
		{"too small, caption or not", "/MediaBox[0 0 20 20]", pdfstamp.Placement{Caption: &pdfstamp.Caption{Text: "x"}}, "page is too small", 0},
		{"too small for the padding", "/MediaBox[0 0 60 60]", pdfstamp.Placement{PaddingMM: 20}, "too small", 0},
		{"tiny, but the stamp shrinks", "/MediaBox[0 0 20 20]", bounded, "", 20 * 25.4 / 72 / 44},
		{"padding beyond its bounds", a4, pdfstamp.Placement{MaxWNorm: 0.1, PaddingMM: 20}, "too small", 0},
		{"as large as scanners draw", "/MediaBox[0 0 7740 7740]", pdfstamp.Placement{}, "", 0.2 * 150 * 7740 / 72 / math.Sqrt(60e6)},
		{"huge", "/MediaBox[0 0 14400 14400]", pdfstamp.Placement{}, "no scanner reads", 0},
		{"huge in user units", "/MediaBox[0 0 14400 14400]/UserUnit 75", pdfstamp.Placement{}, "no scanner reads", 0},
		{"small in user units", "/MediaBox[0 0 10 10]/UserUnit 72", pdfstamp.Placement{}, "", 0.375},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			pdf := pdfSpec{page: tt.page, contents: []string{"0 g"}}.build()
			k := &sealed{}
			st, err := s.Stamp(t.Context(), pdf, tt.pl, payload.Reference{1}, side, k.seal(payload.Reference{1}))
			if tt.want != "" {
				if f := fault.As(err); f == nil || f.Code != fault.CodePDFNotStampable || !strings.Contains(f.Message, tt.want) {
					t.Errorf("err = %v, want %q", err, tt.want)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			at := st.Places[0]
			if math.Abs(at.ModuleMM-tt.module) > 1e-9 {
				t.Errorf("modules of %v mm, want %v", at.ModuleMM, tt.module)
			}
			if at.Box.X < 0 || at.Box.Y < 0 || at.Box.X+at.Box.Width > at.PageMM.Width+1e-6 || at.Box.Y+at.Box.Height > at.PageMM.Height+1e-6 {
				t.Errorf("box %v on a page of %v", at.Box, at.PageMM)
			}
		})
	}
}
