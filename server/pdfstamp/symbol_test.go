package pdfstamp_test

import (
	"bytes"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/makiuchi-d/gozxing"
	"github.com/makiuchi-d/gozxing/datamatrix/decoder"

	"tcode/offline/payload"
	"tcode/server/pdfstamp"
)

// TestSymbol: readers that are not ours read every size back.
func TestSymbol(t *testing.T) {
	t.Parallel()
	sides := map[int]bool{}
	for n := 1; n <= 1954; n += max(1, n/12) {
		text := strings.Repeat("TCODE0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ", n/41+1)[:n]
		m, err := pdfstamp.Symbol(text)
		if err != nil {
			t.Fatalf("%d characters: %v", n, err)
		}
		sides[m.Side] = true
		bits, err := gozxing.NewSquareBitMatrix(m.Side)
		if err != nil {
			t.Fatal(err)
		}
		for i, dark := range m.Dark {
			if dark {
				bits.Set(i%m.Side, i/m.Side)
			}
		}
		r, err := decoder.NewDecoder().Decode(bits)
		if err != nil || r.GetText() != text {
			t.Errorf("%d characters in %d modules: gozxing reads otherwise (%v)", n, m.Side, err)
		}
	}
	if len(sides) != 23 {
		t.Errorf("%d sizes of symbol, want all 23", len(sides))
	}
	if _, err := pdfstamp.Symbol("lower case"); err == nil {
		t.Error("lower case has a symbol")
	}
	if _, err := pdfstamp.Symbol(strings.Repeat("A", 1955)); err == nil {
		t.Error("1955 characters have a symbol")
	}
}

func TestBarcodePNG(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("0Z9", 56)
	b, err := pdfstamp.BarcodePNG(text, 5)
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	if got := img.Bounds().Dx(); got != 44*5 {
		t.Errorf("%d px wide, want 220", got)
	}
	if got := readSymbol(img); got != text {
		t.Errorf("gozxing reads %q", got)
	}
	for _, px := range []int{0, -1, 1000} {
		if _, err := pdfstamp.BarcodePNG(text, px); err == nil {
			t.Errorf("%d px a module is drawn", px)
		}
	}
	need(t, "dmtxread")
	file := filepath.Join(t.TempDir(), "barcode.png")
	if err := os.WriteFile(file, b, 0o600); err != nil {
		t.Fatal(err)
	}
	if out, _ := run(t, "dmtxread", "-N1", "-m5000", file); out != text {
		t.Errorf("dmtxread reads %q", out)
	}
}

// TestOthersRead: dmtxread reads the stamp from the page that pdftoppm and
// mutool draw at 300 dpi, cropped to the box.
func TestOthersRead(t *testing.T) {
	t.Parallel()
	need(t, "dmtxread")
	need(t, "pdftoppm")
	s := newStamper(t)
	for _, rotate := range []string{"", "/Rotate 90"} {
		st, k := stamped(t, s, pdfSpec{page: a4 + rotate, contents: []string{text("one")}}.build(), pdfstamp.Placement{}, payload.Reference{1})
		file := filepath.Join(t.TempDir(), "stamped.pdf")
		if err := os.WriteFile(file, st.PDF, 0o600); err != nil {
			t.Fatal(err)
		}
		out := filepath.Join(t.TempDir(), "crop.png")
		var b bytes.Buffer
		if err := png.Encode(&b, crop(t, file, st)); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(out, b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, _ := run(t, "dmtxread", "-N1", "-m10000", out); got != k.text {
			t.Errorf("page%s: dmtxread reads %q", rotate, got)
		}
	}
}
