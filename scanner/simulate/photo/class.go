package photo

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"tcode/scanner/gray"
)

// A Class is a kind of photographs: every one has a little of everything, and much of one
// difficulty.
type Class struct {
	Name   string
	What   string // the difficulty, with its figures
	change func(d *draft)
}

// Classes returns all classes.
func Classes() []Class {
	return []Class{
		{"flat", "nearly flat, upright, in good light", flat},
		{"tilt", "the camera 30 to 45 degrees off the page's normal, 2.2 to 5 px per module", tilt},
		{"cylinder", "a radius of 40 to 150 mm, the axis at any angle", cylinder},
		{"cone", "a radius of 40 to 120 mm at the symbol that grows along the axis", coneClass},
		{"wave", "waves of 0.8 to 2.5 symbols, slopes of 5 to 25 degrees", wave},
		{"fold", "a crease of 12 to 40 degrees across the symbol, broken ink", fold},
		{"crumple", "bumps of 15 to 50 mm, slopes of 6 to 14 degrees", crumple},
		{"defocus", "a disc of 0.5 to 0.9 modules radius", defocus},
		{"motion", "a path of 0.7 to 1.4 modules", motion},
		{"lowlight", "25 to 150 electrons at white, strong denoising", lowlight},
		{"glare", "the lamp mirrored on or close to the symbol", glare},
		{"shadow", "the phone's shadow, its border across the symbol", shadow},
		{"screen", "a display instead of paper", screen},
		{"sharpened", "strong sharpening after denoising, JPEG of quality 60 to 75", sharpened},
		{"small", "2 to 3 px per module", small},
		{"close", "12 to 16 px per module, a radius of 60 to 600 mm", closeUp},
	}
}

// Find returns the named classes, or all without names. An unknown name is an error.
func Find(names []string) ([]Class, error) {
	all := Classes()
	if len(names) == 0 {
		return all, nil
	}
	var out []Class
	for _, n := range names {
		i := slices.IndexFunc(all, func(c Class) bool { return c.Name == n })
		if i < 0 {
			return nil, fmt.Errorf("no class %q", n)
		}
		out = append(out, all[i])
	}
	return out, nil
}

// Size of a photograph, px: that of a phone's 12 million pixels at 45 %.
const photoWidth, photoHeight = 1920, 1440

// A draft is a set of settings that a class changes.
type draft struct {
	*rand.Rand
	sheet *Sheet
	Settings
	px     float64 // per module
	radius float64 // of a circle around the symbol as it lies flat, mm
}

func (d *draft) between(lo, hi float64) float64 { return lo + d.Float64()*(hi-lo) }

// degrees returns an angle between two in degrees, in radians.
func (d *draft) degrees(lo, hi float64) float64 { return d.between(lo, hi) * math.Pi / 180 }

// angle returns any angle.
func (d *draft) angle() float64 { return 2 * math.Pi * d.Float64() }

// sign returns 1 or -1.
func (d *draft) sign() float64 { return float64(2*d.IntN(2) - 1) }

// Settings returns the settings for a photograph of s in this class.
func (c Class) Settings(s *Sheet, r *rand.Rand) Settings {
	rows, cols := s.lies()
	d := &draft{Rand: r, sheet: s, radius: math.Hypot(rows, cols) / 2 * s.Module}
	d.px = 2.5 * math.Pow(3.2, d.Float64()) // 2.5 to 8, small ones as often as large ones
	d.usual()
	c.change(d)
	d.place()
	for range 40 {
		// A bent page may carry a corner of the symbol out of the picture: move on to a smaller one.
		if d.inside() {
			break
		}
		d.Camera.Distance *= 1.03
		d.Camera.Aim = d.Camera.Aim.Mul(0.8)
	}
	d.light(c.Name)
	d.things()
	return d.Settings
}

