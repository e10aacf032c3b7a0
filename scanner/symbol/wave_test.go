//go:build !race

package symbol_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"tcode/scanner/gray"
	"tcode/scanner/simulate"
	"tcode/scanner/symbol"
	"tcode/testdata/corpus"
)

// closeUp returns a picture of s, px a module, on paper of which paper is the map from the
// picture to the symbol, both in modules.
func closeUp(s simulate.Symbol, px float64, paper func(p gray.Point) gray.Point) *gray.Image {
	const quiet, taps = 4, 4
	w, h := int((float64(s.Cols)+2*quiet)*px), int((float64(s.Rows)+2*quiet)*px)
	m := gray.New(w, h)
	for y := range h {
		row := m.Row(y)
		for x := range row {
			dark := 0
			for k := range taps * taps {
				p := gray.Point{X: float64(x) + (float64(k%taps)+0.5)/taps, Y: float64(y) + (float64(k/taps)+0.5)/taps}
				p = paper(gray.Point{X: p.X/px - quiet, Y: p.Y/px - quiet})
				c, r := int(math.Floor(p.X)), int(math.Floor(p.Y))
				if c >= 0 && r >= 0 && c < s.Cols && r < s.Rows && s.Dark[r*s.Cols+c] {
					dark++
				}
			}
			row[x] = byte(235 - 210*dark/(taps*taps))
		}
	}
	return m
}

// wave is paper with one wave of amp modules, across the rows or the columns of a symbol of side
// modules.
func wave(side int, amp, phase float64, down bool) func(p gray.Point) gray.Point {
	k := 2 * math.Pi / float64(side)
	return func(p gray.Point) gray.Point {
		if down {
			return gray.Point{X: p.X, Y: p.Y + amp*math.Sin(k*p.X+phase)}
		}
		return gray.Point{X: p.X + amp*math.Sin(k*p.Y+phase), Y: p.Y}
	}
}

// reads reports whether the picture of s on paper is read at px a module. Any other text ends the test.
func reads(t *testing.T, s simulate.Symbol, text string, px float64, paper func(p gray.Point) gray.Point) bool {
	t.Helper()
	got := symbol.ReadImage(context.Background(), closeUp(s, px, paper), symbol.Options{Budget: patient})
	for _, g := range got.Symbols {
		if g.Text != text {
			t.Fatalf("%dx%d at %g px: read %q, want %q", s.Rows, s.Cols, px, g.Text, text)
		}
	}
	return len(got.Symbols) > 0
}

// TestReadWaves reads large symbols on paper with one wave: at least 20 of 24 at every size of
// a module, and never fewer at a larger one. TCODE_LONG=all has larger modules too.
func TestReadWaves(t *testing.T) {
	t.Parallel()
	before, sizes := 20, []float64{4, 6}
	if corpus.Long() {
		sizes = append(sizes, 9, 12, 16)
	}
	for _, px := range sizes {
		read := 0
		for _, side := range []int{40, 48, 64} {
			for _, amp := range []float64{0.5, 0.75, 1, 1.5} {
				for _, down := range []bool{false, true} {
					r := rand.New(rand.NewPCG(uint64(side)+baseSeed(t), uint64(100*amp)))
					s, text := random(t, r, side, side)
					if reads(t, s, text, px, wave(side, amp, 2*math.Pi*r.Float64(), down)) {
						read++
					}
				}
			}
		}
		t.Logf("%g px a module: %d of 24", px, read)
		if read < before {
			t.Errorf("%g px a module: %d of 24 read, want %d", px, read, before)
		}
		before = max(before, read)
	}
}

// TestLargerReadsToo: what is read at 4 px a module is read at every larger size, in one of the four
// turns, with TCODE_LONG=all in all of them.
func TestLargerReadsToo(t *testing.T) {
	t.Parallel()
	for k, side := range []int{16, 20, 24, 32, 40, 52} {
		t.Run(fmt.Sprint(side), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(uint64(k)+baseSeed(t), 9))
			s, text := random(t, r, side, side)
			paper := crooked(r, float64(side))
			smallest := true
			for i, px := range []float64{4, 6, 9, 12, 16} {
				for turns := range 4 {
					if !corpus.Long() && i > 0 && turns != (i+k)%4 {
						continue
					}
					ok := reads(t, s.Turned(turns), text, px, paper)
					if px == 4 {
						smallest = smallest && ok
					} else if smallest && !ok {
						t.Errorf("%g px a module, %d turns: not read, but at 4 px", px, turns)
					}
				}
			}
			if !smallest {
				t.Error("not read at 4 px a module")
			}
		})
	}
}

// crooked is paper with a gentle wave in any direction, seen at a slant.
func crooked(r *rand.Rand, side float64) func(p gray.Point) gray.Point {
	amp, phase := 0.02*side*r.Float64(), 2*math.Pi*r.Float64()
	sin, cos := math.Sincos(math.Pi * r.Float64())
	tiltSin, tiltCos := math.Sincos(2 * math.Pi * r.Float64())
	tilt := 0.3 * r.Float64()
	return func(p gray.Point) gray.Point {
		x, y := p.X-side/2, p.Y-side/2
		w := 1 + tilt*(x*tiltCos+y*tiltSin)/side
		x, y = x/w, y/w
		d := amp * math.Sin(2*math.Pi*(x*cos+y*sin)/side+phase)
		return gray.Point{X: x - sin*d + side/2, Y: y + cos*d + side/2}
	}
}
