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
)

// slanted returns where a camera that is held at a slant sees the corners of a square of side px around mid. Tilt is
// the angle in degrees between its axis and the paper's normal, distance that from its lens to the paper in sides of
// the square; which way it leans and is turned is r's.
func slanted(r *rand.Rand, mid gray.Point, side, tilt, distance float64) (q [4]gray.Point) {
	sin, cos := math.Sincos(tilt * math.Pi / 180)
	ls, lc := math.Sincos(2 * math.Pi * r.Float64()) // leans to
	ts, tc := math.Sincos(2 * math.Pi * r.Float64()) // turned by
	for i, p := range [4]gray.Point{{X: -0.5, Y: -0.5}, {X: 0.5, Y: -0.5}, {X: 0.5, Y: 0.5}, {X: -0.5, Y: 0.5}} {
		u, v := p.X*lc+p.Y*ls, p.Y*lc-p.X*ls
		near := distance / (distance + u*sin)
		u, v = u*cos*near, v*near
		x, y := u*lc-v*ls, u*ls+v*lc
		q[i] = gray.Point{X: mid.X + side*(x*tc-y*ts), Y: mid.Y + side*(x*ts+y*tc)}
	}
	return q
}

// TestReadSlanted reads photos that a phone took close and at a slant, of
// a symbol among print and of any in a sheet of labels, a module apart. The
// floors are the lowest results of three seeds, less one.
func TestReadSlanted(t *testing.T) {
	t.Parallel()
	tests := []struct {
		tilt   float64 // degrees
		labels bool
		floor  int // of 10
	}{
		{35, false, 8},
		{50, false, 4},
		{35, true, 4},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprintf("%v degrees, labels %v", tt.tilt, tt.labels), func(t *testing.T) {
			t.Parallel()
			read := 0
			for seed := range uint64(10) {
				r := rand.New(rand.NewPCG(baseSeed(t)+seed, 9))
				modules := []int{16, 20, 24, 32, 40}[seed%5]
				if readSlanted(t, r, modules, tt.tilt, tt.labels) {
					read++
				}
			}
			t.Logf("%d of 10 read, floor %d", read, tt.floor)
			if read < tt.floor {
				t.Errorf("%d of 10 read, want at least %d", read, tt.floor)
			}
		})
	}
}

// readSlanted reports whether a symbol with the given modules a side is read at a
// slant, any of nine for labels, and fails t for any text that is on none of the labels.
func readSlanted(t *testing.T, r *rand.Rand, modules int, tilt float64, labels bool) bool {
	const drawn, seen = 12, 6 // px per module
	side := float64(drawn * modules)
	at, step := 1.1*side, side+drawn
	page := simulate.Clutter(int(3.2*side), int(3.2*side), side/4, r.Uint64())
	texts := map[string]bool{}
	for i := range 9 {
		x, y := i%3-1, i/3-1
		if !labels && (x != 0 || y != 0) {
			continue
		}
		s, content := random(t, r, modules, modules)
		simulate.Draw(page, s, simulate.Place{X: at + float64(x)*step, Y: at + float64(y)*step, ModulePx: drawn, Quiet: 1}, 0, 255)
		texts[content] = true
	}
	wide := int(seen * 1.9 * float64(modules))
	mid := gray.Point{X: float64(wide) / 2, Y: float64(wide) / 2}
	onPage, ok := gray.ToQuad(1, 1, [4]gray.Point{{X: at, Y: at}, {X: at + side, Y: at}, {X: at + side, Y: at + side}, {X: at, Y: at + side}})
	inView, ok2 := gray.ToQuad(1, 1, slanted(r, mid, seen*float64(modules), tilt, 1.5+1.5*r.Float64()))
	back, ok3 := inView.Inverse()
	if !ok || !ok2 || !ok3 {
		t.Fatal("corners on a line")
	}
	m := simulate.Warp(page, onPage.Mul(back), wide, wide, 3, 255)
	simulate.Blur(m, 0.7)
	simulate.Noise(m, r, 3, 0)
	got := false
	for _, s := range symbol.ReadImage(context.Background(), m, symbol.Options{Budget: patient}).Symbols {
		if !texts[s.Text] {
			t.Errorf("read %q, which is on no label", s.Text)
		}
		got = true
	}
	return got
}
