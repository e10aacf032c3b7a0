package scanner

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"

	"tcode/offline/contain"
	"tcode/scanner/raster"
	"tcode/scanner/symbol"
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
	s     *Scanner
	cfg   Config
	opt   DocumentOptions
	yield func(Page) error
	time  *meter

	doc     *raster.Document
	queue   []job       // not yet rendered
	pages   []*pageRun  // in the order of yielding
	next    int         // first of pages that was not yielded
	busy    int         // images being read
	results chan result // has room for all of them
	unswept int         // pixels read since the last collection
	long    bool        // there was a collection

	done     int   // pages that need no other look
	read     bool  // a symbol was read
	stop     bool  // no more pages are wanted
	yieldErr error // yield's own
	unseen   error // why the first page that could not be rendered could not
	hung     error // of a reader that went on after the end of the time
}

// Images are bounded, so that memory is too: the reader takes up to seven bytes a pixel in addition to the image.
const (
	imagePixels = symbol.WholePixels
	// partPixels: an A4 page at 150 dpi has less, at 300 dpi it has six parts. One page with more is read at a time.
	partPixels = symbol.PartPixels
	// sweepPixels is how much is read of one document between two collections of garbage: the collector itself waits
	// until there is as much garbage as memory in use, which is more than a device has to spare.
	sweepPixels = 4 * imagePixels
)

// job is one image to be rendered: of a whole page, or a part of it, from 1.
type job struct {
	page *pageRun
	dpi  float64
	part int
}

// pageRun is the state of one page.
type pageRun struct {
	page    Page
	looked  bool // an image was requested
	whole   bool // the possible stamps were searched: the whole page is wanted
	shrunk  bool // the first look had fewer pixels than the page has
	closer  bool // the closer look was requested
	settled bool // has an answer; may be taken up again by the thorough pass
	seen    bool // some look went over the whole page
	// finished says that the closer look has ended, or that the reason says why it has not.
	finished bool

	// The look that is in progress.
	parts   []symbol.Reading // in px of the page
	pending int              // parts without an answer
	missed  bool             // some part was not searched everywhere
	fault   error            // of the reader of some part
}

// document reads d to its end.
func (r *run) document(ctx context.Context, d *raster.Document) error {
	r.doc = d
	r.time.child.Store(d)
	r.results = make(chan result, r.cfg.Readers)
	for i := range d.Pages {
		n := i + 1
		if r.opt.StampOnly {
			n = d.Pages - i
		}
		p := &pageRun{page: Page{Number: n, Count: d.Pages, Kind: d.Kind}}
		r.pages = append(r.pages, p)
		r.queue = append(r.queue, job{page: p, dpi: r.cfg.FirstDPI})
	}
	err := r.work(ctx)
	if err == nil && !r.read {
		// Stamps are on the last page, so that comes first.
		byNumber := slices.SortedFunc(slices.Values(r.pages), func(a, b *pageRun) int { return b.page.Number - a.page.Number })
		for _, p := range byNumber {
			if p.page.WidthPx > 0 && r.finer(p) {
				r.queue = append(r.queue, r.closer(p))
			}
		}
		err = r.work(ctx)
	}
	return err
}

// work renders and reads until the queue is empty. Its readers are done when it returns, whatever happens. An ended
// ctx is an error although readers return their results so far: they may not have searched everything.
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
		case len(r.queue) == 0: // not so when a page with an unread symbol was queued again
			return nil
		}
	}
}

