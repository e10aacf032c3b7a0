package scanner_test

import (
	"slices"
	"strings"
	"testing"

	"tcode/scanner"
	"tcode/scanner/gray"
	"tcode/scanner/simulate"
	"tcode/scanner/symbol"
)

// TestLightSymbols reads light symbols on dark ground: in pictures always, in PDFs on request, and
// the reason names that request.
func TestLightSymbols(t *testing.T) {
	t.Parallel()
	s := newScanner(t, scanner.Config{})
	dark, text := randomSymbol(t, 1)
	m := gray.New(260, 260)
	m.Fill(255)
	simulate.Draw(m, simulate.Symbol{Rows: 40, Cols: 40, Dark: dark}, simulate.Place{X: 50, Y: 50, ModulePx: 4}, 0, 255)
	m.Invert()
	picture, err := simulate.EncodePNG(m)
	if err != nil {
		t.Fatal(err)
	}
	page, onPage := symbolPage(t, 2, 20)
	page.content = "0 0 612 792 re f 1 g " + strings.TrimPrefix(page.content, emptyPage().content)
	tests := []struct {
		name     string
		file     []byte
		inverted bool
		want     string
	}{
		{"picture", picture, false, text},
		{"PDF", pdf(page), false, ""},
		{"PDF on request", pdf(page), true, onPage},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := readAll(t.Context(), s, tt.file, scanner.DocumentOptions{Image: symbol.Options{Inverted: tt.inverted}})
			if err != nil || len(got) != 1 {
				t.Fatalf("%d pages, %v", len(got), err)
			}
			r := got[0].Reading
			switch {
			case tt.want == "" && (len(r.Symbols) > 0 || !slices.Contains(r.Reason.Untried, symbol.LookInverted)):
				t.Errorf("%d symbols, %s, looks that were left out: %v", len(r.Symbols), r.Reason.Message, r.Reason.Untried)
			case tt.want != "" && (len(r.Symbols) != 1 || r.Symbols[0].Text != tt.want):
				t.Errorf("%d symbols, want %q: %s", len(r.Symbols), tt.want, r.Reason.Message)
			}
		})
	}
}
