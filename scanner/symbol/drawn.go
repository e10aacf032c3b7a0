package symbol

import (
	"slices"

	"tcode/offline/binding"
	"tcode/scanner/ecc200"
)

// ReaderHole names the reader of a symbol in the bytes of a stamped file, not on a page.
const ReaderHole = "hole"

// Drawn returns the symbol in the hole of mark k of file, whether or not a page shows it. It has no corners.
// ok is false if the hole holds no Data Matrix symbol without a fault.
func Drawn(file []byte, k binding.Mark) (s Symbol, ok bool) {
	m, ok := binding.Drawn(file, k)
	if !ok {
		return Symbol{}, false
	}
	d, err := ecc200.Decode(ecc200.Grid{Rows: m.Side, Cols: m.Side, Dark: m.Dark})
	if err != nil || !slices.Equal(d.Dark, m.Dark) {
		return Symbol{}, false
	}
	content, err := ecc200.Parse(d.Codewords)
	if err != nil {
		return Symbol{}, false
	}
	s = Symbol{Rows: m.Side, Cols: m.Side, Codewords: d.Codewords, Dark: d.Dark, Reader: ReaderHole}
	s.say(&content, nil)
	return s, true
}
