package prepared_test

import (
	"bytes"
	"testing"

	"tcode/cmd/internal/prepared"
)

// TestFiles: there are enough files, no file has two names, and each run makes
// the same.
func TestFiles(t *testing.T) {
	files, again := prepared.Files(), prepared.Files()
	if len(files) < 400 {
		t.Errorf("%d files, want 400", len(files))
	}
	names, bodies, classes := map[string]bool{}, map[string]string{}, map[string]int{}
	for i, f := range files {
		if names[f.Name] {
			t.Errorf("%s is there twice", f.Name)
		}
		names[f.Name] = true
		if same, ok := bodies[string(f.PDF)]; ok {
			t.Errorf("%s is the same file as %s", f.Name, same)
		}
		bodies[string(f.PDF)] = f.Name
		classes[f.Class]++
		if !bytes.Equal(f.PDF, again[i].PDF) || f.Name != again[i].Name {
			t.Errorf("%s differs from run to run", f.Name)
		}
	}
	t.Logf("%d files: %v", len(files), classes)
}
