package photo

import (
	"math"
	"math/rand/v2"

	"tcode/scanner/gray"
)

// A Material is a kind of desk.
type Material int

// The materials.
const (
	Plain Material = iota
	Wood
	Stone
	Cloth
	materials
)

// A Desk describes the ground around the page.
type Desk struct {
	Material Material
	Level    float64 // reflectance
	Contrast float64 // of its texture, standard deviation as a share of Level
	Seed     uint64
}

// A ground is a desk that is ready to be seen.
type ground struct {
	Desk
	fine, coarse grain
}

func (d Desk) lay() *ground {
	r := rand.New(rand.NewPCG(d.Seed, 0x6465736b))
	return &ground{d, newGrain(r, 2), newGrain(r, 12)}
}

// reflect returns the reflectance of the desk at a place, mm.
func (g *ground) reflect(x, y float64) float64 {
	var t float64
	switch g.Material {
	case Wood: // fibres along x
		t = 0.7*g.coarse.between(x*0.3, y*12+4*g.fine.between(x*0.02, y*0.02)) + 0.5*g.fine.between(x*0.8, y*6)
	case Stone:
		t = max(0, g.fine.between(x*4, y*4)-0.8)*2 - 0.4 + 0.4*g.coarse.between(x*2, y*2)
	case Cloth: // threads of 0.6 mm
		t = math.Sin(2*math.Pi*x/0.6)*math.Sin(2*math.Pi*y/0.6) + 0.5*g.fine.between(x*8, y*8)
	default:
		t = 0.3*g.coarse.between(x, y) + 0.3*g.fine.between(x*10, y*10)
	}
	return min(max(g.Level*(1+g.Contrast*t), 0.01), 1)
}

// A Thing lies on the page or on the desk: a finger, a pen, a cup. It is a rounded bar from A
// to B in the picture.
type Thing struct {
	A, B   gray.Point // px
	Radius float64    // px
	Shadow gray.Point // displacement of its shadow, px
	Level  float64    // brightness, 1 for white
	Shine  float64    // of the middle line, added
}

// over calls f for the pixels within reach of the thing's middle line, with their distance
// from it as a multiple of reach.
func (t *Thing) over(m *light, off gray.Point, reach float64, f func(pixel *float32, distance float64)) {
	from, to := t.A.Add(off), t.B.Add(off)
	d := to.Sub(from)
	length := d.Dot(d)
	x0, x1 := int(min(from.X, to.X)-reach), int(max(from.X, to.X)+reach)
	y0, y1 := int(min(from.Y, to.Y)-reach), int(max(from.Y, to.Y)+reach)
	for y := max(0, y0); y <= min(m.h-1, y1); y++ {
		row := m.row(y)
		for x := max(0, x0); x <= min(m.w-1, x1); x++ {
			p := gray.Point{X: float64(x) + 0.5, Y: float64(y) + 0.5}.Sub(from)
			along := 0.0
			if length > 0 {
				along = min(max(p.Dot(d)/length, 0), 1)
			}
			if k := p.Sub(d.Mul(along)).Len() / reach; k < 1 {
				f(&row[x], k)
			}
		}
	}
}

// draw puts the thing and its soft shadow over the picture. Its borders are darker, as those of
// round things.
func (t *Thing) draw(m *light) {
	t.over(m, t.Shadow, 1.5*t.Radius, func(pixel *float32, k float64) { *pixel *= float32(1 - 0.45*(1-smooth(0.4, 1, k))) })
	t.over(m, gray.Point{}, t.Radius+0.5, func(pixel *float32, k float64) {
		v := t.Level*(1-0.6*k*k) + t.Shine*math.Exp(-20*k*k)
		*pixel += float32(min((1-k)*(t.Radius+0.5), 1)) * (float32(v) - *pixel)
	})
}
