package scanner

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"

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
	opt   DocumentOptions
	yield func(Page) error

	doc     *raster.Document
	queue   []job       // not yet rendered
	pages   []*pageRun  // in the order of yielding
	next    int         // first of pages that was not yielded
	busy    int         // images being read
	results chan result // has room for all of them

	done     int   // pages settled for good
	read     bool  // a symbol was read
	stop     bool  // no more pages are wanted
	yieldErr error // yield's own
	unseen   error // why the first page that could not be rendered could not
}

type job struct {
	page *pageRun
	dpi  float64
}

// pageRun is the state of one page.
type pageRun struct {
	page    Page
	tried   float64 // highest dpi asked for
	settled bool    // has an answer; may be taken up again by the thorough pass
}

type result struct {
	page    *pageRun
	reading Reading
	panicky error // the reader's panic
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
	if err == nil && !r.read && d.Kind == raster.PDF && r.cfg.ThoroughDPI > r.cfg.FirstDPI {
		for _, p := range r.pages {
			if p.tried < r.cfg.ThoroughDPI && p.page.WidthPx > 0 {
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
	j.page.tried = j.dpi
	p, err := r.doc.Page(j.page.page.Number, j.dpi)
	if re, ok := errors.AsType[*raster.Error](err); ok && re.Page > 0 {
		if r.unseen == nil {
			r.unseen = err
		}
		de := documentError("", err)
		return r.finish(j.page, Reading{Reason: Reason{Code: de.Code, Message: de.Message, Advice: de.Advice}})
	}
	if err != nil {
		return err
	}
	page := &j.page.page
	page.WidthPx, page.HeightPx, page.DPI = p.Image.Width, p.Image.Height, p.DPI
	page.Raster += p.Took
	opt := r.opt.Image
	opt.DPI = p.DPI
	r.busy++
	go func() {
		res := result{page: j.page}
		// The image comes from a stranger's file. A fault of the reader must cost this page, not the program.
		defer func() {
			if v := recover(); v != nil {
				r.cfg.Log.ErrorContext(ctx, "reader panicked", slog.Any("panic", v), slog.String("stack", string(debug.Stack())))
				res.panicky = fmt.Errorf("page %d: %w", page.Number, errReader)
			}
			r.results <- res
		}()
		res.reading = ReadImage(ctx, p.Image, opt)
	}()
	return nil
}

// settle takes a reader's answer.
func (r *run) settle(res result) error {
	r.busy--
	p := res.page
	if res.panicky != nil && r.thorough(p) {
		r.queue = append([]job{{p, r.cfg.ThoroughDPI}}, r.queue...) // other pixels may not meet the fault
		return nil
	}
	if res.panicky != nil {
		if r.unseen == nil {
			r.unseen = res.panicky
		}
		de := documentError("", res.panicky)
		return r.finish(p, Reading{Reason: Reason{Code: de.Code, Message: de.Message, Advice: de.Advice}})
	}
	before := p.page.Reading
	p.page.Reading = res.reading
	p.page.Reading.Locate += before.Locate
	p.page.Reading.Decode += before.Decode
	if len(res.reading.Symbols) == 0 && res.reading.Reason.Code != CodeNothingFound && r.thorough(p) {
		r.queue = append([]job{{p, r.cfg.ThoroughDPI}}, r.queue...)
		return nil
	}
	return r.finish(p, p.page.Reading)
}

// thorough says whether another, finer look at p is possible.
func (r *run) thorough(p *pageRun) bool {
	return p.page.Kind == raster.PDF && p.tried < r.cfg.ThoroughDPI
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
