package sketch

import (
	"image"
	"image/color"
	"image/draw"
	"math"
	"slices"

	"golang.org/x/image/font"
	"golang.org/x/image/font/basicfont"
	"golang.org/x/image/math/fixed"

	"tcode/scanner/gray"
)

// Each colour has the same meaning in all pictures.
var (
	white   = color.RGBA{255, 255, 255, 255}
	black   = color.RGBA{20, 20, 20, 255}
	faint   = color.RGBA{120, 120, 120, 255}
	orange  = color.RGBA{226, 116, 0, 255}  // boxes of texture
	blue    = color.RGBA{20, 90, 220, 255}  // boxes of parts
	violet  = color.RGBA{150, 40, 190, 255} // candidates
	green   = color.RGBA{0, 150, 60, 255}   // symbols read
	red     = color.RGBA{220, 20, 30, 255}  // fixed modules that do not fit
	cyan    = color.RGBA{0, 190, 220, 255}  // light modules
	magenta = color.RGBA{235, 0, 150, 255}  // doubtful modules
)

// Measures of text, px.
const (
	lineHeight = 16
	charWidth  = 7
	ascent     = 12
	pad        = 8
)

// canvas is a picture under construction.
type canvas struct {
	*image.RGBA
	labels *[]image.Rectangle // written so far
}

func newCanvas(w, h int) canvas {
	c := canvas{image.NewRGBA(image.Rect(0, 0, w, h)), new([]image.Rectangle)}
	draw.Draw(c, c.Bounds(), image.NewUniform(white), image.Point{}, draw.Src)
	return c
}

// text writes s with its upper left corner at (x, y).
func (c canvas) text(x, y int, s string, ink color.Color) {
	d := font.Drawer{Dst: c, Src: image.NewUniform(ink), Face: basicfont.Face7x13, Dot: fixed.P(x, y+ascent)}
	d.DrawString(s)
}

// label writes s on a white plate, moved so that all of it lies in area and, if
// there is room below or above, on no other label.
func (c canvas) label(x, y int, s string, ink color.Color, area image.Rectangle) {
	w := len(s)*charWidth + 4
	x = min(max(x, area.Min.X), max(area.Max.X-w, area.Min.X))
	y = min(max(y, area.Min.Y), max(area.Max.Y-lineHeight, area.Min.Y))
	plate := image.Rect(x, y, x+w, y+lineHeight)
	taken := func(r image.Rectangle) bool {
		return !r.In(area) || slices.ContainsFunc(*c.labels, func(o image.Rectangle) bool { return o.Overlaps(r) })
	}
	for _, lines := range [...]int{0, 1, -1, 2, -2, 3, -3, 4, -4, 5, -5, 6, -6} {
		if moved := plate.Add(image.Pt(0, lines*lineHeight)); !taken(moved) {
			plate = moved
			break
		}
	}
	*c.labels = append(*c.labels, plate)
	c.fill(plate, white)
	c.text(plate.Min.X+2, plate.Min.Y, s, ink)
}

// fill paints the rectangle.
func (c canvas) fill(r image.Rectangle, ink color.Color) {
	draw.Draw(c, r, image.NewUniform(ink), image.Point{}, draw.Src)
}

// line draws from a to b, width px wide; dash 0 is solid.
func (c canvas) line(a, b gray.Point, width, dash float64, ink color.RGBA) {
	d := b.Sub(a)
	n := int(math.Ceil(max(math.Abs(d.X), math.Abs(d.Y)))) + 1
	r := width / 2
	for i := range n + 1 {
		t := float64(i) / float64(n)
		if dash > 0 && math.Mod(t*d.Len(), 2*dash) >= dash {
			continue
		}
		p := a.Add(d.Mul(t))
		for y := math.Floor(p.Y - r + 0.5); y < p.Y+r; y++ {
			for x := math.Floor(p.X - r + 0.5); x < p.X+r; x++ {
				c.SetRGBA(int(x), int(y), ink)
			}
		}
	}
}

// frame draws the sides of r.
func (c canvas) frame(x0, y0, x1, y1, width, dash float64, ink color.RGBA) {
	q := [4]gray.Point{{X: x0, Y: y0}, {X: x1, Y: y0}, {X: x1, Y: y1}, {X: x0, Y: y1}}
	for i := range q {
		c.line(q[i], q[(i+1)%4], width, dash, ink)
	}
}

