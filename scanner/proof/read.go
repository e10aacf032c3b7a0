package proof

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"time"

	"tcode/offline/host/awake"
	"tcode/offline/host/cputime"
	"tcode/scanner"
	"tcode/scanner/ecc200"
	"tcode/scanner/gray"
	"tcode/scanner/raster"
	"tcode/scanner/readback"
	"tcode/scanner/symbol"
)

const (
	// margin is how much of the page is drawn around the symbol, in mm: enough for its neighbours to get in the way.
	margin = 6
	// readBudget is the processor time for one look. A symbol that is clear takes a few milliseconds.
	readBudget = 2 * time.Second
)

// A request is a [readback.Request] that is being answered.
type request readback.Request

// notLooked is the reason of places after the first one that was not read: finding nothing takes long, and one is enough.
const notLooked = "nobody looked: another page was not read"

// Read draws pdf at each place and reads the symbol there, until one is not read. An unread symbol is an answer, not an
// error. Errors are those of package raster, [ErrPages], [ErrTooLong] and the cause of ctx.
func (p *Prover) Read(ctx context.Context, pdf *io.SectionReader, q readback.Request) ([]readback.Reading, error) {
	out := make([]readback.Reading, 0, len(q.Targets))
	if len(q.Targets) == 0 {
		return out, nil
	}
	err := p.raster.OpenFrom(ctx, pdf, func(d *raster.Document) error {
		drawing, failed := awake.Start(), false
		defer drawing.Stop()
		for _, at := range q.Targets {
			if err := goOn(ctx, drawing); err != nil {
				return err
			}
			if failed {
				out = append(out, readback.Reading{Page: at.Page, Reason: notLooked})
				continue
			}
			r, err := request(q).read(ctx, d, at)
			if err != nil {
				return err
			}
			failed = !r.Read
			out = append(out, r)
		}
		return nil
	})
	return out, err
}

// read reads the symbol at one place.
func (q request) read(ctx context.Context, d *raster.Document, at readback.Target) (readback.Reading, error) {
	out := readback.Reading{Page: at.Page}
	s, err := q.draw(d, at, q.DPI)
	if err != nil {
		return out, err
	}
	out.DPI = s.dpi
	first, err := s.firstDPI()
	if errors.Is(err, raster.ErrTooLarge) {
		out.Reason = "the page is too large for scanners: " + s.size()
		return out, nil
	}
	if err != nil {
		return out, err
	}
	if out.Reason = s.narrow(at, first); out.Reason != "" {
		return out, nil
	}
	found, reason := s.find(ctx, q.Text)
	if err := context.Cause(ctx); err != nil || found == nil {
		out.Reason = reason
		return out, err
	}
	r, err := q.rate(ctx, d, at, s, found)
	if err == nil && first < s.dpi && !sure(r, found.ModulePx*first/s.dpi, at.Degrade) {
		if reason, err = q.readAsScanners(ctx, d, at, first); reason != "" {
			out.Reason = fmt.Sprintf("scanners look at a page of %s at %.0f dpi: %s", s.size(), first, reason)
			return out, err
		}
	}
	return r, err
}

// rate measures the symbol that was found on s, as a poor scan too if at says so.
func (q request) rate(ctx context.Context, d *raster.Document, at readback.Target, s sight, found *symbol.Symbol) (readback.Reading, error) {
	out := readback.Reading{Page: at.Page, DPI: s.dpi, Read: true}
	out.Corrected, out.Correctable = errorsOf(found)
	out.Contrast, out.QuietModules = s.measure(found)
	if !at.Degrade {
		return out, nil
	}
	is := s.known(found)
	if s.dpi < finestScan && q.DPI < finestScan {
		var err error
		if s, err = q.draw(d, at, finestScan); err != nil {
			return out, err
		}
	}
	s = s.close()
	is.plain = s.plain(out)
	out.ReadsAtDPI = s.lowest(ctx, q.Text, is)
	return out, context.Cause(ctx)
}

const (
	// leastPx is the width of a module, in px, from which the reader reads a clean rendering, whatever the place of its
	// pixels is: all of 205 symbols, on pages from A4 to 5 m. Of 34 with less it missed 14.
	leastPx = 1.0
	// surePx is the width from which it reads any symbol without errors, and in strong contrast.
	surePx = 2.0
)

