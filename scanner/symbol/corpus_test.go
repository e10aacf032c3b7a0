//go:build !race

package symbol_test

import (
	"bytes"
	"context"
	"image"
	_ "image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	_ "golang.org/x/image/webp"

	"tcode/scanner/charset"
	"tcode/scanner/gray"
	"tcode/scanner/simulate"
	"tcode/scanner/symbol"
	"tcode/testdata/corpus"
)

// picture reads an image file as gray.
func picture(tb testing.TB, name string) *gray.Image {
	tb.Helper()
	raw, err := os.ReadFile(name)
	if err != nil {
		tb.Fatal(err)
	}
	img, _, err := image.Decode(bytes.NewReader(raw))
	if err != nil {
		tb.Fatalf("%s: %v", name, err)
	}
	return simulate.FromImage(img)
}

// pictures returns the image files of a set in the folder of real files.
func pictures(tb testing.TB, dir, set string) []string {
	tb.Helper()
	dir = filepath.Join(dir, "images", set)
	entries, err := os.ReadDir(dir)
	if err != nil {
		tb.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		if ext := filepath.Ext(e.Name()); ext == ".png" || ext == ".webp" {
			out = append(out, filepath.Join(dir, e.Name()))
		}
	}
	return out
}

// expected returns the text in the file next to an image, if there is one.
func expected(name string) (string, bool) {
	base := strings.TrimSuffix(name, filepath.Ext(name))
	if raw, err := os.ReadFile(base + ".txt"); err == nil {
		return string(raw), true
	}
	return "", false
}

// TestCorpus reads pictures made by others. Each folder has a floor of
// symbols read, and allows no wrong text. A count above the floor is logged, so that the
// floor goes up with the reader. Without TCODE_CORPUS it reads pictures of its own.
func TestCorpus(t *testing.T) {
	t.Parallel()
	dir := corpus.Dir(t)
	if dir == "" {
		readOwn(t)
		return
	}
	tests := []struct {
		folder        string
		images, floor int
	}{
		{"zxing-cpp_datamatrix-1", 30, 29},
		{"zxing-cpp_datamatrix-2", 13, 13},
		{"zxing_datamatrix-1", 23, 23},
		{"zxing_datamatrix-2", 18, 18},
		{"libdmtx_rotate", 18, 15}, // two of them show no symbol
	}
	for _, tt := range tests {
		t.Run(tt.folder, func(t *testing.T) {
			t.Parallel()
			names := pictures(t, dir, tt.folder)
			if len(names) != tt.images {
				t.Fatalf("%d images, want %d", len(names), tt.images)
			}
			read := 0
			for _, name := range names {
				want, ok := expected(name)
				start := time.Now()
				got := symbol.ReadImage(context.Background(), picture(t, name), symbol.Options{Budget: patient, Inverted: true, Charset: charset.Decode})
				switch {
				case len(got.Symbols) == 0:
					t.Logf("%s: %+v in %v", filepath.Base(name), got.Reason, time.Since(start))
				case ok && got.Symbols[0].Text != want:
					t.Errorf("%s: got %q, want %q", filepath.Base(name), got.Symbols[0].Text, want)
				default:
					read++
				}
			}
			t.Logf("%d of %d read, floor %d", read, len(names), tt.floor)
			if read < tt.floor {
				t.Errorf("%d read, want at least %d", read, tt.floor)
			}
		})
	}
}

// TestFalsePositives looks at pictures that hold no Data Matrix.
func TestFalsePositives(t *testing.T) {
	t.Parallel()
	images := ownEmpty
	if dir := corpus.Dir(t); dir != "" {
		images = func(t *testing.T) map[string]*gray.Image {
			out := map[string]*gray.Image{}
			for _, name := range pictures(t, dir, "zxing_falsepositives") {
				out[filepath.Base(name)] = picture(t, name)
			}
			return out
		}
	}
	found := images(t)
	if len(found) != 22 {
		t.Fatalf("%d images, want 22", len(found))
	}
	turns := 1
	if corpus.Long() {
		turns = 4
	}
	for name, img := range found {
		for range turns {
			got := symbol.ReadImage(context.Background(), img, symbol.Options{Budget: patient, Inverted: true})
			for _, s := range got.Symbols {
				t.Errorf("%s: read %q", name, s.Text)
			}
			if len(got.Symbols) == 0 && got.Reason.Code == "" {
				t.Errorf("%s: nothing read and no reason given", name)
			}
			img = turned(img)
		}
	}
}

// turned returns m after a quarter turn clockwise.
func turned(m *gray.Image) *gray.Image {
	out := gray.New(m.Height, m.Width)
	for y := range m.Height {
		for x, v := range m.Row(y) {
			out.Pix[x*out.Stride+m.Height-1-y] = v
		}
	}
	return out
}
