package scanner

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"time"

	"tcode/scanner/gray"
	"tcode/scanner/raster"
)

// run is one document being read.
//
//	owner (caller's goroutine)                 readers (Config.Readers goroutines at most)
//	next job ─▶ render in the child ──page──▶ ReadImage
//	   ▲                                          │
//	   └── settle: read, retry or held back ◀─result
//
// The owner alone talks to the child and touches the fields; readers get an image and give a Reading.
type run struct {
	cfg   Config
	image func(context.Context, *gray.Image, Options) Reading // reads one page
	opt   DocumentOptions
	yield func(Page) error

	doc     *raster.Document
	queue   []job       // not yet rendered
	pages   []*pageRun  // in the order of yielding
	next    int         // first of pages that was not yielded
	busy    int         // images being read
	pixels  int         // of the images being read
	results chan result // has room for all of them

	fine     time.Duration // working time spent at Config.ThoroughDPI
	done     int           // pages settled for good
	read     bool          // a symbol was read
	stop     bool          // no more pages are wanted
	yieldErr error         // yield's own
	unseen   error         // why the first page that could not be rendered could not
}

// pageBudget is the time for one look at a page unless the caller says otherwise: plenty, for slow machines under load.
const pageBudget = 20 * time.Second

// pixelsAtOnce bounds the images read at the same time: the reader takes some 15 bytes a pixel. Seven A4 pages at
// 300 dpi, or one of the largest that are rendered.
const pixelsAtOnce = 64_000_000

type job struct {
	page *pageRun
	dpi  float64
}

// pageRun is the state of one page.
type pageRun struct {
	page     Page
	tried    float64 // highest dpi asked for
	settled  bool    // has an answer; may be taken up again by the thorough pass
	seen     bool    // some look went over the whole image
	panicked bool    // its last reader did
}

type result struct {
	page     *pageRun
	reading  Reading
	panicked bool
}

// document reads d to its end.
func (r *run) document(ctx context.Context, d *raster.Document) error {
	r.doc = d
	r.results = make(chan result, r.cfg.Readers)
	for i := range d.Pages {
		n := i + 1
		if r.opt.StampOnly {
			n = d.Pages - i
		}
		p := &pageRun{page: Page{Number: n, Count: d.Pages, Kind: d.Kind}}
		r.pages = append(r.pages, p)
		r.queue = append(r.queue, job{p, r.cfg.FirstDPI})
	}
	err := r.work(ctx)
	if err == nil && !r.read {
		// Stamps stand on the last page, so that comes first.
		byNumber := slices.SortedFunc(slices.Values(r.pages), func(a, b *pageRun) int { return b.page.Number - a.page.Number })
		for _, p := range byNumber {
			if p.page.WidthPx > 0 && r.finer(p) {
				r.queue = append(r.queue, job{p, r.cfg.ThoroughDPI})
			}
		}
		err = r.work(ctx)
	}
	return err
}

// work renders and reads until the queue is empty. Its readers are done when it returns, whatever happens. An ended
// ctx is an error although readers return what they have: they may not have looked everywhere.
func (r *run) work(ctx context.Context) error {
	for {
		err := r.dispatch(ctx)
		for r.busy > 0 {
			if serr := r.settle(<-r.results); err == nil {
				err = serr
			}
		}
		switch {
		case err != nil || r.stop:
			return err
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case len(r.queue) == 0: // not so when what was seen but not read went back
			return nil
		}
	}
}

func (r *run) dispatch(ctx context.Context) error {
	for len(r.queue) > 0 && !r.stop {
		j := r.queue[0]
		r.queue = r.queue[1:]
		if j.page.tried > 0 && r.fine > r.cfg.ThoroughTime*time.Duration(r.cfg.Readers) {
			if err := r.leave(j.page); err != nil {
				return err
			}
			continue
		}
		if err := r.render(ctx, j); err != nil {
			return err
		}
		for more := true; more; {
			select {
			case res := <-r.results:
				if err := r.settle(res); err != nil {
					return err
				}
			default:
				more = false
			}
		}
		if r.busy == r.cfg.Readers {
			if err := r.settle(<-r.results); err != nil {
				return err
			}
		}
	}
	return nil
}

