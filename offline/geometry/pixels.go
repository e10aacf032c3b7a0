package geometry

import (
	"cmp"
	"math"
)

// How scanners look at a page at first.
const (
	ScanDPI = 150
	// MaxPixels is the most that they draw of a page or picture: they draw a larger one with fewer
	// dots per inch, and have no closer look at it.
	MaxPixels = 60_000_000

	mmPerInch = 25.4
	// leastMM is the width of the narrowest modules that are read for certain with all dots, 1.18 px.
	// On pages of seven square metres all of 72 stamps with 1.18 to 1.4 px were read, and 46 of 48 with less.
	leastMM = 0.2
)

// LeastModuleMM is the width of the narrowest modules that scanners read for certain on a page: 0.2 mm,
// or more on one that they draw with fewer dots, and for a scan with fewer. 0 dpi are the usual ones.
func LeastModuleMM(page Size, dpi int) float64 {
	drawn := math.Sqrt(MaxPixels/(page.Width*page.Height)) * mmPerInch // infinite for no page
	return leastMM * max(1, ScanDPI/drawn, ScanDPI/float64(cmp.Or(dpi, ScanDPI)))
}
