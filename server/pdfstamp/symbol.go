package pdfstamp

import (
	"fmt"

	"github.com/makiuchi-d/gozxing/datamatrix/encoder"

	"tcode/offline/binding"
	"tcode/offline/payload"
)

// Symbol returns the modules of the Data Matrix symbol that holds text, the
// smallest square that fits. Codewords are ours (payload.Codewords), error
// correction and placement gozxing's.
func Symbol(text string) (binding.Modules, error) {
	data, side, err := payload.Codewords(text)
	if err != nil {
		return binding.Modules{}, err
	}
	info, err := encoder.SymbolInfo_Lookup(len(data), encoder.SymbolShapeHint_FORCE_SQUARE, nil, nil, true)
	if err != nil {
		return binding.Modules{}, fmt.Errorf("symbol of %d codewords: %w", len(data), err)
	}
	if info.GetSymbolWidth() != side || info.GetSymbolHeight() != side || info.GetDataCapacity() != len(data) {
		return binding.Modules{}, fmt.Errorf("symbol of %d codewords is %d modules wide, want %d", len(data), info.GetSymbolWidth(), side)
	}
	words, err := encoder.ErrorCorrection_EncodeECC200(data, info)
	if err != nil {
		return binding.Modules{}, fmt.Errorf("error correction: %w", err)
	}
	place := encoder.NewDefaultPlacement(words, info.GetSymbolDataWidth(), info.GetSymbolDataHeight())
	place.Place()
	return withFinder(place.GetBit, info), nil
}

// withFinder puts the finder pattern (left and bottom) and the timing tracks (top
// and right) of each data region around its modules (ISO/IEC 16022, 5.3).
func withFinder(bit func(x, y int) bool, info *encoder.SymbolInfo) binding.Modules {
	side := info.GetSymbolWidth()
	regions := (side - info.GetSymbolDataWidth()) / 2 // a side; each has two finder modules
	region := side / regions
	m := binding.Modules{Side: side, Dark: make([]bool, side*side)}
	for y := range side {
		for x := range side {
			rx, ry := x%region, y%region
			var dark bool
			switch {
			case rx == 0 || ry == region-1:
				dark = true
			case ry == 0:
				dark = rx%2 == 0
			case rx == region-1:
				dark = ry%2 == 1
			default:
				dark = bit(x-1-2*(x/region), y-1-2*(y/region))
			}
			m.Dark[y*side+x] = dark
		}
	}
	return m
}
