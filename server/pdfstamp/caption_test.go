package pdfstamp_test

import (
	"bytes"
	"fmt"
	"image"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"tcode/offline/binding"
	"tcode/offline/geometry"
	"tcode/offline/payload"
	"tcode/server/fault"
	"tcode/server/pdfstamp"
	"tcode/testdata/corpus"
)

// blank is a small page without ink, 105.8 mm square.
var blank = pdfSpec{page: "/MediaBox[0 0 300 300]", contents: []string{"0 g"}}

// shownPage draws the only page of a stamped file at dpi.
func shownPage(t *testing.T, st inMemory, dpi float64) *image.Gray {
	t.Helper()
	file := filepath.Join(t.TempDir(), "stamped.pdf")
	if err := os.WriteFile(file, st.PDF, 0o600); err != nil {
		t.Fatal(err)
	}
	img := render(t, file, 1, dpi)
	if img == nil {
		t.Fatal("not rendered")
	}
	return img
}

// pixels returns the pixels of r, grown by some.
func pixels(r geometry.Rect, dpi float64, grow int) image.Rectangle {
	k := dpi / 25.4
	return image.Rect(int(math.Floor(r.X*k)), int(math.Floor(r.Y*k)), int(math.Ceil((r.X+r.Width)*k)), int(math.Ceil((r.Y+r.Height)*k))).Inset(-grow)
}

// TestCaptionPlace stamps with a caption at every side, turned every way, on
// pages turned every way: ink shows in the caption's place and the symbol's, in
// no other part of the box, and nowhere else. TCODE_LONG=all has each turn with all the others.
func TestCaptionPlace(t *testing.T) {
	t.Parallel()
	need(t, "pdftoppm")
	s := newStamper(t)
	for i, side := range []geometry.Side{"", geometry.Below, geometry.Above, geometry.LeftOf, geometry.RightOf} {
		for j, rotation := range []int{0, 90, 180, 270} {
			for k, turn := range []int{0, 90, 180, 270} {
				if k != (i+j)%4 && !corpus.Long() {
					continue
				}
				t.Run(fmt.Sprintf("%s/%d/%d", side, rotation, turn), func(t *testing.T) {
					t.Parallel()
					spec := blank
					spec.page += fmt.Sprintf("/Rotate %d", turn)
					pl := pdfstamp.Placement{Rotation: rotation, PaddingMM: 1, Caption: &pdfstamp.Caption{Text: "Échéance Код", Reference: true, Side: side}}
					st, k := stamped(t, s, spec.build(), pl, payload.Reference{1, 2})
					at := st.Places[0]
					img := shownPage(t, st, anchorDPI)
					shows(t, "symbol", img, at.Symbol.X, at.Symbol.Y, at.Symbol.Width, rotation, k.modules)
					text, symbol := pixels(at.Caption, anchorDPI, 1), pixels(at.Symbol, anchorDPI, 1)
					var ink image.Rectangle
					for y := range img.Bounds().Dy() {
						for x := range img.Bounds().Dx() {
							switch p := image.Pt(x, y); {
							case gray(img, x, y) >= 128 || p.In(symbol):
							case p.In(text):
								ink = ink.Union(image.Rect(x, y, x+1, y+1))
							default:
								t.Fatalf("ink at %v, caption in %v, symbol in %v", p, text, symbol)
							}
						}
					}
					if ink.Dx()*3 < text.Dx()*2 || ink.Dy()*3 < text.Dy()*2 {
						t.Errorf("the caption fills %v of %v", ink, text)
					}
					if at.Caption.Meets(at.Quiet) && overlap(at.Caption, at.Quiet) > 1e-6 {
						t.Errorf("caption %v lies in the quiet zone %v", at.Caption, at.Quiet)
					}
					stands(t, at, side, rotation)
				})
			}
		}
	}
}

// overlap returns the lesser side of the intersection of r and s, in mm.
func overlap(r, s geometry.Rect) float64 {
	return min(min(r.X+r.Width, s.X+s.Width)-max(r.X, s.X), min(r.Y+r.Height, s.Y+s.Height)-max(r.Y, s.Y))
}

