package scanner

import (
	"context"
	"runtime"

	"tcode/offline/contain"
	"tcode/scanner/gray"
	"tcode/scanner/raster"
	"tcode/scanner/symbol"
)

// result is a reader's answer about one image, in px of the page.
type result struct {
	page    *pageRun
	reading symbol.Reading
	fault   error // the reader panicked or hung
	partial bool
	more    bool // nothing was read in a part of the page: the whole page is wanted
}

// start reads one image in a goroutine, and gives its memory and the slots back. The image comes from a stranger's
// file: a fault of the reader must cost this page, not the program. A reader that hangs keeps the memory and no slot.
func (r *run) start(ctx context.Context, p *pageRun, img raster.Page, buffer []byte, slots []chan struct{}) {
	answer := make(chan result, 1) // has room for a reader that ends too late
	contain.StartThen("page-wait", func() error {
		return contain.Within(ctx, "page", longest, func(ctx context.Context) error {
			defer r.s.recycle(buffer)
			answer <- r.look(ctx, p, img)
			return nil
		})
	}, func(err error) {
		res := result{page: p, fault: err}
		if err == nil {
			res = <-answer
		}
		free(slots)
		r.results <- res
	})
}

// look reads one image.
func (r *run) look(ctx context.Context, p *pageRun, img raster.Page) (res result) {
	res.page = p
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
