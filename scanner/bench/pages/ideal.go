package pages

import (
	"tcode/scanner/ecc200"
	"tcode/scanner/gray"
	"tcode/scanner/simulate"
)

// ideal reports whether a reader with the perfect grid would read the symbol: each module
// is the mean of 25 taps over the middle half of its true place, dark when below the mean
// of the 9x9 modules around it. Reed-Solomon corrects half as many wrong codewords as a
// block has for correction, without erasures. wrong is the number of data modules seen
// wrongly.
//
// ideal uses none of the reader's code for placement, because the reader is measured
// against it.
func ideal(img *gray.Image, s *scene, v *view) (read bool, wrong int) {
	return idealAt(img, s.sym.Turned(4-s.turns%4), func(row, col float64) gray.Point { return s.module(v, row, col) })
}

// idealAt is ideal for a symbol whose point (row, col) lies at a place of the image.
func idealAt(img *gray.Image, own simulate.Symbol, at func(row, col float64) gray.Point) (read bool, wrong int) {
	n := own.Rows
	seen := make([]float64, n*n)
	for row := range n {
		for col := range n {
			var sum float64
			for j := range 5 {
				for i := range 5 {
					p := at(float64(row)+0.5+float64(j-2)*0.125, float64(col)+0.5+float64(i-2)*0.125)
					sum += img.Bilinear(p.X, p.Y)
				}
			}
			seen[row*n+col] = sum / 25
		}
	}
	dark := make([]bool, n*n)
	for row := range n {
		for col := range n {
			var sum float64
			count := 0
			for y := max(0, row-4); y <= min(n-1, row+4); y++ {
				for x := max(0, col-4); x <= min(n-1, col+4); x++ {
					sum += seen[y*n+x]
					count++
				}
			}
			dark[row*n+col] = seen[row*n+col] < sum/float64(count)
		}
	}
	return correctable(own, dark)
}

// correctable counts the wrong codewords of each block and reports whether all blocks can be corrected.
func correctable(truth simulate.Symbol, dark []bool) (read bool, wrong int) {
	size, ok := ecc200.SizeOf(truth.Rows, truth.Cols)
	if !ok {
		return false, 0
	}
	regions := truth.Rows / (size.RegionRows + 2)
	side := regions * size.RegionRows
	at := annexF(side)
	spoilt := make([]bool, size.Total())
	for row := range side {
		for col := range side {
			k := (row+2*(row/size.RegionRows)+1)*truth.Cols + col + 2*(col/size.RegionCols) + 1
			if c := at[row*side+col]; c >= 0 && dark[k] != truth.Dark[k] {
				spoilt[c] = true
				wrong++
			}
		}
	}
	errs := make([]int, size.Blocks)
	for c, bad := range spoilt {
		if bad {
			errs[blockOf(size, c)]++
		}
	}
	for _, e := range errs {
		if e > size.ECC/size.Blocks/2 {
			return false, wrong
		}
	}
	return true, wrong
}

// blockOf returns the Reed-Solomon block of a codeword. Data and correction codewords are
// interleaved separately.
func blockOf(size ecc200.Size, c int) int {
	if c >= size.Data {
		c -= size.Data
	}
	return c % size.Blocks
}

// annexF returns the codeword of each module of a square mapping matrix, -1 for
// the fixed corner (ISO/IEC 16022 Annex F).
func annexF(n int) []int {
	at := make([]int, n*n)
	for i := range at {
		at[i] = -1
	}
	put := func(row, col, c int) {
		if row < 0 {
			row, col = row+n, col+4-(n+4)%8
		}
		if col < 0 {
			row, col = row+4-(n+4)%8, col+n
		}
		at[row*n+col] = c
	}
	c, row, col := 0, 4, 0
	utah := func(row, col int) {
		for _, d := range [8][2]int{{-2, -2}, {-2, -1}, {-1, -2}, {-1, -1}, {-1, 0}, {0, -2}, {0, -1}, {0, 0}} {
			put(row+d[0], col+d[1], c)
		}
		c++
	}
	corner := func(places [8][2]int) {
		for _, p := range places {
			put((p[0]+n)%n, (p[1]+n)%n, c)
		}
		c++
	}
	for row < n || col < n {
		switch {
		case row == n && col == 0:
			corner([8][2]int{{-1, 0}, {-1, 1}, {-1, 2}, {0, -2}, {0, -1}, {1, -1}, {2, -1}, {3, -1}})
		case row == n-2 && col == 0 && n%4 != 0:
			corner([8][2]int{{-3, 0}, {-2, 0}, {-1, 0}, {0, -4}, {0, -3}, {0, -2}, {0, -1}, {1, -1}})
		case row == n-2 && col == 0 && n%8 == 4:
			corner([8][2]int{{-3, 0}, {-2, 0}, {-1, 0}, {0, -2}, {0, -1}, {1, -1}, {2, -1}, {3, -1}})
		case row == n+4 && col == 2 && n%8 == 0:
			corner([8][2]int{{-1, 0}, {-1, -1}, {0, -3}, {0, -2}, {0, -1}, {1, -3}, {1, -2}, {1, -1}})
		}
		for ; ; row, col = row-2, col+2 {
			if row < n && col >= 0 && at[row*n+col] < 0 {
				utah(row, col)
			}
			if row-2 < 0 || col+2 >= n {
				break
			}
		}
		row, col = row-1, col+5
		for ; ; row, col = row+2, col-2 {
			if row >= 0 && col < n && at[row*n+col] < 0 {
				utah(row, col)
			}
			if row+2 >= n || col-2 < 0 {
				break
			}
		}
		row, col = row+5, col-1
	}
	return at
}