// stands checks on which side of the symbol the caption is, as shown.
func stands(t *testing.T, at geometry.Place, side geometry.Side, rotation int) {
	t.Helper()
	clockwise := []string{"above", "right", "below", "left"}
	want := map[geometry.Side]int{geometry.Above: 0, geometry.RightOf: 1, "": 2, geometry.Below: 2, geometry.LeftOf: 3}[side]
	want = (want + rotation/90) % 4
	const near = 1e-6
	got := map[string]bool{
		"above": at.Caption.Y+at.Caption.Height <= at.Quiet.Y+near, "below": at.Caption.Y >= at.Quiet.Y+at.Quiet.Height-near,
		"left": at.Caption.X+at.Caption.Width <= at.Quiet.X+near, "right": at.Caption.X >= at.Quiet.X+at.Quiet.Width-near,
	}
	for i, word := range clockwise {
		if got[word] != (i == want) {
			t.Errorf("caption %v, symbol %v: %s is %v", at.Caption, at.Symbol, word, got[word])
		}
	}
}

// TestCaptionText: others read the caption's text, and say that its font is
// embedded.
func TestCaptionText(t *testing.T) {
	t.Parallel()
	for _, tool := range []string{"pdftotext", "pdffonts", "qpdf"} {
		need(t, tool)
	}
	s := newStamper(t)
	ref := payload.Reference{0x5a, 0x12, 0xc9, 0x44, 7, 99, 200, 31, 4, 250}
	for _, text := range []string{
		"Zeugnis, öffentlich beglaubigt: §3", "Échéance — 12 €", "Επίσημο έγγραφο", "Официальный документ",
		"Վկայական", "ოფიციალური", "Đường Phố Ấn", "q\u0307uasi", "وثيقة رسمية", "מסמך רשמי",
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			pl := pdfstamp.Placement{Caption: &pdfstamp.Caption{Text: text, Reference: true, FontSizePt: 12, Side: geometry.LeftOf}}
			st, k := stamped(t, s, blank.build(), pl, ref)
			if got := k.check(st.PDF); got.State != binding.Match {
				t.Errorf("binding %+v", got)
			}
			file := filepath.Join(t.TempDir(), "stamped.pdf")
			if err := os.WriteFile(file, st.PDF, 0o600); err != nil {
				t.Fatal(err)
			}
			out, _ := run(t, "pdftotext", "-enc", "UTF-8", file, "-")
			plain := strings.Map(func(r rune) rune {
				if strings.ContainsRune("\u200e\u200f\u202a\u202b\u202c\f", r) {
					return -1 // how pdftotext marks directions
				}
				return r
			}, out)
			if want := text + "\n" + ref.String(); strings.TrimSpace(plain) != want {
				t.Errorf("pdftotext reads %q, want %q", plain, want)
			}
			out, _ = run(t, "pdffonts", file)
			if !regexp.MustCompile(`[A-Z]{6}\+DejaVuSans +CID TrueType +Identity-H +yes yes yes`).MatchString(out) {
				t.Errorf("pdffonts: %s", out)
			}
			if out, code := run(t, "qpdf", "--check", file); code != 0 {
				t.Error(out)
			}
			if added := len(st.PDF) - len(blank.build()); added > 14<<10 {
				t.Errorf("%d bytes added", added)
			}
		})
	}
}

