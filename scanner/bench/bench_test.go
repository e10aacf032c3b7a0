//go:build !race

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"tcode/offline/host/sandbox"
	"tcode/scanner/bench/pages"
	"tcode/scanner/bench/readers"
	"tcode/scanner/bench/score"
	"tcode/scanner/ecc200"
	"tcode/scanner/raster"
	"tcode/scanner/simulate"
	"tcode/testdata/corpus"
)

func TestMain(m *testing.M) {
	sandbox.Main(raster.Roles()...)
	os.Exit(m.Run())
}

// tools skips the test where the programs that draw symbols are not installed; on the
// build machine it fails the test.
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

// fewDocuments returns a folder with some documents in its folder pdf: reading all of them
// takes longer than the test may.
func fewDocuments(t *testing.T) string {
	t.Helper()
	from, names := filepath.Join("..", "..", "testdata", "documents"), []string{"letter.pdf", "diploma.pdf", "arabic.pdf", "scanned.pdf"}
	if dir := corpus.Dir(t); dir != "" {
		from, names = filepath.Join(dir, "pdf"), []string{"pdf.js__160F-2019.pdf", "pdfcpu__dutch.pdf", "pdfcpu__Jane.pdf", "pdf.js__bug1885505.pdf"}
	}
	from, err := filepath.Abs(from)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "corpus")
	if err := os.MkdirAll(filepath.Join(dir, "pdf"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if err := os.Symlink(filepath.Join(from, name), filepath.Join(dir, "pdf", name)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestSmoke makes a few pages, has our reader read them and compares the counts with
// floors: a least number read, none misread. It logs higher counts.
func TestSmoke(t *testing.T) {
	tools(t)
	dir := fewDocuments(t)
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

// TestSameSeedSamePages makes the pages of one seed twice.
func TestSameSeedSamePages(t *testing.T) {
	tools(t)
	dir := fewDocuments(t)
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

// TestRealSets counts the images of every set and reads one of them. Without real sets it
// reads a set of its own.
func TestRealSets(t *testing.T) {
	dir := corpus.Dir(t)
	if dir == "" {
		readOwnSet(t)
		return
	}
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

// readOwnSet reads images that it makes, one of them with a wrong expectation in its text
// file.
func readOwnSet(t *testing.T) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "own")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	const images = 6
	for i := range images {
		size, ok := ecc200.SizeOf(24, 24)
		if !ok {
			t.Fatal("no size 24x24")
		}
		data := bytes.Repeat([]byte{'A' + byte(i) + 1}, size.Data)
		dark, err := ecc200.Encode(data, size)
		if err != nil {
			t.Fatal(err)
		}
		page := simulate.Clutter(400, 400, 18, uint64(i))
		simulate.Draw(page, simulate.Symbol{Rows: 24, Cols: 24, Dark: dark}, simulate.Place{X: 100, Y: 120, ModulePx: 5, Quiet: 2}, 0, 255)
		picture, err := simulate.EncodePNG(page)
		if err != nil {
			t.Fatal(err)
		}
		text := strings.Repeat(string('A'+rune(i)), size.Data)
		if i == 0 {
			text = "another text"
		}
		name := filepath.Join(dir, strconv.Itoa(i))
		if err := errors.Join(os.WriteFile(name+".png", picture, 0o600), os.WriteFile(name+".txt", []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	s, err := realSet(context.Background(), options{peers: []string{readers.Own}}, dir, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if got := s.Counts[readers.Own]; got.Pages != images || got.Read != images-1 || got.Wrong != 1 {
		t.Errorf("%d of %d read, %d wrong, want %d of %d and 1: %v", got.Read, got.Pages, got.Wrong, images-1, images, s.Notes)
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