// firstDPI is the resolution at which scanners look at the page first. The error is that of [scanner.FinestDPI].
func (s sight) firstDPI() (float64, error) {
	finest, err := scanner.FinestDPI(s.width, s.height)
	return min(finest, scanner.DefaultFirst), err
}

// narrow returns why scanners do not read a symbol at dpi if its modules are too narrow.
func (s sight) narrow(at readback.Target, dpi float64) string {
	if at.Modules == 0 {
		return ""
	}
	module := at.Symbol.Width / float64(at.Modules)
	least := math.Ceil(1000*leastPx*mmPerInch/dpi) / 1000
	if module*dpi >= leastPx*mmPerInch {
		return ""
	}
	return fmt.Sprintf("its modules have %.2g mm; scanners look at a page of %s at %.0f dpi, where %.3g mm is the least, a symbol of %.3g mm",
		module, s.size(), dpi, least, least*float64(at.Modules))
}

// sure reports whether a symbol that gave r is read as well where its modules have px pixels, at [scanner.DefaultFirst] or less.
func sure(r readback.Reading, px float64, degraded bool) bool {
	if degraded && (r.ReadsAtDPI == 0 || r.ReadsAtDPI > scanner.DefaultFirst) {
		return false
	}
	return px >= surePx && r.Corrected == 0 && r.Contrast >= plainContrast
}

// readAsScanners returns why the symbol at a place is not read at dpi, at which scanners look at its page; empty
// if it is.
func (q request) readAsScanners(ctx context.Context, d *raster.Document, at readback.Target, dpi float64) (reason string, err error) {
	s, err := q.draw(d, at, dpi)
	if err != nil {
		return "", err
	}
	found, reason := s.find(ctx, q.Text)
	if found != nil {
		return "", nil
	}
	return reason, nil
}

// A sight is the drawn surroundings of a symbol.
type sight struct {
	img           *gray.Image
	dpi           float64
	symbol        [4]float64 // px of img: left, top, right, bottom, as it should be
	width, height float64    // points, of the page
}

// size says how large the page is.
func (s sight) size() string {
	return fmt.Sprintf("%.0f x %.0f mm", s.width/ptPerMM, s.height/ptPerMM)
}

// draw draws the surroundings of at.
func (q request) draw(d *raster.Document, at readback.Target, dpi float64) (sight, error) {
	v, err := view(d, raster.ViewRequest{Page: at.Page, DPI: dpi, Area: around(at.Symbol, margin), MaxPixels: maxPixels})
	if err != nil {
		return sight{}, err
	}
	px := v.DPI / mmPerInch
	x, y := at.Symbol.X*px-float64(v.X), at.Symbol.Y*px-float64(v.Y)
	return sight{
		img: v.Gray(), dpi: v.DPI, symbol: [4]float64{x, y, x + at.Symbol.Width*px, y + at.Symbol.Height*px},
		width: float64(v.PageWidth) * 72 / v.DPI, height: float64(v.PageHeight) * 72 / v.DPI,
	}, nil
}

// find reads s and returns the symbol at its place if it has the given text, or the reason why there is none.
func (s sight) find(ctx context.Context, text string) (*symbol.Symbol, string) {
	var reason string
	// If there are other symbols near the stamp, all of them are read.
	for _, most := range []int{1, 0} {
		got := look(ctx, s.img, symbol.Options{MaxSymbols: most, Budget: readBudget, DPI: s.dpi})
		for i := range got.Symbols {
			switch c := got.Symbols[i].Middle(); {
			case c.X < s.symbol[0] || c.X > s.symbol[2] || c.Y < s.symbol[1] || c.Y > s.symbol[3]:
				reason = "there is another symbol beside it"
			case got.Symbols[i].Text != text:
				return nil, "it says something else"
			default:
				return &got.Symbols[i], ""
			}
		}
		if len(got.Symbols) == 0 {
			return nil, got.Reason.Message
		}
	}
	return nil, reason
}