// TestCaptionSize: how large a caption is set, and when not at all.
func TestCaptionSize(t *testing.T) {
	t.Parallel()
	s := newStamper(t)
	long := strings.Repeat("long caption ", 15)
	for _, tt := range []struct {
		name      string
		pl        pdfstamp.Placement
		c         pdfstamp.Caption
		low, high float64 // of the font, pt
		grows     bool    // the box is longer than the symbol
		warns     bool
	}{
		{"default", pdfstamp.Placement{}, pdfstamp.Caption{Text: "Diploma"}, 7, 7, false, false},
		{"as asked", pdfstamp.Placement{}, pdfstamp.Caption{Text: "Dip", FontSizePt: 11}, 11, 11, false, false},
		{"as wide as the symbol", pdfstamp.Placement{}, pdfstamp.Caption{Text: "Diploma 2026", FontSizePt: 20}, 5.1, 8, false, false},
		{"fair print, longer than the symbol", pdfstamp.Placement{}, pdfstamp.Caption{Text: "Diploma of the university", FontSizePt: 20}, 5, 5, true, false},
		{"small print as asked", pdfstamp.Placement{}, pdfstamp.Caption{Text: "Diploma", FontSizePt: 2}, 2, 2, false, false},
		{"as wide as the margins allow", pdfstamp.Placement{MarginsMM: &geometry.Margins{Left: 40, Right: 40}}, pdfstamp.Caption{Text: "Diploma of the university of the city"}, 3, 4.9, true, true},
		{"as high as the symbol", pdfstamp.Placement{}, pdfstamp.Caption{Text: "D", Side: geometry.LeftOf, FontSizePt: 72}, 39, 41, true, false},
		{"beside, what the page leaves", pdfstamp.Placement{}, pdfstamp.Caption{Text: strings.Repeat("Diploma ", 8), Side: geometry.RightOf, FontSizePt: 30}, 5, 8, true, false},
		{"bounded", pdfstamp.Placement{MaxWNorm: 0.2, MaxHNorm: 0.3}, pdfstamp.Caption{Text: "Diploma, university", FontSizePt: 9}, 4, 6.5, false, false},
		{"no room", pdfstamp.Placement{}, pdfstamp.Caption{Text: long}, 0, 0, false, false},
		{"no room in bounds", pdfstamp.Placement{MaxWNorm: 0.1}, pdfstamp.Caption{Text: "Diploma of the university"}, 0, 0, false, false},
		{"nothing to say", pdfstamp.Placement{}, pdfstamp.Caption{}, 0, 0, false, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.pl.Caption = &tt.c
			k := &sealed{}
			st, err := s.Stamp(t.Context(), blank.build(), tt.pl, payload.Reference{1}, side, k.seal(payload.Reference{1}))
			if strings.HasPrefix(tt.name, "no room") {
				if f := fault.As(err); f == nil || f.Code != fault.CodePDFNotStampable || !strings.Contains(f.Message, "caption") {
					t.Errorf("err = %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			at := st.Places[0]
			if at.FontPt < tt.low-1e-9 || at.FontPt > tt.high+1e-9 {
				t.Errorf("font of %v pt, want %v to %v", at.FontPt, tt.low, tt.high)
			}
			if tt.pl.MaxWNorm == 0 && (at.Box.Width > at.Quiet.Width+1e-6) != tt.grows {
				t.Errorf("box %v, symbol %v", at.Box, at.Quiet)
			}
			if tt.pl.MaxWNorm > 0 && at.Box.Width > tt.pl.MaxWNorm*at.PageMM.Width+1e-6 {
				t.Errorf("box %v exceeds its bounds", at.Box)
			}
			if got := strings.Contains(strings.Join(st.Warnings, " "), "less than 5 pt"); got != tt.warns {
				t.Errorf("warnings %q", st.Warnings)
			}
		})
	}
}

// TestCaptionRefused: the fault names the characters that the font lacks, and is the
// client's mistake.
func TestCaptionRefused(t *testing.T) {
	t.Parallel()
	s := newStamper(t)
	for text, want := range map[string]string{"ใบรับรอง": "U+0E43", "证书": "U+8BC1", "two\nlines": "U+000A"} {
		pl := pdfstamp.Placement{Caption: &pdfstamp.Caption{Text: text}}
		_, err := s.Stamp(t.Context(), blank.build(), pl, payload.Reference{1}, side, nil)
		_, asked := s.Survey(t.Context(), blank.build(), pl, payload.Reference{1}, side)
		for _, err := range []error{err, asked} {
			if f := fault.As(err); f == nil || f.Kind != fault.Invalid || f.Code != fault.CodeValidationFailed || !strings.Contains(f.Message, want) {
				t.Errorf("%q: %v, want %s named", text, err, want)
			}
		}
	}
}

// TestShared: all pages show one symbol and one font, and the same input gives
// the same bytes.
func TestShared(t *testing.T) {
	t.Parallel()
	s := newStamper(t)
	spec := blank
	spec.count = 5
	pl := pdfstamp.Placement{Scope: geometry.AllPages, Caption: &pdfstamp.Caption{Text: "Diploma", Reference: true}}
	st, _ := stamped(t, s, spec.build(), pl, payload.Reference{1})
	again, _ := stamped(t, s, spec.build(), pl, payload.Reference{1})
	if !bytes.Equal(st.PDF, again.PDF) {
		t.Error("the same stamp has other bytes the second time")
	}
	for _, what := range []string{"/FontFile2", "/ImageMask", "/ToUnicode"} {
		if n := bytes.Count(st.PDF, []byte(what)); n != 1 {
			t.Errorf("%d times %s", n, what)
		}
	}
	if len(st.Places) != 5 {
		t.Errorf("%d places", len(st.Places))
	}
}
