//go:build !race

package proof_test

import (
	"fmt"
	"strings"
	"testing"

	"tcode/offline/payload"
	"tcode/scanner/ecc200"
	"tcode/scanner/gray"
	"tcode/scanner/proof"
	"tcode/scanner/simulate"
)

// A sample is a symbol on a page of 300 dpi, and its surroundings.
type sample struct {
	characters int // of its text
	moduleMM   float64
	around     string // nothing, words, frame, dark
	turns      int
	ink        byte
}

func (s sample) String() string {
	return fmt.Sprintf("%d characters, %g mm, %s, turned %d times, ink %d", s.characters, s.moduleMM, s.around, s.turns, s.ink)
}

// draw returns the page, the place of the symbol, and its text.
func (s sample) draw(t testing.TB) (img *gray.Image, box gray.Rect, says string) {
	t.Helper()
	says = strings.Repeat(text, 4)[:s.characters]
	words, side, err := payload.Codewords(says)
	if err != nil {
		t.Fatal(err)
	}
	var size ecc200.Size
	for _, z := range ecc200.Sizes() {
		if z.Rows == side && z.Cols == side {
			size = z
		}
	}
	dark, err := ecc200.Encode(words, size)
	if err != nil {
		t.Fatal(err)
	}
	const margin = 70
	px := s.moduleMM * 300 / 25.4
	far := margin + px*float64(side)
	w := int(far) + margin
	img = gray.New(w, w)
	img.Fill(255)
	switch s.around {
	case "words":
		below := simulate.Clutter(w, margin, 22, uint64(s.characters))
		for y := int(far + 3*px); y < w; y++ {
			copy(img.Row(y), below.Row(y-int(far+3*px)))
		}
	case "frame":
		a, b := margin-3*px, far+3*px
		for _, l := range [][4]float64{{a, a, b, a}, {a, b, b, b}, {a, a, a, b}, {b, a, b, b}} {
			simulate.Stroke(img, gray.Point{X: l[0], Y: l[1]}, gray.Point{X: l[2], Y: l[3]}, 6, 0)
		}
	case "dark":
		img.Fill(60)
	}
	simulate.Draw(img, simulate.Symbol{Rows: side, Cols: side, Dark: dark}, simulate.Place{X: margin, Y: margin, ModulePx: px, Turns: s.turns, Quiet: 2}, s.ink, 255)
	return img, gray.Rect{X0: margin, Y0: margin, X1: int(far), Y1: int(far)}, says
}

// TestLowest compares the quick way to the lowest resolution with the one in which the reader reads every scan.
func TestLowest(t *testing.T) {
	t.Parallel()
	characters, modules := []int{20, 90, 150, 300}, []float64{0.23, 0.3, 0.375, 0.45, 0.55}
	plain := 0
	for _, around := range []string{"nothing", "words", "frame", "dark"} {
		for i, n := range characters {
			for k, mm := range modules {
				s := sample{n, mm, around, i + k, []byte{0, 0, 10, 100}[(i+k)%4]}
				img, box, says := s.draw(t)
				quick, simple, ok := proof.Lowest(t.Context(), img, box, says, false)
				if !ok {
					t.Fatalf("%v: not read", s)
				}
				if !simple {
					continue
				}
				plain++
				if full, _, _ := proof.Lowest(t.Context(), img, box, says, true); quick != full {
					t.Errorf("%v: %d dpi, step by step %d", s, quick, full)
				}
			}
		}
	}
	if plain < 20 {
		t.Errorf("%d samples are plain, want 20 and more", plain)
	}
}

// TestLowestOnlyPlain: where something near a symbol could be mistaken for a part of it, the reader reads every scan.
func TestLowestOnlyPlain(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		around string
		ink    byte
		plain  bool
	}{{"nothing", 0, true}, {"words", 0, true}, {"nothing", 100, false}, {"dark", 0, false}} {
		img, box, says := sample{150, 0.375, tt.around, 0, tt.ink}.draw(t)
		if _, plain, ok := proof.Lowest(t.Context(), img, box, says, false); !ok || plain != tt.plain {
			t.Errorf("%s, ink %d: plain %v, read %v; want %v", tt.around, tt.ink, plain, ok, tt.plain)
		}
	}
}

// BenchmarkLowest is the search for the lowest resolution alone, with one reading of the clear rendering: the quick way
// and step by step.
func BenchmarkLowest(b *testing.B) {
	img, box, says := sample{150, 0.375, "words", 0, 0}.draw(b)
	for _, bySteps := range []bool{false, true} {
		b.Run(map[bool]string{false: "quick", true: "by-steps"}[bySteps], func(b *testing.B) {
			for b.Loop() {
				if dpi, plain, ok := proof.Lowest(b.Context(), img, box, says, bySteps); !ok || !plain || dpi != 100 {
					b.Fatal(dpi, plain, ok)
				}
			}
		})
	}
}
