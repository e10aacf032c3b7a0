package symbol

import (
	"fmt"
	"math"

	"tcode/scanner/gray"
	"tcode/scanner/locate"
)

// Codes of a [Reason], from the most telling to the least.
const (
	CodeNoPixels     = "no_pixels"      // the image is empty
	CodeOutOfTime    = "out_of_time"    // the budget or ctx ended before everything was searched; the message says which
	CodeQuietZoneCut = "quiet_zone_cut" // the symbol touches the border of the image or other ink
	CodeTooFewPixels = "too_few_pixels" // modules below the size that can be read
	CodeLowContrast  = "low_contrast"   // ink and paper are nearly the same gray
	CodeBlurred      = "blurred"        // single modules run into one another
	CodeDamaged      = "damaged"        // more is spoilt than error correction restores
	CodeNothingFound = "nothing_found"  // nothing that looks like a symbol
)

// Limits from which a property is named as the reason.
const (
	fewPixels    = 2.0  // px per module
	goodPixels   = 3.5  // px per module to advise
	poorContrast = 30.0 // gray levels
	poorSharp    = 0.45 // locate.Look.Sharpness
	poorQuiet    = 0.75 // locate.Look.Quiet
	blankPage    = 25   // gray levels between the lightest and the darkest of a page
	lowestDPI    = 150
)

var reasonNoPixels = Reason{Code: CodeNoPixels, Message: "the image has no pixels", Advice: "send a page or a photo"}

// why returns a reason. The looks that were left out are added at the end.
func why(code, message, advice string) Reason {
	return Reason{Code: code, Message: message, Advice: advice}
}

// reason returns the reason why r read nothing.
func (r *reader) reason() Reason {
	if r.best.err != nil {
		if why, ok := r.explain(&r.best.candidate); ok {
			return why
		}
	}
	if r.over() {
		return why(CodeOutOfTime, r.late+" before the whole image was searched", "give more time, or cut the image to the stamp")
	}
	if r.best.err != nil && sureness(&r.best.candidate) >= sureSymbol {
		c := &r.best.candidate
		return why(
			CodeDamaged,
			fmt.Sprintf("%s of %.1f px per module was found, but more of it is spoilt than error correction restores (%v)", named(c), c.Module(), r.best.err),
			"show the whole stamp, clean, flat and without glare, or scan it again at a higher resolution",
		)
	}
	var h gray.Histogram
	h.Count(r.img, 3)
	if spread := h.Quantile(0.999) - h.Quantile(0.001); spread < blankPage {
		return why(
			CodeLowContrast,
			fmt.Sprintf("the image is nearly blank: %d of 255 gray levels between its lightest and darkest parts", spread),
			"check that the right side of the page was scanned",
		)
	}
	advice := "check that the page shows the whole stamp; scan it at 200 dpi or more"
	if r.opt.DPI > 0 && r.opt.DPI < lowestDPI {
		return why(
			CodeTooFewPixels,
			fmt.Sprintf("nothing that looks like a Data Matrix symbol at %.0f dpi", r.opt.DPI),
			"scan again at 200 dpi or more",
		)
	}
	return why(CodeNothingFound, "nothing on the image looks like a Data Matrix symbol", advice)
}

// untried returns the looks that the options left out. A thorough one does not help where a symbol
// was seen; one for light symbols may, since their surroundings can resemble a dark one.
func (r *reader) untried() (looks []string) {
	if !r.opt.Inverted {
		looks = append(looks, LookInverted)
	}
	if seen := r.best.err != nil && sureness(&r.best.candidate) >= sureSymbol; !seen && !r.opt.Thorough {
		looks = append(looks, LookThorough)
	}
	return looks
}

const (
	// sureSymbol is the sureness from which there is a symbol, read or not.
	sureSymbol = 0.42
	// sureSize is the sureness from which its size may be named too: a part of a
	// symbol, or one that is smeared, passes for a smaller one.
	sureSize = 0.6
)

// named describes c, as far as that is sure.
func named(c *locate.Candidate) string {
	if sureness(c) < sureSize {
		return "something like a symbol"
	}
	return fmt.Sprintf("a %dx%d symbol", c.Size.Rows, c.Size.Cols)
}

// cut reports whether a side of c is at the border of m or beyond: one corner
// there may be wrong, or have no quiet zone, without which most symbols are read.
func cut(c *locate.Candidate, m *gray.Image) bool {
	near := c.Module()
	var left, top, right, bottom int
	for _, p := range c.Corners {
		if p.X < near {
			left++
		}
		if p.Y < near {
			top++
		}
		if p.X > float64(m.Width)-near {
			right++
		}
		if p.Y > float64(m.Height)-near {
			bottom++
		}
	}
	return max(left, top, right, bottom) >= 2
}

// sureness is the fit of the fixed modules, less for small sizes, of which other
// ink shows something alike more often.
func sureness(c *locate.Candidate) float64 {
	s := c.Score * (1 - 5/float64(c.Size.Rows+c.Size.Cols))
	if c.Size.Extended() {
		s *= 0.7 // rare, and a part of a large square symbol looks like one
	}
	return s
}

// explain returns the reason why c was not read; ok is false when it is unknown.
func (r *reader) explain(c *locate.Candidate) (Reason, bool) {
	if sureness(c) < sureSymbol {
		return Reason{}, false
	}
	look := locate.LookAt(r.best.img, c)
	px := c.Module()
	what := named(c) + " was found"
	switch {
	case cut(c, r.best.img):
		return why(
			CodeQuietZoneCut, what+", but it reaches the border of the image",
			"scan the whole stamp with some paper around it",
		), true
	case px < fewPixels:
		return why(
			CodeTooFewPixels, fmt.Sprintf("%s, but its modules have only %.1f px", what, px), r.moreDots(px),
		), true
	case look.Contrast < poorContrast:
		return why(
			CodeLowContrast, fmt.Sprintf("%s, but only %.0f of 255 gray levels lie between ink and paper", what, look.Contrast),
			"use more light, without glare, or a higher contrast setting",
		), true
	case look.Sharpness < poorSharp:
		return why(
			CodeBlurred, fmt.Sprintf("%s, but single modules keep only %.0f %% of the contrast", what, 100*max(look.Sharpness, 0)),
			"hold the camera still and let it focus"+r.orMoreDots(px),
		), true
	case look.Quiet < poorQuiet:
		return why(
			CodeQuietZoneCut, fmt.Sprintf("%s, but only %.0f %% of the margin around it is empty", what, 100*look.Quiet),
			"remove what lies on the stamp's margin, or stamp at another place",
		), true
	}
	return Reason{}, false
}

// orMoreDots is moreDots as another way out, where it is one.
func (r *reader) orMoreDots(px float64) string {
	if px >= goodPixels {
		return ""
	}
	return ", or " + r.moreDots(px)
}

// moreDots advises a resolution at which modules of px now have goodPixels.
func (r *reader) moreDots(px float64) string {
	if r.opt.DPI <= 0 {
		return fmt.Sprintf("go closer, or scan at %.1f times the resolution", goodPixels/px)
	}
	return fmt.Sprintf("scan again at %.0f dpi", math.Ceil(r.opt.DPI*goodPixels/px/50)*50)
}
