package ecc200

import (
	"errors"
	"fmt"
)

// ErrLength means that the codewords do not fill the symbol exactly.
var ErrLength = errors.New("wrong number of codewords")

// Encode returns the modules of the symbol of size s with the given data
// codewords, padding included: row-major, s.Rows*s.Cols, true is dark, finder
// included, no quiet zone. The error is [ErrLength].
func Encode(data []byte, s Size) ([]bool, error) {
	if len(data) != s.Data || s.Data == 0 {
		return nil, fmt.Errorf("%d data codewords for %dx%d: %w", len(data), s.Rows, s.Cols, ErrLength)
	}
	all := make([]byte, s.Total())
	copy(all, data)
	perBlock := s.ECC / s.Blocks
	gen := generator(perBlock)
	block := make([]byte, 0, 255)
	ecc := make([]byte, perBlock)
	for b := range s.Blocks {
		block = block[:0]
		for i := b; i < s.Data; i += s.Blocks {
			block = append(block, data[i])
		}
		parity(block, gen, ecc)
		first := s.firstECC(b, s.straight())
		for k, e := range ecc {
			all[first+k*s.Blocks] = e
		}
	}
	return s.draw(all, newPlacement(s.dataRows(), s.dataCols())), nil
}

// straight returns the block of the first error correction codeword when the interleaving
// continues after the data. It is the first block except in 144x144: 1558 data codewords
// are no multiple of its 10 blocks, and the ninth and tenth have one less than the
// others.
func (s Size) straight() int { return s.Data % s.Blocks }

// firstECC returns the place of the first error correction codeword of block b when the
// first of all belongs to block start. The next one of b is s.Blocks further.
func (s Size) firstECC(b, start int) int {
	return s.Data + (b-start+s.Blocks)%s.Blocks
}

// draw returns the modules of the symbol with all these codewords, data and
// error correction.
func (s Size) draw(all []byte, p placement) []bool {
	dark := make([]bool, s.Rows*s.Cols)
	for row := range s.Rows {
		for col := range s.Cols {
			switch s.Fixed(row, col) {
			case Dark:
				dark[row*s.Cols+col] = true
			case Data:
				at := p.at[s.mapped(row, col)]
				if at >= 0 {
					dark[row*s.Cols+col] = all[at/8]>>(7-at%8)&1 == 1
				} else {
					dark[row*s.Cols+col] = at == cornerDark
				}
			}
		}
	}
	return dark
}

// mapped returns the index in the mapping matrix of the data module at row, col.
func (s Size) mapped(row, col int) int {
	rh, rw := s.RegionRows+2, s.RegionCols+2
	r := row/rh*s.RegionRows + row%rh - 1
	c := col/rw*s.RegionCols + col%rw - 1
	return r*s.dataCols() + c
}
