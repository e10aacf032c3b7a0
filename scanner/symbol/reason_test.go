//go:build !race

package symbol_test

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"tcode/scanner/gray"
	"tcode/scanner/simulate"
	"tcode/scanner/symbol"
)

func TestReasons(t *testing.T) {
	t.Parallel()
	blank := gray.New(400, 300)
	blank.Fill(240)
	// page returns a white page with a 40x40 symbol of the given module size.
	page := func(px float64, ink, paper byte) *gray.Image {
		r := rand.New(rand.NewPCG(1, 1))
		m := gray.New(420, 420)
		m.Fill(paper)
		s, _ := random(t, r, 40, 40)
		simulate.Draw(m, s, simulate.Place{X: 100.3, Y: 90.6, ModulePx: px, Quiet: 2}, ink, paper)
		return m
	}
	// spoilt covers so much of the symbol that nothing can restore it, and
	// leaves the finder.
	spoilt := page(5, 0, 255)
	for i := range 12 {
		y := 100 + 15*float64(i)
		simulate.Stroke(spoilt, gray.Point{X: 110, Y: y}, gray.Point{X: 288, Y: y + 4}, 5, 0)
	}
	smeared := page(5, 0, 255)
	simulate.Blur(smeared, 3.4)
	cut := page(5, 0, 255).Crop(gray.Rect{X0: 0, Y0: 0, X1: 420, Y1: 235})
	tests := []struct {
		name string
		img  *gray.Image
		opt  symbol.Options
		want []string // any of them is true
	}{
		{"no image", nil, symbol.Options{}, []string{symbol.CodeNoPixels}},
		{"empty", &gray.Image{}, symbol.Options{}, []string{symbol.CodeNoPixels}},
		{"memory too short", &gray.Image{Width: 9, Height: 9, Stride: 9, Pix: make([]byte, 10)}, symbol.Options{}, []string{symbol.CodeNoPixels}},
		{"blank", blank, symbol.Options{}, []string{symbol.CodeLowContrast}},
		{"text only", simulate.Clutter(500, 700, 22, 9), symbol.Options{}, []string{symbol.CodeNothingFound}},
		{"text at 100 dpi", simulate.Clutter(500, 700, 12, 9), symbol.Options{DPI: 100}, []string{symbol.CodeTooFewPixels}},
		{"spoilt", spoilt, symbol.Options{}, []string{symbol.CodeDamaged}},
		{"smeared", smeared, symbol.Options{}, []string{symbol.CodeBlurred, symbol.CodeNothingFound}},
		{"cut", cut, symbol.Options{}, []string{symbol.CodeQuietZoneCut, symbol.CodeNothingFound, symbol.CodeDamaged}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.opt.Budget = patient
			got := symbol.ReadImage(context.Background(), tt.img, tt.opt)
			for _, s := range got.Symbols {
				t.Errorf("read %q", s.Text)
			}
			found := false
			for _, w := range tt.want {
				found = found || got.Reason.Code == w
			}
			if !found || got.Reason.Message == "" || got.Reason.Advice == "" {
				t.Errorf("reason %+v, want code %v, a message and an advice", got.Reason, tt.want)
			}
		})
	}
}

func TestReadEnds(t *testing.T) {
	t.Parallel()
	page := simulate.Clutter(800, 800, 20, 2)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for words, got := range map[string]symbol.Reading{
		"the search was ended (context canceled) before": symbol.ReadImage(ctx, page, symbol.Options{}),
		"the time for one image, 1ns, was over before":   symbol.ReadImage(context.Background(), page, symbol.Options{Budget: time.Nanosecond}),
	} {
		if len(got.Symbols) != 0 || got.Reason.Code != symbol.CodeOutOfTime || !strings.Contains(got.Reason.Message, words) {
			t.Errorf("%d symbols, reason %+v, want %s: %s", len(got.Symbols), got.Reason, symbol.CodeOutOfTime, words)
		}
	}
}

