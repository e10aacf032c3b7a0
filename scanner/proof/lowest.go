package proof

import (
	"context"

	"tcode/scanner/ecc200"
	"tcode/scanner/gray"
	"tcode/scanner/locate"
	"tcode/scanner/readback"
	"tcode/scanner/symbol"
)

const (
	// closely is the width of the page in a poor scan around the symbol, in mm: the scan is made from a sight in memory.
	closely = 3
	// hopeless is the width of a module, in px, below which no reader reads a poor scan. It is not tried: a search
	// without a result takes a hundred times as long as one with a symbol.
	hopeless = 1.25
	// firstDPI is the resolution at which the search for the lowest one begins, and the default of office scanners.
	firstDPI = 150
	// finestScan is the highest resolution that is tried.
	finestScan = 300
)

// below and above are the resolutions tried from firstDPI on: down while the symbol is read, up while it is not. upwards
// are all of them.
var (
	below   = []float64{120, 100, 75}
	above   = []float64{200, finestScan}
	upwards = []float64{75, 100, 120, firstDPI, 200, finestScan}
)

// A symbol is plain if nothing near it could be mistaken for a part of it: it has strong contrast, no error, and
// little ink around its quiet zone. A reader that reads a plain symbol at one resolution reads it at all higher ones too: of 600
// symbols on pages of the corpus and on made ones a single one, in a white box on a dark ground, did not.
const (
	plainContrast = 0.9
	plainQuiet    = 2.5  // modules
	plainInk      = 0.08 // share of the area around the symbol; a caption has half of that
	plainEdge     = 3    // px around the symbol that belong to it
	plainInkLevel = 192  // the lightest gray that is no ink
)

// A poor scan of a plain symbol counts as read without reading it where at most sureWrong of the modules, at the places
// where they are known to be, look light instead of dark or dark instead of light. The reader read all of 919 such scans,
// of symbols of sureModules a side and more. It failed from a share of 0.117 on. It sometimes misses the place of
// smaller symbols.
const (
	sureWrong   = 0.09
	sureModules = 32
)

// known holds the facts from the clear rendering of a symbol.
type known struct {
	size    ecc200.Size
	dark    []bool        // its modules, without error
	corners [4]gray.Point // inches from the top left of where it should be; in the symbol's own order
	module  float64       // inches
	plain   bool
}

// known returns the facts from found, which was read on s.
func (s sight) known(found *symbol.Symbol) known {
	k := known{size: sizeOf(found), dark: found.Dark, module: found.ModulePx / s.dpi}
	for i, c := range found.Corners {
		k.corners[i] = gray.Point{X: c[0] - s.symbol[0], Y: c[1] - s.symbol[1]}.Mul(1 / s.dpi)
	}
	return k
}

// close returns s with less around the symbol: the rest did not disturb the reading of the clear page.
func (s sight) close() sight {
	near := closely * s.dpi / mmPerInch
	r := gray.Rect{
		X0: int(s.symbol[0] - near), Y0: int(s.symbol[1] - near), X1: int(s.symbol[2] + near), Y1: int(s.symbol[3] + near),
	}.Clip(s.img.Width, s.img.Height)
	x, y := float64(r.X0), float64(r.Y0)
	return sight{img: s.img.Crop(r), dpi: s.dpi, symbol: [4]float64{s.symbol[0] - x, s.symbol[1] - y, s.symbol[2] - x, s.symbol[3] - y}}
}

// plain reports whether the symbol on s that gave r is plain.
func (s sight) plain(r readback.Reading) bool {
	return r.Corrected == 0 && r.Contrast >= plainContrast && r.QuietModules >= plainQuiet && s.inkBeside() <= plainInk
}

// inkBeside returns the share of ink in the part of s around the symbol.
func (s sight) inkBeside() float64 {
	all, ink := 0, 0
	for y := range s.img.Height {
		row := s.img.Row(y)
		x0, x1 := len(row), len(row)
		if fy := float64(y); fy > s.symbol[1]-plainEdge && fy < s.symbol[3]+plainEdge {
			x0, x1 = min(max(int(s.symbol[0])-plainEdge, 0), len(row)), min(max(int(s.symbol[2])+plainEdge, 0), len(row))
		}
		for _, part := range [2][]byte{row[:x0], row[x1:]} {
			all += len(part)
			for _, v := range part {
				if v < plainInkLevel {
					ink++
				}
			}
		}
	}
	return float64(ink) / float64(max(all, 1))
}

// lowest returns the lowest resolution at which a poor scan of s says text, or 0.
func (s sight) lowest(ctx context.Context, text string, is known) (dpi int) {
	reads := func(at float64) bool { return ctx.Err() == nil && s.readsAt(ctx, at, text, is) }
	first := func(list []float64) int {
		for _, at := range list {
			if reads(at) {
				return int(at)
			}
		}
		return 0
	}
	if is.plain {
		return first(upwards)
	}
	if !reads(firstDPI) {
		return first(above)
	}
	dpi = firstDPI
	for _, at := range below {
		if !reads(at) {
			break
		}
		dpi = int(at)
	}
	return dpi
}

// readsAt reports whether a poor scan of s at a resolution says text.
func (s sight) readsAt(ctx context.Context, dpi float64, text string, is known) bool {
	if dpi > s.dpi+0.5 || dpi*is.module < hopeless {
		return false
	}
	poor, toScan, ok := s.scanned(dpi)
	if !ok {
		return false
	}
	if is.plain && is.size.Rows >= sureModules {
		c := locate.Candidate{Size: is.size}
		for i, p := range is.corners {
			c.Corners[i] = toScan.Map(p.Mul(s.dpi).Add(gray.Point{X: s.symbol[0], Y: s.symbol[1]}))
		}
		if is.shows(poor.img, &c) {
			return true
		}
	}
	found, _ := poor.find(ctx, text)
	return found != nil
}

// shows reports whether the modules of the symbol, at c on img, look as they are, but for a few.
func (k known) shows(img *gray.Image, c *locate.Candidate) bool {
	grid, ok := locate.Sample(img, c)
	if !ok {
		return false
	}
	wrong := 0
	for i, dark := range grid.Dark {
		if dark != k.dark[i] {
			wrong++
		}
	}
	return float64(wrong) <= sureWrong*float64(len(k.dark))
}
