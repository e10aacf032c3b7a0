package pdfstamp_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"tcode/offline/binding"
	"tcode/offline/payload"
	"tcode/server/pdfstamp"
)

// FuzzPrepare: no bytes make the layout panic, and what is laid out can be laid
// out again: the revision is a PDF to the same reader, on the same page.
func FuzzPrepare(f *testing.F) {
	for _, s := range []pdfSpec{
		{page: a4, contents: []string{text("one")}},
		{page: a4, contents: []string{"q Q Q"}, stream: true},
		{pages: a4 + "/Rotate 90", count: 3, catalog: "/AcroForm<</Fields[10 0 R]>>", extra: []string{"<</FT/Sig/V<<>>>>"}},
		{page: a4, before: "x", trailer: "/Prev 5/ID[<00><00>]"},
	} {
		f.Add(s.build())
	}
	// The smallest real files bring what the builder does not.
	if files, _ := filepath.Glob(filepath.Join(os.Getenv("TCODE_CORPUS"), "pdf", "*.pdf")); os.Getenv("TCODE_CORPUS") != "" {
		for _, name := range files {
			if b, err := os.ReadFile(name); err == nil && len(b) < 3000 {
				f.Add(b)
			}
		}
	}
	f.Fuzz(func(t *testing.T, pdf []byte) {
		once, page, err := pdfstamp.PrepareForTest(pdf, pdfstamp.Placement{}, payload.Reference{1}, side)
		if err != nil {
			return
		}
		if !bytes.HasPrefix(once, pdf) {
			t.Fatal("the original is no prefix")
		}
		twice, again, err := pdfstamp.PrepareForTest(once, pdfstamp.Placement{}, payload.Reference{2}, side)
		if err != nil {
			t.Fatalf("stamp the stamped file: %v", err)
		}
		if again != page {
			t.Fatalf("page %d, then page %d", page, again)
		}
		if n := len(binding.Marks(twice[len(pdf):])); n < 2 {
			t.Fatalf("%d marks, want 2", n)
		}
	})
}
