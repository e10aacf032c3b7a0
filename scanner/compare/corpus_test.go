//go:build !race

package compare_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"tcode/scanner/caveat"
	"tcode/scanner/compare"
)

// unlike are files of the corpus whose drawings a person tells apart, with the reason. Engines differ on them rightly.
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

func TestCorpus(t *testing.T) {
	t.Parallel()
	mupdf, pdfium := engines(t)
	files, err := filepath.Glob(filepath.Join(sharedDir(t, "pdf"), "*.pdf"))
	if err != nil || len(files) < 100 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	var ordinary, drawn, strict, right int
	var wrong []string
	for _, name := range files {
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
	if drawn < 100 || 50*len(wrong) > ordinary {
		t.Errorf("%d of %d ordinary files differ, at most 2 %% may: %v", len(wrong), ordinary, wrong)
	}
}

func TestAttacks(t *testing.T) {
	t.Parallel()
	mupdf, pdfium := engines(t)
	dir := sharedDir(t, filepath.Join("..", "attacks"))
	for name, differ := range map[string]bool{
		"ap-states-noas.pdf": true, "link-ap.pdf": true, "font-notemb-cid.pdf": true, "order-bad.pdf": true,
		"ocg-usage-noas.pdf": false, "stamper-changes-amount.pdf": false,
	} {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		got, err := compare.Engines(t.Context(), file(data), mupdf, pdfium, compare.Options{})
		if err != nil || got.Same() == differ {
			t.Errorf("%s: %+v, %v, want a difference: %v", name, got, err, differ)
		}
	}
}
