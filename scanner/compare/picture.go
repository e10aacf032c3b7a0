package compare

import (
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io"

	"tcode/scanner/gray"
)

// Picture is a page that was compared.
type Picture struct {
	Page  int
	DPI   float64
	A, B  *gray.Image
	Boxes []Box // px
}

// between is the space between the two drawings of a picture, px.
const between = 8

// WritePNG draws both images side by side, with a red frame around each difference in both.
func (p Picture) WritePNG(w io.Writer) error {
	width, height := max(p.A.Width, p.B.Width), max(p.A.Height, p.B.Height)
	out := image.NewRGBA(image.Rect(0, 0, 2*width+between, height))
	draw.Draw(out, out.Bounds(), image.NewUniform(color.Gray{Y: 0x80}), image.Point{}, draw.Src)
	for i, m := range []*gray.Image{p.A, p.B} {
		at := image.Pt(i*(width+between), 0)
		src := &image.Gray{Pix: m.Pix, Stride: m.Stride, Rect: image.Rect(0, 0, m.Width, m.Height)}
		draw.Draw(out, src.Rect.Add(at), src, image.Point{}, draw.Src)
		for _, b := range p.Boxes {
			frame(out, image.Rect(b.X0, b.Y0, b.X1, b.Y1).Inset(-2).Add(at))
		}
	}
	return png.Encode(w, out)
}

// frame draws the outline of r in red.
func frame(m *image.RGBA, r image.Rectangle) {
	red := image.NewUniform(color.RGBA{R: 0xFF, A: 0xFF})
	for _, side := range []image.Rectangle{
		{r.Min, image.Pt(r.Max.X, r.Min.Y+1)},
		{image.Pt(r.Min.X, r.Max.Y-1), r.Max},
		{r.Min, image.Pt(r.Min.X+1, r.Max.Y)},
		{image.Pt(r.Max.X-1, r.Min.Y), r.Max},
	} {
		draw.Draw(m, side, red, image.Point{}, draw.Src)
	}
}
