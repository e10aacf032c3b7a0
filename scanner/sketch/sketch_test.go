package sketch_test

//race:off whole pages

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"tcode/scanner/ecc200"
	"tcode/scanner/gray"
	"tcode/scanner/simulate"
	"tcode/scanner/sketch"
	"tcode/scanner/symbol"
)

// stamped returns a page with a 32x32 symbol on it, struck through if requested.
func stamped(tb testing.TB, struck bool) *gray.Image {
	tb.Helper()
	z, _ := ecc200.SizeOf(32, 32)
	dark, err := ecc200.Encode(bytes.Repeat([]byte{66}, z.Data), z)
	if err != nil {
		tb.Fatal(err)
	}
	page := simulate.Clutter(500, 700, 20, 1)
	simulate.Draw(page, simulate.Symbol{Rows: 32, Cols: 32, Dark: dark}, simulate.Place{X: 300, Y: 500, ModulePx: 4, Quiet: 2}, 0, 255)
	for i := range 8 {
		if y := 504 + 15*float64(i); struck {
			simulate.Stroke(page, gray.Point{X: 305, Y: y}, gray.Point{X: 420, Y: y + 4}, 5, 0)
		}
	}
	return page
}

// TestFolder reads one page with success and one without, and checks the files in the
// folder.
func TestFolder(t *testing.T) {
	t.Parallel()
	var runs [2]map[string][]byte
	for i := range runs {
		dir := filepath.Join(t.TempDir(), "new", "folder")
		f, err := sketch.New(dir)
		if err != nil {
			t.Fatal(err)
		}
		watch := f.Watch("", "a page")
		for _, struck := range []bool{false, true} {
			got := symbol.ReadImage(context.Background(), stamped(t, struck), symbol.Options{Budget: 10 * time.Minute, Watch: watch})
			if read := len(got.Symbols) == 1; read == struck {
				t.Fatalf("struck %v: read %v, %+v", struck, read, got.Reason)
			}
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		runs[i] = files(t, dir)
	}
	for _, want := range []string{"page-001.png", "page-001-try-01.png", "page-001-look-2.png", "page-001-look-2-try-01.png", "read.json"} {
		if runs[0][want] == nil {
			t.Errorf("no %s", want)
		}
	}
	for name, raw := range runs[0] {
		if !bytes.Equal(raw, runs[1][name]) {
			t.Errorf("%s differs from one run to the next", name)
		}
		if filepath.Ext(name) != ".png" {
			continue
		}
		if c, err := png.DecodeConfig(bytes.NewReader(raw)); err != nil || c.Width < 500 || c.Width > 2000 || c.Height > 2000 {
			t.Errorf("%s: %d x %d px, %v", name, c.Width, c.Height, err)
		}
	}
	var list []struct {
		Symbols int
		Reason  string
		Boxes   []struct{ Order int }
		Tries   []struct {
			Picture, Error string
			Misfits, Fixed int
		}
	}
	if err := json.Unmarshal(runs[0]["read.json"], &list); err != nil || len(list) != 2 {
		t.Fatalf("%d entries in read.json, %v", len(list), err)
	}
	if l := list[0]; l.Symbols != 1 || l.Reason != "" || !slices.ContainsFunc(l.Boxes, func(b struct{ Order int }) bool { return b.Order == 1 }) || l.Tries[0].Fixed == 0 {
		t.Errorf("the page that was read: %+v", l)
	}
	if l := list[1]; l.Symbols != 0 || l.Reason != symbol.CodeDamaged || len(l.Tries) == 0 || l.Tries[0].Error == "" {
		t.Errorf("the page that was not read: %+v", l)
	}
}

func files(tb testing.TB, dir string) map[string][]byte {
	tb.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		tb.Fatal(err)
	}
	out := map[string][]byte{}
	for _, e := range entries {
		if out[e.Name()], err = os.ReadFile(filepath.Join(dir, e.Name())); err != nil {
			tb.Fatal(err)
		}
	}
	return out
}

// TestOddImages draws images of extreme sizes.
func TestOddImages(t *testing.T) {
	t.Parallel()
	f, err := sketch.New(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, size := range [][2]int{{1, 1}, {3, 900}, {5000, 2}, {40, 40}} {
		m := gray.New(size[0], size[1])
		symbol.ReadImage(context.Background(), m, symbol.Options{Budget: 10 * time.Minute, Watch: f.Watch("odd-", "an odd image")})
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
}

func TestNotEmpty(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "mine.txt"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := sketch.New(dir); !errors.Is(err, sketch.ErrNotEmpty) {
		t.Errorf("err = %v, want ErrNotEmpty", err)
	}
	if _, err := sketch.New(filepath.Join(dir, "mine.txt")); err == nil {
		t.Error("a file was taken for a folder")
	}
}
