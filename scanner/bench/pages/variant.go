package pages

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"tcode/scanner/gray"
	"tcode/scanner/simulate"
)

// A Variant is one way in which pages are damaged.
type Variant struct {
	Name string
	// Damaged means that ink lies on the symbol. In undamaged variants a reader should read
	// the symbols that the ideal grid reads.
	Damaged bool
	// Classic marks the nine variants of the field's comparison.
	Classic bool
	// Off means that the variant is made on request only.
	Off bool
	// Inverted means that readers also look for light symbols on dark.
	Inverted bool
	draw     func(b *base, r *rand.Rand) (shot, error)
}

// Empty is the variant without a symbol.
const Empty = "empty"

// Variants returns all variants, the classic ones first.
func Variants() []Variant {
	return []Variant{
		{Name: "clean", Classic: true, draw: clean},
		{Name: "skew", Classic: true, draw: skew},
		{Name: "jpeg30", Classic: true, draw: jpegOf(30)},
		{Name: "blur", Classic: true, draw: blur},
		{Name: "noise", Classic: true, draw: noise},
		{Name: "gamma", Classic: true, draw: gamma},
		{Name: "persp", Classic: true, draw: persp},
		{Name: "printscan", Classic: true, draw: printscan},
		{Name: "damage", Classic: true, Damaged: true, draw: damage},
		{Name: "curl", draw: curl},
		{Name: "glare", draw: glare},
		{Name: "shadow", draw: shadow},
		{Name: "moire", draw: moire},
		{Name: "jpeg10", draw: jpegOf(10)},
		{Name: "fax", draw: fax},
		{Name: "onebit", draw: onebit},
		{Name: "pen", Damaged: true, draw: pen},
		{Name: "staple", Damaged: true, draw: staple},
		{Name: "coffee", Damaged: true, draw: coffee},
		{Name: Empty, draw: empty},
		{Name: "inverted", Off: true, Inverted: true, draw: inverted},
	}
}

// Find returns the named variants, or, without names, all variants that are not off. An
// unknown name is an error.
func Find(names []string) ([]Variant, error) {
	all := Variants()
	if len(names) == 0 {
		return slices.DeleteFunc(all, func(v Variant) bool { return v.Off }), nil
	}
	var out []Variant
	for _, n := range names {
		i := slices.IndexFunc(all, func(v Variant) bool { return v.Name == n })
		if i < 0 {
			return nil, fmt.Errorf("no variant %q", n)
		}
		out = append(out, all[i])
	}
	return out, nil
}

// A shot is a finished image with its view of the page and the figures of the variant.
type shot struct {
	img   *gray.Image
	view  *view
	param string
	// lines is the number of times that each row was repeated after it was taken, 1 except for a fax.
	lines int
}

func take(b *base, v *view) shot { return shot{img: b.scene.render(v), view: v, lines: 1} }

func clean(b *base, _ *rand.Rand) (shot, error) { return take(b, b.scene.rotated(b.turn)), nil }

// turned takes the page at a random angle of at most degrees.
func turned(b *base, r *rand.Rand, degrees float64) shot {
	return take(b, b.scene.rotated(b.turn+between(r, -degrees, degrees)))
}

func skew(b *base, r *rand.Rand) (shot, error) {
	a := between(r, -5, 5)
	s := take(b, b.scene.rotated(b.turn+a))
	s.param = fmt.Sprintf("%+.1f deg", a)
	return s, nil
}

func jpegOf(quality int) func(*base, *rand.Rand) (shot, error) {
	return func(b *base, _ *rand.Rand) (s shot, err error) {
		s = take(b, b.scene.rotated(b.turn))
		s.img, err = simulate.JPEG(s.img, quality)
		return s, err
	}
}

func blur(b *base, r *rand.Rand) (shot, error) {
	sigma := max(between(r, 0.25, 0.55)*b.scene.px, 0.6)
	s := turned(b, r, 1)
	simulate.Blur(s.img, sigma)
	s.param = fmt.Sprintf("sigma %.2f px, %.2f modules", sigma, sigma/b.scene.px)
	return s, nil
}

func noise(b *base, r *rand.Rand) (shot, error) {
	sigma := between(r, 20, 45)
	s := turned(b, r, 1)
	simulate.Noise(s.img, r, sigma, 0.01)
	s.param = fmt.Sprintf("sigma %.0f", sigma)
	return s, nil
}

func gamma(b *base, r *rand.Rand) (shot, error) {
	g, lo, hi := []float64{0.35, 0.5, 2.2, 3}[r.IntN(4)], between(r, 30, 90), between(r, 150, 230)
	s := turned(b, r, 1)
	simulate.Contrast(s.img, lo, hi, g)
	simulate.Noise(s.img, r, 3, 0)
	s.param = fmt.Sprintf("gamma %.2f, levels %.0f-%.0f", g, lo, hi)
	return s, nil
}

// photo returns the view of a phone: the page in perspective on a dark desk, each corner
// displaced by up to reach of the picture.
func photo(b *base, r *rand.Rand, reach float64) *view {
	flat := b.scene.rotated(b.turn + between(r, -5, 5))
	w, h := float64(flat.w)*1.06, float64(flat.h)*1.06
	d := func() float64 { return reach * r.Float64() }
	quad := [4]gray.Point{
		{X: d() * w, Y: d() * h},
		{X: (1 - d()) * w, Y: d() * h},
		{X: (1 - d()) * w, Y: (1 - d()) * h},
		{X: d() * w, Y: (1 - d()) * h},
	}
	m, _ := gray.ToQuad(float64(flat.w), float64(flat.h), quad) // convex: the corners move by less than a tenth
	back, _ := m.Inverse()
	return &view{w: int(w), h: int(h), toPage: flat.toPage.Mul(back), ground: 70}
}

