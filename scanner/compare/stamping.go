package compare

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"tcode/offline/contain"
	"tcode/offline/geometry"
	"tcode/offline/host/sandbox"
	"tcode/scanner/raster"
)

// A Stamping requests a comparison of a file before and after a stamp was appended to it.
type Stamping struct {
	Before, After *io.SectionReader
	// Boxes are the parts that may change, the pages that matter most first. Both engines compare these pages before
	// and after.
	Boxes []geometry.Area
	Least int // number of Boxes that must be compared; Options decide on the others
	// All requests a comparison of the two engines on all pages of After, and a check that no page
	// without a box changed.
	All bool
}

// Stamped is the answer to a [Stamping].
type Stamped struct {
	Report               // of the engines; empty unless All is set
	Changed []Difference // between Before and After in one engine, outside of the boxes
}

// chunkPages is the number of pages that are drawn before they are compared. As many pictures are in memory, four of
// each page.
const chunkPages = 4

// errLate is the cause when the time of a comparison is over.
var errLate = fmt.Errorf("the time for the comparison of pages is over: %w", sandbox.ErrTimeout)

// Stamp compares s.Before with s.After in each of two engines, and the engines with each other.
//
//	           engine a                engine b
//	Before     all pages               pages with boxes
//	             ‖ but for the boxes     ‖ but for the boxes
//	After      all pages ═════════════ all pages
//
// For a page with a box, the engines are compared on Before, which has no stamp: engines draw the edges of its modules
// differently. A page without a box that changes in either engine appears as a change in a, or as a difference between the
// engines. Pages with boxes come first, then the others, as far as o allows.
//
// The error is the error of a if neither engine draws s.After. It wraps [sandbox.ErrTimeout] if an engine does not draw
// s.Least pages of s.After, or of s.Before, in o.MaxTime, which does not include the wait for a child. Otherwise it is an
// error that does not depend on the file, or the cause of ctx. All further pages, before and after together, share
// o.MaxTime with the first s.Least ones: two slow drawings get the time of both, many drawings do not.
func Stamp(ctx context.Context, s Stamping, a, b Engine, o Options) (Stamped, error) {
	r := stamping{Stamping: s, engines: [2]Engine{a, b}, both: ofEngines(a, b, o), boxes: map[int][]geometry.Rect{}}
	r.o = r.both.Options
	for _, box := range s.Boxes {
		if r.boxes[box.Page] == nil {
			r.pages = append(r.pages, box.Page)
		}
		r.boxes[box.Page] = append(r.boxes[box.Page], box.Rect)
	}
	if err := r.run(ctx); err != nil {
		return Stamped{}, err
	}
	r.both.lookAgain(ctx)
	return Stamped{r.both.report, r.changes}, nil
}

// stamping is one comparison under way.
type stamping struct {
	Stamping
	engines [2]Engine
	o       Options
	boxes   map[int][]geometry.Rect // by page
	pages   []int                   // to compare, those with boxes first
	both    *comparison             // of the engines
	changes []Difference
	lost    [2]bool      // an engine shows another number of pages, and the report says so
	known   bool         // number of pages of s.After is known; pages then includes those without a box
	dead    [2]error     // why an engine cannot open s.After
	least   bool         // the present pages are among those that must be compared
	clocks  [2]stopwatch // of the engines
}

// drawn are the drawings of some pages by one engine.
type drawn struct {
	was, count    int // pages of Before and of After; 0: it was not opened
	before, after map[int]raster.View
	failed        map[int]error // pages of After that the engine does not draw
	err           error         // why it does not open After
}

func (r *stamping) run(ctx context.Context) error {
	for next := 0; next < len(r.pages); {
		if next >= max(r.o.MaxPages, r.Least) {
			r.leave(next, fmt.Sprintf("no more than %d pages are compared", r.o.MaxPages))
			return nil
		}
		chunk := r.pages[next:min(next+chunkPages, len(r.pages))]
		r.least = next < r.Least
		err := r.chunk(ctx, chunk)
		if errors.Is(err, errLate) && next >= r.Least {
			r.leave(next, fmt.Sprintf("comparing took longer than %v", r.o.MaxTime))
			return nil
		}
		if err != nil {
			return err
		}
		next += len(chunk)
	}
	return nil
}

// leave reports why the pages from index next on are not compared.
func (r *stamping) leave(next int, why string) {
	rest := slices.Sorted(slices.Values(r.pages[next:]))
	for _, page := range rest {
		r.both.report.skip(page, why)
	}
}

// chunk draws and compares pages.
func (r *stamping) chunk(ctx context.Context, pages []int) error {
	var with [2]drawn
	var work [2]contain.Group // each of one, so that the errors are told apart
	for i := range with {
		work[i].Go("draw-stamped", func() (err error) {
			with[i], err = r.draw(ctx, i, pages)
			return err
		})
	}
	errs := [2]error{work[0].Wait(), work[1].Wait()}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	a, b := with[0], with[1]
	if r.dead = [2]error{a.err, b.err}; a.err != nil && b.err != nil {
		return a.err
	}
	r.count(a, b)
	for i := range with {
		r.recount(i, with[i])
	}
	for _, page := range pages {
		for i := range with {
			r.changed(page, r.engines[i].Name, with[i])
		}
		if r.All {
			r.alike(ctx, page, a, b)
		}
	}
	return nil
}

// recount checks whether engine i finds as many pages in After as in Before.
func (r *stamping) recount(i int, d drawn) {
	if d.was > 0 && d.count != d.was && d.err == nil && !r.lost[i] {
		r.lost[i] = true
		r.changes = append(r.changes, Difference{What: fmt.Sprintf("%s draws %d pages, and %d before", r.engines[i].Name, d.count, d.was)})
	}
}

// count sets the number of pages once it is known.
func (r *stamping) count(a, b drawn) {
	if !r.All || r.known {
		return
	}
	r.known = true
	r.both.report.Pages = max(a.count, b.count)
	if a.err == nil && b.err == nil && a.count != b.count {
		r.both.report.differ(0, "%s draws %d pages, %s %d", r.engines[0].Name, a.count, r.engines[1].Name, b.count)
	}
	for page := 1; page <= r.both.report.Pages; page++ {
		if r.boxes[page] == nil {
			r.pages = append(r.pages, page)
		}
	}
}
