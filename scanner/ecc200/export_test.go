package ecc200

// Places returns the eight modules of each codeword of s, as indexes into a row-major
// grid.
func Places(s Size) [][8]int {
	p := newPlacement(s.dataRows(), s.dataCols())
	out := make([][8]int, s.Total())
	for i := range s.Rows * s.Cols {
		if s.Fixed(i/s.Cols, i%s.Cols) != Data {
			continue
		}
		if at := p.at[s.mapped(i/s.Cols, i%s.Cols)]; at >= 0 {
			out[at/8][at%8] = i
		}
	}
	return out
}
