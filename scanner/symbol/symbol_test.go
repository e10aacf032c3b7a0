package symbol_test

//race:off whole pictures

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"

	"tcode/scanner/ecc200"
	"tcode/scanner/gray"
	"tcode/scanner/simulate"
	"tcode/scanner/symbol"
	"tcode/testdata/corpus"
)

// random returns a random symbol of the given size and its text.
func random(tb testing.TB, r *rand.Rand, rows, cols int) (simulate.Symbol, string) {
	tb.Helper()
	size, ok := ecc200.SizeOf(rows, cols)
	if !ok {
		tb.Fatalf("no size %dx%d", rows, cols)
	}
	data := make([]byte, size.Data)
	text := make([]byte, size.Data)
	for i := range data {
		text[i] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[r.IntN(36)]
		data[i] = text[i] + 1
	}
	dark, err := ecc200.Encode(data, size)
	if err != nil {
		tb.Fatal(err)
	}
	return simulate.Symbol{Rows: rows, Cols: cols, Dark: dark}, string(text)
}

// patient is a budget that never ends a test on a busy machine.
const patient = 10 * time.Minute

// baseSeed shifts all seeds by TCODE_SEED, to try pages on which the reader was not tuned.
func baseSeed(tb testing.TB) uint64 {
	tb.Helper()
	v := os.Getenv("TCODE_SEED")
	if v == "" {
		return 0
	}
	n, err := strconv.ParseUint(v, 10, 64)
	if err != nil {
		tb.Fatalf("TCODE_SEED: %v", err)
	}
	return n
}

// cornerOf returns the place of a symbol of side px on a page of w x h px: corner
// 0 to 3, margin px from both borders.
func cornerOf(corner int, w, h, side, margin float64) (x, y float64) {
	x, y = margin, margin
	if corner&1 != 0 {
		x = w - margin - side
	}
	if corner&2 != 0 {
		y = h - margin - side
	}
	return x, y
}

// mustRead fails unless img holds exactly the texts want.
func mustRead(t *testing.T, img *gray.Image, opt symbol.Options, want ...string) symbol.Reading {
	t.Helper()
	opt.Budget = patient
	got := symbol.ReadImage(context.Background(), img, opt)
	left := map[string]int{}
	for _, w := range want {
		left[w]++
	}
	for _, s := range got.Symbols {
		if left[s.Text] == 0 {
			t.Errorf("read %q, which is not there", s.Text)
		}
		left[s.Text]--
	}
	for w, n := range left {
		if n > 0 {
			t.Errorf("not read: %.20q...; reason %+v", w, got.Reason)
		}
	}
	return got
}

// TestReadPages reads our own stamp, 40x40 and 15 mm, off whole A4 pages in every
// corner and direction, askew by up to 5 degrees.
func TestReadPages(t *testing.T) {
	t.Parallel()
	for _, dpi := range []float64{150, 200, 300} {
		for corner := range 4 {
			if testing.Short() && (dpi != 150 || corner%2 == 0) {
				continue // large pages take their time under -race
			}
			t.Run(fmt.Sprintf("%.0f dpi, corner %d", dpi, corner), func(t *testing.T) {
				t.Parallel()
				seed := baseSeed(t) + uint64(corner) + 100*uint64(dpi)
				r := rand.New(rand.NewPCG(seed, 1))
				w, h := int(8.27*dpi), int(11.69*dpi)
				page := simulate.Clutter(w, h, dpi/7, seed)
				s, text := random(t, r, 40, 40)
				px := max(15/25.4*dpi/40, 2.5)
				x, y := cornerOf(corner, float64(w), float64(h), px*40, 10/25.4*dpi)
				simulate.Draw(page, s, simulate.Place{X: x + r.Float64(), Y: y + r.Float64(), ModulePx: px, Turns: corner + int(dpi/50), Quiet: 2}, 0, 255)
				if corner > 0 {
					toPage, ow, oh := simulate.Rotation(page, r.Float64()*10-5, 1)
					page = simulate.Warp(page, toPage, ow, oh, 2, 255)
				}
				mustRead(t, page, symbol.Options{DPI: dpi}, text)
			})
		}
	}
}

// views are changes of a page that leave its symbols readable.
var views = []struct {
	name string
	see  func(page *gray.Image, r *rand.Rand) *gray.Image
}{
	{"plain", func(p *gray.Image, _ *rand.Rand) *gray.Image { return p }},
	{"skew", func(p *gray.Image, r *rand.Rand) *gray.Image {
		toPage, w, h := simulate.Rotation(p, r.Float64()*10-5, 1)
		return simulate.Warp(p, toPage, w, h, 2, 255)
	}},
	{"perspective", func(p *gray.Image, r *rand.Rand) *gray.Image {
		w, h := float64(p.Width), float64(p.Height)
		off := func(side float64) float64 { return r.Float64() * 0.05 * side }
		toQuad, _ := gray.ToQuad(w, h, [4]gray.Point{{X: off(w), Y: off(h)}, {X: w - off(w), Y: off(h)}, {X: w - off(w), Y: h - off(h)}, {X: off(w), Y: h - off(h)}})
		toPage, _ := toQuad.Inverse()
		return simulate.Warp(p, toPage, p.Width, p.Height, 2, 80)
	}},
	{"scan", func(p *gray.Image, r *rand.Rand) *gray.Image { return simulate.Scan(p, r.Uint64()) }},
	{"photo", func(p *gray.Image, r *rand.Rand) *gray.Image { return simulate.Photo(p, r.Uint64()) }},
}

