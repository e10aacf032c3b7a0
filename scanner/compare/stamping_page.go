package compare

import (
	"context"
	"errors"
	"io"

	"tcode/offline/host/sandbox"
	"tcode/scanner/raster"
)

// draw draws pages with engine i. Its error does not depend on the file.
func (r *stamping) draw(ctx context.Context, i int, pages []int) (drawn, error) {
	out := drawn{before: map[int]raster.View{}, after: map[int]raster.View{}, failed: map[int]error{}}
	if out.err = r.dead[i]; out.err != nil {
		return out, nil
	}
	err := r.views(ctx, i, after, pages, &out.count, out.after, out.failed)
	if out.count == 0 && ofTheFile(err) && !errors.Is(err, errLate) {
		out.err, err = err, nil
	}
	if err != nil {
		return out, err
	}
	var list []int
	for _, page := range pages {
		// A page that takes too long is not drawn twice. The second engine draws pages without a box once, to
		// compare it with the first engine.
		if (i == 0 || r.boxes[page] != nil) && !errors.Is(out.failed[page], sandbox.ErrTimeout) {
			list = append(list, page)
		}
	}
	// A page that the engine did not draw before did not change for its users.
	if err = r.views(ctx, i, before, list, &out.was, out.before, map[int]error{}); ofTheFile(err) && !errors.Is(err, errLate) {
		err = nil
	}
	return out, err
}

// views draws pages of one file with engine i. It does not try a page again that ends the child; the next ones get a new
// child. It sets count once the file is open. An error is the file's only if the file cannot be opened.
func (r *stamping) views(ctx context.Context, i int, of side, pages []int, count *int, into map[int]raster.View, failed map[int]error) error {
	watch, file := &r.clocks[i], [2]*io.SectionReader{before: r.Before, after: r.After}[of]
	for len(pages) > 0 {
		opened := false
		limited, cancel := context.WithCancelCause(ctx)
		err := r.engines[i].Raster.OpenFrom(limited, file, func(d *raster.Document) error {
			opened, *count = true, d.Pages
			defer watch.start(of, r.o.MaxTime, r.least, cancel)()
			for len(pages) > 0 {
				if watch.late() {
					return errLate
				}
				page := pages[0]
				pages = pages[1:]
				if page > d.Pages {
					continue
				}
				v, err := d.View(r.o.view(page))
				if err == nil {
					into[page] = v
					continue
				}
				failed[page] = err
				if e, ok := errors.AsType[*raster.Error](err); !ok || e.Page == 0 {
					return err
				}
			}
			return nil
		})
		late := errors.Is(context.Cause(limited), errLate) || errors.Is(err, errLate)
		cancel(nil)
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case late:
			return errLate
		case err != nil && (!opened || !ofTheFile(err)):
			return err
		}
	}
	return nil
}

// ofTheFile reports whether err is the fault of a file that cannot be drawn.
func ofTheFile(err error) bool {
	if _, ok := errors.AsType[*raster.Error](err); ok {
		return true
	}
	for _, e := range []error{sandbox.ErrTimeout, sandbox.ErrMemory, sandbox.ErrCrashed, sandbox.ErrProtocol} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// outside reports whether err may be due to this machine and not to the file: other programs use its
// processors or its memory.
func outside(err error) bool {
	for _, e := range []error{
		errLate, sandbox.ErrTimeout, sandbox.ErrKilled, sandbox.ErrCrowded, sandbox.ErrStart, sandbox.ErrClosed,
		context.DeadlineExceeded, context.Canceled,
	} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// errNoPage says that an engine finds no such page in the file.
var errNoPage = errors.New("it finds no such page")

// of returns the engine's drawing of a page of After.
func (d drawn) of(page int) drawing {
	switch v, ok := d.after[page]; {
	case ok:
		return drawing{image: v.Gray(), dpi: v.DPI}
	case d.err != nil:
		return drawing{err: d.err}
	case d.failed[page] != nil:
		return drawing{err: d.failed[page]}
	}
	return drawing{err: errNoPage}
}

// alike compares the engines' drawings of a page.
func (r *stamping) alike(ctx context.Context, page int, a, b drawn) {
	one, two := a.of(page), b.of(page)
	if was, is := a.before[page], b.before[page]; r.boxes[page] != nil && was.Pix != nil && is.Pix != nil {
		one, two = drawing{image: was.Gray(), dpi: was.DPI}, drawing{image: is.Gray(), dpi: is.DPI}
		r.both.files = [2]input{{r.engines[0], r.Before}, {r.engines[1], r.Before}}
	} else {
		r.both.files = [2]input{{r.engines[0], r.After}, {r.engines[1], r.After}}
	}
	_ = r.both.page(ctx, page, one, two) // only an ended ctx is an error, and run looks at it
}

// changed compares one engine's drawings of a page before and after.
func (r *stamping) changed(page int, name string, d drawn) {
	before, drew := d.before[page]
	if !drew {
		return
	}
	change := func(c Difference) { r.changes = append(r.changes, c) }
	after, draws := d.after[page]
	switch {
	case !draws:
		change(Difference{Page: page, What: name + " does not draw it any more"})
	case before.Width != after.Width || before.Height != after.Height:
		change(Difference{Page: page, What: name + " draws it in another size"})
	default:
		for _, box := range Exact(before.Gray(), after.Gray(), pixels(r.boxes[page], after.DPI)) {
			change(Difference{Page: page, Box: rect(box.Rect, after.DPI), What: name + " draws something else there", Score: box.Score})
		}
	}
}
