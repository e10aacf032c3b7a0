package binding

// Modules holds the modules of one square symbol, including the finder pattern
// and without the quiet zone. Dark is row-major with Side*Side entries; row 0
// is the top row.
type Modules struct {
	Side int // modules
	Dark []bool
}

// PxPerModule is the width and height of a module in the hole in image pixels.
// It is part of the format.
//
// It was measured with a 15 mm symbol of 40 modules at four positions between
// device pixels, drawn by pdftoppm 22.12, mutool 1.21 and go-fitz 1.24.15. All
// three stretch an image to whole device pixels, at most one pixel more than
// its box. With a grid fitted to that, no module was read wrongly. The table
// shows the worst module's distance from mid-gray (128 is perfect; darkness is
// averaged over the middle of the module) for poppler / MuPDF:
//
//	px per module   bytes   150 dpi    200 dpi    300 dpi
//	1                 200   127 / 127  127 / 127  127 / 127
//	2                 800   127 /  95  127 / 113  127 / 127
//	4               3,200   109 /  98  127 / 125  127 / 127
//	5               5,000   106 /  82  127 / 122  127 / 127
//	8              12,800    97 /  98  123 / 125  127 / 127
//	vector path   ~5,000    102 / 106  117 / 122  127 / 127
//
// One pixel looks best only because these three renderers repeat pixels when
// they enlarge: widths of modules then differ by a whole device pixel, and
// viewers that smooth enlarged images (browsers) blur each module into the next.
// Four is the smallest number that is enlarged only above 271 dpi, keeps module
// edges within a quarter of a module everywhere, and needs no padding bits.
const PxPerModule = 4

// StreamLen is the length in bytes of the hole of a symbol with side modules a
// side, or 0 if there is no such symbol. Sides are even (ISO/IEC 16022 table
// 7), so a row of 4*side pixels has no padding bits.
func StreamLen(side int) int {
	if side < 10 || side > 144 || side%2 != 0 {
		return 0
	}
	return side * PxPerModule / 8 * side * PxPerModule
}

// modulesOf is the inverse of [SymbolStream] for a symbol with side modules a
// side. It reads one pixel of each module; the caller compares the rest.
func modulesOf(data []byte, side int) Modules {
	m := Modules{Side: side, Dark: make([]bool, side*side)}
	stride := side * PxPerModule / 8
	for y := range side {
		row := data[y*PxPerModule*stride:][:stride]
		for x := range side {
			m.Dark[y*side+x] = row[x/2]&(0x80>>(4*(x%2))) == 0
		}
	}
	return m
}

// SymbolStream returns the hole's bytes for m: a 1-bit image of
// PxPerModule*Side pixels a side, rows from the top, most significant bit left.
// 0 is painted and 1 is not, as in a PDF image mask without a Decode array (ISO
// 32000-1, 8.9.6.2). The bytes depend on the modules alone. The result is nil
// if m is not a symbol.
func SymbolStream(m Modules) []byte {
	n := StreamLen(m.Side)
	if n == 0 || len(m.Dark) != m.Side*m.Side {
		return nil
	}
	stride := m.Side * PxPerModule / 8
	out := make([]byte, n)
	for y := range m.Side {
		row := out[y*PxPerModule*stride:][:stride]
		for x, dark := range m.Dark[y*m.Side:][:m.Side] {
			if !dark {
				row[x/2] |= 0xF0 >> (4 * (x % 2)) // two modules of 4 px a byte
			}
		}
		for i := 1; i < PxPerModule; i++ {
			copy(out[(y*PxPerModule+i)*stride:], row)
		}
	}
	return out
}
