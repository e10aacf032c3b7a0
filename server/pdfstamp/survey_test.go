package pdfstamp_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tcode/offline/geometry"
	"tcode/offline/payload"
	"tcode/server/pdfstamp"
)

// TestSurvey: the place that was asked for comes first, then the anchors from
// the nearest on, none twice, and each option stamps where it says.
func TestSurvey(t *testing.T) {
	t.Parallel()
	s := newStamper(t)
	at := func(x, y float64) *geometry.Point { return &geometry.Point{X: x, Y: y} }
	for _, tt := range []struct {
		name string
		page string
		pl   pdfstamp.Placement
		want []geometry.Anchor // after the first option
	}{
		{"default", a4, pdfstamp.Placement{}, []geometry.Anchor{
			geometry.Bottom, geometry.Right, geometry.Center, geometry.BottomLeft, geometry.Left, geometry.TopRight, geometry.Top, geometry.TopLeft,
		}},
		{"top left", a4, pdfstamp.Placement{Anchor: geometry.TopLeft}, []geometry.Anchor{
			geometry.Top, geometry.Left, geometry.Center, geometry.TopRight, geometry.Right, geometry.BottomLeft, geometry.Bottom, geometry.BottomRight,
		}},
		{"at a point", a4, pdfstamp.Placement{Anchor: geometry.Center, At: at(0.3, 0.2)}, []geometry.Anchor{
			geometry.Top, geometry.TopLeft, geometry.Center, geometry.Left, geometry.TopRight, geometry.Right, geometry.Bottom, geometry.BottomLeft, geometry.BottomRight,
		}},
		{"a page as large as the box", "/MediaBox[0 0 47 47]", pdfstamp.Placement{}, nil},
		{"a narrow page", "/MediaBox[0 0 47 400]", pdfstamp.Placement{}, []geometry.Anchor{geometry.Left, geometry.TopLeft}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			pdf := pdfSpec{page: tt.page, contents: []string{"0 g"}}.build()
			options, err := s.Survey(t.Context(), pdf, tt.pl, payload.Reference{1}, side)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.pl, options[0].Placement); diff != "" {
				t.Errorf("first option (-want +got):\n%s", diff)
			}
			var got []geometry.Anchor
			for _, o := range options[1:] {
				got = append(got, o.Placement.Anchor)
				if o.Placement.At != nil {
					t.Errorf("%s is still at a point", o.Placement.Anchor)
				}
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("then %v, want %v", got, tt.want)
			}
			for _, o := range options {
				st, _ := stamped(t, s, pdf, o.Placement, payload.Reference{1})
				if diff := cmp.Diff(o.Places, st.Places); diff != "" {
					t.Errorf("%s (-surveyed +stamped):\n%s", o.Placement.Anchor, diff)
				}
			}
		})
	}
}

// TestSurveyPages: each option has a place on every page, with its obstacles.
func TestSurveyPages(t *testing.T) {
	t.Parallel()
	spec := pdfSpec{
		each:  []string{a4 + "/Annots[10 0 R]", a4 + "/Rotate 90", "/MediaBox[0 0 300 300]"},
		extra: []string{"<</Subtype/Widget/FT/Tx/T(f)/Rect[40 780 60 800]>>"},
	}
	pl := pdfstamp.Placement{Scope: geometry.AllPages, Caption: &pdfstamp.Caption{Text: "x"}}
	options, err := newStamper(t).Survey(t.Context(), spec.build(), pl, payload.Reference{1}, side)
	if err != nil {
		t.Fatal(err)
	}
	if len(options) != 9 {
		t.Errorf("%d options", len(options))
	}
	for _, o := range options {
		got := ""
		for _, p := range o.Places {
			got += fmt.Sprintf("%d:%d ", p.Page, len(p.Under))
		}
		want := "1:0 2:0 3:0 "
		if o.Placement.Anchor == geometry.TopLeft {
			want = "1:1 2:0 3:0 "
		}
		if got != want {
			t.Errorf("%s: pages and obstacles %s, want %s", o.Placement.Anchor, got, want)
		}
	}
}
