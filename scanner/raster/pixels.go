package raster

import (
	"image"
	"image/color"

	"tcode/scanner/gray"
)

// luma returns the luminance of ITU-R BT.601, which is also JPEG's Y.
func luma(r, g, b uint32) uint32 { return (r*299 + g*587 + b*114 + 500) / 1000 }

// lumaPremultiplied returns luma of a colour that is premultiplied, over white.
func lumaPremultiplied(r, g, b, a uint32) byte {
	return byte((luma(r*0x101, g*0x101, b*0x101) + 0xFFFF - a*0x101) >> 8)
}

// lumaOver returns luma of a colour that is not premultiplied, over white.
func lumaOver(r, g, b, a uint32) byte {
	return byte((luma(r, g, b)*a + 255*(255-a) + 127) / 255)
}

// toGray returns the luminance of m over white, without gaps between the rows. It has faster ways for formats that scanners
// and phones write. It may use the memory of m.
func toGray(m image.Image) *gray.Image {
	b := m.Bounds()
	w, h := b.Dx(), b.Dy()
	switch m := m.(type) {
	case *image.Gray:
		return packed(m.Pix, m.Stride, w, h)
	case *image.YCbCr:
		return packed(m.Y, m.YStride, w, h)
	}
	out := gray.New(w, h)
	row := rowFunc(m)
	for y := range h {
		row(out.Row(y), y)
	}
	return out
}

// packed returns the w x h px at the start of rows of stride bytes, moved together in their memory.
func packed(pix []byte, stride, w, h int) *gray.Image {
	if stride > w {
		for y := 1; y < h; y++ {
			copy(pix[y*w:][:w], pix[y*stride:])
		}
	}
	return &gray.Image{Width: w, Height: h, Stride: w, Pix: pix[:w*h]}
}

// rowFunc returns the function that fills the gray row y, from 0, of m.
func rowFunc(m image.Image) func(dst []byte, y int) {
	switch m := m.(type) {
	case *image.RGBA:
		return func(dst []byte, y int) {
			row := m.Pix[y*m.Stride:][:4*len(dst)]
			for x := range dst {
				p := row[4*x:][:4]
				if p[0] == p[1] && p[1] == p[2] && p[3] == 255 { // most pixels of most documents
					dst[x] = p[0]
					continue
				}
				dst[x] = lumaPremultiplied(uint32(p[0]), uint32(p[1]), uint32(p[2]), uint32(p[3]))
			}
		}
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
