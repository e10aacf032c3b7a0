package pdfstamp_test

import (
	"math"
	"strings"
	"testing"

	"tcode/offline/geometry"
	"tcode/offline/payload"
	"tcode/server/fault"
	"tcode/server/pdfstamp"
)

// FuzzLayout: whatever the numbers of a placement and of a page are, the box lies on the page and holds the
// symbol with its quiet zone, or the refusal says why in words with finite numbers.
func FuzzLayout(f *testing.F) {
	f.Add(1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 0.0, 0.0, 595.0, 842.0, 1.0, 0.0, 0.0, uint16(0x101))
	f.Add(0.5, 0.1, 0.2, 1e-300, 1e308, 5000.0, 20.0, 100.0, 30.0, 1.0, -1e5, 1e5, 14.17, 14.17, 10.0, 40.0, 1.4, uint16(0xffff))
	f.Add(0.0, 1.0, 1e-9, 1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 14173.0, 57.0, 0.1, 3.0, 2.8, uint16(0x0a2b))
	f.Fuzz(func(t *testing.T, x, y, w, h, margin, design, quiet, padding, size, font, left, bottom, width, height, unit, tw, th float64, bits uint16) {
		for _, v := range []float64{left, bottom, width, height} {
			if !(math.Abs(v) <= 1<<20) { // no such page is stamped
				return
			}
		}
		if !(width > 0 && height > 0 && unit > 0 && width*unit <= 1<<20 && height*unit <= 1<<20 && width*unit >= 0.01 && height*unit >= 0.01) {
			return
		}
		share := func(v float64) float64 { return min(max(math.Abs(v), 0), 1) }
		length := func(v, least, most float64) float64 { return min(max(math.Abs(v), least), most) }
		pl := pdfstamp.Placement{
			Anchor: geometry.Anchors()[bits%9], Rotation: 90 * int(bits>>4&3), MaxWNorm: share(w), MaxHNorm: share(h),
			QuietModules: length(quiet, 1, 20), PaddingMM: length(padding, 0, 100), SizeMM: length(size, 0, 400),
		}
		if bits>>6&1 > 0 {
			pl.At = &geometry.Point{X: share(x), Y: share(y)}
		}
		if bits>>7&1 > 0 {
			m := length(margin, 0, 5000)
			pl.MarginsMM = &geometry.Margins{Top: m, Right: m * share(x), Bottom: m * share(y), Left: m}
		}
		if bits>>8&1 > 0 {
			pl.DesignedMM = &geometry.Size{Width: length(design, 1, 5100), Height: length(design*share(x), 1, 5100)}
		}
		var text [2]float64
		if bits>>9&1 > 0 {
			pl.Caption = &pdfstamp.Caption{Side: geometry.Sides()[bits>>10&3], FontSizePt: length(font, 1, 72)}
			text = [2]float64{length(tw, 0.1, 500), length(th, 0.4, 3)}
		}
		if bits>>12&1 > 0 {
			pl.Link = "https://t.example"
		}
		if math.IsNaN(x + y + w + h + margin + design + quiet + padding + size + font + tw + th) {
			return
		}
		at, drawn, err := pdfstamp.LayoutForTest(pl, left, bottom, width, height, unit, 90*int(bits>>13&3), 40, text)
		if err != nil {
			refused(t, err)
			return
		}
		onPage(t, at, drawn)
	})
}

func refused(t *testing.T, err error) {
	said := pdfstamp.RefusalForTest(err).Error()
	if f := fault.As(pdfstamp.RefusalForTest(err)); f.Kind != fault.Rejected || !strings.Contains(f.Message, " mm") ||
		strings.Contains(said, "NaN") || strings.Contains(said, "Inf") {
		t.Fatalf("%v: %s", err, said)
	}
}

// onPage checks the place of a stamp. drawn is where its operators draw the symbol with its quiet zone.
func onPage(t *testing.T, at geometry.Place, drawn geometry.Rect) {
	t.Helper()
	within := func(what string, r, of geometry.Rect) {
		t.Helper()
		slack := 2e-6 + 1e-9*max(at.PageMM.Width, at.PageMM.Height)
		if !(r.Width >= 0 && r.Height >= 0 && r.X >= of.X-slack && r.Y >= of.Y-slack && r.X+r.Width <= of.X+of.Width+slack && r.Y+r.Height <= of.Y+of.Height+slack) {
			t.Fatalf("%s: %+v is not within %+v, %+v", what, r, of, at)
		}
	}
	within("box", at.Box, geometry.Rect{Width: at.PageMM.Width, Height: at.PageMM.Height})
	within("quiet zone", at.Quiet, at.Box)
	within("symbol", at.Symbol, at.Quiet)
	within("link", at.Link, geometry.Rect{Width: at.PageMM.Width, Height: at.PageMM.Height})
	within("caption", at.Caption, geometry.Rect{Width: at.PageMM.Width, Height: at.PageMM.Height})
	within("what is drawn", drawn, geometry.Rect{Width: at.PageMM.Width, Height: at.PageMM.Height})
	if !(at.ModuleMM > 0) || math.Abs(at.Symbol.Width-40*at.ModuleMM) > 1e-6*(1+at.Symbol.Width) {
		t.Fatalf("modules of %g mm: %+v", at.ModuleMM, at)
	}
}

// TestCaptionRoom: the room of a caption does not depend on the reference that a stamp gets, so a preview
// has the place of the stamp. One in wide letters is set in a smaller font.
func TestCaptionRoom(t *testing.T) {
	t.Parallel()
	s := newStamper(t)
	pdf := pdfSpec{page: "/MediaBox[0 0 50 200]", contents: []string{"0 g"}}.build()
	wide, err := payload.ParseReference("TCR-WWWWWWWWWWWWWWWW")
	if err != nil {
		t.Fatal(err)
	}
	for _, side := range []geometry.Side{geometry.Below, geometry.RightOf} {
		pl := pdfstamp.Placement{MaxWNorm: 0.99, MaxHNorm: 0.5, Caption: &pdfstamp.Caption{Reference: true, Side: side, FontSizePt: 3.1}}
		plain, errPlain := s.Survey(t.Context(), pdf, pl, payload.Reference{}, 40)
		got, err := s.Survey(t.Context(), pdf, pl, wide, 40)
		if (err == nil) != (errPlain == nil) {
			t.Errorf("%s: %v, in narrow letters %v", side, err, errPlain)
		}
		if err != nil {
			continue
		}
		a, b := plain[0].Places[0], got[0].Places[0]
		if a.Box != b.Box || a.Symbol != b.Symbol || a.Caption != b.Caption || b.FontPt >= a.FontPt || b.FontPt < a.FontPt/2 {
			t.Errorf("%s: %+v, in narrow letters %+v", side, b, a)
		}
	}
	st, _ := stamped(t, s, pdf, pdfstamp.Placement{MaxWNorm: 0.99, Caption: &pdfstamp.Caption{Reference: true, FontSizePt: 3.1}}, wide)
	if c := st.Places[0].Caption; c.Width == 0 || c.X < 0 || c.X+c.Width > 50*25.4/72 {
		t.Errorf("caption %+v", c)
	}
}
