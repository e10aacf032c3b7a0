package ecc200

import "slices"

// A Size is one of the 30 symbol sizes of ECC 200 (ISO/IEC 16022 table 7) or
// one of the 18 rectangles that ISO/IEC 21471 adds.
type Size struct {
	Rows, Cols             int // modules, finder included
	RegionRows, RegionCols int // data modules of one region, without its borders
	Data, ECC              int // codewords in the whole symbol
	Blocks                 int // interleaved Reed-Solomon blocks
}

// sizes lists the square sizes by side, then the rectangular ones.
var sizes = [...]Size{
	{10, 10, 8, 8, 3, 5, 1},
	{12, 12, 10, 10, 5, 7, 1},
	{14, 14, 12, 12, 8, 10, 1},
	{16, 16, 14, 14, 12, 12, 1},
	{18, 18, 16, 16, 18, 14, 1},
	{20, 20, 18, 18, 22, 18, 1},
	{22, 22, 20, 20, 30, 20, 1},
	{24, 24, 22, 22, 36, 24, 1},
	{26, 26, 24, 24, 44, 28, 1},
	{32, 32, 14, 14, 62, 36, 1},
	{36, 36, 16, 16, 86, 42, 1},
	{40, 40, 18, 18, 114, 48, 1},
	{44, 44, 20, 20, 144, 56, 1},
	{48, 48, 22, 22, 174, 68, 1},
	{52, 52, 24, 24, 204, 84, 2},
	{64, 64, 14, 14, 280, 112, 2},
	{72, 72, 16, 16, 368, 144, 4},
	{80, 80, 18, 18, 456, 192, 4},
	{88, 88, 20, 20, 576, 224, 4},
	{96, 96, 22, 22, 696, 272, 4},
	{104, 104, 24, 24, 816, 336, 6},
	{120, 120, 18, 18, 1050, 408, 6},
	{132, 132, 20, 20, 1304, 496, 8},
	{144, 144, 22, 22, 1558, 620, 10},
	{8, 18, 6, 16, 5, 7, 1},
	{8, 32, 6, 14, 10, 11, 1},
	{12, 26, 10, 24, 16, 14, 1},
	{12, 36, 10, 16, 22, 18, 1},
	{16, 36, 14, 16, 32, 24, 1},
	{16, 48, 14, 22, 49, 28, 1},
}

// extended lists the rectangles of Data Matrix Rectangular Extension by rows.
var extended = [...]Size{
	{8, 48, 6, 22, 18, 15, 1},
	{8, 64, 6, 14, 24, 18, 1},
	{8, 80, 6, 18, 32, 22, 1},
	{8, 96, 6, 22, 38, 28, 1},
	{8, 120, 6, 18, 49, 32, 1},
	{8, 144, 6, 22, 63, 36, 1},
	{12, 64, 10, 14, 43, 27, 1},
	{12, 88, 10, 20, 64, 36, 1},
	{16, 64, 14, 14, 62, 36, 1},
	{20, 36, 18, 16, 44, 28, 1},
	{20, 44, 18, 20, 56, 34, 1},
	{20, 64, 18, 14, 84, 42, 1},
	{22, 48, 20, 22, 72, 38, 1},
	{24, 48, 22, 22, 80, 41, 1},
	{24, 64, 22, 14, 108, 46, 1},
	{26, 40, 24, 18, 70, 38, 1},
	{26, 48, 24, 22, 90, 42, 1},
	{26, 64, 24, 14, 118, 50, 1},
}

// MaxSide is the side of the largest symbol in modules.
const MaxSide = 144

// Sizes returns the sizes of ECC 200: the 24 square ones by side, then the 6
// rectangular.
func Sizes() []Size {
	s := sizes // a copy: the table stays as it is
	return s[:]
}

// Extended returns the 18 rectangles of ISO/IEC 21471 (DMRE), by rows. They differ from
// those of ECC 200 only in their sides.
func Extended() []Size {
	s := extended
	return s[:]
}

// All yields the sizes of ECC 200 and then the extended ones, without copying
// the tables.
func All(yield func(Size) bool) {
	for _, list := range [...][]Size{sizes[:], extended[:]} {
		for i := range list {
			if !yield(list[i]) {
				return
			}
		}
	}
}

// SizeOf returns the size of rows x cols modules, of ECC 200 or extended.
func SizeOf(rows, cols int) (Size, bool) {
	for s := range All {
		if s.Rows == rows && s.Cols == cols {
			return s, true
		}
	}
	return Size{}, false
}

// Square reports whether the symbol has as many rows as columns.
func (s Size) Square() bool { return s.Rows == s.Cols }

// Extended reports whether the size is one of those that ISO/IEC 21471 adds.
func (s Size) Extended() bool { return slices.Contains(extended[:], s) }

// Total returns the number of codewords, data and error correction.
func (s Size) Total() int { return s.Data + s.ECC }

// dataRows and dataCols return the sides of the mapping matrix: all regions together,
// without their borders.
func (s Size) dataRows() int { return s.Rows / (s.RegionRows + 2) * s.RegionRows }
func (s Size) dataCols() int { return s.Cols / (s.RegionCols + 2) * s.RegionCols }

// A Module is the known state of one place of a symbol.
type Module uint8

// The states of a module before anything is read.
const (
	Data  Module = iota // depends on the codewords
	Light               // finder or timing pattern, always light
	Dark                // finder or timing pattern, always dark
)

// Fixed returns the fixed state of the module at row, col (0, 0 is the top left).
// The borders of inner regions are fixed like the outer ones: each region has a
// finder pattern (the L) on the left and bottom, and timing tracks on the top and
// right.
func (s Size) Fixed(row, col int) Module {
	rh, rw := s.RegionRows+2, s.RegionCols+2
	r, c := row%rh, col%rw
	var dark bool
	switch {
	case c == 0 || r == rh-1:
		dark = true
	case r == 0:
		dark = c%2 == 0
	case c == rw-1:
		dark = r%2 == 1
	default:
		return Data
	}
	if dark {
		return Dark
	}
	return Light
}
