package simulate

import (
	"bytes"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"math"
	"math/rand/v2"

	"tcode/scanner/gray"
)

// Warp returns a w x h image whose point p shows page at toPage(p); ground is the gray
// level around the page. Each pixel is the mean of n x n samples.
func Warp(page *gray.Image, toPage gray.Homography, w, h, n int, ground byte) *gray.Image {
	out := gray.New(w, h)
	step := 1 / float64(n)
	if toPage[6] == 0 && toPage[7] == 0 && toPage[8] == 1 {
		newAffine(page, toPage, w, n, ground).warp(out)
		return out
	}
	for y := range h {
		row := out.Row(y)
		for x := range row {
			var sum float64
			for j := range n {
				for i := range n {
					p := toPage.Map(gray.Point{X: float64(x) + (float64(i)+0.5)*step, Y: float64(y) + (float64(j)+0.5)*step})
					sum += sample(page, p, ground)
				}
			}
			row[x] = byte(sum*step*step + 0.5)
		}
	}
	return out
}

// sample returns the gray level of page, with ground around it, at p.
func sample(page *gray.Image, p gray.Point, ground byte) float64 {
	if p.X < 0 || p.Y < 0 || p.X >= float64(page.Width) || p.Y >= float64(page.Height) {
		return float64(ground)
	}
	return page.Bilinear(p.X, p.Y)
}

// Rotation returns the size of page turned clockwise by degrees and scaled, large enough
// for all of it, and the map for [Warp].
func Rotation(page *gray.Image, degrees, scale float64) (toPage gray.Homography, w, h int) {
	sin, cos := math.Sincos(degrees * math.Pi / 180)
	pw, ph := float64(page.Width), float64(page.Height)
	w = int(math.Ceil((pw*math.Abs(cos) + ph*math.Abs(sin)) * scale))
	h = int(math.Ceil((pw*math.Abs(sin) + ph*math.Abs(cos)) * scale))
	k := 1 / scale
	ox, oy := float64(w)/2, float64(h)/2
	return gray.Homography{
		cos * k, sin * k, pw/2 - (cos*ox+sin*oy)*k,
		-sin * k, cos * k, ph/2 - (-sin*ox+cos*oy)*k,
		0, 0, 1,
	}, w, h
}

// Blur convolves m in place with a Gaussian of sigma px.
func Blur(m *gray.Image, sigma float64) {
	if sigma <= 0 {
		return
	}
	radius := int(math.Ceil(3 * sigma))
	kernel := make([]float64, 2*radius+1)
	var sum float64
	for i := range kernel {
		d := float64(i - radius)
		kernel[i] = math.Exp(-d * d / (2 * sigma * sigma))
		sum += kernel[i]
	}
	rows := make([]float64, m.Width*m.Height) // convolved along the rows
	for y := range m.Height {
		row, into := m.Row(y), rows[y*m.Width:(y+1)*m.Width]
		for x := range row {
			var v float64
			if x >= radius && x+radius < len(row) {
				for i, p := range row[x-radius : x+radius+1] {
					v += kernel[i] * float64(p)
				}
			} else {
				for i, k := range kernel {
					v += k * float64(row[min(max(x+i-radius, 0), m.Width-1)])
				}
			}
			into[x] = v / sum
		}
	}
	column := make([]float64, m.Width)
	for y := range m.Height {
		clear(column)
		for i, k := range kernel {
			from := min(max(y+i-radius, 0), m.Height-1) * m.Width
			for x, v := range rows[from : from+m.Width] {
				column[x] += k * v
			}
		}
		for x, v := range column {
			m.Row(y)[x] = byte(v/sum + 0.5)
		}
	}
}

// Noise adds Gaussian noise of sigma gray levels to m in place and makes the share speckle
// of its pixels black or white.
func Noise(m *gray.Image, r *rand.Rand, sigma, speckle float64) {
	for y := range m.Height {
		row := m.Row(y)
		for x, v := range row {
			row[x] = byte(min(max(float64(v)+r.NormFloat64()*sigma+0.5, 0), 255))
			if speckle > 0 && r.Float64() < speckle {
				row[x] = byte(r.IntN(2)) * 255
			}
		}
	}
}

// Light multiplies m in place by a plane that is 1 at the centre and falls or
// rises by ax from the centre to the right border and by ay to the lower one.
func Light(m *gray.Image, ax, ay float64) {
	for y := range m.Height {
		row := m.Row(y)
		fy := ay * (2*float64(y)/float64(m.Height) - 1)
		for x, v := range row {
			k := 1 + fy + ax*(2*float64(x)/float64(m.Width)-1)
			row[x] = byte(min(max(float64(v)*k+0.5, 0), 255))
		}
	}
}

