package pdfstamp

// SymbolMM returns the side in mm of a symbol of side modules where nothing
// asks for another one, without its quiet zone.
func SymbolMM(side int) float64 { return max(minSymbolMM, minModuleMM*float64(side)) }
