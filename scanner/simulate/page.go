package simulate

import (
	"math"
	"math/rand/v2"

	"tcode/scanner/gray"
)

// Clutter returns a white w x h page with the usual contents of documents: lines of
// strokes like words, headings, ruled tables, a photo and a striped bar. em is the height
// of a line of text in px.
func Clutter(w, h int, em float64, seed uint64) *gray.Image {
	page := gray.New(w, h)
	page.Fill(255)
	r := rand.New(rand.NewPCG(seed, 0x7061676573))
	margin := float64(w) / 12
	y := margin
	for y < float64(h)-margin {
		switch k := r.IntN(12); {
		case k == 0:
			y = table(page, r, margin, y, em)
		case k == 1:
			y = picture(page, r, margin, y, em)
		case k == 2:
			y = bars(page, r, margin, y, em)
		case k == 3:
			line(page, r, margin, float64(w)/2, y, em*2)
			y += em * 3
		default:
			for range 2 + r.IntN(6) {
				line(page, r, margin, float64(w)-margin*(1+r.Float64()), y, em)
				y += em * 1.3
			}
			y += em
		}
	}
	return page
}

// line draws words of strokes that resemble letters.
func line(page *gray.Image, r *rand.Rand, x, to, y, em float64) {
	thick := em * (0.08 + 0.05*r.Float64())
	for x < to {
		for range 1 + r.IntN(9) {
			cw := em * (0.3 + 0.3*r.Float64())
			top := y + em*0.3*float64(r.IntN(2))
			for range 2 + r.IntN(3) {
				a := gray.Point{X: x + cw*float64(r.IntN(3))/2.4, Y: top + (y+em-top)*float64(r.IntN(3))/2}
				b := gray.Point{X: x + cw*float64(r.IntN(3))/2.4, Y: top + (y+em-top)*float64(r.IntN(3))/2}
				if r.IntN(3) > 0 {
					b.X = a.X
				}
				Stroke(page, a, b, thick, 0)
			}
			x += cw
			if x > to {
				return
			}
		}
		x += em * 0.4
	}
}

func table(page *gray.Image, r *rand.Rand, x, y, em float64) float64 {
	rows, cols := 2+r.IntN(5), 2+r.IntN(4)
	cw, ch := em*(4+4*r.Float64()), em*1.8
	for i := range rows + 1 {
		Stroke(page, gray.Point{X: x, Y: y + float64(i)*ch}, gray.Point{X: x + float64(cols)*cw, Y: y + float64(i)*ch}, em*0.1, 0)
	}
	for i := range cols + 1 {
		Stroke(page, gray.Point{X: x + float64(i)*cw, Y: y}, gray.Point{X: x + float64(i)*cw, Y: y + float64(rows)*ch}, em*0.1, 0)
	}
	for i := range rows {
		for j := range cols {
			cx := x + float64(j)*cw + em*0.4
			line(page, r, cx, cx+cw*0.7, y+float64(i)*ch+em*0.4, em)
		}
	}
	return y + float64(rows)*ch + em
}

// picture draws a patch of smooth light and grain, like a photo.
func picture(page *gray.Image, r *rand.Rand, x, y, em float64) float64 {
	side := em * (6 + 10*r.Float64())
	box := gray.Rect{X0: int(x), Y0: int(y), X1: int(x + side*1.4), Y1: int(y + side)}.Clip(page.Width, page.Height)
	fx, fy, grain := r.Float64()*0.2, r.Float64()*0.2, r.Float64()*60
	for py := box.Y0; py < box.Y1; py++ {
		row := page.Row(py)
		for px := box.X0; px < box.X1; px++ {
			v := 128 + 90*math.Sin(float64(px)*fx)*math.Cos(float64(py)*fy) + grain*(r.Float64()-0.5)
			row[px] = byte(min(max(v, 0), 255))
		}
	}
	return y + side + em
}

// bars draws a linear barcode.
func bars(page *gray.Image, r *rand.Rand, x, y, em float64) float64 {
	for at := x; at < x+em*14; {
		w := em * 0.12 * float64(1+r.IntN(3))
		Stroke(page, gray.Point{X: at, Y: y}, gray.Point{X: at, Y: y + em*3}, w, 0)
		at += w + em*0.12*float64(1+r.IntN(3))
	}
	return y + em*4.5
}

// Scan returns page as a flatbed scanner sees it: rotated by up to 1.5 degrees, slightly
// soft, slightly gray, with sensor noise.
func Scan(page *gray.Image, seed uint64) *gray.Image {
	r := rand.New(rand.NewPCG(seed, 0x7363616e))
	toPage, w, h := Rotation(page, (r.Float64()*2-1)*1.5, 1)
	out := Warp(page, toPage, w, h, 2, 250)
	Blur(out, 0.4+0.2*r.Float64())
	Contrast(out, 15+15*r.Float64(), 235+15*r.Float64(), 1)
	Noise(out, r, 4, 0)
	return out
}

// Photo returns page as a phone sees it on a dark table: in perspective, turned by up to 5
// degrees, unevenly lit, with a soft shadow, slightly out of focus, with noise and JPEG.
// Its size is about that of page.
func Photo(page *gray.Image, seed uint64) *gray.Image {
	r := rand.New(rand.NewPCG(seed, 0x70686f746f))
	turn, w, h := Rotation(page, (r.Float64()*2-1)*5, 1)
	w, h = w*108/100, h*108/100
	off := func() float64 { return 0.01 + 0.05*r.Float64() }
	fw, fh := float64(w), float64(h)
	quad := [4]gray.Point{
		{X: off() * fw, Y: off() * fh},
		{X: (1 - off()) * fw, Y: off() * fh},
		{X: (1 - off()) * fw, Y: (1 - off()) * fh},
		{X: off() * fw, Y: (1 - off()) * fh},
	}
	toQuad, ok := gray.ToQuad(fw/1.08, fh/1.08, quad)
	if ok {
		if back, ok := toQuad.Inverse(); ok {
			turn = turn.Mul(back)
		}
	}
	out := Warp(page, turn, w, h, 2, 60)
	Blur(out, 0.5+0.3*r.Float64())
	Contrast(out, 25+20*r.Float64(), 190+40*r.Float64(), 1)
	Light(out, (r.Float64()-0.5)*0.4, (r.Float64()-0.5)*0.4)
	Shadow(out, gray.Point{X: fw * r.Float64(), Y: 0}, gray.Point{X: fw * r.Float64(), Y: fh}, 0.7+0.25*r.Float64(), fw/8)
	Noise(out, r, 5, 0)
	if img, err := JPEG(out, 75); err == nil {
		return img
	}
	return out
}
