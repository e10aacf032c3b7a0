package proof

import (
	"context"

	"tcode/scanner/gray"
	"tcode/scanner/readback"
)

// OwnFonts asks a child for the pages with fonts of their own.
var OwnFonts = (*Reader).ownFonts

// Lowest returns the lowest resolution at which a poor scan of the symbol that says text, and fills box on a clear
// rendering of 300 dpi, is read: as [Prover.Read] looks for it, and step by step with each scan given to the reader.
// plain tells whether the two ways differ.
func Lowest(ctx context.Context, img *gray.Image, box gray.Rect, text string, bySteps bool) (dpi int, plain, ok bool) {
	s := sight{img: img, dpi: 300, symbol: [4]float64{float64(box.X0), float64(box.Y0), float64(box.X1), float64(box.Y1)}}
	found, _ := s.find(ctx, text)
	if found == nil {
		return 0, false, false
	}
	out := readback.Reading{}
	out.Corrected, _ = errorsOf(found)
	out.Contrast, out.QuietModules = s.measure(found)
	is := s.known(found)
	s = s.close()
	plain = s.plain(out)
	is.plain = plain && !bySteps
	return s.lowest(ctx, text, is), plain, true
}