// usual draws what every photograph has a little of.
func (d *draft) usual() {
	d.Print = d.printer()
	d.Shape = Shape{Form: Cylinder, Angle: d.angle(), Radius: d.sign() * d.between(500, 3000)}
	d.Camera = Camera{
		Width: photoWidth, Height: photoHeight, Focal: 0.75 * photoWidth,
		Tilt: d.degrees(0, 12), Side: d.angle(), Roll: math.Pi/2*float64(d.IntN(4)) + d.degrees(-12, 12),
		K1: d.between(-0.04, 0.04), K2: d.between(-0.01, 0.01), Vignette: d.between(0.05, 0.3),
	}
	d.Lamp.Ambient, d.Exposed = d.between(0.4, 0.7), d.between(0.5, 0.72)
	d.Lens = Lens{Soft: d.between(0.5, 0.8), Defocus: d.between(0, 0.15), Motion: d.between(0, 0.15), MotionAngle: d.angle()}
	d.Sensor = Sensor{
		White: d.between(1500, 5000), Read: 3, Demosaic: d.between(0.4, 0.6), Denoise: d.between(0.5, 1.5),
		Contrast: d.between(0.1, 0.4), Sharpen: d.between(0.3, 0.8), SharpenPx: d.between(0.8, 1.3), Quality: 78 + d.IntN(18),
	}
	m := Material(d.IntN(int(materials)))
	d.Desk = Desk{m, []float64{d.between(0.05, 0.7), d.between(0.15, 0.45), d.between(0.2, 0.6), d.between(0.1, 0.5)}[m], d.between(0.08, 0.2), d.Uint64()}
	d.Seed = d.Uint64()
}

// printer returns an office printer: a laser, or one in three times an ink jet. Its paper is
// printed on both sides one time in three.
func (d *draft) printer() Print {
	p := Print{Seed: d.Uint64(), Paper: Paper{
		White: d.between(0.78, 0.9), Fibre: d.between(0.004, 0.012), Cloud: d.between(0.003, 0.01), Scatter: d.between(0.04, 0.08),
	}}
	if d.IntN(3) == 0 {
		p.Paper.Through = d.between(0.04, 0.09)
	}
	if d.IntN(3) > 0 { // laser: sharp dots, stray toner, bands by the gears of the drum
		p.Spread, p.Level, p.Soft, p.Feather = d.between(0.022, 0.035), d.between(0.3, 0.55), 0.3, d.between(0.02, 0.08)
		p.Ink, p.Mottle = d.between(0.15, 0.28), d.between(0.02, 0.06)
		p.Banding, p.Band = d.between(0, 0.06), d.between(0.5, 3)
		p.Specks, p.Voids = d.between(0, 3), d.between(0, 0.6)
		return p
	}
	// Ink jet: ink runs along fibres and is not as black; bands by the swaths of the head.
	p.Spread, p.Level, p.Soft, p.Feather = d.between(0.035, 0.06), d.between(0.2, 0.42), 0.45, d.between(0.1, 0.25)
	p.Ink, p.Mottle = d.between(0.28, 0.42), d.between(0.03, 0.08)
	p.Banding, p.Band = d.between(0, 0.08), d.between(2, 9)
	p.Specks = d.between(0, 0.5)
	return p
}

// place puts the camera where modules have d.px, and turns lengths in modules into px.
func (d *draft) place() {
	most := 0.8 * photoHeight / 2 / (d.radius / d.sheet.Module) // the symbol must fit
	d.px = min(d.px, most)
	d.Camera.Distance = d.Camera.Focal * d.sheet.Module / d.px
	if least := d.between(80, 120); d.Camera.Distance < least { // the closest focus of a phone: it enlarges
		d.Camera.Focal *= least / d.Camera.Distance
		d.Camera.Distance = least
	}
	reach := d.radius / d.sheet.Module * d.px
	free := gray.Point{X: max(0, photoWidth/2-reach-20), Y: max(0, photoHeight/2-reach-20)}
	d.Camera.Aim = gray.Point{X: d.between(-0.7, 0.7) * free.X, Y: d.between(-0.7, 0.7) * free.Y}
	d.Lens.Defocus *= d.px
	d.Lens.Motion *= d.px
}