func persp(b *base, r *rand.Rand) (s shot, err error) {
	s = take(b, photo(b, r, 0.07))
	simulate.Blur(s.img, max(0.5, 0.2*b.scene.px))
	simulate.Contrast(s.img, 25, 242, 1)
	lamp(s.img, r, 0.17)
	simulate.Noise(s.img, r, 5, 0)
	s.img, err = simulate.JPEG(s.img, 70)
	return s, err
}

// lamp darkens the picture to three quarters and lights it from one side.
func lamp(m *gray.Image, r *rand.Rand, k float64) {
	simulate.Contrast(m, 0, 191, 1)
	simulate.Light(m, between(r, -k, k), between(r, -k, k))
}

func printscan(b *base, r *rand.Rand) (shot, error) {
	level := between(r, 105, 165)
	s := turned(b, r, 2)
	simulate.Blur(s.img, max(0.6, 0.2*b.scene.px))
	simulate.Noise(s.img, r, 14, 0)
	simulate.Threshold(s.img, byte(level))
	s.param = fmt.Sprintf("threshold %.0f", level)
	return s, nil
}

// marked takes the page at an angle of at most 2 degrees with marks on it.
func marked(b *base, r *rand.Rand, m []mark) (shot, error) {
	c := *b
	c.scene.marks = m
	return turned(&c, r, 2), nil
}

func damage(b *base, r *rand.Rand) (shot, error) { return marked(b, r, crossed(b.target(), r)) }
func pen(b *base, r *rand.Rand) (shot, error)    { return marked(b, r, signed(b.target(), r)) }
func coffee(b *base, r *rand.Rand) (shot, error) { return marked(b, r, cup(b.target(), r)) }
func staple(b *base, r *rand.Rand) (shot, error) {
	return marked(b, r, stapled(b.target(), r, float64(b.scene.page.Width), float64(b.scene.page.Height)))
}

func empty(b *base, _ *rand.Rand) (shot, error) {
	c := *b
	c.scene.sym = simulate.Symbol{}
	return take(&c, c.scene.rotated(c.turn)), nil
}

func inverted(b *base, r *rand.Rand) (shot, error) {
	s := turned(b, r, 1)
	s.img.Invert()
	return s, nil
}

// onebit simulates an office scanner set to black and white: a threshold, or error
// diffusion as in its photo mode.
func onebit(b *base, r *rand.Rand) (shot, error) {
	s := turned(b, r, 1)
	simulate.Blur(s.img, 0.45)
	simulate.Noise(s.img, r, 4, 0)
	if r.IntN(3) == 0 {
		diffuse(s.img)
		s.param = "error diffusion"
		return s, nil
	}
	level := between(r, 90, 190)
	simulate.Threshold(s.img, byte(level))
	s.param = fmt.Sprintf("threshold %.0f", level)
	return s, nil
}

// fax takes the page at 204 dpi across and 98 or 196 down, with a threshold. Lines at 98
// dpi are doubled, as fax viewers show them.
func fax(b *base, r *rand.Rand) (shot, error) {
	v := b.scene.rotated(b.turn + between(r, -0.7, 0.7))
	dpi, down, lines := float64(b.dpi), 98.0, 2
	if r.IntN(2) == 0 {
		down, lines = 196, 1
	}
	v.w, v.h = int(float64(v.w)*204/dpi), int(float64(v.h)*down/dpi)
	v.toPage, v.coarse = v.toPage.Mul(scaled(dpi/204, dpi/down)), 3
	s := take(b, v)
	simulate.Noise(s.img, r, 8, 0)
	simulate.Threshold(s.img, byte(between(r, 110, 170)))
	s.param, s.lines = fmt.Sprintf("204x%.0f dpi", down), lines
	if lines == 2 {
		long := gray.New(s.img.Width, 2*s.img.Height)
		for y := range long.Height {
			copy(long.Row(y), s.img.Row(y/2))
		}
		s.img, v.h, v.toPage = long, long.Height, v.toPage.Mul(scaled(1, 0.5))
	}
	return s, nil
}

// diffuse turns m into black and white by Floyd and Steinberg's error diffusion.
func diffuse(m *gray.Image) {
	now, next := make([]float64, m.Width+2), make([]float64, m.Width+2)
	for y := range m.Height {
		clear(next)
		for x, v := range m.Row(y) {
			want, got := float64(v)+now[x+1], 0.0
			if want >= 128 {
				got = 255
			}
			m.Row(y)[x] = byte(got)
			e := (want - got) / 16
			now[x+2] += 7 * e
			next[x] += 3 * e
			next[x+1] += 5 * e
			next[x+2] += e
		}
		now, next = next, now
	}
}

// each sets every pixel of m to the result of f for its centre.
func each(m *gray.Image, f func(p gray.Point, v float64) float64) {
	for y := range m.Height {
		row := m.Row(y)
		for x, v := range row {
			row[x] = byte(min(max(f(gray.Point{X: float64(x) + 0.5, Y: float64(y) + 0.5}, float64(v))+0.5, 0), 255))
		}
	}
}

// bell returns the value of a Gaussian of height 1.
func bell(d, sigma float64) float64 { return math.Exp(-d * d / (2 * sigma * sigma)) }