// TestReadSizes reads every size of symbol, 2.6 to 5 px per module, in every
// direction among text, under every view; TCODE_LONG=all reads each size under each view.
func TestReadSizes(t *testing.T) {
	t.Parallel()
	for i, z := range ecc200.Sizes() {
		for k, view := range views {
			if !corpus.Long() && (i+k)%3 != 0 {
				continue
			}
			t.Run(fmt.Sprintf("%dx%d/%s", z.Rows, z.Cols, view.name), func(t *testing.T) {
				t.Parallel()
				seed := baseSeed(t) + uint64(i*10+k)
				r := rand.New(rand.NewPCG(seed, 2))
				px := 2.6 + 2.4*r.Float64()
				if z.Rows > 100 {
					px = 2.6 + 0.6*r.Float64()
				}
				side := px * float64(max(z.Rows, z.Cols))
				width := int(max(420, 1.5*side))
				page := simulate.Clutter(width, width, 18+12*r.Float64(), seed)
				s, text := random(t, r, z.Rows, z.Cols)
				x, y := cornerOf(r.IntN(4), float64(width), float64(width), side, 10+3*px)
				simulate.Draw(page, s, simulate.Place{X: x + r.Float64(), Y: y + r.Float64(), ModulePx: px, Turns: r.IntN(4), Quiet: 2}, 0, 255)
				mustRead(t, view.see(page, r), symbol.Options{}, text)
			})
		}
	}
}

// TestReadSeveral reads all symbols of a page, and no more than asked for.
func TestReadSeveral(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(baseSeed(t), 3))
	page := simulate.Clutter(900, 1200, 22, 3)
	var want []string
	for i, z := range [][2]int{{40, 40}, {44, 44}, {48, 48}} {
		s, text := random(t, r, z[0], z[1])
		want = append(want, text)
		simulate.Draw(page, s, simulate.Place{X: 60 + 250*float64(i), Y: 100 + 300*float64(i), ModulePx: 4, Turns: i, Quiet: 2}, 0, 255)
	}
	mustRead(t, page, symbol.Options{}, want...)
	if got := symbol.ReadImage(context.Background(), page, symbol.Options{Budget: patient, MaxSymbols: 2}); len(got.Symbols) != 2 {
		t.Errorf("%d symbols, want the 2 asked for", len(got.Symbols))
	}
}

// TestSymbol checks the properties of a symbol other than its text.
func TestSymbol(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(4, 4))
	s, text := random(t, r, 40, 40)
	for turns := range 4 {
		page := simulate.Clutter(600, 600, 22, 4)
		simulate.Draw(page, s, simulate.Place{X: 200, Y: 240, ModulePx: 4, Turns: turns, Quiet: 2}, 0, 255)
		got := mustRead(t, page, symbol.Options{}, text)
		if len(got.Symbols) != 1 {
			t.Fatalf("turned by %d: %d symbols", turns, len(got.Symbols))
		}
		sym := got.Symbols[0]
		for i := range sym.Dark {
			if sym.Dark[i] != s.Dark[i] {
				t.Fatalf("turned by %d: module %d differs from what was drawn", turns, i)
			}
		}
		box := [4][2]float64{{200, 240}, {360, 240}, {360, 400}, {200, 400}}
		for i, c := range sym.Corners {
			want := box[(i+turns)%4]
			if dx, dy := c[0]-want[0], c[1]-want[1]; dx*dx+dy*dy > 4 {
				t.Errorf("turned by %d: corner %d at %.1f, want %v", turns, i, c, want)
			}
		}
		if sym.ModulePx < 3.95 || sym.ModulePx > 4.05 || sym.Rows != 40 || sym.Cols != 40 || sym.Reader != symbol.ReaderOwn {
			t.Errorf("turned by %d: %.2f px, %dx%d, %s", turns, sym.ModulePx, sym.Rows, sym.Cols, sym.Reader)
		}
	}
}

func TestReadInverted(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 5))
	s, text := random(t, r, 32, 32)
	page := gray.New(300, 300)
	page.Fill(255)
	simulate.Draw(page, s, simulate.Place{X: 80, Y: 90, ModulePx: 4}, 0, 255)
	page.Invert()
	mustRead(t, page, symbol.Options{Inverted: true}, text)
	mustRead(t, page, symbol.Options{})
}

// TestReadStruck reads symbols with a pen stroke through the finder, which
// readers that trace the finder lose.
func TestReadStruck(t *testing.T) {
	t.Parallel()
	for seed := range uint64(8) {
		r := rand.New(rand.NewPCG(baseSeed(t)+seed, 6))
		s, text := random(t, r, 40, 40)
		page := simulate.Clutter(600, 600, 22, seed)
		simulate.Draw(page, s, simulate.Place{X: 200, Y: 240, ModulePx: 4, Turns: int(seed), Quiet: 2}, 0, 255)
		y0, y1 := 250+140*r.Float64(), 250+140*r.Float64()
		simulate.Stroke(page, gray.Point{X: 180, Y: y0}, gray.Point{X: 385, Y: y1}, 4, 40)
		mustRead(t, page, symbol.Options{}, text)
	}
}
