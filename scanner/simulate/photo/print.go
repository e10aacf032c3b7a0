package photo

import (
	"math"
	"math/rand/v2"

	"tcode/scanner/gray"
)

// A Print describes a printer and its paper. The figures that [laser] and [inkjet] draw are
// for office printers; ISO/IEC 15415 calls the growth of modules print growth.
type Print struct {
	Spread  float64 // sigma of the blur of a dot, mm. A laser's spot of 60 to 80 um gives 0.025 to 0.035
	Level   float64 // of the blurred ink from which paper turns dark; below 0.5 modules grow, above they shrink
	Soft    float64 // width of that change, share of full ink
	Feather float64 // irregular growth along the fibres, as a share of Level
	Ink     float64 // light that a full layer passes on one way, 0 to 1: its reflectance is the square
	Mottle  float64 // variation of the layer's thickness, standard deviation
	Banding float64 // the same in lines across the page, amplitude
	Band    float64 // distance of these lines, mm
	Specks  float64 // dots of stray toner for each mm² of paper close to ink
	Voids   float64 // holes for each mm² of ink
	Crease  *Crease // where the print is broken; nil: nowhere
	Paper   Paper
	Seed    uint64
}

// A Crease is a line on the page along which ink has flaked off.
type Crease struct {
	U, V, Angle float64 // a point of the line, mm, and its direction
	Width       float64 // mm
	Loss        float64 // share of the ink
}

// screenRuling is the ruling of the dots that stand for gray, lines a mm: 106 lines an inch
// at 45 degrees, as laser printers of 600 dpi have.
const screenRuling = 106 / mmPerInch

// run prints a part of the sheet: it returns its reflectance, 0 to 1.
func (p *Print) run(s *Sheet, at part) *light {
	r := rand.New(rand.NewPCG(p.Seed, 0x7072696e74))
	ink := halftone(s.draw(at), at)
	ink.blur(p.Spread / at.step)
	fibres := newGrain(r, 0.12/at.step)
	for y := range ink.h {
		row := ink.row(y)
		for x, v := range row {
			row[x] = p.solid(v, fibres.at(x, y))
		}
	}
	p.stray(ink, at, r)
	if p.Crease != nil {
		p.flake(ink, at, fibres)
	}
	p.layer(ink, at, r)
	return p.Paper.carry(ink, s, at, r)
}

// halftone returns the ink of an image as a printer sets it, 1 or 0 for each point: dots in
// a screen stand for gray.
func halftone(m *gray.Image, at part) *light {
	out := newLight(m.Width, m.Height)
	k := 2 * math.Pi * screenRuling * at.step / math.Sqrt2
	for y := range out.h {
		row := out.row(y)
		for x, v := range m.Row(y) {
			switch v {
			case 255:
			case 0:
				row[x] = 1
			default:
				spot := 0.5 + 0.25*(math.Cos(k*float64(x+y))+math.Cos(k*float64(x-y)))
				if 1-float64(v)/255 > spot {
					row[x] = 1
				}
			}
		}
	}
	return out
}

// solid returns the ink that stays where the blurred ink is v.
func (p *Print) solid(v, fibre float32) float32 {
	level := p.Level * (1 + p.Feather*float64(fibre))
	return float32(smooth(level-p.Soft/2, level+p.Soft/2, float64(v)))
}

// stray adds dots of toner beside ink and holes in it. The electric field of a laser's drum
// throws toner at most a few tenths of a mm.
func (p *Print) stray(ink *light, at part, r *rand.Rand) {
	area := float64(ink.w) * float64(ink.h) * at.step * at.step
	spot := func(n float64, hole bool) {
		for range int(n * area) {
			x, y := r.Float64()*float64(ink.w), r.Float64()*float64(ink.h)
			radius := (0.012 + 0.025*r.Float64()*r.Float64()) / at.step // 12 to 37 um
			a, d := 2*math.Pi*r.Float64(), 0.3*r.Float64()/at.step
			nx, ny := int(x+d*math.Cos(a)), int(y+d*math.Sin(a))
			near := nx >= 0 && ny >= 0 && nx < ink.w && ny < ink.h && ink.row(ny)[nx] > 0.5
			if !hole && !near && r.IntN(30) > 0 { // one in thirty lands anywhere
				continue
			}
			dot(ink, x, y, radius, hole)
		}
	}
	spot(p.Specks, false)
	spot(p.Voids, true)
}

// dot sets ink, or a hole, in a disc.
func dot(ink *light, x, y, radius float64, hole bool) {
	for j := max(0, int(y-radius-1)); j <= min(ink.h-1, int(y+radius+1)); j++ {
		row := ink.row(j)
		for i := max(0, int(x-radius-1)); i <= min(ink.w-1, int(x+radius+1)); i++ {
			d := math.Hypot(float64(i)+0.5-x, float64(j)+0.5-y)
			k := float32(min(max(radius+0.5-d, 0), 1))
			if hole {
				row[i] *= 1 - k
			} else {
				row[i] = max(row[i], k)
			}
		}
	}
}

// flake takes ink from the crease.
func (p *Print) flake(ink *light, at part, fibres grain) {
	c := p.Crease
	sin, cos := math.Sincos(c.Angle)
	for y := range ink.h {
		v := at.v0 + (float64(y)+0.5)*at.step - c.V
		row := ink.row(y)
		for x := range row {
			u := at.u0 + (float64(x)+0.5)*at.step - c.U
			d := (v*cos - u*sin) / c.Width
			if d > 3 || d < -3 {
				continue
			}
			loss := c.Loss * math.Exp(-d*d) * (1 + 0.8*float64(fibres.at(x*2/3+7, y*2/3+5)))
			row[x] *= float32(1 - min(max(loss, 0), 1))
		}
	}
}

// layer turns ink into the light that passes it one way.
func (p *Print) layer(ink *light, at part, r *rand.Rand) {
	mottle := newGrain(r, 0.5/at.step)
	phase := 2 * math.Pi * r.Float64()
	for y := range ink.h {
		band := 0.0
		if p.Banding > 0 {
			band = p.Banding * math.Sin(2*math.Pi*(at.v0+float64(y)*at.step)/p.Band+phase)
		}
		row := ink.row(y)
		for x, v := range row {
			if v == 0 {
				row[x] = 1
				continue
			}
			full := 1 + band + p.Mottle*float64(mottle.at(x, y))
			row[x] = 1 - v*float32(min(max((1-p.Ink)*full, 0), 1))
		}
	}
}
