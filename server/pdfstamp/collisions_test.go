package pdfstamp_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tcode/offline/geometry"
	"tcode/offline/payload"
	"tcode/server/pdfstamp"
)

// TestObstacles puts one annotation after another under or beside the default
// box of the page, whose corners are at (224.9, 28.3) and (271.7, 75.1).
func TestObstacles(t *testing.T) {
	t.Parallel()
	s := newStamper(t)
	const under, beside = "/Rect[230 40 260 60]", "/Rect[20 40 60 60]"
	appearance := "/AP<</N 20 0 R>>"
	for _, tt := range []struct {
		name, annot string
		want        string // kind, type and name; "" for nothing
	}{
		{"text field", "/Subtype/Widget/FT/Tx/T(name)" + under, "field Tx name"},
		{"field elsewhere", "/Subtype/Widget/FT/Tx/T(name)" + beside, ""},
		{"field that touches", "/Subtype/Widget/FT/Tx/T(name)/Rect[20 20 230 40]", "field Tx name"},
		{"corners swapped", "/Subtype/Widget/FT/Btn/T(b)/Rect[260 60 230 40]", "field Btn b"},
		{"signature field", "/Subtype/Widget/FT/Sig/T(sig)" + under, "signature field Sig sig"},
		{"signature without area", "/Subtype/Widget/FT/Sig/T(sig)/Rect[230 40 230 40]", ""},
		{"part of a field", "/Subtype/Widget/Parent 11 0 R" + under, "field Ch group.choice"},
		{"name in UTF-16", "/Subtype/Widget/FT/Tx/T<FEFF0416>" + under, "field Tx Ж"},
		{"name with escapes", `/Subtype/Widget/FT/Tx/T(a\(b\)\344\
c\n)` + under, "field Tx a(b)äc"},
		{"stamp", "/Subtype/Stamp/T(me)" + appearance + under, "annotation Stamp me"},
		{"hidden", "/Subtype/Stamp/F 2" + appearance + under, ""},
		{"not on screen, but on paper", "/Subtype/Stamp/F 36" + appearance + under, "annotation Stamp "},
		{"neither on screen nor on paper", "/Subtype/Stamp/F 32" + appearance + under, ""},
		{"popup", "/Subtype/Popup/Open true" + under, ""},
		{"link", "/Subtype/Link/Border[0 0 0]" + under, ""},
		{"link without width", "/Subtype/Link/BS<</W 0>>" + under, ""},
		{"link with a border", "/Subtype/Link" + under, "annotation Link "},
		{"note, its icon reaches", "/Subtype/Text/Rect[210 80 211 81]", "annotation Text "},
		{"note with an appearance", "/Subtype/Text/Rect[210 80 211 81]" + appearance, ""},
		{"highlight beyond its rectangle", "/Subtype/Highlight/QuadPoints[230 60 260 60 230 40 260 40]" + beside, "annotation Highlight "},
		{"line", "/Subtype/Line/L[20 20 290 70]" + beside, "annotation Line "},
		{"ink", "/Subtype/Ink/InkList[[10 10 20 20][220 20 230 40]]" + beside, "annotation Ink "},
		{"drawn within its rectangle", "/Subtype/Ink/InkList[[230 40 231 41]]" + appearance + beside, ""},
		{"without a rectangle", "/Subtype/Stamp" + appearance, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			spec := blank
			spec.page += "/Annots[10 0 R 12 0 R null]"
			spec.extra = []string{"<</Type/Annot" + tt.annot + ">>", "<</FT/Ch/T(choice)/Parent 13 0 R>>", "null", "<</T(group)>>"}
			st, _ := stamped(t, s, spec.build(), pdfstamp.Placement{}, payload.Reference{1})
			got := []string{}
			for _, o := range st.Places[0].Under {
				got = append(got, o.Kind+" "+o.Type+" "+o.Name)
			}
			want := []string{}
			if tt.want != "" {
				want = append(want, tt.want)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("under the box (-want +got):\n%s", diff)
			}
		})
	}
}

// TestObstacleArea: a field's area is its shown area, for any rotation and crop of the
// page.
func TestObstacleArea(t *testing.T) {
	t.Parallel()
	s := newStamper(t)
	k := 25.4 / 72
	for rotate, want := range map[int]geometry.Rect{
		0:   {X: 150 * k, Y: 120 * k, Width: 100 * k, Height: 30 * k},
		90:  {X: 150 * k, Y: 150 * k, Width: 30 * k, Height: 100 * k},
		180: {X: 50 * k, Y: 150 * k, Width: 100 * k, Height: 30 * k},
		270: {X: 120 * k, Y: 50 * k, Width: 30 * k, Height: 100 * k},
	} {
		spec := blank
		spec.page = fmt.Sprintf("/MediaBox[0 0 900 900]/CropBox[100 200 400 500]/Rotate %d/Annots[10 0 R]", rotate)
		spec.extra = []string{"<</Subtype/Widget/FT/Tx/Rect[250 350 350 380]>>"}
		pl := pdfstamp.Placement{Anchor: geometry.Center, SizeMM: 90}
		st, _ := stamped(t, s, spec.build(), pl, payload.Reference{1})
		if len(st.Places[0].Under) != 1 {
			t.Errorf("turned %d: %+v", rotate, st.Places[0].Under)
			continue
		}
		got := st.Places[0].Under[0].Area
		for _, d := range []float64{got.X - want.X, got.Y - want.Y, got.Width - want.Width, got.Height - want.Height} {
			if math.Abs(d) > 1e-6 {
				t.Errorf("turned %d: %+v, want %+v", rotate, got, want)
				break
			}
		}
	}
}

// TestObstacleEncrypted: names are read in encrypted files too, and a caption
// stays readable.
func TestObstacleEncrypted(t *testing.T) {
	t.Parallel()
	need(t, "qpdf")
	need(t, "pdftotext")
	spec := blank
	spec.page += "/Annots[10 0 R]"
	spec.extra = []string{"<</Type/Annot/Subtype/Widget/FT/Tx/T(Anschrift)/Rect[230 40 260 60]>>"}
	dir := t.TempDir()
	plain, locked, out := filepath.Join(dir, "plain.pdf"), filepath.Join(dir, "locked.pdf"), filepath.Join(dir, "stamped.pdf")
	if err := os.WriteFile(plain, spec.build(), 0o600); err != nil {
		t.Fatal(err)
	}
	if msg, code := run(t, "qpdf", "--encrypt", "", "owner", "256", "--", plain, locked); code != 0 {
		t.Fatal(msg)
	}
	pdf, err := os.ReadFile(locked)
	if err != nil {
		t.Fatal(err)
	}
	st, _ := stamped(t, newStamper(t), pdf, pdfstamp.Placement{Caption: &pdfstamp.Caption{Text: "Urkunde q\u0307"}}, payload.Reference{1})
	if u := st.Places[0].Under; len(u) != 1 || u[0].Name != "Anschrift" {
		t.Errorf("under the box: %+v", u)
	}
	if err := os.WriteFile(out, st.PDF, 0o600); err != nil {
		t.Fatal(err)
	}
	if text, _ := run(t, "pdftotext", out, "-"); strings.TrimSpace(text) != "Urkunde q\u0307" {
		t.Errorf("pdftotext reads %q", text)
	}
}