// look reads img. The budget is processor time: other requests to the gateway must not make a stamp unreadable.
func look(ctx context.Context, img *gray.Image, opt symbol.Options) symbol.Reading {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	opt.Clock = cputime.Thread
	return symbol.ReadImage(ctx, img, opt)
}

// boxOf returns the sides of the smallest upright box around a symbol, px.
func boxOf(s *symbol.Symbol) (x0, y0, x1, y1 float64) {
	x0, y0, x1, y1 = math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
	for _, p := range s.Corners {
		x0, y0, x1, y1 = min(x0, p[0]), min(y0, p[1]), max(x1, p[0]), max(y1, p[1])
	}
	return x0, y0, x1, y1
}

// errorsOf returns the number of wrong codewords of s and its limit: erasures count half.
func errorsOf(s *symbol.Symbol) (corrected, correctable int) {
	return s.CorrectedErrors + (s.Erasures+1)/2, sizeOf(s).ECC / 2
}

// sizeOf returns the size of a symbol that was read.
func sizeOf(s *symbol.Symbol) ecc200.Size {
	for _, size := range ecc200.Sizes() {
		if size.Rows == s.Rows && size.Cols == s.Cols {
			return size
		}
	}
	return ecc200.Size{}
}

// maxQuiet is the distance around a symbol in which ink is searched, in modules.
const maxQuiet = 4

// measure returns the contrast of the symbol that was found on s and the number of modules around it that are free of ink.
func (s sight) measure(found *symbol.Symbol) (contrast, quiet float64) {
	x0, y0, x1, y1 := boxOf(found)
	box := gray.Rect{X0: int(math.Floor(x0)), Y0: int(math.Floor(y0)), X1: int(math.Ceil(x1)), Y1: int(math.Ceil(y1))}
	var h gray.Histogram
	h.Count(s.img.Crop(box), 1)
	dark, light := h.Quantile(0.1), h.Quantile(0.9)
	contrast = float64(light-dark) / 255
	return contrast, s.clear(x0, y0, x1, y1, byte((dark+light)/2), found.ModulePx)
}

// clear returns the number of modules around the symbol, with its sides at x0, y0, x1 and y1, that are lighter than ink: from
// its sides to the nearest pixel that is not, maxQuiet at most.
func (s sight) clear(x0, y0, x1, y1 float64, ink byte, module float64) float64 {
	box := gray.Rect{X0: int(math.Floor(x0)), Y0: int(math.Floor(y0)), X1: int(math.Ceil(x1)), Y1: int(math.Ceil(y1))}
	// The pixel at a side belongs to both, so the first one outside is skipped.
	nearest := maxQuiet * module
	for d := 1; float64(d) < maxQuiet*module; d++ {
		r := box.Grow(d + 1)
		for _, side := range []struct {
			line gray.Rect
			gap  float64 // px between the symbol and the line
		}{
			{gray.Rect{X0: r.X0, Y0: r.Y0, X1: r.X0 + 1, Y1: r.Y1}, x0 - float64(r.X0+1)},
			{gray.Rect{X0: r.X1 - 1, Y0: r.Y0, X1: r.X1, Y1: r.Y1}, float64(r.X1-1) - x1},
			{gray.Rect{X0: r.X0, Y0: r.Y0, X1: r.X1, Y1: r.Y0 + 1}, y0 - float64(r.Y0+1)},
			{gray.Rect{X0: r.X0, Y0: r.Y1 - 1, X1: r.X1, Y1: r.Y1}, float64(r.Y1-1) - y1},
		} {
			if s.inked(side.line, ink) {
				nearest = min(nearest, side.gap)
			}
		}
		if nearest < float64(d) {
			break
		}
	}
	return nearest / module
}

// speck is the number of dark pixels on a line that do not count.
const speck = 2

// inked reports whether more than a speck of r is darker than ink.
func (s sight) inked(r gray.Rect, ink byte) bool {
	r = r.Clip(s.img.Width, s.img.Height)
	dark := 0
	for y := r.Y0; y < r.Y1; y++ {
		for _, v := range s.img.Row(y)[r.X0:r.X1] {
			if v < ink {
				dark++
			}
		}
	}
	return dark > speck
}
