//go:build !race

package compare_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"tcode/scanner/caveat"
	"tcode/scanner/compare"
	"tcode/testdata/corpus"
)

// unlike are files of the corpus whose drawings a person can tell apart, with the reason. Engines differ on them
// rightly.
var unlike = map[string]string{
	"pdf.js__issue19176.pdf":               "an annotation without an appearance is drawn by one engine",
	"pdf.js__bug1947248_forms.pdf":         "form fields without appearances",
	"sample-files__annotated_pdf.pdf":      "icons of notes",
	"pdfcpu__readFormAndUpdateFormCJK.pdf": "letters of a form field are missing",
	"pdfcpu__PdfMultistamp33.pdf":          "dashed lines, black or light gray",
	"pdfcpu__zineTest.pdf":                 "dashed lines, black or light gray",
	"pdfcpu__testRot.pdf":                  "dashed lines, black or light gray",
	"pdf.js__bug1865341.pdf":               "the button of a combo box",
	"pdfcpu__person_04.pdf":                "the button of a combo box",
	"pdfcpu__person_25.pdf":                "the button of a combo box",
	"pdfcpu__person_27.pdf":                "the button of a combo box",
	"pdfcpu__person_35.pdf":                "the button of a combo box",
	"pdfcpu__Jane.pdf":                     "the button of a combo box",
	"pdfcpu__dutch.pdf":                    "the button of a combo box",
	"pdf.js__bug1815476.pdf":               "text of a form field is in another place",
	"pdf.js__bug1795263.pdf":               "white letters have black ones beneath in one engine",
	"pdf.js__personwithdog.pdf":            "a gradient is darker",
	"pdf.js__bug1755507.pdf":               "spot colours have another shade",
	"pdf.js__issue12823.pdf":               "a dagger is missing",
	"pdf.js__bug1513120_reduced.pdf":       "another width of a substituted font",
}

// TestCorpus: both engines draw a third of the real files alike, with TCODE_LONG=all all of them,
// but for those that are known to differ.
func TestCorpus(t *testing.T) {
	t.Parallel()
	mupdf, pdfium := engines(t)
	files, real := corpus.PDFs(t)
	var ordinary, drawn, strict, right int
	var wrong []string
	for i, name := range files {
		if real && i%3 != 0 && !corpus.Long() {
			continue
		}
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		got, err := compare.Engines(t.Context(), file(data), mupdf, pdfium, compare.Options{MaxPages: 3, MaxTime: 5 * time.Second, Strict: caveat.OwnFonts(data)})
		if err != nil || len(got.Compared) == 0 {
			continue
		}
		drawn++
		if slices.Contains(got.Strict, got.Compared[0]) {
			strict++
		}
		base := filepath.Base(name)
		_, different := unlike[base]
		different = different || !real && strings.Contains(base, "invoice") && !strings.HasPrefix(base, "cairo") // the button of a combo box
		switch {
		case different && !got.Same():
			right++
		case !different:
			ordinary++
			if !got.Same() {
				wrong = append(wrong, base)
				t.Logf("%s: %+v", base, got.Differences[0])
			}
		}
	}
	t.Logf("%d files drawn by both engines, %d of them with a first page of own fonts, %d ordinary, %d of them differ: %v; %d of %d others differ", drawn, strict, ordinary, len(wrong), wrong, right, len(unlike))
	if real && drawn < 33 || !real && drawn < len(files) || len(wrong) > max(1, ordinary/50) {
		t.Errorf("%d of %d ordinary files differ, at most 2 %% may, or one: %v", len(wrong), ordinary, wrong)
	}
}

// TestPrepared: files that were prepared so that programs show different things differ
// between the two engines in these classes. Both engines draw the other classes alike, and
// package caveat finds them.
func TestPrepared(t *testing.T) {
	t.Parallel()
	mupdf, pdfium := engines(t)
	form := func(line string) string {
		content := "1 g 0 0 100 20 re f 0 g BT /F1 10 Tf 0 5 Td (" + line + ") Tj ET"
		return fmt.Sprintf("<</Type/XObject/Subtype/Form/BBox[0 0 100 20]/Resources<</Font<</F1 3 0 R>>>>/Length %d>>stream\n%s\nendstream", len(content), content)
	}
	pay := []string{text("Pay 100 EUR")}
	for name, c := range map[string]struct {
		data   []byte
		differ bool
	}{
		"a link with an appearance": {document(pay, "/Annots[<</Type/Annot/Subtype/Link/F 4/Rect[20 45 120 65]/AP<</N 4 0 R>>>>]", form("Pay 900 EUR")), true},
		"states, and none chosen": {document(pay, "/Annots[<</Type/Annot/Subtype/Stamp/F 4/Rect[20 45 120 65]/AP<</N<</Off 4 0 R/On 5 0 R>>>>>>]",
			form("Pay 900 EUR"), form("Pay 100 EUR")), true},
		"a font of codes that is not in the file": {documentIn("<</Type/Font/Subtype/Type0/BaseFont/Arial/Encoding/Identity-H/DescendantFonts[4 0 R]>>",
			[]string{"BT /F1 10 Tf 20 50 Td <00330044005c00030014001300130003> Tj ET"}, "",
			"<</Type/Font/Subtype/CIDFontType2/BaseFont/Arial/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>/FontDescriptor 5 0 R/DW 600>>",
			"<</Type/FontDescriptor/FontName/Arial/Flags 4/FontBBox[0 0 1000 1000]/ItalicAngle 0/Ascent 800/Descent -200/CapHeight 700/StemV 80>>"), true},
		"a stamp that all draw": {document(pay, "/Annots[<</Type/Annot/Subtype/Stamp/F 4/Rect[20 45 120 65]/AP<</N 4 0 R>>>>]", form("Pay 900 EUR")), false},
	} {
		got, err := compare.Engines(t.Context(), file(c.data), mupdf, pdfium, compare.Options{MaxTime: time.Hour})
		if err != nil || got.Same() == c.differ {
			t.Errorf("%s: %+v, %v, want a difference: %v", name, got, err, c.differ)
		}
	}
}

// TestNoTimeIsNoDifference: pages for whose doubtful parts there is no time are not compared. They do not
// count as different. One file shows it, with TCODE_LONG=all three do.
func TestNoTimeIsNoDifference(t *testing.T) {
	t.Parallel()
	mupdf, pdfium := engines(t)
	files, _ := corpus.PDFs(t)
	late, want := 0, 1
	if corpus.Long() {
		want = 3
	}
	for _, name := range slices.Backward(files) { // the last ones have more of them
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		o := compare.Options{Pages: []int{1}, MaxTime: time.Millisecond, Strict: caveat.OwnFonts(data)}
		hurried, err := compare.Engines(t.Context(), file(data), mupdf, pdfium, o)
		if err != nil || !slices.ContainsFunc(hurried.Skipped, func(s compare.Skip) bool { return strings.Contains(s.Why, "second look") }) {
			continue
		}
		if late++; !hurried.Same() || len(hurried.Compared) > 0 || hurried.Complete() {
			t.Errorf("%s: %+v", filepath.Base(name), hurried)
		}
		if late == want {
			return
		}
	}
	t.Errorf("%d files had doubtful parts, want %d", late, want)
}
