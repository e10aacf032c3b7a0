package fallback_test

import (
	"bytes"
	"testing"

	"tcode/scanner/ecc200"
	"tcode/scanner/fallback"
	"tcode/scanner/gray"
	"tcode/scanner/simulate"
)

func TestRead(t *testing.T) {
	t.Parallel()
	size, _ := ecc200.SizeOf(20, 20)
	data := make([]byte, size.Data)
	for i := range data {
		data[i] = byte(66 + i)
	}
	dark, err := ecc200.Encode(data, size)
	if err != nil {
		t.Fatal(err)
	}
	img := gray.New(160, 160)
	img.Fill(255)
	simulate.Draw(img, simulate.Symbol{Rows: 20, Cols: 20, Dark: dark}, simulate.Place{X: 30, Y: 28, ModulePx: 5}, 0, 255)
	for _, m := range []*gray.Image{img, img.Crop(gray.Rect{X0: 10, Y0: 10, X1: 150, Y1: 150})} {
		got := fallback.Read(m)
		if len(got) == 0 {
			t.Fatal("no opinion on a clean symbol")
		}
		if !bytes.Equal(got[0].Codewords, data) {
			t.Errorf("codewords %v, want %v", got[0].Codewords, data)
		}
		side := got[0].Corners[1].Sub(got[0].Corners[0]).Len()
		if side < 85 || side > 105 {
			t.Errorf("upper side of %.1f px, want about 100", side)
		}
	}
}

func TestReadNothing(t *testing.T) {
	t.Parallel()
	blank := gray.New(100, 100)
	blank.Fill(255)
	for _, m := range []*gray.Image{nil, {}, gray.New(3, 3), blank} {
		if got := fallback.Read(m); len(got) != 0 {
			t.Errorf("opinions on nothing: %v", got)
		}
	}
}