// TestClock: only the clock of the caller counts against the budget, and the same steps of it end at the same place of the
// search each time.
func TestClock(t *testing.T) {
	t.Parallel()
	page := simulate.Clutter(800, 800, 20, 2)
	read := func(step, budget time.Duration) (got symbol.Reading, steps time.Duration) {
		got = symbol.ReadImage(context.Background(), page, symbol.Options{Budget: budget, Clock: func() time.Duration {
			steps++
			return steps * step
		}})
		return got, steps
	}
	stands, complete := read(0, 1)
	if stands.Reason.Code == symbol.CodeOutOfTime || complete < 6 {
		t.Fatalf("a clock that stands: %+v after %d calls, want the whole search", stands.Reason, complete)
	}
	for range 2 {
		if got, steps := read(1, complete/2); got.Reason.Code != symbol.CodeOutOfTime || steps != complete/2+2 {
			t.Errorf("a budget of %d steps: %+v after %d calls, want the end two calls later", complete/2, got.Reason, steps)
		}
	}
}

// TestReadAnything gives images of odd shapes and contents: nothing is read and
// nothing breaks.
func TestReadAnything(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(7, 7))
	for _, size := range [][2]int{{1, 1}, {1, 3000}, {3000, 1}, {2, 2}, {7, 9}, {16, 16}, {33, 500}, {250, 250}} {
		noise, checker, steps := gray.New(size[0], size[1]), gray.New(size[0], size[1]), gray.New(size[0], size[1])
		for i := range noise.Pix {
			x, y := i%size[0], i/size[0]
			noise.Pix[i] = byte(r.IntN(256))
			checker.Pix[i] = byte((x/3+y/3)%2) * 255
			steps.Pix[i] = byte(x * y)
		}
		for name, m := range map[string]*gray.Image{"noise": noise, "checker": checker, "steps": steps} {
			got := symbol.ReadImage(context.Background(), m, symbol.Options{Budget: patient, Inverted: true})
			if len(got.Symbols) != 0 || got.Reason.Code == "" {
				t.Errorf("%s of %v px: %d symbols, reason %+v", name, size, len(got.Symbols), got.Reason)
			}
		}
	}
}

// FuzzReadImage: whatever the pixels, reading ends, and each text that is read is there
// again when the symbol that it claims is drawn and read.
func FuzzReadImage(f *testing.F) {
	r := rand.New(rand.NewPCG(8, 8))
	s, _ := random(f, r, 12, 12)
	m := gray.New(40, 40)
	m.Fill(255)
	simulate.Draw(m, s, simulate.Place{X: 6, Y: 6, ModulePx: 2.3}, 0, 255)
	f.Add(uint8(40), m.Pix)
	f.Add(uint8(3), []byte{0, 255, 0, 255, 0, 255})
	f.Fuzz(func(t *testing.T, width uint8, pix []byte) {
		if width == 0 || len(pix) > 1<<14 {
			return
		}
		img := &gray.Image{Width: int(width), Height: len(pix) / int(width), Stride: int(width), Pix: pix}
		got := symbol.ReadImage(context.Background(), img, symbol.Options{Budget: patient})
		if len(got.Symbols) == 0 && got.Reason.Code == "" {
			t.Fatal("nothing read and no reason given")
		}
		for _, sym := range got.Symbols {
			page := gray.New(8*sym.Cols+80, 8*sym.Rows+80)
			page.Fill(255)
			simulate.Draw(page, simulate.Symbol{Rows: sym.Rows, Cols: sym.Cols, Dark: sym.Dark}, simulate.Place{X: 40, Y: 40, ModulePx: 8}, 0, 255)
			again := symbol.ReadImage(context.Background(), page, symbol.Options{Budget: patient})
			if len(again.Symbols) != 1 || again.Symbols[0].Text != sym.Text {
				t.Fatalf("%q is no symbol: drawn again it reads %+v", sym.Text, again)
			}
		}
	})
}
