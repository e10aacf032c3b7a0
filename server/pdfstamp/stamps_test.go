package pdfstamp_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tcode/offline/geometry"
	"tcode/offline/payload"
	"tcode/server/pdfstamp"
)

// stampsUnder returns the stamps in the way of a place.
func stampsUnder(p geometry.Place) (out []geometry.Obstacle) {
	for _, o := range p.Under {
		if o.Kind == geometry.KindStamp {
			out = append(out, o)
		}
	}
	return out
}

// TestStampsOnPage: a stamp that the file brings is an obstacle, where it is
// drawn, however the page is made and whatever another program made of it.
func TestStampsOnPage(t *testing.T) {
	t.Parallel()
	s := newStamper(t)
	ref := payload.Reference{1}
	for name, tt := range map[string]struct {
		spec pdfSpec
		pl   pdfstamp.Placement
	}{
		"plain":        {pdfSpec{page: a4, contents: []string{text("one")}}, pdfstamp.Placement{}},
		"no contents":  {pdfSpec{page: a4}, pdfstamp.Placement{}},
		"open state":   {pdfSpec{page: a4, contents: []string{"q 2 0 0 2 9 9 cm", text("one")}}, pdfstamp.Placement{}},
		"stray Q":      {pdfSpec{page: a4, contents: []string{"2 0 0 2 9 9 cm Q 0 0 m 9 9 l S"}}, pdfstamp.Placement{}},
		"beneath":      {pdfSpec{page: a4, contents: []string{"2 0 0 2 9 9 cm", text("one")}}, pdfstamp.Placement{Beneath: true}},
		"turned page":  {pdfSpec{page: a4 + "/Rotate 90/CropBox[50 60 500 700]", contents: []string{text("one")}}, pdfstamp.Placement{}},
		"units":        {pdfSpec{page: a4 + "/UserUnit 2", contents: []string{text("one")}}, pdfstamp.Placement{Anchor: geometry.Left}},
		"turned stamp": {pdfSpec{page: a4, contents: []string{text("one")}}, pdfstamp.Placement{Rotation: 90, Caption: &pdfstamp.Caption{Text: "approved", Reference: true}, PaddingMM: 2}},
		"no white box": {pdfSpec{page: a4, contents: []string{text("one")}}, pdfstamp.Placement{NoWhiteBox: true}},
		"large":        {pdfSpec{page: a4, contents: []string{text("one")}}, pdfstamp.Placement{Anchor: geometry.Center, SizeMM: 60}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			first, _ := stamped(t, s, tt.spec.build(), tt.pl, ref)
			box := first.Places[0].Box
			second, err := s.Survey(t.Context(), first.PDF, tt.pl, payload.Reference{2}, side)
			if err != nil {
				t.Fatal(err)
			}
			there := stampsUnder(second[0].Places[0])
			if len(there) != 1 || there[0].Name != ref.String() {
				t.Fatalf("in the way: %+v, want the first stamp", second[0].Places[0].Under)
			}
			if a := there[0].Area; math.Abs(a.X-box.X) > 0.1 || math.Abs(a.Y-box.Y) > 0.1 || math.Abs(a.Width-box.Width) > 0.2 || math.Abs(a.Height-box.Height) > 0.2 {
				t.Errorf("it is at %+v, was drawn at %+v", a, box)
			}
			for _, o := range second[1:] {
				if under := stampsUnder(o.Places[0]); (len(under) > 0) != o.Places[0].Box.Meets(box) {
					t.Errorf("%s: in the way: %+v", o.Placement.Anchor, under)
				}
			}
		})
	}
}

// TestStampsElsewhere: a stamp on another page is no obstacle, and an object that
// only looks like a stamp is none.
func TestStampsElsewhere(t *testing.T) {
	t.Parallel()
	s := newStamper(t)
	first, _ := stamped(t, s, pdfSpec{page: a4, count: 2, contents: []string{text("one")}}.build(), pdfstamp.Placement{Scope: geometry.FirstPage}, payload.Reference{1})
	image := "<</Type/XObject/Subtype/Image/Width 1/Height 1/ImageMask true/BitsPerComponent 1/Length 1>>\nstream\nx\nendstream"
	for name, pdf := range map[string][]byte{
		"on another page": first.PDF,
		"a picture":       pdfSpec{page: a4, contents: []string{"q 50 0 0 50 520 30 cm /X Do Q"}, resources: "/XObject<</X 10 0 R>>", extra: []string{image}}.build(),
		"not drawn":       pdfSpec{page: a4, resources: "/XObject<</X 10 0 R>>", extra: []string{strings.Replace(image, "/Type", "/TCode<</V 1>>/Type", 1)}}.build(),
		"forms in a loop": pdfSpec{page: a4, contents: []string{"/X Do"}, resources: "/XObject<</X 10 0 R/Y 11 0 R>>", extra: []string{
			streamOf("/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</X 10 0 R/Y 11 0 R>>>>", strings.Repeat("/X Do ", 100)), strings.Replace(image, "/Type", "/TCode<</V 1>>/Type", 1),
		}}.build(),
	} {
		found, err := s.Survey(t.Context(), pdf, pdfstamp.Placement{}, payload.Reference{2}, side)
		if err != nil {
			t.Fatal(err)
		}
		if under := stampsUnder(found[0].Places[0]); len(under) > 0 {
			t.Errorf("%s: in the way: %+v", name, under)
		}
	}
}

// TestStampsRewritten: programs that rewrite the file keep the image, and with it
// the stamp's place.
func TestStampsRewritten(t *testing.T) {
	t.Parallel()
	need(t, "qpdf")
	need(t, "mutool")
	s := newStamper(t)
	first, _ := stamped(t, s, pdfSpec{page: a4, contents: []string{text("one")}}.build(), pdfstamp.Placement{}, payload.Reference{1})
	dir := t.TempDir()
	in, blank := filepath.Join(dir, "in.pdf"), filepath.Join(dir, "blank.pdf")
	for file, b := range map[string][]byte{in: first.PDF, blank: pdfSpec{page: a4}.build()} {
		if err := os.WriteFile(file, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for i, line := range []string{
		"qpdf --object-streams=generate IN OUT", "qpdf --qdf --coalesce-contents IN OUT", "qpdf BLANK --overlay IN -- OUT", "qpdf BLANK --underlay IN -- OUT", "mutool clean -gggg IN OUT",
	} {
		out := filepath.Join(dir, fmt.Sprint(i, ".pdf"))
		args := strings.Split(strings.NewReplacer("BLANK", blank, "IN", in, "OUT", out).Replace(line), " ")
		if text, code := run(t, args[0], args[1:]...); code != 0 && code != 3 {
			t.Fatalf("%s: %s", line, text)
		}
		pdf, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		found, err := s.Survey(t.Context(), pdf, pdfstamp.Placement{}, payload.Reference{2}, side)
		if err != nil {
			t.Fatal(err)
		}
		if under := stampsUnder(found[0].Places[0]); len(under) != 1 {
			t.Errorf("%s: %d stamps in the way, want 1", line, len(under))
		}
	}
}
