package photo_test

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"tcode/scanner/gray"
	"tcode/scanner/simulate"
	"tcode/scanner/simulate/photo"
)

// sheet returns a page of clutter with a symbol.
func sheet(t *testing.T, turns int) photo.Sheet {
	t.Helper()
	symbol, _, err := simulate.RandomText(rand.New(rand.NewPCG(7, 7)), 32)
	if err != nil {
		t.Fatal(err)
	}
	return photo.Sheet{
		Page: simulate.Clutter(827, 1169, 12, 4), DPI: 100, Symbol: symbol, X: 30.1, Y: 51.7, Module: 0.4, Turns: turns, Quiet: 2,
	}
}

// TestTruth photographs a symbol in every class without noise, and looks where the truth says
// that its modules lie: every module has its colour there.
func TestTruth(t *testing.T) {
	t.Parallel()
	for i, c := range photo.Classes() {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			s := sheet(t, i%4)
			set := c.Settings(&s, rand.New(rand.NewPCG(11, uint64(i))))
			clean(&set)
			got, err := photo.Take(s, set)
			if err != nil {
				t.Fatal(err)
			}
			wrong := 0
			for row := range s.Symbol.Rows {
				for col := range s.Symbol.Cols {
					p := got.At(float64(row)+0.5, float64(col)+0.5)
					level := got.At(float64(row)+0.5, -1).Sub(p) // paper beside the row
					paper := got.Image.Bilinear(p.X+level.X, p.Y+level.Y)
					if dark := got.Image.Bilinear(p.X, p.Y) < 0.72*paper; dark != s.Symbol.Dark[row*s.Symbol.Cols+col] {
						wrong++
					}
				}
			}
			if wrong > 8 { // of 1024
				t.Errorf("%d modules have the other colour where they should lie", wrong)
			}
			if got.ModulePx < 1.5 || got.ModulePx > 17 {
				t.Errorf("%.1f px per module", got.ModulePx)
			}
		})
	}
}

// clean takes everything away that changes colours: the picture is pure geometry.
func clean(set *photo.Settings) {
	set.Print = photo.Print{Spread: 0.01, Level: 0.5, Soft: 0.2, Ink: 0.2, Paper: photo.Paper{White: 0.85}}
	set.Lens, set.Things = photo.Lens{}, nil
	set.Lamp.Phone, set.Lamp.Gloss, set.Lamp.Ambient = nil, 0, 1
	set.Camera.Vignette, set.Exposed = 0, 0.6
	set.Sensor = photo.Sensor{White: 1e7}
	if set.Screen != nil {
		set.Screen.Gap, set.Screen.Pitch = 0, 0.05
	}
}

// TestCornersAgree draws one large dark square and compares its centre of gravity, and its
// extent, with the corners of the truth.
func TestCornersAgree(t *testing.T) {
	t.Parallel()
	for name, shape := range bent() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			page := gray.New(827, 1169)
			page.Fill(255)
			s := photo.Sheet{
				Page: page, DPI: 100, X: 60, Y: 70, Module: 5, Symbol: simulate.Symbol{Rows: 1, Cols: 1, Dark: []bool{true}},
			}
			set := photo.Settings{Shape: shape, Camera: camera(), Desk: photo.Desk{Level: 0.5}, Lamp: photo.Lamp{Place: [3]float64{0, 0, -1e6}}}
			clean(&set)
			set.Exposed = 0.3
			got, err := photo.Take(s, set)
			if err != nil {
				t.Fatal(err)
			}
			var area, x, y float64 // of the darkness; gamma does not matter for the middle of an even square
			lo, hi := bounds(got.Corners)
			paper := float64(got.Image.At(int(lo.X)-6, int(lo.Y)-6))
			for py := int(lo.Y) - 4; py < int(hi.Y)+4; py++ {
				for px := int(lo.X) - 4; px < int(hi.X)+4; px++ {
					k := min(max((paper-float64(got.Image.At(px, py)))/(paper*0.5), 0), 1)
					area, x, y = area+k, x+k*(float64(px)+0.5), y+k*(float64(py)+0.5)
				}
			}
			want := middle(got.At)
			if d := math.Hypot(x/area-want.X, y/area-want.Y); d > 0.15 {
				t.Errorf("the square lies %.3f px from its truth", d)
			}
			if side := math.Sqrt(area) / got.ModulePx; side < 0.9 || side > 1.1 {
				t.Errorf("a side of %.3f modules, want 1", side)
			}
		})
	}
}

func bounds(q [4]gray.Point) (lo, hi gray.Point) {
	lo, hi = q[0], q[0]
	for _, p := range q {
		lo = gray.Point{X: min(lo.X, p.X), Y: min(lo.Y, p.Y)}
		hi = gray.Point{X: max(hi.X, p.X), Y: max(hi.Y, p.Y)}
	}
	return lo, hi
}

// middle returns the centre of gravity of a symbol of one module in the picture, by
// small parts of the module with their areas.
func middle(at func(row, col float64) gray.Point) gray.Point {
	const n = 24
	var sum gray.Point
	var all float64
	for i := range n {
		for j := range n {
			a, b := at(float64(i)/n, float64(j)/n), at(float64(i+1)/n, float64(j+1)/n)
			c, d := at(float64(i)/n, float64(j+1)/n), at(float64(i+1)/n, float64(j)/n)
			area := math.Abs(b.Sub(a).Cross(d.Sub(c))) / 2
			sum, all = sum.Add(a.Add(b).Add(c).Add(d).Mul(area/4)), all+area
		}
	}
	return sum.Mul(1 / all)
}

// TestSameSeedSamePhoto also checks that another seed gives another picture.
func TestSameSeedSamePhoto(t *testing.T) {
	t.Parallel()
	classes, err := photo.Find([]string{"fold"})
	if err != nil {
		t.Fatal(err)
	}
	shot := func(seed uint64) []byte {
		s := sheet(t, 1)
		got, err := photo.Take(s, classes[0].Settings(&s, rand.New(rand.NewPCG(seed, 1))))
		if err != nil {
			t.Fatal(err)
		}
		return got.Image.Pix
	}
	a, b, c := shot(1), shot(1), shot(2)
	if !bytes.Equal(a, b) {
		t.Error("the same seed gave two pictures")
	}
	if bytes.Equal(a, c) {
		t.Error("two seeds gave the same picture")
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	if all, err := photo.Find(nil); err != nil || len(all) != 16 {
		t.Errorf("%d classes, %v, want 16", len(all), err)
	}
	if _, err := photo.Find([]string{"flat", "round"}); err == nil {
		t.Error("no error for an unknown class")
	}
}

func TestOutside(t *testing.T) {
	t.Parallel()
	c := camera()
	c.Aim.X = 400
	if _, err := photo.Take(sheet(t, 0), photo.Settings{Camera: c}); !errors.Is(err, photo.ErrOutside) {
		t.Errorf("err = %v, want ErrOutside", err)
	}
}
