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

// FuzzPrepare: no bytes make the layout panic, and a stamped file can be stamped
// again: the revision is a PDF to the same reader, on the same page.
func FuzzPrepare(f *testing.F) {
	for _, s := range []pdfSpec{
		{page: a4, contents: []string{text("one")}},
		{page: a4, contents: []string{"q Q Q"}, stream: true},
		{pages: a4 + "/Rotate 90", count: 3, catalog: "/AcroForm<</Fields[10 0 R]>>", extra: []string{"<</FT/Sig/V<<>>>>"}},
		{page: a4, before: "x", trailer: "/Prev 5/ID[<00><00>]"},
	} {
		f.Add(s.build())
	}
	// The smallest real files have features that the builder lacks.
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

// FuzzObject: a parsed object is written so that it parses to the same object.
func FuzzObject(f *testing.F) {
	for _, o := range []string{"<</A[1 0 R 2.5 -3 true null/B#20#2f(a\\)(b))<414>]/C<<>>>>", "[[[]]]", "5 0 R", "(a\\\n", "<</A/B/C>>", "<</A 1 2/B 3>>", "% x\n7", "/##32A#zz#00#"} {
		f.Add([]byte(o))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		once, err := pdfstamp.RewriteForTest(b)
		if err != nil {
			return
		}
		twice, err := pdfstamp.RewriteForTest(once)
		if err != nil || !bytes.Equal(once, twice) {
			t.Fatalf("%q, then %q (%v)", once, twice, err)
		}
	})
}

// FuzzXref: a stamp changes one object of a file and no other, however its
// cross-reference is written.
func FuzzXref(f *testing.F) {
	for _, c := range structureCases() {
		h := newHard()
		if c.build(h); len(h.objects) < 100 && h.objects[100000] == "" {
			f.Add(h.build())
		}
	}
	f.Fuzz(func(t *testing.T, pdf []byte) { unchanged(t, pdf) })
}

// FuzzRepair: a damaged file is stamped with a cross-reference that finds all
// that was found without, and needs no repair again.
func FuzzRepair(f *testing.F) {
	for _, c := range slicesOf(structureCases(), treeCases(), contentCases()) {
		h := newHard()
		if c.build(h); len(h.objects) < 100 && h.objects[100000] == "" {
			f.Add(h.build())
		}
	}
	f.Fuzz(func(t *testing.T, pdf []byte) {
		unchanged(t, append(bytes.Clone(pdf), "\nstartxref\n9999999999\n%%EOF\n"...))
	})
}

// unchanged stamps pdf, if that is possible, and compares all objects before and
// after.
func unchanged(t *testing.T, pdf []byte) {
	before, _, err := pdfstamp.ObjectsForTest(pdf)
	if err != nil {
		return
	}
	stamped, _, err := pdfstamp.PrepareForTest(pdf, pdfstamp.Placement{}, payload.Reference{1}, side)
	if err != nil {
		return
	}
	after, rebuilt, err := pdfstamp.ObjectsForTest(stamped)
	if err != nil || rebuilt {
		t.Fatalf("the stamped file is read with rebuilt %v, %v", rebuilt, err)
	}
	var changed []int
	for n, o := range before {
		if after[n] != o {
			changed = append(changed, n)
		}
	}
	if len(changed) > 1 {
		t.Fatalf("objects %d changed: %.300q became %.300q", changed, before[changed[0]], after[changed[0]])
	}
}

// FuzzBalance: whatever contents leave open is closed before the stamp, and no
// state is taken off the stack that they did not put there.
func FuzzBalance(f *testing.F) {
	for _, s := range []string{
		"q BT (x) Tj", "Q 1 0 0 1 5 5 cm Q q f", "BI /W 8 ID abc EI Q", "BI /W 8", "[(a", "<</A [(b", "<41", "/A BMC /B<<>>BDC EMC 0 0 m", "1q 0Q%", "q % Q", "(a\\", "ID q EI",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, contents []byte) {
		if closed, open, ok := pdfstamp.CloseForTest(contents); ok && open != "" {
			t.Fatalf("%.500q leaves open: %.500s", closed, open)
		}
	})
}
