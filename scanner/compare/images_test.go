package compare_test

import (
	"image"
	"image/color"
	"image/draw"
	"math/rand/v2"
	"testing"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gomono"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"

	"tcode/scanner/compare"
	"tcode/scanner/gray"
)

const dpi = compare.DefaultDPI

// sample is a page of a few lines to be drawn.
type sample struct {
	lines []string
	size  float64 // points
	ttf   []byte
	ink   byte    // gray level
	x, y  float64 // px by which all of it moves
}

var ordinary = []string{"Invoice 2024-117 of Acme Ltd", "Pay 100 EUR to account 471135", "not later than 12 May", "Balance -35.60 EUR"}

// draw draws s with the anti-aliasing of golang.org/x/image.
func (s sample) draw(t *testing.T) *gray.Image {
	t.Helper()
	f, err := opentype.Parse(s.ttf)
	if err != nil {
		t.Fatal(err)
	}
	face, err := opentype.NewFace(f, &opentype.FaceOptions{Size: s.size, DPI: dpi, Hinting: font.HintingNone})
	if err != nil {
		t.Fatal(err)
	}
	m := image.NewGray(image.Rect(0, 0, 480, 200))
	draw.Draw(m, m.Bounds(), image.White, image.Point{}, draw.Src)
	d := font.Drawer{Dst: m, Src: image.NewUniform(color.Gray{Y: s.ink}), Face: face}
	for i, l := range s.lines {
		d.Dot = fixed.Point26_6{X: fixed.Int26_6((20 + s.x) * 64), Y: fixed.Int26_6((40 + s.y + float64(i)*s.size*1.8) * 64)}
		d.DrawString(l)
	}
	return &gray.Image{Width: 480, Height: 200, Stride: m.Stride, Pix: m.Pix}
}

// with returns the ordinary lines, with line i replaced.
func with(i int, line string) []string {
	out := append([]string(nil), ordinary...)
	out[i] = line
	return out
}

func TestImagesSame(t *testing.T) {
	t.Parallel()
	for _, size := range []float64{8, 9, 10, 11, 12, 14, 18} {
		base := sample{lines: ordinary, size: size, ttf: goregular.TTF}
		for name, change := range map[string]func(*sample){
			"equal":          func(*sample) {},
			"moved right":    func(s *sample) { s.x = 0.5 },
			"moved down":     func(s *sample) { s.y = 0.5 },
			"moved a pixel":  func(s *sample) { s.x, s.y = 1, -1 },
			"somewhat gray":  func(s *sample) { s.ink = 80 },
			"moved by a bit": func(s *sample) { s.x, s.y = 0.3, 0.7 },
		} {
			other := base
			change(&other)
			if got := compare.Images(base.draw(t), other.draw(t), dpi); len(got) != 0 {
				t.Errorf("%s at %g pt: differs at %v", name, size, got)
			}
		}
	}
}

func TestImagesDiffer(t *testing.T) {
	t.Parallel()
	for _, size := range []float64{9, 10, 11, 12, 14} {
		for _, ttf := range [][]byte{goregular.TTF, gomono.TTF} {
			for _, ink := range []byte{0, 150} {
				base := sample{lines: ordinary, size: size, ttf: ttf, ink: ink}
				for name, lines := range map[string][]string{
					"another amount": with(1, "Pay 900 EUR to account 471135"),
					"another word":   with(2, "and later than 12 May"),
					"a word less":    with(2, "later than 12 May"),
					"a line less":    with(2, ""),
					"no minus":       with(3, "Balance  35.60 EUR"),
					"moved point":    with(3, "Balance -356.0 EUR"),
					"no point":       with(3, "Balance -3560 EUR"),
					"currency":       with(1, "Pay 100 USD to account 471135"),
				} {
					other := base
					other.lines = lines
					for _, pair := range [][2]sample{{base, other}, {other, base}} {
						pair[1].x, pair[1].y = 0.4, 0.3 // as engines place glyphs
						if got := compare.Images(pair[0].draw(t), pair[1].draw(t), dpi); len(got) == 0 {
							t.Errorf("%s at %g pt, ink %d: no difference", name, size, ink)
						}
					}
				}
			}
		}
	}
}

// fill returns a page with a box of a gray level on it.
func fill(box gray.Rect, ground, level byte) *gray.Image {
	m := gray.New(300, 200)
	m.Fill(ground)
	m.Crop(box).Fill(level)
	return m
}

