package pdfstamp_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tcode/offline/binding"
	"tcode/offline/payload"
	"tcode/server/pdfstamp"
)

// TestRebuilt: a file whose cross-reference is damaged is stamped with a whole
// one behind its bytes, and then reads without a complaint.
func TestRebuilt(t *testing.T) {
	t.Parallel()
	need(t, "qpdf")
	s := newStamper(t)
	// Objects in an attached file are data, not objects of the file.
	attached := "1 0 obj\n<</Type/Catalog/Pages 9 0 R>>\nendobj"
	good := pdfSpec{page: a4, contents: []string{text("one")}, extra: []string{
		fmt.Sprintf("<</Type/EmbeddedFile/Length %d>>\nstream\n%s\nendstream", len(attached), attached),
	}}.build()
	packed := pdfSpec{page: a4, stream: true, extra: []string{objectStream(t, 30, "<</Producer(x)>>")}}.build()
	tests := []struct {
		name string
		pdf  []byte
	}{
		{"startxref leads nowhere", bytes.Replace(good, []byte("startxref\n"), []byte("startxref\n9"), 1)},
		{"startxref leads elsewhere", bytes.Replace(good, []byte("startxref\n"), []byte("startxref\n1\n%"), 1)},
		{"no startxref", bytes.Replace(good, []byte("startxref"), []byte("startofref"), 1)},
		{"no table", bytes.Replace(good, []byte("xref\n0"), []byte("xrof\n0"), 1)},
		{"no trailer", bytes.Replace(good, []byte("trailer"), []byte("trialer"), 1)},
		{"offsets moved", bytes.Replace(good, []byte("%PDF-1.7\n"), []byte("%PDF-1.7\n%another comment\n"), 1)},
		{"object streams", bytes.Replace(packed, []byte("startxref\n"), []byte("startxref\n9"), 1)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			st, k := stamped(t, s, tt.pdf, pdfstamp.Placement{}, payload.Reference{1})
			if !strings.Contains(strings.Join(st.Warnings, " "), "damaged") {
				t.Errorf("warnings %q do not say that the file is damaged", st.Warnings)
			}
			if got := k.check(st.PDF); got.State != binding.Match {
				t.Errorf("binding %+v", got)
			}
			file := filepath.Join(t.TempDir(), "stamped.pdf")
			if err := os.WriteFile(file, st.PDF, 0o600); err != nil {
				t.Fatal(err)
			}
			if out, code := run(t, "qpdf", "--check", file); code != 0 {
				t.Errorf("qpdf: %s", out)
			}
		})
	}
	t.Run("encrypted", func(t *testing.T) {
		t.Parallel()
		pdf := pdfSpec{page: a4, trailer: "/Encrypt<</Filter/Standard>>"}.build()
		pdf = bytes.Replace(pdf, []byte("startxref\n"), []byte("startxref\n9"), 1)
		var k sealed
		if _, err := s.Stamp(t.Context(), pdf, pdfstamp.Placement{}, payload.Reference{1}, side, k.seal(payload.Reference{1})); err == nil {
			t.Error("stamped an encrypted file as if it were not")
		}
	})
}

// objectStream is an object stream that holds object n.
func objectStream(t *testing.T, n int, object string) string {
	t.Helper()
	head := fmt.Sprintf("%d 0 ", n)
	return fmt.Sprintf("<</Type/ObjStm/N 1/First %d/Length %d>>\nstream\n%s\nendstream", len(head), len(head)+len(object), head+object)
}

// TestAbsentStaysAbsent: a page that refers to objects which are not there does
// not get the stamp's in their place.
func TestAbsentStaysAbsent(t *testing.T) {
	t.Parallel()
	h := newHard()
	h.set(7, strings.Replace(h.objects[4], "5 0 R", "[8 0 R 9 0 R 10 0 R 11 0 R 12 0 R 13 0 R]", 1))
	h.swap(2, "[4 0 R]/Count 1", "[7 0 R 4 0 R]/Count 2")
	for name, pdf := range map[string][]byte{"found": h.build(), "rebuilt": append(h.build(), "startxref\n99999999\n%%EOF\n"...)} {
		out, page, err := pdfstamp.PrepareForTest(pdf, pdfstamp.Placement{}, payload.Reference{1}, side)
		if err != nil || page != 2 {
			t.Fatalf("%s: page %d, %v", name, page, err)
		}
		objects, _, err := pdfstamp.ObjectsForTest(out)
		if err != nil {
			t.Fatal(err)
		}
		for n := 8; n <= 13; n++ {
			if objects[n] != "" {
				t.Errorf("%s: object %d has become %.60q", name, n, objects[n])
			}
		}
	}
}
