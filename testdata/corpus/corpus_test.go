package corpus_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"tcode/testdata/corpus"
)

// TestOwn: another program opens each file that is made, and finds the
// signatures of the signed ones valid.
func TestOwn(t *testing.T) {
	files := corpus.Own(t)
	if len(files) < 60 {
		t.Errorf("%d files", len(files))
	}
	signed := 0
	for _, file := range files {
		if out, err := exec.Command("pdfinfo", file).CombinedOutput(); err != nil {
			t.Errorf("%s: %s", filepath.Base(file), out)
		}
		out, _ := exec.Command("pdfsig", "-nocert", file).CombinedOutput()
		if strings.Contains(string(out), "Signature is Valid") {
			signed++
		}
	}
	if signed != 6 {
		t.Errorf("%d valid signatures, want 6", signed)
	}
}

func TestDir(t *testing.T) {
	t.Setenv("TCODE_CORPUS", "")
	if dir := corpus.Dir(t); dir != "" {
		t.Errorf("Dir = %q", dir)
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("TCODE_CORPUS", here)
	if dir := corpus.Dir(t); dir != here {
		t.Errorf("Dir = %q, want %q", dir, here)
	}
}
