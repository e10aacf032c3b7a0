//go:build !race

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"tcode/offline/sandbox"
	"tcode/scanner/bench/pages"
	"tcode/scanner/bench/readers"
	"tcode/scanner/bench/score"
	"tcode/scanner/raster"
)

func TestMain(m *testing.M) {
	sandbox.Main(raster.Roles()...)
	os.Exit(m.Run())
}

// tools ends the test without the programs that draw symbols: a skip, but on
// the build machine a failure.
func tools(t *testing.T) {
	t.Helper()
	for _, name := range pages.Tools {
		if _, err := exec.LookPath(name); err != nil {
			if os.Getenv("CI") == "true" {
				t.Fatalf("%s is not installed (Debian packages zint and dmtx-utils)", name)
			}
			t.Skipf("%s is not installed (Debian packages zint and dmtx-utils)", name)
		}
	}
}

// corpus returns the folder of real files, of which nobody may commit a copy.
// Without it the test is skipped, but on the build machine that is a failure.
func corpus(t *testing.T) string {
	t.Helper()
	o, err := parse(nil, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	dir, err := filepath.Abs(o.corpus)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dir); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("no corpus at %s: set TCODE_CORPUS", dir)
		}
		t.Skipf("no corpus at %s: set TCODE_CORPUS to measure on real files", dir)
	}
	return dir
}

// fewDocuments returns a folder of some documents of the corpus: looking at all
// of them takes longer than the test may.
func fewDocuments(t *testing.T, corpus string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "corpus")
	if err := os.MkdirAll(filepath.Join(dir, "pdf"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"pdf.js__160F-2019.pdf", "pdfcpu__dutch.pdf", "pdfcpu__Jane.pdf", "pdf.js__bug1885505.pdf"} {
		if err := os.Symlink(filepath.Join(corpus, "pdf", name), filepath.Join(dir, "pdf", name)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestSmoke makes a few pages, has our reader read them and holds the counts
// against floors: read at least, misread 0. Counts above are logged.
func TestSmoke(t *testing.T) {
	tools(t)
	dir := fewDocuments(t, corpus(t))
	var out, progress bytes.Buffer
	err := run(context.Background(), []string{
		"--corpus", dir, "--cache", t.TempDir(), "--pages", "3", "--seed", "7", "--peers", "own", "--sets=false", "--json",
		"--variants", "clean,skew,persp,damage,fax,pen,empty",
	}, &out, &progress)
	if err != nil {
		t.Fatalf("%v\n%s", err, progress.Bytes())
	}
	var got report
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Each) != 21 {
		t.Fatalf("%d images, want 21", len(got.Each))
	}
	read, ideal := 0, 0
	for _, p := range got.Each {
		own, ok := p.Readers[readers.Own]
		if !ok || own.Wrong {
			t.Errorf("%s: looked at %v, read wrongly %v", p.ID, ok, own.Wrong)
		}
		if own.Read {
			read++
		}
		if p.Ideal {
			ideal++
		}
	}
	const readFloor, idealFloor = 17, 17
	t.Logf("%d read, floor %d; %d by the ideal grid, floor %d", read, readFloor, ideal, idealFloor)
	if read < readFloor || ideal < idealFloor {
		t.Errorf("%d read, want at least %d; %d by the ideal grid, want at least %d", read, readFloor, ideal, idealFloor)
	}
}

// TestSameSeedSamePages makes pages twice.
func TestSameSeedSamePages(t *testing.T) {
	tools(t)
	dir := fewDocuments(t, corpus(t))
	var images [2][]byte
	for i := range images {
		variants, err := pages.Find([]string{"moire"})
		if err != nil {
			t.Fatal(err)
		}
		c := pages.Config{
			PDFs: filepath.Join(dir, "pdf"), Cache: t.TempDir(), Seed: 3, Pages: 1, Variants: variants, Jobs: 1, Tell: func(string) {},
		}
		got, err := pages.Make(context.Background(), c)
		if err != nil {
			t.Fatal(err)
		}
		if len(got) != 1 {
			t.Fatalf("%d pages, want 1", len(got))
		}
		if images[i], err = os.ReadFile(c.File(got[0].ID)); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(images[0], images[1]) {
		t.Error("the same seed gave two pages")
	}
}

// TestRealSets counts the images of every set and reads one of them.
func TestRealSets(t *testing.T) {
	dir := corpus(t)
	for name, bar := range score.SetBars {
		found := 0
		for _, ext := range []string{"*.png", "*.webp"} {
			files, err := filepath.Glob(filepath.Join(dir, "images", name, ext))
			if err != nil {
				t.Fatal(err)
			}
			found += len(files)
		}
		if found != bar.Of {
			t.Errorf("%s: %d images, want %d", name, found, bar.Of)
		}
	}
	s, err := realSet(context.Background(), options{peers: []string{readers.Own}}, filepath.Join(dir, "images", "zxing_datamatrix-2"), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	got := s.Counts[readers.Own]
	if got.Pages != 18 || got.Read < 18 || got.Wrong > 0 {
		t.Errorf("%d of %d read, %d wrong, want 18 of 18 and 0: %v", got.Read, got.Pages, got.Wrong, s.Notes)
	}
}

func TestParse(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		args []string
		ok   bool
	}{
		{"nothing", nil, true},
		{"some", []string{"--pages", "3", "--variants", "clean,fax", "--peers", "own"}, true},
		{"off by default", []string{"--variants", "inverted"}, true},
		{"no such variant", []string{"--variants", "clean,spotless"}, false},
		{"no such reader", []string{"--peers", "own,zbar"}, false},
		{"no pages", []string{"--pages", "0"}, false},
		{"an argument", []string{"clean"}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if _, err := parse(tt.args, io.Discard); (err == nil) != tt.ok {
				t.Errorf("err = %v, want ok %v", err, tt.ok)
			}
		})
	}
}
