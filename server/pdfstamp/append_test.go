package pdfstamp_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tcode/offline/binding"
	"tcode/offline/payload"
	"tcode/server/pdfstamp"
)

// TestAppend: a file gets the same revision as its bytes in memory, whether the child
// maps the file or is sent it.
func TestAppend(t *testing.T) {
	t.Parallel()
	s, ref := newStamper(t), payload.Reference{7}
	for _, padding := range []int{0, 3 << 20} {
		pdf := pdfSpec{page: a4, contents: []string{text("Hello")}, extra: []string{"(" + strings.Repeat("x", padding) + ")"}}.build()
		name := filepath.Join(t.TempDir(), "in.pdf")
		if err := os.WriteFile(name, pdf, 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		var kept sealed
		want, err := s.Stamp(t.Context(), pdf, pdfstamp.Placement{}, ref, side, kept.seal(ref))
		if err != nil {
			t.Fatal(err)
		}
		got, err := s.Append(t.Context(), io.NewSectionReader(f, 0, int64(len(pdf))), pdfstamp.Placement{}, ref, side, kept.seal(ref))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(want.PDF, append(pdf, got.Revision...)) {
			t.Errorf("%d bytes: the revision of the file is another than that of its bytes", len(pdf))
		}
		if o := kept.check(append(pdf, got.Revision...)); o.State != binding.Match {
			t.Errorf("%d bytes: %+v, want a match", len(pdf), o)
		}
		_, err = s.Append(t.Context(), io.NewSectionReader(f, 0, int64(len(pdf))+1), pdfstamp.Placement{}, ref, side, kept.seal(ref))
		if !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("a file shorter than it was said to be = %v, want %v", err, io.ErrUnexpectedEOF)
		}
	}
}
