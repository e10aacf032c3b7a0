package gray_test

import (
	"fmt"
	"testing"

	"tcode/scanner/gray"
)

func TestTiles(t *testing.T) {
	t.Parallel()
	m := grain(45, 30, 7)
	var means gray.Image
	gray.Tiles(&means, m)
	if means.Width != 5 || means.Height != 3 {
		t.Fatalf("%d x %d tiles, want 5 x 3", means.Width, means.Height)
	}
	for ty := range 3 {
		for tx := range 5 {
			sum := 0
			for i := range 64 {
				sum += int(m.At(8*tx+i%8, 8*ty+i/8))
			}
			if want := byte((sum + 32) / 64); means.At(tx, ty) != want {
				t.Errorf("tile (%d,%d) = %d, want %d", tx, ty, means.At(tx, ty), want)
			}
		}
	}
}

// TestDarker compares the result of eight pixels at a time with that of single pixels.
func TestDarker(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{64, 16}, {200, 33}, {131, 24}, {9, 8}} {
		for _, margin := range []int{0, 8, 200} {
			t.Run(fmt.Sprint(size, margin), func(t *testing.T) {
				t.Parallel()
				m := grain(size[0], size[1], 8)
				var means gray.Image
				gray.Tiles(&means, m)
				var got gray.Bits
				got.Darker(m, &means, margin)
				for y := range m.Height {
					for x := range m.Width {
						tx, ty := min(x/8, means.Width-1), min(y/8, means.Height-1)
						sum := 0
						for i := range 9 {
							sum += int(means.At(tx-1+i%3, ty-1+i/3))
						}
						if want := int(m.At(x, y)) < sum/9-margin; got.At(x, y) != want {
							t.Fatalf("(%d,%d) = %v, want %v", x, y, got.At(x, y), want)
						}
					}
					if rest := m.Width % 64; rest > 0 && got.Row(y)[got.Words-1]>>rest != 0 {
						t.Fatalf("row %d has bits beyond its end", y)
					}
				}
			})
		}
	}
	var got gray.Bits
	got.Darker(grain(7, 70, 8), &gray.Image{}, 0)
	for i, w := range got.Word {
		if w != 0 {
			t.Errorf("word %d of an image of less than a tile is %x, want 0", i, w)
		}
	}
}

func TestChanges(t *testing.T) {
	t.Parallel()
	m := grain(150, 40, 9)
	var means gray.Image
	gray.Tiles(&means, m)
	var b gray.Bits
	b.Darker(m, &means, 0)
	right, below := make([]uint64, b.Words*5), make([]uint64, b.Words*5)
	b.Changes(right, below)
	at := func(x, y int) bool { return x < b.Width && b.At(x, y) }
	for ty := range 5 {
		for tx := range 150 / 8 {
			var h, v uint64
			for i := range 64 {
				x, y := 8*tx+i%8, 8*ty+i/8
				if at(x, y) != at(x+1, y) {
					h++
				}
				if y+1 < b.Height && at(x, y) != at(x, y+1) {
					v++
				}
			}
			gotH, gotV := right[ty*b.Words+tx/8]>>(tx%8*8)&255, below[ty*b.Words+tx/8]>>(tx%8*8)&255
			if gotH != h || gotV != v {
				t.Errorf("tile (%d,%d): %d and %d changes, want %d and %d", tx, ty, gotH, gotV, h, v)
			}
		}
	}
}

func TestSwaps(t *testing.T) {
	t.Parallel()
	m := grain(200, 20, 10)
	var means gray.Image
	gray.Tiles(&means, m)
	var b gray.Bits
	b.Darker(m, &means, 0)
	for _, r := range []gray.Rect{
		{X1: 200, Y1: 20},
		{X0: 3, Y0: 2, X1: 60, Y1: 9},
		{X0: 63, Y0: 1, X1: 130, Y1: 2},
		{X0: 64, Y0: 1, X1: 128, Y1: 3},
		{X0: 63, Y0: 1, X1: 65, Y1: 20},
		{X0: 5, X1: 5, Y1: 3},
	} {
		wantX, wantY := 0, 0
		for y := r.Y0; y < r.Y1; y++ {
			for x := r.X0; x < r.X1; x++ {
				if x+1 < r.X1 && b.At(x, y) != b.At(x+1, y) {
					wantX++
				}
				if y+1 < r.Y1 && b.At(x, y) != b.At(x, y+1) {
					wantY++
				}
			}
		}
		if x, y := b.Swaps(r); x != wantX || y != wantY {
			t.Errorf("Swaps(%v) = %d, %d, want %d, %d", r, x, y, wantX, wantY)
		}
	}
}
