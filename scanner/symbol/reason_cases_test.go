//go:build !race

package symbol_test

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"

	"tcode/scanner/gray"
	"tcode/scanner/simulate"
	"tcode/scanner/symbol"
)

// TestReasonCases makes a page for each reason among text and checks that the
// words name the change that was made to it, and that the advice helps.
func TestReasonCases(t *testing.T) {
	t.Parallel()
	const x, y = 410.4, 500.7
	page := func(px float64) *gray.Image {
		r := rand.New(rand.NewPCG(21, 1))
		m := simulate.Clutter(720, 900, 21, 5)
		s, _ := random(t, r, 40, 40)
		simulate.Draw(m, s, simulate.Place{X: x, Y: y, ModulePx: px, Quiet: 2}, 0, 255)
		return m
	}
	tests := []struct {
		name   string
		spoil  func() *gray.Image
		dpi    float64
		want   []string // codes, any of them is true
		says   string   // in message or advice
		sayNot string
	}{
		{"1 px a module", func() *gray.Image { m := page(1); simulate.Blur(m, 0.8); return m }, 75, []string{symbol.CodeTooFewPixels}, "dpi", "border"},
		{"out of focus", func() *gray.Image { m := page(5); simulate.Blur(m, 3.6); return m }, 0, []string{symbol.CodeBlurred, symbol.CodeNothingFound}, "", "times the resolution"},
		{"faint and noisy", func() *gray.Image {
			m := page(4)
			simulate.Contrast(m, 120, 132, 1)
			simulate.Noise(m, rand.New(rand.NewPCG(22, 1)), 12, 0)
			return m
		}, 0, []string{symbol.CodeLowContrast, symbol.CodeNothingFound}, "", "border"},
		{"struck out", func() *gray.Image {
			m := page(4)
			for i := range 10 {
				h := y + 4 + 16*float64(i)
				simulate.Stroke(m, gray.Point{X: x + 6, Y: h}, gray.Point{X: x + 156, Y: h + 5}, 6, 0)
			}
			return m
		}, 0, []string{symbol.CodeDamaged}, "40x40", "border"},
		{"glare over half of it", func() *gray.Image {
			m := page(4)
			for row := 571; row < m.Height; row++ {
				for col := range m.Row(row) {
					m.Row(row)[col] = 255
				}
			}
			return m
		}, 0, []string{symbol.CodeDamaged, symbol.CodeNothingFound, symbol.CodeQuietZoneCut}, "whole stamp", "border"},
		{"cut by the border", func() *gray.Image { return page(4).Crop(gray.Rect{X1: 720, Y1: 600}) }, 0, []string{symbol.CodeDamaged, symbol.CodeNothingFound, symbol.CodeQuietZoneCut}, "whole stamp", ""},
		{"no symbol", func() *gray.Image { return simulate.Clutter(720, 900, 21, 5) }, 0, []string{symbol.CodeNothingFound}, "whole stamp", ""},
		{"blank", func() *gray.Image { m := gray.New(720, 900); m.Fill(243); return m }, 0, []string{symbol.CodeLowContrast}, "blank", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			img := tt.spoil()
			got := symbol.ReadImage(context.Background(), img, symbol.Options{Budget: patient, DPI: tt.dpi})
			if len(got.Symbols) != 0 {
				t.Fatalf("read %q", got.Symbols[0].Text)
			}
			t.Logf("%s: %s; %s", got.Reason.Code, got.Reason.Message, got.Reason.Advice)
			known := false
			for _, w := range tt.want {
				known = known || got.Reason.Code == w
			}
			words := got.Reason.Message + "; " + got.Reason.Advice
			if !known || !strings.Contains(words, tt.says) || tt.sayNot != "" && strings.Contains(words, tt.sayNot) {
				t.Errorf("%s: %s, want one of %v, with %q and without %q", got.Reason.Code, words, tt.want, tt.says, tt.sayNot)
			}
		})
	}
}
