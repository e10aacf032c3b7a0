package compare

import "encoding/binary"

// A tally is the sums that [matcher.look] computes over some pixels of two planes.
type tally struct {
	sums
	loA, hiA, loB, hiB byte
	known              bool
}

// add adds the pixels from index i of both planes, n in each of rows rows. It reads eight at a time, because many are
// paper, and many are the same in both planes.
func (t *tally) add(a, b *plane, i, n, rows int) {
	for ; n > 8; i, n = i+8, n-8 {
		t.add(a, b, i, 8, rows)
	}
	if !t.known {
		t.known, t.loA, t.loB = true, 255, 255
	}
	s := t.sums
	loA, hiA, loB, hiB := t.loA, t.hiA, t.loB, t.hiB
	mask := ^uint64(0) >> (64 - 8*n)
	for range rows {
		va, vb := binary.LittleEndian.Uint64(a.pix[i:])&mask, binary.LittleEndian.Uint64(b.pix[i:])&mask
		i += a.stride
		if va|vb == 0 {
			loA, loB = 0, 0
			continue
		}
		if va == vb {
			sum, squares := 0, 0
			for range n {
				v := byte(va)
				va >>= 8
				loA, hiA, loB, hiB = min(loA, v), max(hiA, v), min(loB, v), max(hiB, v)
				sum += int(v)
				squares += int(v) * int(v)
			}
			s.a += sum
			s.b += sum
			s.aa += squares
			s.bb += squares
			s.ab += squares
			continue
		}
		for range n {
			v, w := byte(va), byte(vb)
			va, vb = va>>8, vb>>8
			loA, hiA, loB, hiB = min(loA, v), max(hiA, v), min(loB, w), max(hiB, w)
			p, q := int(v), int(w)
			s.a += p
			s.b += q
			s.aa += p * p
			s.bb += q * q
			s.ab += p * q
		}
	}
	t.sums, t.loA, t.hiA, t.loB, t.hiB = s, loA, hiA, loB, hiB
}

// join adds another tally.
func (t *tally) join(o *tally) {
	t.a += o.a
	t.b += o.b
	t.aa += o.aa
	t.bb += o.bb
	t.ab += o.ab
	t.loA, t.hiA, t.loB, t.hiB = min(t.loA, o.loA), max(t.hiA, o.hiA), min(t.loB, o.loB), max(t.hiB, o.hiB)
}

// tiles reads the windows of a grid, whose side is two steps or a pixel more. Windows overlap by half, so each is the
// sum of four cells, and of a column and a row of pixels if its side is odd: no pixel of a cell is read twice.
//
//	┌──────┬──────┬─┐
//	│ cell │ cell │ │ column: the first one of the next cell
//	├──────┼──────┼─┤
//	│ cell │ cell │ │
//	├──────┼──────┼─┤
//	└──────┴──────┴─┘ row
type tiles struct {
	*matcher
	step  int
	bands [3]band // of a row of windows and the two below, by row modulo 3
}

// band is a row of cells.
type band struct {
	row                int // of cells
	cells, columns, at []tally
}

func newTiles(m *matcher, step, cols int) *tiles {
	t := &tiles{matcher: m, step: step}
	for i := range t.bands {
		t.bands[i] = band{row: -1, cells: make([]tally, cols+3), columns: make([]tally, cols+3), at: make([]tally, cols+3)}
	}
	return t
}

// band returns a row of cells.
func (t *tiles) band(row int) *band {
	b := &t.bands[row%len(t.bands)]
	if b.row != row {
		b.row = row
		clear(b.cells)
		clear(b.columns)
		clear(b.at)
	}
	return b
}

// look reads the window whose upper left cell is x, y.
func (t *tiles) look(x, y int) {
	odd := t.n > 2*t.step
	sum := tally{loA: 255, loB: 255}
	for row := y; row < y+2; row++ {
		b := t.band(row)
		for col := x; col < x+2; col++ {
			sum.join(t.tally(&b.cells[col], col, row, t.step, t.step))
		}
		if odd {
			sum.join(t.tally(&b.columns[x+2], x+2, row, 1, t.step))
		}
	}
	if odd {
		b := t.band(y + 2)
		for col := x; col < x+2; col++ {
			sum.join(t.tally(&b.at[col], col, y+2, t.step, 1))
		}
		var corner tally
		sum.join(t.tally(&corner, x+2, y+2, 1, 1))
	}
	t.here = sum.sums
	t.here.contrastA, t.here.contrastB = int(sum.hiA)-int(sum.loA), int(sum.hiB)-int(sum.loB)
}

// tally computes a missing tally: w x h px from the upper left corner of a cell.
func (t *tiles) tally(into *tally, col, row, w, h int) *tally {
	if !into.known {
		into.add(t.a, t.b, t.a.at(col*t.step, row*t.step), w, h)
	}
	return into
}
