package locate

import (
	"image/png"
	"os"
	"testing"

	"tcode/scanner/ecc200"
	"tcode/scanner/gray"
	"tcode/scanner/simulate"
)

func TestDbg(t *testing.T) {
	f, err := os.Open(os.Getenv("IMG"))
	if err != nil {
		t.Skip()
	}
	im, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	img := simulate.FromImage(im)
	var fi Finder
	for _, bs := range [][]Box{fi.Boxes(img), fi.Components(img), {{Rect: gray.Rect{X1: img.Width, Y1: img.Height}}}} {
		t.Logf("--- %d boxes", len(bs))
		for i, b := range bs {
			if i > 12 {
				break
			}
			m := max((b.X1-b.X0)/12, (b.Y1-b.Y0)/12, 6)
			cs := fi.Search(img, b.Grow(m), 6)
			t.Logf("box %v score %.2f: %d candidates", b.Rect, b.Score, len(cs))
			for _, c := range cs {
				s0 := c.Score
				fi.Refine(img, &c)
				g, _ := Sample(img, &c)
				_, e := ecc200.Decode(g)
				t.Logf("   %dx%d timing %.2f refined %.2f fa %.2f px %.2f %v %v", c.Size.Rows, c.Size.Cols, s0, c.Score, c.Size.FinderAgreement(g.Dark), c.Module(), c.Corners, e)
			}
		}
	}
}
