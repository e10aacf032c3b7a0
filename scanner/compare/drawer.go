package compare

import (
	"context"
	"errors"
	"fmt"
	"math"

	"tcode/offline/contain"
	"tcode/offline/geometry"
	"tcode/scanner/gray"
	"tcode/scanner/raster"
)

// drawing is a drawn page, or the reason why there is no drawing.
type drawing struct {
	image *gray.Image
	dpi   float64
	err   error
}

// A drawer draws pages in order in a goroutine of its own, one page ahead of the comparison.
type drawer struct {
	pages chan int // sends once, when the file is open
	out   chan drawing
	done  chan struct{}
	err   error // of the file, after done
}

func newDrawer(ctx context.Context, in input, o Options) *drawer {
	d := &drawer{pages: make(chan int, 1), out: make(chan drawing), done: make(chan struct{})}
	contain.Start("drawer", func() error {
		defer close(d.done)
		d.err = contain.Do("draw", func() error { return d.run(ctx, in, o) })
		return nil
	})
	return d
}

// errEnough ends the work on a file.
var errEnough = errors.New("enough")

// run draws the pages that o names. A page that ends the child counts as one that cannot be drawn; the next page gets a
// new child.
func (d *drawer) run(ctx context.Context, in input, o Options) error {
	next, opened := 0, false
	for {
		err := in.Raster.OpenFrom(ctx, in.file, func(doc *raster.Document) error {
			if !opened {
				opened = true
				d.pages <- doc.Pages
			}
			list := wanted(o.Pages, doc.Pages)
			for next < min(len(list), o.MaxPages) {
				v, err := doc.View(o.view(list[next]))
				next++
				got := drawing{err: err}
				if err == nil {
					got.image, got.dpi = v.Gray(), v.DPI
				}
				select {
				case d.out <- got:
				case <-ctx.Done():
					return errEnough
				}
				var page *raster.Error
				if err != nil && !errors.As(err, &page) {
					return err
				}
			}
			return errEnough
		})
		if !opened || errors.Is(err, errEnough) || ctx.Err() != nil {
			return err
		}
	}
}

// open waits until the file is open and returns its number of pages, or the error of opening it.
func (d *drawer) open() (int, error) {
	select {
	case n := <-d.pages:
		return n, nil
	case <-d.done:
	}
	select {
	case n := <-d.pages:
		return n, nil
	default:
		return 0, d.err
	}
}

// next waits for the next page.
func (d *drawer) next(ctx context.Context) drawing {
	select {
	case got := <-d.out:
		return got
	case <-d.done:
		return drawing{err: fmt.Errorf("the drawing ended: %w", d.err)}
	case <-ctx.Done():
		return drawing{err: context.Cause(ctx)}
	}
}

// drain waits until the goroutine has ended. Cancel its context first.
func (d *drawer) drain() { <-d.done }

// mm returns the length of px at dpi.
func mm(px int, dpi float64) float64 { return float64(px) * 25.4 / dpi }

// rect returns r in mm on the page.
func rect(r gray.Rect, dpi float64) geometry.Rect {
	round := func(v float64) float64 { return math.Round(v*10) / 10 }
	return geometry.Rect{X: round(mm(r.X0, dpi)), Y: round(mm(r.Y0, dpi)), Width: round(mm(r.X1-r.X0, dpi)), Height: round(mm(r.Y1-r.Y0, dpi))}
}

// pixels returns masks at dpi, with a pixel around each for the edge that is drawn in part.
func pixels(masks []geometry.Rect, dpi float64) (out []gray.Rect) {
	px := func(v float64) float64 { return v * dpi / 25.4 }
	for _, m := range masks {
		out = append(out, gray.Rect{
			X0: int(math.Floor(px(m.X))), Y0: int(math.Floor(px(m.Y))),
			X1: int(math.Ceil(px(m.X + m.Width))), Y1: int(math.Ceil(px(m.Y + m.Height))),
		}.Grow(1))
	}
	return out
}
