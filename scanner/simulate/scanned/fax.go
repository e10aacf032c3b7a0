package scanned

import "tcode/scanner/gray"

// fax returns a bilevel picture in the coding of ITU-T T.6.
func fax(m *gray.Image) []byte {
	var w bitWriter
	above := make([]bool, m.Width)
	for y := range m.Height {
		row := make([]bool, m.Width) // true: black
		for x, v := range m.Row(y) {
			row[x] = !white(v)
		}
		w.row(above, row)
		above = row
	}
	w.write("000000000001000000000001")
	return w.b
}

// vertical are the codes for a change that is 3 px left to 3 px right of the one above.
var vertical = [7]string{"0000010", "000010", "010", "1", "011", "000011", "0000011"}

// row writes one row (ITU-T T.6, 2.2).
func (w *bitWriter) row(above, row []bool) {
	n := len(row)
	at, black := -1, false
	for at < n {
		a1 := next(row, at, black)
		b1 := next(above, at, black)
		// b1 must be a change to the other colour than that of at.
		for b1 < n && (above[b1] == black || b1 > 0 && above[b1-1] != black) {
			b1++
		}
		b2 := b1
		for b2 < n && above[b2] != black {
			b2++
		}
		switch d := a1 - b1; {
		case b2 < a1:
			w.write("0001")
			at = b2
			continue
		case d >= -3 && d <= 3:
			w.write(vertical[d+3])
			at, black = a1, !black
		default:
			a2 := next(row, a1, !black)
			w.write("001")
			w.run(a1-max(at, 0), black)
			w.run(a2-a1, !black)
			at = a2
		}
	}
}

// next returns the first px behind at that does not have the colour; the width if there is none.
func next(row []bool, at int, black bool) int {
	for x := at + 1; x < len(row); x++ {
		if x >= 0 && row[x] != black {
			return x
		}
	}
	return len(row)
}

// run writes the length of a run.
func (w *bitWriter) run(n int, black bool) {
	codes := whiteRuns
	if black {
		codes = blackRuns
	}
	for ; n >= 2560+64; n -= 2560 {
		w.write(codes[63+2560/64])
	}
	if n >= 64 {
		w.write(codes[63+n/64])
	}
	w.write(codes[n%64])
}

// A bitWriter writes bits, the high ones of a byte first.
type bitWriter struct {
	b    []byte
	used int
}

func (w *bitWriter) write(code string) {
	for _, c := range code {
		if w.used%8 == 0 {
			w.b = append(w.b, 0)
		}
		if c == '1' {
			w.b[len(w.b)-1] |= 0x80 >> (w.used % 8)
		}
		w.used++
	}
}
