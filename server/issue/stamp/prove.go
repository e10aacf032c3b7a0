package stamp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"tcode/offline/geometry"
	"tcode/scanner/readback"
	"tcode/server/fault"
	"tcode/server/issue/placement"
	"tcode/server/platform/spool"
)

// maxProved bounds how many pages of one file are drawn and read. A page takes a
// few milliseconds, so a file of 500 is not to take as long as a hundred others.
const maxProved = 24

// scanSafety returns the scan safety that w must reach.
func (w work) scanSafety() placement.ScanSafety {
	if w.placement == nil || w.placement.ScanSafety == nil {
		return placement.DefaultScanSafety
	}
	s := *w.placement.ScanSafety
	if s.Rendering == "" {
		s.Rendering = placement.DefaultScanSafety.Rendering
	}
	return s
}

// proved returns the stamped pages to draw and read, ascending: all, up to maxProved;
// of more the first and the last, one of each geometry, those with an obstacle in the
// stamp's place, and then others at even distances: every other difference between
// pages is under the white box.
func proved(places []geometry.Place) []geometry.Place {
	if len(places) <= maxProved {
		return places
	}
	chosen := map[int]bool{0: true, len(places) - 1: true}
	take := func(i int) {
		if len(chosen) < maxProved {
			chosen[i] = true
		}
	}
	type layout struct {
		page   geometry.Size
		symbol geometry.Rect
	}
	seen := map[layout]bool{}
	for i, p := range places {
		l := layout{p.PageMM, p.Symbol}
		if !seen[l] {
			seen[l] = true
			take(i)
		}
	}
	for i, p := range places {
		if len(p.Under) > 0 {
			take(i)
		}
	}
	for n := 1; n < maxProved; n++ {
		take(n * (len(places) - 1) / maxProved)
	}
	var out []geometry.Place
	for i, p := range places {
		if chosen[i] {
			out = append(out, p)
		}
	}
	return out
}

// byModule orders places by the size of their modules.
func byModule(a, b geometry.Place) int { return cmp.Compare(a.ModuleMM, b.ModuleMM) }

// prove reads the finished stamp back. The fault is STAMP_UNREADABLE where our
// own reader does not: such a stamp is never delivered.
func (s *Service) prove(ctx context.Context, pdf *spool.File, places []geometry.Place, modules int, text string, w work) (readback.Request, []readback.Reading, error) {
	dpi := w.scanSafety().TargetDPI
	if err := tooFine(places, dpi); err != nil {
		return readback.Request{}, nil, err
	}
	q := readback.Request{Text: text, DPI: float64(dpi)}
	pages := proved(places)
	worst := slices.MinFunc(pages, byModule).Page
	for i, p := range pages {
		// One page stands for all as a poor scan; that of the smallest symbol too.
		q.Targets = append(q.Targets, readback.Target{Page: p.Page, Symbol: p.Symbol, Modules: modules, Degrade: i == 0 || p.Page == worst})
	}
	readings, err := s.c.Readback.Read(ctx, pdf.Section(), q)
	if err != nil {
		return q, nil, notDrawn(err)
	}
	if len(readings) != len(q.Targets) {
		return q, nil, fmt.Errorf("%d of %d stamped pages were read back", len(readings), len(q.Targets))
	}
	for i, r := range readings {
		if !r.Read {
			return q, nil, notRead(r, pages[i], dpi)
		}
	}
	return q, readings, nil
}

// tooFine is the fault of modules that are too narrow to be read for certain in a scan with dpi, or on
// a page which scanners draw with fewer dots, because it is large. Some symbols with such modules are
// read, and others are not: the proof alone would refuse a stamp and accept the next one.
func tooFine(places []geometry.Place, dpi int) error {
	for _, p := range places {
		if least := geometry.LeastModuleMM(p.PageMM, dpi); p.ModuleMM < least-1e-6 {
			const why = "scanners read modules of %.3g mm and more for certain " +
				"on a page of %.0f x %.0f mm, and the stamp has %.3g mm"
			args := []any{math.Ceil(least*1000-1e-6) / 1000, p.PageMM.Width, p.PageMM.Height, p.ModuleMM}
			return unreadableFault("the stamp on page %d cannot be read: "+why, append([]any{p.Page}, args...)...).
				WithField("placementTemplateId", "gives a stamp that is too small: "+why, args...)
		}
	}
	return nil
}

// notRead is the fault of a stamp that our own reader does not read.
func notRead(r readback.Reading, at geometry.Place, dpi int) error {
	why := r.Reason
	if len(at.Under) > 0 {
		why = at.Under[0].String() + " covers it"
	}
	return unreadableFault("the stamp on page %d cannot be read back at %d dpi: %s", r.Page, dpi, why).
		WithField("pdf", "gives no stamp on page %d that can be read: %s; another placement may help", r.Page, why)
}

func unreadableFault(format string, args ...any) *fault.Fault {
	return fault.New(fault.Rejected, fault.CodeStampUnreadable, format, args...)
}

// notDrawn turns an error of the proof into the client's fault: a page that cannot be
// drawn cannot be read back. It is the gateway's own where no page can.
func notDrawn(err error) error {
	if errors.Is(err, readback.ErrOneEngine) {
		return fault.New(fault.Unavailable, fault.CodeServiceUnavailable, "this gateway cannot stamp: %s", err.Error()).WithErr(err)
	}
	file, ok := errors.AsType[*readback.NotDrawnError](err)
	if !ok {
		return fmt.Errorf("prove the stamp: %w", err)
	}
	return unreadableFault("the page cannot be drawn, so the stamp cannot be read back: the PDF %s", file.Reason).
		WithField("pdf", "cannot be drawn: it %s", file.Reason).WithErr(err)
}
