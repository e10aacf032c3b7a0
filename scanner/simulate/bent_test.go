package simulate_test

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"

	"tcode/scanner/ecc200"
	"tcode/scanner/gray"
	"tcode/scanner/simulate"
)

// TestBentSet checks that all kinds of bent symbols are decodable where their truth says
// that they lie.
func TestBentSet(t *testing.T) {
	t.Parallel()
	for _, kind := range []simulate.BentKind{simulate.Bow, simulate.LowWave, simulate.HighWave} {
		set, err := simulate.BentSet(kind, 9)
		if err != nil {
			t.Fatal(err)
		}
		again, err := simulate.BentSet(kind, 9)
		if err != nil {
			t.Fatal(err)
		}
		if len(set) != 24 {
			t.Fatalf("%v: %d symbols, want 24", kind, len(set))
		}
		for i, b := range set {
			turns := i % 4
			m, corners := simulate.DrawBent(b.Symbol, b.Wave, 5, turns)
			if i%6 == 0 {
				if n, _ := simulate.DrawBent(again[i].Symbol, again[i].Wave, 5, turns); !bytes.Equal(m.Pix, n.Pix) {
					t.Errorf("%v %d differs with the same seed", kind, i)
				}
			}
			grid := ecc200.Grid{Rows: b.Symbol.Rows, Cols: b.Symbol.Cols, Dark: sampleBent(m, b, corners, turns)}
			got, err := ecc200.Decode(grid)
			if err != nil || got.Errors != 0 {
				t.Errorf("%v %d: %v, %d errors, want a clean symbol", kind, i, err, got.Errors)
				continue
			}
			if text, err := ecc200.Text(got.Codewords); err != nil || text != b.Text {
				t.Errorf("%v %d: text %q, %v, want %q", kind, i, text, err, b.Text)
			}
		}
	}
}

// sampleBent takes the modules of a bent symbol from their true places in its picture.
func sampleBent(m *gray.Image, b simulate.Bent, corners [4]gray.Point, turns int) []bool {
	n := b.Symbol.Rows
	off := func(share float64) float64 {
		return b.Wave.Amplitude * 5 * math.Sin(2*math.Pi*(share*b.Wave.Periods+b.Wave.Phase))
	}
	origin := corners[0]
	if b.Wave.Down {
		origin.Y -= off(0)
	} else {
		origin.X -= off(0)
	}
	lies := simulate.Symbol{Rows: n, Cols: n, Dark: make([]bool, n*n)}
	for row := range n {
		for col := range n {
			p := origin.Add(gray.Point{X: 5 * (float64(col) + 0.5), Y: 5 * (float64(row) + 0.5)})
			if b.Wave.Down {
				p.Y += off((float64(col) + 0.5) / float64(n))
			} else {
				p.X += off((float64(row) + 0.5) / float64(n))
			}
			lies.Dark[row*n+col] = m.Bilinear(p.X, p.Y) < 128
		}
	}
	return lies.Turned(4 - turns).Dark
}

func TestRandomTextSides(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		side int
		ok   bool
	}{{14, false}, {16, true}, {24, true}, {52, true}, {64, true}, {50, false}, {72, false}} {
		s, text, err := simulate.RandomText(rand.New(rand.NewPCG(1, 2)), tt.side)
		if (err == nil) != tt.ok || err == nil && (s.Rows != tt.side || s.Cols != tt.side || len(text) == 0) {
			t.Errorf("side %d: %dx%d, %q, %v", tt.side, s.Rows, s.Cols, text, err)
		}
	}
}
