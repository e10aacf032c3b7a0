package answer_test

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"tcode/offline/binding"
	"tcode/offline/payload"
	"tcode/scanner/answer"
	"tcode/scanner/symbol"
)

// TestChangedAsText: about a file that was changed as text on its way the answer says so, in place of a blank page or a forgery.
func TestChangedAsText(t *testing.T) {
	t.Parallel()
	letter, err := os.ReadFile("../../testdata/documents/letter.pdf")
	if err != nil {
		t.Fatal(err)
	}
	marked := append(bytes.Clone(letter), binding.Mark{Reference: payload.Reference{7}, Start: 9, Length: 9, End: 99}.Append(nil)...)
	blank := symbol.Reason{Code: symbol.CodeLowContrast, Message: "the image is nearly blank"}
	for name, c := range map[string]struct {
		file []byte
		want string
	}{
		"a letter":                {letter, "nearly blank"},
		"a letter, changed":       {bytes.ToValidUTF8(letter, []byte("\uFFFD")), "its bytes were written as UTF-8"},
		"a marked letter":         {marked, "or a forgery"},
		"a marked letter, lines":  {bytes.ReplaceAll(marked, []byte("\n"), []byte("\r\n")), "its bytes have converted line ends"},
		"a marked letter, UTF-8":  {bytes.ToValidUTF8(marked, []byte("\uFFFD")), "its bytes were written as UTF-8"},
		"a picture named as such": {[]byte("\x89PNG\r\n\x1a\n"), "nearly blank"},
	} {
		r := answer.Read(name, c.file, func() (*answer.Judge, error) { return nil, nil })
		r.WithoutPages(blank)
		found, err := r.Findings(t.Context(), answer.Drawing{})
		if err != nil || len(found) != 1 {
			t.Fatalf("%s: %v, %v", name, found, err)
		}
		if said := found[0].Missing.Message + found[0].Result.Reason; !strings.Contains(said, c.want) {
			t.Errorf("%s: %q, want %q", name, said, c.want)
		}
	}
}
