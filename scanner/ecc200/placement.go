package ecc200

// Values of a placement other than codeword*8+bit.
const (
	cornerLight = -2 // the two light modules of an unused lower right corner
	cornerDark  = -3 // its two dark ones
)

// placement maps each module of the mapping matrix (all regions without their
// borders), row-major, to codeword*8 + bit, bit 0 the most significant
// (ISO/IEC 16022 Annex F).
type placement struct {
	rows, cols int
	at         []int16
}

const unset = -1

func newPlacement(rows, cols int) placement {
	p := placement{rows, cols, make([]int16, rows*cols)}
	for i := range p.at {
		p.at[i] = unset
	}
	p.walk()
	// In sizes whose bits do not fill the matrix, the lower right corner is a fixed 2x2
	// checker.
	if p.at[rows*cols-1] == unset {
		p.at[rows*cols-1], p.at[(rows-1)*cols-2] = cornerDark, cornerDark
		p.at[rows*cols-2], p.at[(rows-1)*cols-1] = cornerLight, cornerLight
	}
	return p
}

// walk goes up and down the diagonals and places one codeword at each stop.
func (p *placement) walk() {
	codeword, row, col := 0, 4, 0
	next := func() int { codeword++; return codeword - 1 }
	for {
		switch {
		case row == p.rows && col == 0:
			p.corner(next(), [8][2]int{{-1, 0}, {-1, 1}, {-1, 2}, {0, -2}, {0, -1}, {1, -1}, {2, -1}, {3, -1}})
		case row == p.rows-2 && col == 0 && p.cols%4 != 0:
			p.corner(next(), [8][2]int{{-3, 0}, {-2, 0}, {-1, 0}, {0, -4}, {0, -3}, {0, -2}, {0, -1}, {1, -1}})
		case row == p.rows-2 && col == 0 && p.cols%8 == 4:
			p.corner(next(), [8][2]int{{-3, 0}, {-2, 0}, {-1, 0}, {0, -2}, {0, -1}, {1, -1}, {2, -1}, {3, -1}})
		case row == p.rows+4 && col == 2 && p.cols%8 == 0:
			p.corner(next(), [8][2]int{{-1, 0}, {-1, -1}, {0, -3}, {0, -2}, {0, -1}, {1, -3}, {1, -2}, {1, -1}})
		}
		for {
			if row < p.rows && col >= 0 && p.at[row*p.cols+col] == unset {
				p.utah(next(), row, col)
			}
			row, col = row-2, col+2
			if row < 0 || col >= p.cols {
				break
			}
		}
		row, col = row+1, col+3
		for {
			if row >= 0 && col < p.cols && p.at[row*p.cols+col] == unset {
				p.utah(next(), row, col)
			}
			row, col = row+2, col-2
			if row >= p.rows || col < 0 {
				break
			}
		}
		row, col = row+3, col+1
		if row >= p.rows && col >= p.cols {
			return
		}
	}
}

// utah places a codeword in the standard shape whose last bit is at row, col.
func (p *placement) utah(codeword, row, col int) {
	offsets := [8][2]int{{-2, -2}, {-2, -1}, {-1, -2}, {-1, -1}, {-1, 0}, {0, -2}, {0, -1}, {0, 0}}
	for bit, o := range offsets {
		r, c := row+o[0], col+o[1]
		if r < 0 {
			r += p.rows
			c += 4 - (p.rows+4)%8
		}
		if c < 0 {
			c += p.cols
			r += 4 - (p.cols+4)%8
		}
		if r >= p.rows {
			r -= p.rows // in rectangles of ISO/IEC 21471 only (its Annex E)
		}
		p.at[r*p.cols+c] = int16(codeword*8 + bit)
	}
}

// corner places a codeword at the given places; negative ones count from the end.
func (p *placement) corner(codeword int, places [8][2]int) {
	for bit, o := range places {
		r, c := (o[0]+p.rows)%p.rows, (o[1]+p.cols)%p.cols
		p.at[r*p.cols+c] = int16(codeword*8 + bit)
	}
}
