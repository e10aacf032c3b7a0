package photo

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"tcode/scanner/gray"
)

// Settings describe a photograph of a sheet.
type Settings struct {
	Print   Print
	Screen  *Screen // shows the page instead of a print; nil: printed
	Shape   Shape
	Camera  Camera
	Lamp    Lamp
	Exposed float64 // brightness of the page on average, 1 for white
	Lens    Lens
	Sensor  Sensor
	Desk    Desk
	Things  []Thing
	Seed    uint64 // of the sensor's noise
}

// A Photo is a photograph and the truth about it.
type Photo struct {
	Image    *gray.Image
	Corners  [4]gray.Point // of the symbol: its top left, top right, bottom right, bottom left, px
	ModulePx float64       // mean side of a module, px
	// At returns the place in the image of a point of the symbol, in modules from its own top left.
	At func(row, col float64) gray.Point
}

// ErrOutside means that the picture does not show the whole symbol.
var ErrOutside = errors.New("the symbol is not wholly in the picture")

// A reflector is a printed or shown page: its light at a point of the page, mm.
type reflector interface{ reflect(u, v float64) float64 }

// A printed part of a page.
type printed struct {
	at part
	m  *gray.Image
}

func (p *printed) reflect(u, v float64) float64 {
	return p.m.Bilinear((u-p.at.u0)/p.at.step, (v-p.at.v0)/p.at.step) / 255
}

// Take photographs a sheet. The error is [ErrOutside], or one of the JPEG encoder.
func Take(s Sheet, set Settings) (*Photo, error) {
	u, v := s.middle()
	w, h := s.size()
	page, camera := set.Shape.newSurface(u, v), set.Camera.pose()
	out := &Photo{At: func(row, col float64) gray.Point {
		u, v := s.module(row, col)
		return camera.project(page.at(u, v))
	}}
	rows, cols := float64(s.Symbol.Rows), float64(s.Symbol.Cols)
	for i, c := range [4][2]float64{{0, 0}, {0, cols}, {rows, cols}, {rows, 0}} {
		p := out.At(c[0], c[1])
		if p.X < 1 || p.Y < 1 || p.X > float64(camera.Width-1) || p.Y > float64(camera.Height-1) {
			return nil, fmt.Errorf("corner at %.0f, %.0f: %w", p.X, p.Y, ErrOutside)
		}
		out.Corners[i] = p
	}
	for i, p := range out.Corners {
		out.ModulePx += out.Corners[(i+1)%4].Sub(p).Len() / 4 / []float64{cols, rows}[i%2]
	}
	scene := look(page, w, h, camera)
	m := set.draw(scene, set.surface(&s, scene, out.ModulePx/s.Module))
	camera.shade(m)
	for i := range set.Things {
		set.Things[i].draw(m)
	}
	set.Lens.apply(m)
	var err error
	out.Image, err = set.Sensor.develop(m, rand.New(rand.NewPCG(set.Seed, 0x73656e736f72)))
	return out, err
}

// surface prints or shows the part of the sheet that the picture shows. scale is that of the
// picture, px a mm.
func (set *Settings) surface(s *Sheet, scene *scene, scale float64) reflector {
	u0, v0, u1, v1 := scene.bounds()
	if set.Screen != nil {
		return set.Screen.show(s, u0, v0, u1, v1)
	}
	dpi := 600.0
	switch { // coarser printers where the picture does not resolve the dots
	case scale < 7:
		dpi = 300
	case scale < 12:
		dpi = 400
	}
	at := s.newPart(u0, v0, u1, v1, mmPerInch/dpi)
	return &printed{at, set.Print.run(s, at).bytes()}
}

// draw returns the light of the scene on the sensor.
func (set *Settings) draw(s *scene, on reflector) *light {
	d := drawing{scene: s, on: on, n: 2, out: newLight(s.camera.Width, s.camera.Height), ground: set.Desk.lay(), lamp: &set.Lamp}
	if set.Screen != nil {
		d.n = 4
	}
	d.diffuse, d.mirrored = make([]float32, len(s.hits)), make([]float32, len(s.hits))
	var sum, lowest float64
	seen := 0
	for i, h := range s.hits {
		if h.depth == 0 {
			continue
		}
		a, b := 1.0, 0.0
		if set.Screen == nil {
			a, b = set.Lamp.lit(s.page, s.camera, h.u, h.v)
		} else if set.Lamp.Gloss > 0 {
			_, b = set.Lamp.lit(s.page, s.camera, h.u, h.v)
		}
		d.diffuse[i], d.mirrored[i] = float32(a), float32(b)
		sum += a
		seen++
		lowest = max(lowest, s.page.at(h.u, h.v).z)
	}
	white := 1.0
	if set.Screen == nil {
		white = set.Print.Paper.White
	}
	d.gain = set.Exposed / (white * sum / float64(max(seen, 1)))
	d.low, d.ambient = lowest+0.5, max(0.3, set.Lamp.Ambient)
	if set.Screen != nil {
		d.ambient = 0.15 // a room is darker than its screen
	}
	d.run()
	return d.out
}