// inside reports whether the picture shows the whole symbol with its quiet zone.
func (d *draft) inside() bool {
	u, v := d.sheet.middle()
	page, camera := d.Shape.newSurface(u, v), d.Camera.pose()
	rows, cols := float64(d.sheet.Symbol.Rows), float64(d.sheet.Symbol.Cols)
	for _, row := range []float64{-1.5, rows / 2, rows + 1.5} {
		for _, col := range []float64{-1.5, cols / 2, cols + 1.5} {
			u, v := d.sheet.module(row, col)
			p := camera.project(page.at(u, v))
			if p.X < 2 || p.Y < 2 || p.X > photoWidth-2 || p.Y > photoHeight-2 {
				return false
			}
		}
	}
	return true
}

// light puts the lamp up: for glare so that the symbol mirrors it, for a shadow behind the
// phone, else anywhere above the page.
func (d *draft) light(class string) {
	u, v := d.sheet.middle()
	page := d.Shape.newSurface(u, v)
	side := d.sheet.Module * float64(d.sheet.Symbol.Rows)
	u, v = u+d.between(-0.4, 0.4)*side, v+d.between(-0.4, 0.4)*side
	switch class {
	case "glare":
		d.Lamp.Place = d.mirror(page, u, v, d.between(300, 1200))
	case "shadow":
		f := d.Lamp.Phone
		x, y := d.between(f.Left, f.Right), d.between(f.Top, f.Bottom)
		switch d.IntN(4) {
		case 0:
			x = f.Left
		case 1:
			x = f.Right
		case 2:
			y = f.Top
		default:
			y = f.Bottom
		}
		d.Lamp.Place = d.behind(page, u, v, x, y, d.between(3, 8))
	default:
		sin, cos := math.Sincos(d.degrees(35, 75))
		side, ahead := math.Sincos(d.angle())
		far := d.between(600, 1500)
		d.Lamp.Place = [3]float64{far * cos * ahead, far * cos * side, -far * sin}
	}
}

// things puts a finger, a pen or a cup on the picture, one time in three, off the symbol.
func (d *draft) things() {
	if d.IntN(3) > 0 {
		return
	}
	middle := gray.Point{X: photoWidth/2 + d.Camera.Aim.X, Y: photoHeight/2 + d.Camera.Aim.Y}
	keep := 1.1*d.radius/d.sheet.Module*d.px + 4*d.px
	for range 20 {
		a := d.angle()
		out := gray.Point{X: math.Cos(a), Y: math.Sin(a)}
		var t Thing
		switch d.IntN(3) {
		case 0: // finger: comes from outside
			t.Radius, t.Level = d.between(90, 170), d.between(0.25, 0.5)
			t.A = middle.Add(out.Mul(keep + 2*t.Radius + d.between(0, 300)))
			t.B = t.A.Add(out.Mul(1500))
		case 1: // pen: across
			t.Radius, t.Level, t.Shine = d.between(14, 40), d.between(0.02, 0.4), d.between(0, 0.5)
			at, along := middle.Add(out.Mul(keep+2*t.Radius+d.between(10, 300))), gray.Point{X: -out.Y, Y: out.X}
			t.A, t.B = at.Sub(along.Mul(d.between(200, 900))), at.Add(along.Mul(d.between(200, 900)))
		default: // cup from above
			t.Radius, t.Level = d.between(150, 300), d.between(0.1, 0.8)
			t.A = middle.Add(out.Mul(keep + 2*t.Radius + d.between(50, 400)))
			t.B = t.A
		}
		t.Shadow = gray.Point{X: d.between(-0.5, 0.5), Y: d.between(-0.5, 0.5)}.Mul(t.Radius)
		if t.A.X > -t.Radius && t.A.Y > -t.Radius && t.A.X < photoWidth+t.Radius && t.A.Y < photoHeight+t.Radius {
			d.Things = append(d.Things, t)
			return
		}
	}
}
