package scanner

import (
	"fmt"

	"tcode/scanner/raster"
	"tcode/scanner/symbol"
)

// cutShort says in the reason that no closer look ended in time: the first look may have seen too little.
func (r *run) cutShort(p *pageRun) {
	if why := &p.page.Reading.Reason; p.seen && len(p.page.Reading.Symbols) == 0 && !p.finished {
		p.finished = true
		over := documentError("", r.time.over(errCloser))
		why.Message += "; " + over.Message + " before a closer look ended"
		why.Advice = over.Advice
	}
}

// leave settles a page that gets no other look for now.
func (r *run) leave(p *pageRun) error {
	switch {
	case p.seen || len(p.page.Reading.Symbols) > 0:
		return r.finish(p, p.page.Reading)
	case p.fault != nil:
		return r.giveUp(p, p.fault)
	}
	return r.giveUp(p, fmt.Errorf("page %d: %w", p.page.Number, r.time.over(errOutOfTime)))
}

// finer says whether a closer look at p is possible.
func (r *run) finer(p *pageRun) bool {
	return !p.closer && (p.shrunk || p.page.Kind == raster.PDF && r.cfg.FirstDPI < r.cfg.ThoroughDPI)
}

// closer is the job of a closer look: at the parts of the page, of which there may be one.
func (r *run) closer(p *pageRun) job {
	p.closer = true
	return job{p, r.cfg.ThoroughDPI, 1}
}

// settleAll settles the pages that wait for a closer look, if no page waits for its first one.
func (r *run) settleAll() (ok bool) {
	if len(r.pages) == 0 || r.left() > 0 {
		return false
	}
	for _, p := range r.pages {
		if p.closer && !p.finished || r.finer(p) {
			r.cutShort(p)
		}
		if !p.settled && r.leave(p) != nil {
			return false
		}
	}
	return true
}

// left counts the pages without an answer.
func (r *run) left() (n int) {
	for _, p := range r.pages {
		if !p.seen && !p.settled {
			n++
		}
	}
	return n
}

// promising says whether something was seen that more pixels may make readable.
func promising(reading symbol.Reading) bool {
	switch reading.Reason.Code {
	case "", symbol.CodeNothingFound, symbol.CodeNoPixels, symbol.CodeOutOfTime:
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
	reading.Symbols, reading.Reason = nil, symbol.Reason{Code: de.Code, Message: de.Message, Advice: de.Advice}
	return r.finish(p, reading)
}
