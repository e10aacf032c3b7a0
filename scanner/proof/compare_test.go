package proof_test

import (
	"bytes"
	"io"
	"os"
	"slices"
	"testing"

	"tcode/offline/host/sandbox"
	"tcode/scanner/proof"
)

// TestOwnFonts asks which pages are compared strictly; a file that harms the child process has none.
func TestOwnFonts(t *testing.T) {
	t.Parallel()
	p := proof.NewReader(sandbox.Config{Size: 1}, "")
	t.Cleanup(p.Close)
	letter, err := os.ReadFile("../../testdata/documents/letter.pdf")
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		pdf  []byte
		want []int
	}{
		"a letter":                 {letter, []int{1}},
		"a file without pages":     {file(bare), nil},
		"more than is looked at":   {bomb(t, 100<<20), nil},
		"what is no PDF":           {[]byte("%PDF-1.7\nnothing"), nil},
		"a letter that is cut off": {letter[:len(letter)/2], nil},
	} {
		got, err := proof.OwnFonts(p, t.Context(), io.NewSectionReader(bytes.NewReader(c.pdf), 0, int64(len(c.pdf))))
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: pages %v, %v, want %v", name, got, err, c.want)
		}
	}
}
