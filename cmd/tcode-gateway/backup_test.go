package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// TestRemoveOld: the newest backups by name stay, the new one whatever its name, and so does
// everything with another name.
func TestRemoveOld(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		made string
		keep int
		want []string
	}{
		{"tcode-20260104T000000Z.tar", 1, []string{"tcode-20260104T000000Z.tar"}},
		{"tcode-20260104T000000Z.tar", 2, []string{"tcode-20260103T000000Z.tar", "tcode-20260104T000000Z.tar"}},
		{"tcode-20250101T000000Z.tar", 2, []string{"tcode-20250101T000000Z.tar", "tcode-20260103T000000Z.tar"}},
		{"tcode-20260104T000000Z.tar", 9, []string{
			"tcode-20260101T000000Z.tar", "tcode-20260102T000000Z.tar", "tcode-20260103T000000Z.tar", "tcode-20260104T000000Z.tar",
		}},
	} {
		dir := t.TempDir()
		others := []string{"monday.tar", "tcode-20260101.tar", "tcode-20269999T000000Z.tar", "tcode-20260101T000000Z.tar.part"}
		made := append(others, "tcode-20260101T000000Z.tar", "tcode-20260102T000000Z.tar", "tcode-20260103T000000Z.tar", tt.made)
		for _, name := range made {
			if err := os.WriteFile(filepath.Join(dir, name), []byte("x"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if err := removeOld(dir, tt.made, tt.keep); err != nil {
			t.Fatal(err)
		}
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, e := range entries {
			got = append(got, e.Name())
		}
		want := slices.Sorted(slices.Values(append(slices.Clone(others), tt.want...)))
		if !slices.Equal(got, want) {
			t.Errorf("%s, %d: %v, want %v", tt.made, tt.keep, got, want)
		}
	}
	if _, err := time.Parse(backupName, time.Now().UTC().Format(backupName)); err != nil {
		t.Error(err)
	}
}
