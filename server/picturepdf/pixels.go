package picturepdf

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"image/png"
)

// The filters of a coded picture, by their PDF names.
const (
	dct   = "DCTDecode"
	flate = "FlateDecode"
)

// A coded picture is the data of an image in a PDF.
type coded struct {
	width, height int
	data          []byte
	filter        string
	colours       int // samples of a pixel: 1 or 3
	bits          int // of a sample: 1 or 8
}

// encode returns img without loss, but on white and in 8 bits. It overwrites img. The error is errOutput if it takes
// more than limit bytes.
//
// The rows of a PNG file are those of a PDF with a predictor (ISO 32000-1, 7.4.4.4), so the encoder of the standard
// library does the work.
func encode(img image.Image, limit int) (coded, error) {
	img, err := flatten(img)
	if err != nil {
		return coded{}, err
	}
	b := img.Bounds()
	c := coded{width: b.Dx(), height: b.Dy(), filter: flate, colours: 3, bits: 8}
	switch img.(type) {
	case *image.Gray:
		c.colours = 1
	case *image.Paletted:
		c.colours, c.bits = 1, 1
	}
	w := rows{limit: limit}
	if err := (&png.Encoder{}).Encode(&w, img); err != nil {
		return coded{}, err
	}
	c.data = w.data
	return c, nil
}

// rows takes the compressed rows out of a PNG file that is written to it.
type rows struct {
	data  []byte
	limit int
	head  []byte // of a chunk, or of the file, while it is incomplete
	left  int    // bytes of the chunk, with its checksum
	keep  bool   // it has rows
	open  bool   // the signature is passed
}

// Write never keeps p.
func (r *rows) Write(p []byte) (int, error) {
	n := len(p)
	for len(p) > 0 {
		if r.left == 0 {
			k := min(8-len(r.head), len(p))
			r.head, p = append(r.head, p[:k]...), p[k:]
			if len(r.head) < 8 {
				break
			}
			if r.open {
				r.left, r.keep = int(binary.BigEndian.Uint32(r.head))+4, bytes.Equal(r.head[4:], []byte("IDAT"))
			}
			r.head, r.open = r.head[:0], true
			continue
		}
		k := min(r.left, len(p))
		if data := k - max(0, k+4-r.left); r.keep && data > 0 {
			if len(r.data)+data > r.limit {
				return 0, errOutput
			}
			r.data = append(r.data, p[:data]...)
		}
		r.left, p = r.left-k, p[k:]
	}
	return n, nil
}

// flatten returns img on white: a [*image.RGBA] or [*image.Gray], or a [*image.Paletted] of black and white. It uses the
// memory of img wherever that has room.
func flatten(img image.Image) (image.Image, error) {
	rect := image.Rectangle{Max: img.Bounds().Size()}
	pix, stride, per := []byte(nil), 0, 4
	var pixel func(p []byte, out []byte)
	switch m := img.(type) {
	case *image.Gray:
		return bilevel(m), nil
	case *image.Paletted:
		return ofPalette(m)
	case *image.Gray16:
		for y := range rect.Max.Y {
			for x := range rect.Max.X {
				m.Pix[y*rect.Max.X+x] = m.Pix[y*m.Stride+2*x]
			}
		}
		return bilevel(&image.Gray{Pix: m.Pix[:rect.Max.X*rect.Max.Y], Stride: rect.Max.X, Rect: rect}), nil
	case *image.RGBA:
		pix, stride, pixel = m.Pix, m.Stride, ofRGBA
	case *image.NRGBA:
		pix, stride, pixel = m.Pix, m.Stride, ofNRGBA
	case *image.RGBA64:
		pix, stride, per, pixel = m.Pix, m.Stride, 8, ofRGBA64
	case *image.NRGBA64:
		pix, stride, per, pixel = m.Pix, m.Stride, 8, ofNRGBA64
	case *image.CMYK:
		pix, stride, pixel = m.Pix, m.Stride, ofCMYK
	default:
		return nil, fmt.Errorf("%w: pixels of %T", errVariant, img)
	}
	gray := true
	for y := range rect.Max.Y {
		for x := range rect.Max.X {
			at := 4 * (y*rect.Max.X + x)
			out := pix[at : at+4 : at+4] // never after the pixel that is read
			pixel(pix[y*stride+per*x:], out)
			out[3] = 0xFF
			gray = gray && out[0] == out[1] && out[1] == out[2]
		}
	}
	n := rect.Max.X * rect.Max.Y
	if !gray {
		return &image.RGBA{Pix: pix[:4*n], Stride: 4 * rect.Max.X, Rect: rect}, nil
	}
	for i := range n {
		pix[i] = pix[4*i]
	}
	return bilevel(&image.Gray{Pix: pix[:n], Stride: rect.Max.X, Rect: rect}), nil
}