// render renders one page and starts a reader for it. A page that cannot be rendered is settled with the reason.
func (r *run) render(ctx context.Context, j job) error {
	again := j.page.tried > 0
	p, err := r.doc.Page(j.page.page.Number, j.dpi)
	j.page.tried = j.dpi
	if re, ok := errors.AsType[*raster.Error](err); ok && re.Page > 0 {
		return r.giveUp(j.page, err)
	}
	if err != nil {
		return err
	}
	px := p.Image.Width * p.Image.Height
	for r.busy > 0 && r.pixels+px > pixelsAtOnce {
		if err := r.settle(<-r.results); err != nil {
			return err
		}
	}
	page := &j.page.page
	page.WidthPx, page.HeightPx, page.DPI = p.Image.Width, p.Image.Height, p.DPI
	page.Raster += p.Took
	if again {
		r.fine += p.Took
	}
	r.busy++
	r.pixels += px
	go func() { r.results <- r.look(ctx, j.page, p.Image) }()
	return nil
}

// look reads one image. It comes from a stranger's file: a fault of the reader must cost this page, not the program.
func (r *run) look(ctx context.Context, p *pageRun, img *gray.Image) (res result) {
	res.page = p
	defer func() {
		if v := recover(); v != nil {
			r.cfg.Log.ErrorContext(ctx, "reader panicked", slog.Any("panic", v), slog.String("stack", string(debug.Stack())))
			res.panicked = true
		}
	}()
	opt := r.opt.Image
	opt.DPI = p.page.DPI
	if opt.Budget <= 0 {
		opt.Budget = pageBudget
	}
	res.reading = r.image(ctx, img, opt)
	return res
}

// settle takes a reader's answer.
func (r *run) settle(res result) error {
	p := res.page
	r.busy--
	r.pixels -= p.page.WidthPx * p.page.HeightPx
	if p.tried > r.cfg.FirstDPI {
		r.fine += res.reading.Locate + res.reading.Decode
	}
	before, reading := p.page.Reading, res.reading
	reading.Locate += before.Locate
	reading.Decode += before.Decode
	whole := !res.panicked && reading.Reason.Code != CodeOutOfTime
	if !whole && p.seen { // the closer look is a gift: what the first one said stands
		reading.Symbols, reading.Reason, whole = before.Symbols, before.Reason, true
	}
	p.page.Reading = reading
	p.panicked, p.seen = res.panicked && !whole, whole
	if r.finer(p) && (res.panicked || promising(reading)) { // other pixels may not meet the same fault
		j := job{p, r.cfg.ThoroughDPI}
		if r.opt.StampOnly {
			r.queue = slices.Insert(r.queue, 0, j) // the likely page, before all the others
		} else {
			r.queue = append(r.queue, j)
		}
		return nil
	}
	return r.leave(p)
}

// leave settles a page that gets no other look for now.
func (r *run) leave(p *pageRun) error {
	switch {
	case p.seen:
		return r.finish(p, p.page.Reading)
	case p.panicked:
		return r.giveUp(p, fmt.Errorf("page %d: %w", p.page.Number, errReader))
	}
	return r.giveUp(p, fmt.Errorf("page %d: %w", p.page.Number, errOutOfTime))
}

// finer says whether a closer look at p is possible.
func (r *run) finer(p *pageRun) bool {
	return p.page.Kind == raster.PDF && p.tried < r.cfg.ThoroughDPI
}

// promising says whether something was seen that more pixels may make readable.
func promising(reading Reading) bool {
	switch reading.Reason.Code {
	case "", CodeNothingFound, CodeNoPixels, CodeOutOfTime:
		return false
	}
	return true
}

// giveUp settles a page that was not seen, or not all of it.
func (r *run) giveUp(p *pageRun, err error) error {
	if r.unseen == nil {
		r.unseen = err
	}
	de := documentError("", err)
	reading := p.page.Reading
	reading.Symbols, reading.Reason = nil, Reason{Code: de.Code, Message: de.Message, Advice: de.Advice}
	return r.finish(p, reading)
}

// finish settles p and yields what can be yielded.
func (r *run) finish(p *pageRun, reading Reading) error {
	p.page.Reading = reading
	first := !p.settled
	p.settled = true
	if len(reading.Symbols) > 0 {
		r.read = true
		r.stop = r.stop || r.opt.StampOnly
	}
	if first {
		r.done++
		if r.opt.Progress != nil {
			r.opt.Progress(r.done, len(r.pages))
		}
	}
	return r.flush(false)
}

// flush yields the settled pages at the head. Until a symbol was read, pages are held back: they may be looked at
// again. all yields what is settled, wherever it stands.
func (r *run) flush(all bool) error {
	if r.yieldErr != nil {
		return r.yieldErr
	}
	for ; r.next < len(r.pages); r.next++ {
		p := r.pages[r.next]
		switch {
		case p.settled && (all || r.read):
			if r.yieldErr = r.yield(p.page); r.yieldErr != nil {
				return r.yieldErr
			}
		case !all:
			return nil
		}
	}
	return nil
}
