package viewfinder

import (
	"tcode/scanner/gray"
	"tcode/scanner/symbol"
)

// A Hint says what a person should do so that the next frame can be read. Its text is its code in PROTOCOL.md.
type Hint string

// The hints. The empty one says that there is nothing to do.
const (
	Closer     Hint = "closer"      // the modules have too few pixels
	HoldStill  Hint = "hold_still"  // the modules run into one another
	MoreLight  Hint = "more_light"  // the frame is dark, or ink and paper are nearly alike
	WholeStamp Hint = "whole_stamp" // a part of the symbol is outside the frame, or covered
	Damaged    Hint = "damaged"     // more is spoilt than error correction restores
)

// darkFrame is the gray level below which nearly all of a dark frame lies.
const darkFrame = 70

// hintOf returns the hint of one frame.
func hintOf(l Look, img *gray.Image) Hint {
	switch l.Reason.Code {
	case symbol.CodeTooFewPixels:
		return Closer
	case symbol.CodeBlurred:
		return HoldStill
	case symbol.CodeQuietZoneCut:
		return WholeStamp
	case symbol.CodeDamaged:
		return Damaged
	case symbol.CodeLowContrast, symbol.CodeNothingFound:
		var h gray.Histogram
		if h.Count(img, 5); h.Quantile(0.95) < darkFrame {
			return MoreLight
		}
	}
	return ""
}

// lastHints is the number of frames that decide a hint.
const lastHints = 5

// hints are those of the last frames.
type hints struct {
	last [lastHints]Hint
	next int // index of the oldest
}

func (h *hints) add(one Hint) {
	h.last[h.next] = one
	h.next = (h.next + 1) % lastHints
}

// strongest returns the hint of most of the last frames, the newest of equals. One frame alone decides nothing: a hint
// that comes and goes cannot be read.
func (h *hints) strongest() (best Hint) {
	count := map[Hint]int{}
	most := 1
	for i := range lastHints { // from the oldest
		one := h.last[(h.next+i)%lastHints]
		if one == "" {
			continue
		}
		if count[one]++; count[one] > 1 && count[one] >= most {
			best, most = one, count[one]
		}
	}
	return best
}
