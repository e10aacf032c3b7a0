package gateway_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"tcode/cmd/internal/world"
	"tcode/offline/geometry"
	"tcode/offline/host/sandbox"
	"tcode/offline/payload"
	"tcode/scanner"
	"tcode/server/pdfstamp"
)

// TestCaptionedRead stamps the project's documents with a caption at every side
// in every rotation, on padded white boxes. The scanner reads each symbol, and
// finds its corners where the stamper has put them.
func TestCaptionedRead(t *testing.T) {
	s := scanner.New(scanner.Config{})
	t.Cleanup(func() { s.Close() })
	pool := sandbox.NewPool(sandbox.Config{Role: pdfstamp.Role().Name})
	t.Cleanup(pool.Close)
	stamper := pdfstamp.New(pool)
	raw := make([]byte, 108) // the length of a payload with nothing optional
	for i := range raw {
		raw[i] = byte(i*i + 7*i)
	}
	text := payload.EncodeText(raw)
	seal := func([16]byte) (string, error) { return text, nil }
	documents := []string{"letter.pdf", "rotated.pdf", "diploma.pdf", "scanned.pdf", "invoice.pdf", "arabic.pdf"}
	for i, side := range []geometry.Side{geometry.Below, geometry.Above, geometry.LeftOf, geometry.RightOf} {
		for turn := range 4 {
			name := documents[(i+turn)%len(documents)]
			t.Run(fmt.Sprintf("%s/%d/%s", side, 90*turn, name), func(t *testing.T) {
				pl := pdfstamp.Placement{
					Anchor: geometry.Center, At: &geometry.Point{X: 0.6137, Y: 0.8271}, Rotation: 90 * turn, PaddingMM: 1.3,
					Caption: &pdfstamp.Caption{Text: "Vérifier · Проверить", Reference: true, Side: side},
				}
				pdf := world.Document(t, name)
				st, err := stamper.Append(t.Context(), world.InMemory(pdf), pl,
					payload.Reference{7}, 40, seal)
				if err != nil {
					t.Fatal(err)
				}
				found := symbolsOf(t, s, slices.Concat(pdf, st.Revision))[st.Page()]
				if found == nil || found.symbol.Text != text {
					t.Fatal("the symbol is not read")
				}
				at := st.Places[0]
				if math.Abs(at.PageMM.Width-found.widthMM) > 0.3 || math.Abs(at.PageMM.Height-found.heightMM) > 0.3 {
					t.Errorf("page of %v, rendered as %.1f x %.1f mm", at.PageMM, found.widthMM, found.heightMM)
				}
				x, y := at.Symbol.X+at.Symbol.Width/2, at.Symbol.Y+at.Symbol.Height/2
				if math.Abs(found.xMM-x) > 0.2 || math.Abs(found.yMM-y) > 0.2 || found.turn != turn {
					t.Errorf("symbol at %.2f, %.2f mm, turned %d times; said to be at %.2f, %.2f", found.xMM, found.yMM, found.turn, x, y)
				}
			})
		}
	}
}
