package locate_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"tcode/scanner/gray"
	"tcode/scanner/locate"
)

// squares returns a picture of side px full of random modules of px.
func squares(side, px int, seed uint64) *gray.Image {
	r := rand.New(rand.NewPCG(seed, 3))
	n := side/px + 1
	dark := make([]bool, n*n)
	for i := range dark {
		dark[i] = r.IntN(2) == 0
	}
	m := gray.New(side, side)
	for y := range side {
		for x := range m.Row(y) {
			if !dark[y/px*n+x/px] {
				m.Row(y)[x] = 230
			}
		}
	}
	return m
}

// TestMeshIsBounded: a picture full of modules, which has no end for a mesh, costs no more than
// allowed.
func TestMeshIsBounded(t *testing.T) {
	t.Parallel()
	const allowed, beyond = 1 << 22, 1 << 23 // the last step is finished
	for _, px := range []int{3, 5, 11} {
		m := squares(1000, px, 1)
		var f locate.Finder
		left := allowed
		f.Mesh(m, gray.Rect{X1: m.Width, Y1: m.Height}, 0, true, &left, func(*locate.Meshed) bool { return false })
		if left > 0 || left < -beyond {
			t.Errorf("%d px: %d of %d pixels left", px, left, allowed)
		}
	}
}

// TestStop: a search that is told to stop ends soon, whatever step it is in.
func TestStop(t *testing.T) {
	t.Parallel()
	m := squares(1000, 5, 1)
	for after := range 12 {
		asked := 0
		f := locate.Finder{Stop: func() bool { asked++; return asked > after }}
		left := 1 << 26
		f.Mesh(m, gray.Rect{X1: m.Width, Y1: m.Height}, 0, true, &left, func(*locate.Meshed) bool { return false })
		if left > 0 || asked != after+1 {
			t.Errorf("asked %d times, and %d pixels left", asked, left)
		}
		asked = 0
		f.SearchTilted(m, locate.Box{Rect: gray.Rect{X1: 400, Y1: 400}, Score: 20}, 6)
		if asked > after+2 {
			t.Errorf("asked %d times after %d", asked, after)
		}
	}
}

// FuzzMesh: whatever the picture, the places on a mesh are finite and their modules have values.
func FuzzMesh(f *testing.F) {
	m := squares(120, 5, 2)
	f.Add(uint8(120), m.Pix)
	f.Add(uint8(64), m.Pix[:64*64])
	f.Fuzz(func(t *testing.T, width uint8, pix []byte) {
		w := max(int(width), 1)
		m := &gray.Image{Width: w, Height: len(pix) / w, Stride: w, Pix: pix}
		if !m.Valid() || m.Height == 0 {
			return
		}
		var finder locate.Finder
		left := 1 << 18
		finder.Mesh(m, gray.Rect{X1: m.Width, Y1: m.Height}, 0, true, &left, func(c *locate.Meshed) bool {
			for _, p := range c.Corners {
				if s := p.X + p.Y; math.IsNaN(s) || math.IsInf(s, 0) {
					t.Errorf("corner %v", p)
				}
			}
			if n := c.Size.Rows * c.Size.Cols; len(c.Modules.Value) != n || c.Modules.Size != c.Size {
				t.Errorf("%d values for %d modules", len(c.Modules.Value), n)
			}
			return false
		})
	})
}
