package raster

import (
	"slices"

	"tcode/scanner/gray"
)

// orient turns and mirrors m as tag 274 requires (TIFF 6.0 section 8): o names the sides of the stored row 0 and
// column 0. It does not change m.
func orient(m *gray.Image, o int) *gray.Image {
	if o >= 2 && o <= 4 {
		m = m.Clone()
	}
	switch o {
	case 2: // right to left
		mirror(m)
	case 3: // upside down
		slices.Reverse(m.Pix)
	case 4: // bottom to top
		slices.Reverse(m.Pix)
		mirror(m)
	case 5: // mirrored along the main diagonal
		return transposed(m)
	case 6: // to be turned clockwise
		m = transposed(m)
		mirror(m)
	case 7: // mirrored along the other diagonal
		m = transposed(m)
		slices.Reverse(m.Pix)
	case 8: // to be turned anticlockwise
		m = transposed(m)
		slices.Reverse(m.Pix)
		mirror(m)
	}
	return m
}

// mirror exchanges left and right.
func mirror(m *gray.Image) {
	for y := range m.Height {
		slices.Reverse(m.Row(y))
	}
}

// orientTile is the side of the squares in which an image is transposed: the rows of two of them fit into the first cache of
// a processor.
const orientTile = 32

// transposed returns m with rows and columns exchanged.
func transposed(m *gray.Image) *gray.Image {
	out := gray.New(m.Height, m.Width)
	for y0 := 0; y0 < m.Height; y0 += orientTile {
		y1 := min(y0+orientTile, m.Height)
		for x0 := 0; x0 < m.Width; x0 += orientTile {
			for x := x0; x < min(x0+orientTile, m.Width); x++ {
				column := out.Row(x)
				for y := y0; y < y1; y++ {
					column[y] = m.Pix[y*m.Stride+x]
				}
			}
		}
	}
	return out
}
