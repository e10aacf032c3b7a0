package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestUnfold: patterns become names on Windows alone, and one that fits nothing stays.
func TestUnfold(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"a.pdf", "b.pdf", "c.png"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	pattern, none := filepath.Join(dir, "*.pdf"), filepath.Join(dir, "*.tif")
	got := unfold([]string{"-", pattern, none, "x[1].pdf"}, "windows")
	if want := []string{"-", filepath.Join(dir, "a.pdf"), filepath.Join(dir, "b.pdf"), none, "x[1].pdf"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if got := unfold([]string{pattern}, "linux"); !slices.Equal(got, []string{pattern}) {
		t.Errorf("on Linux: %v, want the name as it is", got)
	}
}
