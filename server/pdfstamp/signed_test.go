package pdfstamp_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tcode/offline/payload"
	"tcode/server/fault"
	"tcode/server/pdfstamp"
	"tcode/testdata/corpus"
)

// TestSignaturesStay: a signature that pdfsig calls valid before is valid after.
func TestSignaturesStay(t *testing.T) {
	t.Parallel()
	need(t, "pdfsig")
	files, _ := corpus.PDFs(t)
	s := newStamper(t)
	const valid = "Signature is Valid"
	signed := 0
	for _, f := range files {
		before, _ := run(t, "pdfsig", "-nocert", f)
		n := strings.Count(before, valid)
		if n == 0 {
			continue
		}
		pdf, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		var k sealed
		st, err := s.Stamp(t.Context(), pdf, pdfstamp.Placement{}, payload.Reference{1}, side, k.seal(payload.Reference{1}))
		if fault.As(err) != nil && fault.As(err).Code == fault.CodePDFNotStampable {
			t.Logf("%s: refused: %v", filepath.Base(f), err)
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", filepath.Base(f), err)
			continue
		}
		signed++
		if !st.Signed || len(st.Warnings) == 0 {
			t.Errorf("%s: the answer does not say that the file is signed", filepath.Base(f))
		}
		out := filepath.Join(t.TempDir(), "stamped.pdf")
		if err := os.WriteFile(out, st.PDF, 0o600); err != nil {
			t.Fatal(err)
		}
		if after, _ := run(t, "pdfsig", "-nocert", out); strings.Count(after, valid) != n {
			t.Errorf("%s: %d valid signatures before, %d after", filepath.Base(f), n, strings.Count(after, valid))
		}
	}
	if signed == 0 {
		t.Error("no signed file was stamped")
	}
	t.Logf("%d signed files stamped", signed)
}