func (r *run) dispatch(ctx context.Context) error {
	for len(r.queue) > 0 && !r.stop {
		j := r.queue[0]
		if likely := r.pages[0]; r.opt.StampOnly && r.busy > 0 && j.page != likely && !likely.settled {
			// Its answer may be all that is wanted; another page may take forever to render.
			if err := r.settle(<-r.results); err != nil {
				return err
			}
			continue
		}
		r.queue = r.queue[1:]
		if j.page.closer && j.part == 1 && r.time.spent() > r.cfg.ThoroughTime {
			r.cutShort(j.page)
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

// render renders one image and starts a reader for it. A page that cannot be rendered is settled with the reason.
func (r *run) render(ctx context.Context, j job) error {
	buffer := r.s.buffer()
	most := imagePixels
	if j.part > 0 {
		most = partPixels
	}
	ask := raster.Request{Page: j.page.page.Number, DPI: j.dpi, MaxPixels: most, Part: j.part, Buffer: buffer}
	// Little is sent of the page that is likely to have the stamp, since that may be enough; if not, the page is still drawn.
	ask.Squares = r.opt.StampOnly && j.part == 0 && j.page == r.pages[0] && !j.page.whole
	p, err := r.doc.Look(ask)
	j.page.looked = true
	if err != nil {
		r.s.recycle(buffer)
		if re, ok := errors.AsType[*raster.Error](err); ok && re.Page > 0 {
			if j.page.seen {
				return r.leave(j.page)
			}
			return r.giveUp(j.page, err)
		}
		return err
	}
	page := &j.page.page
	page.WidthPx, page.HeightPx, page.DPI = p.Width, p.Height, p.DPI
	page.Raster += p.Took
	if j.part <= 1 {
		j.page.shrunk, j.page.pending, j.page.fault = p.Shrunk, p.Parts, nil
		for part := p.Parts; part > 1; part-- {
			r.queue = slices.Insert(r.queue, 0, job{j.page, j.dpi, part})
		}
	}
	pixels := p.Pixels()
	if r.unswept += pixels; r.unswept > sweepPixels {
		runtime.GC()
		r.unswept, r.long = 0, true
	}
	slots := []chan struct{}{r.s.slots}
	if pixels > partPixels {
		slots = []chan struct{}{r.s.large, r.s.slots}
	}
	for i, slot := range slots {
		if err := r.take(ctx, slot); err != nil {
			free(slots[:i])
			return err
		}
	}
	r.busy++
	r.start(ctx, j.page, p, buffer, slots)
	return nil
}

// free gives slots back.
func free(slots []chan struct{}) {
	for _, s := range slots {
		<-s
	}
}

// take waits until there is room in slot and takes answers meanwhile.
func (r *run) take(ctx context.Context, slot chan struct{}) error {
	for {
		select {
		case slot <- struct{}{}:
			return nil
		case res := <-r.results:
			if err := r.settle(res); err != nil {
				return err
			}
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// settle takes a reader's answer.
func (r *run) settle(res result) error {
	p := res.page
	r.busy--
	if res.more {
		p.whole = true
		r.queue = slices.Insert(r.queue, 0, job{page: p, dpi: r.cfg.FirstDPI})
		return nil
	}
	p.pending--
	p.parts = append(p.parts, res.reading)
	if res.fault != nil {
		p.fault = fmt.Errorf("page %d: %w", p.page.Number, res.fault)
	}
	if errors.Is(res.fault, contain.ErrHung) {
		r.hung = p.fault
	}
	p.missed = p.missed || res.fault != nil || res.reading.Reason.Code == symbol.CodeOutOfTime
	p.page.Partial = res.partial
	if p.pending > 0 {
		return nil
	}
	before, reading := p.page.Reading, symbol.Together(p.parts)
	whole, fault := !p.missed, p.fault
	p.parts, p.missed, p.fault = nil, false, nil
	reading.Locate += before.Locate
	reading.Decode += before.Decode
	if !whole && p.seen && len(reading.Symbols) == 0 { // the closer look is optional: the first answer remains
		reading.Symbols, reading.Reason, whole = before.Symbols, before.Reason, true
		p.page.Reading = reading
		r.cutShort(p)
		reading = p.page.Reading
	}
	p.page.Reading, p.finished = reading, p.closer
	if p.seen = whole; !whole {
		p.fault = fault
	}
	if r.finer(p) && (fault != nil || promising(reading)) { // other pixels may not meet the same fault
		if r.opt.StampOnly {
			r.queue = slices.Insert(r.queue, 0, r.closer(p)) // the likely page, before all the others
		} else {
			r.queue = append(r.queue, r.closer(p))
		}
		return nil
	}
	return r.leave(p)
}

// finish settles p and yields the pages that can be yielded.
func (r *run) finish(p *pageRun, reading symbol.Reading) error {
	p.page.Reading = reading
	first := !p.settled
	p.settled = true
	if len(reading.Symbols) > 0 {
		r.read = true
		r.stop = r.stop || r.opt.StampOnly
	}
	if r.stop {
		// The caller judges the yielded pages while the child ends. An error comes back when it has ended.
		_ = r.doc.Done()
	}
	if first {
		r.done++
		r.time.more(r.cfg.PageBudget, r.cfg.pageCeiling())
		if r.opt.Progress != nil {
			r.opt.Progress(r.done, len(r.pages))
		}
	}
	return r.flush(false)
}

// flush yields the settled pages at the head. Until a symbol was read, pages are held back: they may be read
// again. all yields every settled page, wherever it is.
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
