package gateway_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"tcode/cmd/internal/world"
	"tcode/offline/binding"
	"tcode/offline/payload"
	"tcode/scanner"
	"tcode/scanner/binder"
	"tcode/scanner/symbol"
)

// TestPlacementsRead stamps the project's documents at each of the nine anchors
// in each rotation through a placement template, and reads them with the
// scanner: the symbol has the place and rotation of the template, is readable,
// and is bound to the file.
func TestPlacementsRead(t *testing.T) {
	w := world.New(t, 1)
	s := scanner.New(scanner.Config{})
	t.Cleanup(func() { s.Close() })
	documents := []string{"letter.pdf", "rotated.pdf", "diploma.pdf", "scanned.pdf", "invoice.pdf", "arabic.pdf"}
	anchors := []struct {
		name string
		x, y float64
	}{
		{"top-left", 0, 0},
		{"top", 0.5, 0},
		{"top-right", 1, 0},
		{"left", 0, 0.5},
		{"center", 0.5, 0.5},
		{"right", 1, 0.5},
		{"bottom-left", 0, 1},
		{"bottom", 0.5, 1},
		{"bottom-right", 1, 1},
	}
	for i, a := range anchors {
		for turn := range 4 {
			name := documents[(i+turn)%len(documents)]
			t.Run(fmt.Sprintf("%s/%d/%s", a.name, 90*turn, name), func(t *testing.T) {
				p, pages := w.StampAt(world.Document(t, name), map[string]any{
					"name": a.name, "anchor": a.name, "rotation": 90 * turn,
					"safeMargins": map[string]any{"top": 4, "right": 6, "bottom": 8, "left": 12},
				})
				got := symbolsOf(t, s, p.PDF)
				if len(got) != 1 || got[pages[0]] == nil {
					t.Fatalf("symbols on pages %v, want one on %v", got, pages)
				}
				found := got[pages[0]]
				const box = 16.5
				wantX := 12 + a.x*(found.widthMM-18-box) + box/2
				wantY := 4 + a.y*(found.heightMM-12-box) + box/2
				if math.Abs(found.xMM-wantX) > 0.2 || math.Abs(found.yMM-wantY) > 0.2 || found.turn != turn {
					t.Errorf("symbol at %.2f, %.2f mm, turned %d times; want %.2f, %.2f, %d", found.xMM, found.yMM, found.turn, wantX, wantY, turn)
				}
				bound(t, p, found)
			})
		}
	}
}

// TestScopesRead stamps pages of a long document: the pages that the template
// names carry the one symbol, and no other page does.
func TestScopesRead(t *testing.T) {
	w := world.New(t, 1)
	s := scanner.New(scanner.Config{})
	t.Cleanup(func() { s.Close() })
	contract := world.Document(t, "contract.pdf")
	const count = 30
	every := func(from, step int) (out []int) {
		for n := from; n <= count; n += step {
			out = append(out, n)
		}
		return out
	}
	for _, tt := range []struct {
		scope, custom string
		want          []int
	}{
		{"last", "", []int{count}},
		{"all", "", every(1, 1)},
		{"odd", "", every(1, 2)},
		{"custom", "1,3-5,-1", []int{1, 3, 4, 5, count}},
	} {
		t.Run(tt.scope, func(t *testing.T) {
			body := map[string]any{"name": tt.scope, "pageScope": tt.scope}
			if tt.custom != "" {
				body["customPages"] = tt.custom
			}
			p, pages := w.StampAt(contract, body)
			if !slices.Equal(pages, tt.want) {
				t.Fatalf("the record names pages %v, want %v", pages, tt.want)
			}
			got := symbolsOf(t, s, p.PDF)
			for n := range got {
				if !slices.Contains(tt.want, n) {
					t.Errorf("a symbol on page %d", n)
				}
			}
			for _, n := range tt.want {
				if got[n] == nil {
					t.Errorf("no symbol on page %d", n)
					continue
				}
				bound(t, p, got[n])
			}
		})
	}
}

// A placed is a symbol that was read and the place of its middle on its page.
type placed struct {
	symbol            symbol.Symbol
	xMM, yMM          float64
	widthMM, heightMM float64 // of the page
	turn              int     // quarter turns clockwise
}

// symbolsOf reads all pages of pdf and returns the symbol of each page number.
func symbolsOf(t *testing.T, s *scanner.Scanner, pdf []byte) map[int]*placed {
	t.Helper()
	found := map[int]*placed{}
	err := s.Read(t.Context(), "stamped.pdf", pdf, scanner.DocumentOptions{}, func(p scanner.Page) error {
		for _, sym := range p.Reading.Symbols {
			if found[p.Number] != nil {
				t.Errorf("page %d has several symbols", p.Number)
			}
			mm := 25.4 / p.DPI
			at := &placed{symbol: sym, widthMM: mm * float64(p.WidthPx), heightMM: mm * float64(p.HeightPx)}
			for _, c := range sym.Corners {
				at.xMM, at.yMM = at.xMM+mm*c[0]/4, at.yMM+mm*c[1]/4
			}
			dx, dy := sym.Corners[1][0]-sym.Corners[0][0], sym.Corners[1][1]-sym.Corners[0][1]
			at.turn = (int(math.Round(math.Atan2(dy, dx)/(math.Pi/2))) + 4) % 4
			found[p.Number] = at
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// bound checks that the symbol is p's and belongs to p's file.
func bound(t *testing.T, p world.Paper, found *placed) {
	t.Helper()
	if want := payload.EncodeText(p.Raw); found.symbol.Text != want {
		t.Errorf("the symbol reads %q, want %q", found.symbol.Text, want)
	}
	if got := binder.Bind(p.PDF, p.Payload, found.symbol); got.State != binding.Match {
		t.Errorf("binding %+v", got)
	}
}