func TestImagesInk(t *testing.T) {
	t.Parallel()
	paper := fill(gray.Rect{}, 255, 255)
	for name, c := range map[string]struct {
		a, b   *gray.Image
		differ bool
	}{
		"nothing":               {paper, paper, false},
		"a dot":                 {paper, fill(gray.Rect{X0: 50, Y0: 50, X1: 52, Y1: 52}, 255, 0), true},
		"a light box":           {paper, fill(gray.Rect{X0: 50, Y0: 50, X1: 150, Y1: 90}, 255, 230), true},
		"a rule":                {paper, fill(gray.Rect{X0: 50, Y0: 50, X1: 250, Y1: 51}, 255, 0), true},
		"a hairline, darker":    {fill(gray.Rect{X0: 50, Y0: 50, X1: 250, Y1: 51}, 255, 180), fill(gray.Rect{X0: 50, Y0: 50, X1: 250, Y1: 51}, 255, 0), false},
		"at the right edge":     {paper, fill(gray.Rect{X0: 296, Y0: 100, X1: 300, Y1: 110}, 255, 0), true},
		"at the upper left":     {paper, fill(gray.Rect{X1: 3, Y1: 3}, 255, 0), true},
		"at the lower right":    {paper, fill(gray.Rect{X0: 297, Y0: 197, X1: 300, Y1: 200}, 255, 0), true},
		"white on black":        {fill(gray.Rect{}, 0, 0), fill(gray.Rect{X0: 50, Y0: 50, X1: 54, Y1: 60}, 0, 255), true},
		"all of another gray":   {fill(gray.Rect{}, 100, 0), fill(gray.Rect{}, 200, 0), true},
		"all of a similar gray": {fill(gray.Rect{}, 100, 0), fill(gray.Rect{}, 120, 0), false},
		"a larger page":         {paper, gray.New(320, 220), true},
	} {
		for _, pair := range [][2]*gray.Image{{c.a, c.b}, {c.b, c.a}} {
			got := compare.Images(pair[0], pair[1], dpi)
			if (len(got) > 0) != c.differ {
				t.Errorf("%s: differ %v, want %v", name, got, c.differ)
			}
			for _, b := range got {
				if w, h := max(c.a.Width, c.b.Width), max(c.a.Height, c.b.Height); b.Empty() || b.X0 < 0 || b.Y0 < 0 || b.X1 > w || b.Y1 > h {
					t.Errorf("%s: box %v outside of %d x %d px", name, b, w, h)
				}
			}
		}
	}
}

func TestImagesSay(t *testing.T) {
	t.Parallel()
	a := fill(gray.Rect{X0: 200, Y0: 100, X1: 210, Y1: 104}, 255, 0)
	got := compare.Images(a, fill(gray.Rect{}, 255, 255), dpi)
	if len(got) != 1 || got[0].X0 < 190 || got[0].X1 > 220 || got[0].Y0 < 90 || got[0].Y1 > 114 {
		t.Errorf("boxes %v, want one around (200,100)-(210,104)", got)
	}
}

func TestExact(t *testing.T) {
	t.Parallel()
	paper := fill(gray.Rect{}, 255, 255)
	dot := gray.Rect{X0: 50, Y0: 60, X1: 52, Y1: 62}
	for name, c := range map[string]struct {
		b      *gray.Image
		masks  []gray.Rect
		differ bool
	}{
		"equal":               {paper, nil, false},
		"nearly equal":        {fill(dot, 255, 252), nil, false},
		"four levels":         {fill(dot, 255, 251), nil, true},
		"masked":              {fill(dot, 255, 0), []gray.Rect{dot}, false},
		"masked in part":      {fill(dot, 255, 0), []gray.Rect{{X0: 50, Y0: 60, X1: 52, Y1: 61}}, true},
		"mask over the edge":  {fill(dot, 255, 0), []gray.Rect{{X0: -9, Y0: -9, X1: 999, Y1: 999}}, false},
		"mask beside":         {fill(dot, 255, 0), []gray.Rect{{X0: 60, Y0: 60, X1: 90, Y1: 90}}, true},
		"mask without an end": {fill(dot, 255, 0), []gray.Rect{{X0: 90, Y0: 90, X1: 60, Y1: 60}}, true},
	} {
		if got := compare.Exact(paper, c.b, c.masks); (len(got) > 0) != c.differ {
			t.Errorf("%s: differ %v, want %v", name, got, c.differ)
		}
	}
}

// TestLooks: windows that share their sums have the same sums as windows that are read one by one, whatever
// their size.
func TestLooks(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for range 60 {
		a, b := gray.New(1+r.IntN(90), 1+r.IntN(90)), gray.New(1+r.IntN(90), 1+r.IntN(90))
		for _, m := range []*gray.Image{a, b} {
			for i := range m.Pix {
				m.Pix[i] = byte(r.Uint32())
			}
		}
		dpi := float64(48 + r.IntN(300))
		if unlike, windows := compare.Looks(a, b, dpi); unlike > 0 || windows == 0 && a.Width > 40 {
			t.Errorf("%d x %d px at %g dpi: %d of %d windows differ", a.Width, a.Height, dpi, unlike, windows)
		}
	}
}

func BenchmarkImages(b *testing.B) {
	page := gray.New(794, 1123)
	page.Fill(255)
	other := page.Clone()
	for y := 60; y < 1060; y += 16 { // lines of strokes, a pixel apart from each other in the two images
		for x := 60; x < 730; x += 6 {
			page.Crop(gray.Rect{X0: x, Y0: y, X1: x + 1, Y1: y + 9}).Fill(0)
			other.Crop(gray.Rect{X0: x + 1, Y0: y, X1: x + 2, Y1: y + 9}).Fill(0)
		}
	}
	b.Run("equal", func(b *testing.B) {
		for b.Loop() {
			compare.Images(page, page, dpi)
		}
	})
	b.Run("displaced", func(b *testing.B) {
		for b.Loop() {
			compare.Images(page, other, dpi)
		}
	})
}