// The functions below write a pixel as red, green and blue on white. p and out may be the same memory.

func ofRGBA(p, out []byte) {
	white := 0xFF - p[3]
	r, g, b := uint(p[0])+uint(white), uint(p[1])+uint(white), uint(p[2])+uint(white)
	out[0], out[1], out[2] = byte(min(r, 0xFF)), byte(min(g, 0xFF)), byte(min(b, 0xFF)) // colours above alpha are no colours
}

func ofNRGBA(p, out []byte) {
	a := uint(p[3])
	over := func(c byte) byte { return byte((uint(c)*a + 0xFF*(0xFF-a) + 0x7F) / 0xFF) }
	out[0], out[1], out[2] = over(p[0]), over(p[1]), over(p[2])
}

// wide returns the sample i of a pixel of 16 bits.
func wide(p []byte, i int) uint { return uint(binary.BigEndian.Uint16(p[2*i:])) }

func ofRGBA64(p, out []byte) {
	white := 0xFFFF - wide(p, 3)
	r, g, b := wide(p, 0)+white, wide(p, 1)+white, wide(p, 2)+white
	out[0], out[1], out[2] = byte(min(r, 0xFFFF)>>8), byte(min(g, 0xFFFF)>>8), byte(min(b, 0xFFFF)>>8)
}

func ofNRGBA64(p, out []byte) {
	a := wide(p, 3)
	over := func(c uint) byte { return byte((c*a/0xFFFF + 0xFFFF - a) >> 8) }
	r, g, b := over(wide(p, 0)), over(wide(p, 1)), over(wide(p, 2))
	out[0], out[1], out[2] = r, g, b
}

func ofCMYK(p, out []byte) {
	r, g, b := color.CMYKToRGB(p[0], p[1], p[2], p[3])
	out[0], out[1], out[2] = r, g, b
}

// bilevel returns m, or the same pixels in one bit each if all are black or white.
func bilevel(m *image.Gray) image.Image {
	w, h := m.Rect.Dx(), m.Rect.Dy()
	for y := range h {
		for _, v := range m.Pix[y*m.Stride:][:w] {
			if v != 0 && v != 0xFF {
				return m
			}
		}
	}
	for i, v := range m.Pix {
		m.Pix[i] = v & 1
	}
	return &image.Paletted{Pix: m.Pix, Stride: m.Stride, Rect: m.Rect, Palette: color.Palette{color.Black, color.White}}
}

// ofPalette returns the pixels of m by their colours on white.
func ofPalette(m *image.Paletted) (image.Image, error) {
	var table [256][3]byte // a number without a colour is black
	gray := true
	for i, c := range m.Palette[:min(len(m.Palette), 256)] {
		r, g, b, a := c.RGBA()
		for k, v := range []uint32{r, g, b} {
			table[i][k] = byte((v + 0xFFFF - a) >> 8)
		}
		gray = gray && table[i][0] == table[i][1] && table[i][1] == table[i][2]
	}
	rect := image.Rectangle{Max: m.Bounds().Size()}
	if gray {
		for i, v := range m.Pix {
			m.Pix[i] = table[v][0]
		}
		return bilevel(&image.Gray{Pix: m.Pix, Stride: m.Stride, Rect: rect}), nil
	}
	if err := checkMemory(float64(rect.Max.X)*float64(rect.Max.Y), 5); err != nil {
		return nil, err
	}
	out := image.NewRGBA(rect)
	for y := range rect.Max.Y {
		for x, v := range m.Pix[y*m.Stride:][:rect.Max.X] {
			to := out.Pix[y*out.Stride+4*x:]
			copy(to, table[v][:])
			to[3] = 0xFF
		}
	}
	return out, nil
}
