package raster

import (
	"image"
	"image/color"

	"tcode/scanner/gray"
)

// luma returns the luminance of ITU-R BT.601, which is also JPEG's Y.
func luma(r, g, b uint32) uint32 { return (r*299 + g*587 + b*114 + 500) / 1000 }

// lumaOver returns luma of a colour that is not premultiplied, over white.
func lumaOver(r, g, b, a uint32) byte {
	return byte((luma(r, g, b)*a + 255*(255-a) + 127) / 255)
}

// toGray returns the luminance of m over white. It has faster ways for formats that scanners and phones write.
func toGray(m image.Image) *gray.Image {
	b := m.Bounds()
	w, h := b.Dx(), b.Dy()
	out := gray.New(w, h)
	row := rowFunc(m)
	for y := range h {
		row(out.Row(y), y)
	}
	return out
}

// rowFunc returns the function that fills the gray row y, from 0, of m.
func rowFunc(m image.Image) func(dst []byte, y int) {
	switch m := m.(type) {
	case *image.Gray:
		return func(dst []byte, y int) { copy(dst, m.Pix[y*m.Stride:]) }
	case *image.YCbCr:
		return func(dst []byte, y int) { copy(dst, m.Y[y*m.YStride:]) }
	case *image.Gray16:
		return func(dst []byte, y int) {
			for x := range dst {
				dst[x] = m.Pix[y*m.Stride+2*x]
			}
		}
	case *image.NRGBA:
		return func(dst []byte, y int) {
			for x := range dst {
				p := m.Pix[y*m.Stride+4*x:][:4]
				dst[x] = lumaOver(uint32(p[0]), uint32(p[1]), uint32(p[2]), uint32(p[3]))
			}
		}
	case *image.NRGBA64:
		return func(dst []byte, y int) {
			for x := range dst {
				p := m.Pix[y*m.Stride+8*x:][:8]
				dst[x] = lumaOver(uint32(p[0]), uint32(p[2]), uint32(p[4]), uint32(p[6]))
			}
		}
	case *image.Paletted:
		return palettedRow(m)
	}
	return genericRow(m)
}

func palettedRow(m *image.Paletted) func([]byte, int) {
	var table [256]byte
	for i := range table {
		table[i] = 255 // an index without a colour
	}
	for i, c := range m.Palette[:min(len(m.Palette), 256)] {
		table[i] = grayOf(c)
	}
	return func(dst []byte, y int) {
		for x := range dst {
			dst[x] = table[m.Pix[y*m.Stride+x]]
		}
	}
}

func genericRow(m image.Image) func([]byte, int) {
	b := m.Bounds()
	return func(dst []byte, y int) {
		for x := range dst {
			dst[x] = grayOf(m.At(b.Min.X+x, b.Min.Y+y))
		}
	}
}

// grayOf returns one pixel over white; RGBA returns it premultiplied, in 16 bits.
func grayOf(c color.Color) byte {
	r, g, b, a := c.RGBA()
	return byte((luma(r, g, b) + 0xFFFF - a) >> 8)
}

// orient turns and mirrors m as tag 274 requires (TIFF 6.0 section 8): o names the sides of the stored row 0 and
// column 0.
func orient(m *gray.Image, o int) *gray.Image {
	if o <= 1 || o > 8 {
		return m
	}
	w, h := m.Width, m.Height
	ow, oh := w, h
	if o >= 5 {
		ow, oh = h, w
	}
	out := gray.New(ow, oh)
	for y := range oh {
		row := out.Row(y)
		for x := range row {
			sx, sy := x, y
			switch o {
			case 2: // right to left
				sx = w - 1 - x
			case 3: // upside down
				sx, sy = w-1-x, h-1-y
			case 4: // bottom to top
				sy = h - 1 - y
			case 5: // mirrored along the main diagonal
				sx, sy = y, x
			case 6: // to be turned clockwise
				sx, sy = y, h-1-x
			case 7: // mirrored along the other diagonal
				sx, sy = w-1-y, h-1-x
			case 8: // to be turned anticlockwise
				sx, sy = w-1-y, x
			}
			row[x] = m.Pix[sy*m.Stride+sx]
		}
	}
	return out
}