// A drawing fills a picture cell by cell.
type drawing struct {
	*scene
	on                reflector
	n                 int // samples a side of each pixel
	out               *light
	diffuse, mirrored []float32 // at the points of the grid
	ground            *ground
	lamp              *Lamp
	gain, low         float64 // of light; z of the desk
	ambient           float64 // light on the desk
}

func (d *drawing) run() {
	for j := range d.rows - 1 {
		for i := range d.cols - 1 {
			switch even, page := d.even(i, j); {
			case even:
				d.smoothCell(i, j)
			case page:
				d.brokenCell(i, j)
			default:
				for y := j * cell; y < (j+1)*cell; y++ {
					for x := i * cell; x < (i+1)*cell; x++ {
						d.out.row(y)[x] = float32(d.desk(gray.Point{X: float64(x) + 0.5, Y: float64(y) + 0.5}))
					}
				}
			}
		}
	}
}

// smoothCell draws a cell whose points lie between its corners.
func (d *drawing) smoothCell(i, j int) {
	k := [4]int{j*d.cols + i, j*d.cols + i + 1, (j+1)*d.cols + i, (j+1)*d.cols + i + 1}
	var u, v, a, b [4]float64
	for c, at := range k {
		u[c], v[c], a[c], b[c] = d.hits[at].u, d.hits[at].v, float64(d.diffuse[at]), float64(d.mirrored[at])
	}
	mix := func(q *[4]float64, x, y float64) float64 {
		return (q[0]+(q[1]-q[0])*x)*(1-y) + (q[2]+(q[3]-q[2])*x)*y
	}
	step := 1 / float64(d.n)
	for y := range cell {
		row := d.out.row(j*cell + y)
		for x := range cell {
			var sum float64
			for sy := range d.n {
				fy := (float64(y) + (float64(sy)+0.5)*step) / cell
				for sx := range d.n {
					fx := (float64(x) + (float64(sx)+0.5)*step) / cell
					sum += d.on.reflect(mix(&u, fx, fy), mix(&v, fx, fy))
				}
			}
			fx, fy := (float64(x)+0.5)/cell, (float64(y)+0.5)/cell
			row[i*cell+x] = float32((sum*step*step*mix(&a, fx, fy)*d.gain + mix(&b, fx, fy)))
		}
	}
}

// brokenCell draws a cell with a border of the page, or a part behind another one.
func (d *drawing) brokenCell(i, j int) {
	step := 1 / float64(d.n)
	for y := j * cell; y < (j+1)*cell; y++ {
		for x := i * cell; x < (i+1)*cell; x++ {
			var sum float64
			for sy := range d.n {
				for sx := range d.n {
					p := gray.Point{X: float64(x) + (float64(sx)+0.5)*step, Y: float64(y) + (float64(sy)+0.5)*step}
					h := d.at(p, i, j)
					if h.depth == 0 {
						sum += d.desk(p)
						continue
					}
					near := min(max(int(p.Y/cell+0.5), 0), d.rows-1)*d.cols + min(max(int(p.X/cell+0.5), 0), d.cols-1)
					if d.hits[near].depth == 0 {
						near = d.other(i, j)
					}
					sum += d.on.reflect(h.u, h.v)*float64(d.diffuse[near])*d.gain + float64(d.mirrored[near])
				}
			}
			d.out.row(y)[x] = float32(sum * step * step)
		}
	}
}

// other returns a corner of the cell that shows the page.
func (d *drawing) other(i, j int) int {
	for _, k := range [4]int{j*d.cols + i, j*d.cols + i + 1, (j+1)*d.cols + i, (j+1)*d.cols + i + 1} {
		if d.hits[k].depth > 0 {
			return k
		}
	}
	return j*d.cols + i
}

// desk returns the light of the desk at a point of the picture.
func (d *drawing) desk(p gray.Point) float64 {
	to := d.camera.direction(p)
	if to.z <= 1e-3 {
		return 0.3 * d.ambient // beyond the desk
	}
	k := (d.low - d.camera.from.z) / to.z
	x, y := d.camera.from.x+k*to.x, d.camera.from.y+k*to.y
	far := math.Hypot(x, y) / 400 // the lamp's light falls
	lit := 1 / (1 + far*far)
	if d.lamp.Phone != nil {
		lit *= 1 - d.lamp.Phone.hides(d.camera, vec{x, y, d.low}, vec{d.lamp.Place[0], d.lamp.Place[1], d.lamp.Place[2]})
	}
	return d.ground.reflect(x, y) * (d.ambient + (1-d.ambient)*lit) * d.gain * 0.85
}