// Contrast maps the levels 0..255 of m in place to lo..hi along v^gamma.
func Contrast(m *gray.Image, lo, hi, gamma float64) {
	var table [256]byte
	for v := range table {
		table[v] = byte(min(max(lo+(hi-lo)*math.Pow(float64(v)/255, gamma)+0.5, 0), 255))
	}
	for y := range m.Height {
		row := m.Row(y)
		for x, v := range row {
			row[x] = table[v]
		}
	}
}

// Threshold turns m in place into black and white: white from level on.
func Threshold(m *gray.Image, level byte) {
	for y := range m.Height {
		row := m.Row(y)
		for x, v := range row {
			row[x] = 0
			if v >= level {
				row[x] = 255
			}
		}
	}
}

// Shadow darkens m in place to the factor k on one side of the line through a
// and b, with a soft edge of the given width in px.
func Shadow(m *gray.Image, a, b gray.Point, k, width float64) {
	d := b.Sub(a)
	n := gray.Point{X: -d.Y, Y: d.X}.Mul(1 / d.Len())
	for y := range m.Height {
		row := m.Row(y)
		for x, v := range row {
			at := gray.Point{X: float64(x), Y: float64(y)}.Sub(a).Dot(n)/width + 0.5
			row[x] = byte(float64(v)*(1-(1-k)*min(max(at, 0), 1)) + 0.5)
		}
	}
}

// Stroke draws a pen line of the given width in px from a to b onto m.
func Stroke(m *gray.Image, a, b gray.Point, width float64, ink byte) {
	d := b.Sub(a)
	length := max(d.Len(), 1e-9)
	r := gray.Rect{
		X0: int(min(a.X, b.X) - width - 1), Y0: int(min(a.Y, b.Y) - width - 1),
		X1: int(max(a.X, b.X) + width + 2), Y1: int(max(a.Y, b.Y) + width + 2),
	}.Clip(m.Width, m.Height)
	for y := r.Y0; y < r.Y1; y++ {
		row := m.Row(y)
		for x := r.X0; x < r.X1; x++ {
			p := gray.Point{X: float64(x) + 0.5, Y: float64(y) + 0.5}.Sub(a)
			t := min(max(p.Dot(d)/length, 0), length)
			far := p.Sub(d.Mul(t / length)).Len()
			cover := min(max(width/2+0.5-far, 0), 1)
			row[x] = byte(float64(row[x])*(1-cover) + float64(ink)*cover + 0.5)
		}
	}
}

// JPEG returns m encoded as JPEG of the given quality, 1 to 100, and decoded again.
func JPEG(m *gray.Image, quality int) (*gray.Image, error) {
	raw, err := EncodeJPEG(m, quality)
	if err != nil {
		return nil, err
	}
	img, err := jpeg.Decode(bytes.NewReader(raw))
	if err != nil {
		return nil, fmt.Errorf("decode JPEG: %w", err)
	}
	return FromImage(img), nil
}

// EncodeJPEG returns m as a JPEG file.
func EncodeJPEG(m *gray.Image, quality int) ([]byte, error) {
	var b bytes.Buffer
	if err := jpeg.Encode(&b, asImage(m), &jpeg.Options{Quality: quality}); err != nil {
		return nil, fmt.Errorf("encode JPEG: %w", err)
	}
	return b.Bytes(), nil
}

// EncodePNG returns m as a PNG file.
func EncodePNG(m *gray.Image) ([]byte, error) {
	var b bytes.Buffer
	if err := png.Encode(&b, asImage(m)); err != nil {
		return nil, fmt.Errorf("encode PNG: %w", err)
	}
	return b.Bytes(), nil
}

func asImage(m *gray.Image) *image.Gray {
	return &image.Gray{Pix: m.Pix, Stride: m.Stride, Rect: image.Rect(0, 0, m.Width, m.Height)}
}

// FromImage returns img in gray (ITU-R BT.601), with transparent parts on white.
func FromImage(img image.Image) *gray.Image {
	b := img.Bounds()
	out := gray.New(b.Dx(), b.Dy())
	if g, ok := img.(*image.Gray); ok {
		for y := range out.Height {
			copy(out.Row(y), g.Pix[g.PixOffset(b.Min.X, b.Min.Y+y):])
		}
		return out
	}
	for y := range out.Height {
		row := out.Row(y)
		for x := range row {
			r, g, bl, a := img.At(b.Min.X+x, b.Min.Y+y).RGBA()
			v := (299*r+587*g+114*bl+500)/1000 + 0xFFFF - a
			row[x] = byte(v >> 8)
		}
	}
	return out
}
