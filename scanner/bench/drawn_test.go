//go:build !race

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"tcode/scanner/bench/readers"
	"tcode/scanner/bench/score"
	"tcode/scanner/gray"
	"tcode/scanner/simulate"
)

// TestPhotos photographs a stamp in some classes and has our reader read them.
func TestPhotos(t *testing.T) {
	dir, saved := fewDocuments(t), t.TempDir()
	var out, progress bytes.Buffer
	err := run(context.Background(), []string{
		"--corpus", dir, "--cache", t.TempDir(), "--photos", "1", "--classes", "flat,close,cylinder", "--seed", "5",
		"--peers", "own", "--json", "--save", saved, "--save-all",
	}, &out, &progress)
	if err != nil {
		t.Fatalf("%v\n%s", err, progress.Bytes())
	}
	var got []score.Group
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	read := 0
	for _, g := range got {
		c := g.Counts[readers.Own]
		if g.Images != 1 || c.Pages != 1 || c.Wrong > 0 {
			t.Errorf("%s: %d images, %d looked at, %d wrong", g.Name, g.Images, c.Pages, c.Wrong)
		}
		read += c.Read
	}
	if len(got) != 3 || read < 2 {
		t.Errorf("%d of %d read, want 2 of 3", read, len(got))
	}
	truths, err := filepath.Glob(filepath.Join(saved, "*.json"))
	if err != nil || len(truths) != 3 {
		t.Fatalf("%d truths saved, %v", len(truths), err)
	}
	raw, err := os.ReadFile(truths[0])
	if err != nil {
		t.Fatal(err)
	}
	var f photoFigures
	if err := json.Unmarshal(raw, &f); err != nil || f.Text == "" || f.ModulePx < 2 {
		t.Errorf("truth %+v, %v", f, err)
	}
}

// TestBent counts the bent symbols and draws one of them.
func TestBent(t *testing.T) {
	t.Parallel()
	for _, turns := range []bool{false, true} {
		d, err := bent(simulate.LowWave, 3, turns)
		if err != nil {
			t.Fatal(err)
		}
		seen, want := map[string]bool{}, 24*len(bentPx)
		if turns {
			want *= 4
		}
		for _, e := range d.each {
			seen[e.id] = true
		}
		if len(seen) != want {
			t.Errorf("turns %v: %d different images, want %d", turns, len(seen), want)
		}
		var m *gray.Image
		if m, _, _, err = d.each[0].draw(context.Background()); err != nil || m.Width < 40*4 {
			t.Errorf("an image of %d px, %v", m.Width, err)
		}
	}
}