// quad draws the sides of a symbol: the finder pattern, left and bottom, as solid
// lines of twice the width, the timing tracks dashed.
func (c canvas) quad(q [4]gray.Point, width float64, ink color.RGBA) {
	c.line(q[0], q[1], width, 4*width, ink)
	c.line(q[1], q[2], width, 4*width, ink)
	c.line(q[2], q[3], 2*width, 0, ink)
	c.line(q[3], q[0], 2*width, 0, ink)
}

// dot paints a disc.
func (c canvas) dot(p gray.Point, radius float64, ink color.RGBA) {
	for y := math.Floor(p.Y - radius); y <= p.Y+radius; y++ {
		for x := math.Floor(p.X - radius); x <= p.X+radius; x++ {
			if (gray.Point{X: x + 0.5, Y: y + 0.5}).Sub(p).Len() <= radius {
				c.SetRGBA(int(x), int(y), ink)
			}
		}
	}
}

// picture paints img at (x, y): pixel (px, py) of the picture shows img at from + (px, py)
// / scale. tint 0 keeps its colours, 1 makes it white.
func (c canvas) picture(img *gray.Image, x, y, w, h int, from gray.Point, scale, tint float64) {
	for v := range h {
		for u := range w {
			c.SetRGBA(x+u, y+v, shade(mean(img, from, scale, u, v), tint))
		}
	}
}

func shade(v, tint float64) color.RGBA {
	g := byte(v + (255-v)*tint + 0.5)
	return color.RGBA{g, g, g, 255}
}

// mean returns the colour of one pixel of the picture: the mean of the pixels of img that
// it covers, or light gray outside of the image.
func mean(img *gray.Image, from gray.Point, scale float64, u, v int) float64 {
	x0, y0 := from.X+float64(u)/scale, from.Y+float64(v)/scale
	x1, y1 := from.X+float64(u+1)/scale, from.Y+float64(v+1)/scale
	ix0, iy0 := int(math.Floor(x0)), int(math.Floor(y0))
	ix1, iy1 := max(ix0+1, int(math.Floor(x1))), max(iy0+1, int(math.Floor(y1)))
	sum, n := 0, 0
	for y := max(iy0, 0); y < min(iy1, img.Height); y++ {
		row := img.Row(y)
		for x := max(ix0, 0); x < min(ix1, img.Width); x++ {
			sum, n = sum+int(row[x]), n+1
		}
	}
	if n == 0 {
		return 225
	}
	return float64(sum) / float64(n)
}

// A key explains a colour.
type key struct {
	ink  color.RGBA
	mark string // "box", "dashed", "quad", "dot" or "cell"
	text string
}

// legend writes lines of text and then the keys, one below the other, from (x, y) down,
// and returns its height.
func (c canvas) legend(x, y int, lines []string, keys []key) {
	for _, s := range lines {
		c.text(x, y, s, black)
		y += lineHeight
	}
	for _, k := range keys {
		fx, fy := float64(x), float64(y)
		switch k.mark {
		case "box":
			c.frame(fx+1, fy+3, fx+17, fy+13, 2, 0, k.ink)
		case "dashed":
			c.frame(fx+1, fy+3, fx+17, fy+13, 1, 3, k.ink)
		case "quad":
			c.quad([4]gray.Point{{X: fx + 3, Y: fy + 2}, {X: fx + 15, Y: fy + 2}, {X: fx + 15, Y: fy + 13}, {X: fx + 3, Y: fy + 13}}, 1, k.ink)
		case "dot":
			c.dot(gray.Point{X: fx + 9, Y: fy + 8}, 4, k.ink)
		case "cell":
			c.fill(image.Rect(x+4, y+3, x+14, y+13), k.ink)
			c.frame(fx+4, fy+3, fx+14, fy+13, 1, 0, faint)
		}
		c.text(x+24, y, k.text, black)
		y += lineHeight
	}
}

// legendHeight returns the height of a legend, px.
func legendHeight(lines []string, keys []key) int { return (len(lines)+len(keys))*lineHeight + 2*pad }

// wrap breaks s into lines of at most width px.
func wrap(s string, width int) []string {
	most := max(width/charWidth, 20)
	var out []string
	for len(s) > most {
		cut := most
		for i := most; i > most/2; i-- {
			if s[i] == ' ' {
				cut = i
				break
			}
		}
		out = append(out, s[:cut])
		s = s[cut:]
		for len(s) > 0 && s[0] == ' ' {
			s = s[1:]
		}
	}
	return append(out, s)
}
