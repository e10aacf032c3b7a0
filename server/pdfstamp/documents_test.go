package pdfstamp_test

import (
	"bytes"
	"image/png"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pdfcpu/pdfcpu/pkg/api"

	"tcode/offline/binding"
	"tcode/offline/payload"
	"tcode/server/pdfstamp"
	"tcode/testdata"
)

// TestDocuments stamps the project's own documents as an issuer would: others
// must find nothing wrong with the files, and read the symbol.
func TestDocuments(t *testing.T) {
	t.Parallel()
	for _, tool := range []string{"qpdf", "mutool", "pdftoppm", "dmtxread"} {
		need(t, tool)
	}
	files, err := fs.Glob(testdata.Documents, "documents/*.pdf")
	if err != nil || len(files) != 7 {
		t.Fatalf("found %d documents, want 7 (%v)", len(files), err)
	}
	pages := map[string]int{"contract.pdf": 30}
	s := newStamper(t)
	for _, f := range files {
		t.Run(filepath.Base(f), func(t *testing.T) {
			t.Parallel()
			pdf, err := fs.ReadFile(testdata.Documents, f)
			if err != nil {
				t.Fatal(err)
			}
			st, k := stamped(t, s, pdf, pdfstamp.Placement{}, payload.Reference{1})
			if want := max(1, pages[filepath.Base(f)]); st.Page() != want || len(st.Warnings) != 0 {
				t.Errorf("page %d, want %d; warnings %q", st.Page(), want, st.Warnings)
			}
			if added := len(st.PDF) - len(pdf); added > 8<<10 {
				t.Errorf("%d bytes added", added)
			}
			if got := k.check(st.PDF); got.State != binding.Match {
				t.Errorf("binding %+v", got)
			}
			others(t, st, k.text)
		})
	}
}

// others checks a stamped file with programs that are not ours.
func others(t *testing.T, st inMemory, text string) {
	t.Helper()
	if err := api.Validate(bytes.NewReader(st.PDF), nil); err != nil {
		t.Errorf("pdfcpu: %v", err)
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "stamped.pdf")
	if err := os.WriteFile(file, st.PDF, 0o600); err != nil {
		t.Fatal(err)
	}
	if out, code := run(t, "qpdf", "--check", file); code != 0 {
		t.Errorf("qpdf: %s", out)
	}
	if out, code := run(t, "mutool", "info", file); code != 0 || strings.Contains(out, "error:") || strings.Contains(out, "warning:") {
		t.Errorf("mutool: %s", out)
	}
	var b bytes.Buffer
	img := crop(t, file, st)
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	if got := readSymbol(img); got != text {
		t.Errorf("gozxing reads %q, want %q", got, text)
	}
	out := filepath.Join(dir, "crop.png")
	if err := os.WriteFile(out, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, _ := run(t, "dmtxread", "-N1", "-m10000", out); got != text {
		t.Errorf("dmtxread reads %q, want %q", got, text)
	}
	keep(t, st.PDF)
}

// keep writes a stamped file to the folder KEEP_STAMPED, for a person to view and for
// other viewers.
func keep(t testing.TB, pdf []byte) {
	t.Helper()
	dir := os.Getenv("KEEP_STAMPED")
	if dir == "" {
		return
	}
	if err := os.WriteFile(filepath.Join(dir, strings.NewReplacer("/", "_", " ", "_").Replace(t.Name())+".pdf"), pdf, 0o600); err != nil {
		t.Fatal(err)
	}
}
