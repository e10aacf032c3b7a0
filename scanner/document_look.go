package scanner

import (
	"context"
	"log/slog"
	"runtime"
	"runtime/debug"

	"tcode/scanner/gray"
	"tcode/scanner/raster"
	"tcode/scanner/symbol"
)

// result is a reader's answer about one image, in px of the page.
type result struct {
	page     *pageRun
	reading  symbol.Reading
	panicked bool
	partial  bool
	more     bool // nothing was read in a part of the page: the whole page is wanted
}

// look reads one image and gives its memory back. It comes from a stranger's file: a fault of the reader must cost
// this page, not the program.
func (r *run) look(ctx context.Context, p *pageRun, img raster.Page, buffer []byte, slots []chan struct{}) (res result) {
	res.page = p
	defer func() {
		if v := recover(); v != nil {
			r.cfg.Log.ErrorContext(ctx, "reader panicked", slog.Any("panic", v), slog.String("stack", string(debug.Stack())))
			res = result{page: p, panicked: true}
		}
		free(slots)
		r.s.recycle(buffer)
	}()
	runtime.LockOSThread() // for the clock
	defer runtime.UnlockOSThread()
	opt := r.opt.Image
	opt.DPI, opt.Page, opt.Clock = img.DPI, p.page.Number, r.time.clock()
	// What a program draws is dark on light, unless its author wants it otherwise; a camera sees signs and screens too.
	opt.Inverted = opt.Inverted || p.page.Kind != raster.PDF
	if opt.Budget <= 0 {
		opt.Budget = r.cfg.Budget
	}
	if r.opt.StampOnly && (!p.whole || p.closer) {
		if reading := r.stamps(ctx, img, opt); len(reading.Symbols) > 0 {
			res.reading, res.partial = reading, true
			return res
		}
	}
	if img.Image == nil {
		res.more = true
		return res
	}
	res.reading = r.s.read(ctx, img.Image, opt)
	res.reading.Move(img.X, img.Y)
	return res
}

// stamps reads the pictures on the page that could be stamps, each with its surroundings. They say only where to look:
// only a symbol seen there counts.
func (r *run) stamps(ctx context.Context, page raster.Page, opt symbol.Options) (all symbol.Reading) {
	for _, s := range page.Squares() {
		x, y := s.Around.X0, s.Around.Y0
		box := gray.Rect{X0: s.Box.X0 - x, Y0: s.Box.Y0 - y, X1: s.Box.X1 - x, Y1: s.Box.Y1 - y}
		reading := symbol.ReadExact(ctx, s.Image, box)
		if len(reading.Symbols) == 0 {
			reading = r.s.read(ctx, s.Image, opt)
		}
		reading.Move(x, y)
		all.Locate += reading.Locate
		all.Decode += reading.Decode
		all.Symbols = symbol.Add(all.Symbols, reading.Symbols)
	}
	return all
}
