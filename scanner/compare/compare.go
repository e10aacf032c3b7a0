package compare

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"tcode/offline/geometry"
	"tcode/scanner/gray"
	"tcode/scanner/raster"
)

// Defaults of [Options].
const (
	DefaultDPI       = 96
	StrictDPI        = 120 // of pages that are compared strictly
	DefaultMaxPages  = 30
	DefaultMaxTime   = 10 * time.Second
	DefaultMaxPixels = 4_000_000
)

// Engine is a renderer with its name in reports.
type Engine struct {
	Name   string
	Raster *raster.Rasterizer
}

// Options bound a comparison. Zero fields take the defaults.
type Options struct {
	DPI       float64       // resolution of pages; those of Strict have StrictDPI if that is more
	MaxPixels int           // of a page; a larger page is drawn at a lower resolution
	MaxPages  int           // pages to compare, the first ones of those requested
	MaxTime   time.Duration // after this time no further page is begun

	Pages  []int                   // from 1, rising; nil: all
	Strict []int                   // pages for the strict rule, rising: both engines draw the same outlines there (package caveat, OwnFonts)
	Masks  map[int][]geometry.Rect // parts of pages that may differ, by page; for [Files] only

	// Show is called with each page that was compared, also with pages without a difference; nil: it is not called. It
	// also receives boxes that a second look removes from the report.
	Show func(Picture) error
}

func (o Options) withDefaults() Options {
	if o.DPI <= 0 {
		o.DPI = DefaultDPI
	}
	if o.MaxPixels <= 0 {
		o.MaxPixels = DefaultMaxPixels
	}
	if o.MaxPages <= 0 {
		o.MaxPages = DefaultMaxPages
	}
	if o.MaxTime <= 0 {
		o.MaxTime = DefaultMaxTime
	}
	return o
}

// strict reports whether the strict rule applies to a page.
func (o Options) strict(page int) bool {
	_, found := slices.BinarySearch(o.Strict, page)
	return found
}

// view returns the request for a page.
func (o Options) view(page int) raster.ViewRequest {
	r := raster.ViewRequest{Page: page, DPI: o.DPI, MaxPixels: o.MaxPixels}
	if o.strict(page) {
		r.DPI = max(r.DPI, StrictDPI)
	}
	return r
}

// Difference is a part of a page that differs between two drawings.
type Difference struct {
	Page  int           `json:"page"` // from 1; 0: the whole file
	Box   geometry.Rect `json:"box"`  // zero: the whole page
	What  string        `json:"what"` // a clause for people
	Score float64       `json:"score,omitempty"`
}

// Skip is a page that was not compared, or the last one of several.
type Skip struct {
	Page int    `json:"page"`
	To   int    `json:"to"` // last page of a run with the same reason; Page for one page
	Why  string `json:"why"`
}

// Report is the result of a comparison. Pages that are neither in Compared nor in Differences are in Skipped.
type Report struct {
	Pages       int          `json:"pages"`    // of the file; of the longer one of two
	Compared    []int        `json:"compared"` // pages, rising
	Strict      []int        `json:"strict"`   // those of Compared to which the strict rule was applied
	Skipped     []Skip       `json:"skipped"`
	Differences []Difference `json:"differences"`
	Blank       []int        `json:"-"` // pages of Compared that are one colour in both drawings
}

// Complete reports whether every requested page was compared.
func (r *Report) Complete() bool { return len(r.Skipped) == 0 }

// Same reports whether no difference was found on the pages that were compared.
func (r *Report) Same() bool { return len(r.Differences) == 0 }

func (r *Report) differ(page int, what string, args ...any) {
	r.Differences = append(r.Differences, Difference{Page: page, What: fmt.Sprintf(what, args...)})
}

func (r *Report) skip(page int, why string) {
	if n := len(r.Skipped); n > 0 && r.Skipped[n-1].Why == why && r.Skipped[n-1].To == page-1 {
		r.Skipped[n-1].To = page
		return
	}
	r.Skipped = append(r.Skipped, Skip{Page: page, To: page, Why: why})
}

// Engines draws the pages of file with a and b concurrently and compares them with [Images]. The error is that of a
// if neither can open the file (see [raster.Rasterizer.Open]), the cause of ctx, or that of o.Show. If one engine
// opens a file and the other does not, that is a difference.
func Engines(ctx context.Context, file *io.SectionReader, a, b Engine, o Options) (Report, error) {
	return ofEngines(a, b, o).run(ctx, [2]input{{a, file}, {b, file}})
}

// ofEngines returns the comparison of two engines on one file.
func ofEngines(a, b Engine, o Options) *comparison {
	o.Masks = nil
	return &comparison{
		Options: o.withDefaults(), names: [2]string{a.Name, b.Name}, verb: "draws",
		what: fmt.Sprintf("%s and %s draw it differently", a.Name, b.Name),
	}
}

// tell compares the engines' drawings of a page. It does not compare a page strictly that is too large for
// StrictDPI.
func (c *comparison) tell(page int, x, y *gray.Image, dpi float64) []Box {
	switch {
	case c.boxes != nil:
		return c.boxes(page, x, y, dpi)
	case c.strict(page) && dpi > 0.99*StrictDPI:
		c.report.Strict = append(c.report.Strict, page)
		return doubting.images(x, y, dpi)
	}
	return Images(x, y, dpi)
}

// Files draws the pages of two files concurrently with e, which needs two children or more,
// and compares them with [Exact], outside of o.Masks. The error is the same as for
// [Engines].
func Files(ctx context.Context, before, after *io.SectionReader, e Engine, o Options) (Report, error) {
	c := &comparison{Options: o.withDefaults(), names: [2]string{"the first file", "the second file"}, verb: "shows"}
	c.boxes = func(page int, x, y *gray.Image, dpi float64) []Box {
		return Exact(x, y, pixels(c.Masks[page], dpi))
	}
	c.what = fmt.Sprintf("%s draws it differently in the two files", e.Name)
	return c.run(ctx, [2]input{{e, before}, {e, after}})
}

// input is a file and the engine that draws it.
type input struct {
	Engine
	file *io.SectionReader
}

// comparison is a run of [Engines] or [Files].
type comparison struct {
	Options
	names [2]string
	verb  string
	what  string
	boxes func(page int, a, b *gray.Image, dpi float64) []Box // nil: the rules for two engines
	files [2]input                                            // source of the present page

	report Report
	doubts []doubt
}

func (c *comparison) run(ctx context.Context, in [2]input) (Report, error) {
	if err := c.draw(ctx, in); err != nil {
		return c.report, err
	}
	c.lookAgain(ctx)
	return c.report, context.Cause(ctx)
}

// draw draws and compares the pages of both inputs.
func (c *comparison) draw(ctx context.Context, in [2]input) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	c.files = in
	var from [2]*drawer
	for i := range in {
		from[i] = newDrawer(ctx, in[i], c.Options)
	}
	defer func() {
		stop()
		for _, d := range from {
			d.drain()
		}
	}()
	n, err := c.opened(ctx, from)
	if n == 0 || err != nil {
		return err
	}
	start := time.Now() // the start of children may have taken long
	for i, page := range wanted(c.Pages, c.report.Pages) {
		switch {
		case page > n:
			continue // only one file has the page; opened reported it
		case i >= c.MaxPages:
			c.report.skip(page, fmt.Sprintf("no more than %d pages are compared", c.MaxPages))
		case time.Since(start) > c.MaxTime:
			c.report.skip(page, fmt.Sprintf("comparing took longer than %v", c.MaxTime))
		default:
			if err := c.page(ctx, page, from[0].next(ctx), from[1].next(ctx)); err != nil {
				return err
			}
		}
	}
	return context.Cause(ctx)
}

// opened waits until both inputs are open, and returns the number of pages that both have.
func (c *comparison) opened(ctx context.Context, from [2]*drawer) (int, error) {
	pages, failed := [2]int{}, [2]error{}
	for i, d := range from {
		pages[i], failed[i] = d.open()
	}
	if err := context.Cause(ctx); err != nil {
		return 0, err
	}
	c.report.Pages = max(pages[0], pages[1])
	switch {
	case failed[0] != nil && failed[1] != nil:
		return 0, failed[0]
	case outside(failed[0]) || outside(failed[1]):
		for _, page := range wanted(c.Pages, c.report.Pages) {
			c.unlucky(page, failed[0], failed[1])
		}
		return 0, nil
	case failed[0] != nil:
		c.report.differ(0, "%s cannot be drawn (%v), and %s can", c.names[0], failed[0], c.names[1])
		return 0, nil
	case failed[1] != nil:
		c.report.differ(0, "%s cannot be drawn (%v), and %s can", c.names[1], failed[1], c.names[0])
		return 0, nil
	case pages[0] != pages[1]:
		c.report.differ(0, "%s %s %d pages, %s %d", c.names[0], c.verb, pages[0], c.names[1], pages[1])
	}
	return min(pages[0], pages[1]), nil
}

// page compares one page.
func (c *comparison) page(ctx context.Context, page int, a, b drawing) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	switch {
	case a.err != nil && b.err != nil:
		c.report.skip(page, fmt.Sprintf("it cannot be drawn: %v", a.err))
		return nil
	case outside(a.err) || outside(b.err):
		c.unlucky(page, a.err, b.err)
		return nil
	case a.err != nil:
		c.report.differ(page, "only %s %s it: %v", c.names[1], c.verb, a.err)
		return nil
	case b.err != nil:
		c.report.differ(page, "only %s %s it: %v", c.names[0], c.verb, b.err)
		return nil
	}
	c.report.Compared = append(c.report.Compared, page)
	if even(a.image) && even(b.image) {
		c.report.Blank = append(c.report.Blank, page)
	}
	dpi := min(a.dpi, b.dpi)
	var boxes []Box
	if a.dpi > 1.001*b.dpi || b.dpi > 1.001*a.dpi || apart(a.image.Width, b.image.Width) || apart(a.image.Height, b.image.Height) {
		c.report.differ(page, "%s %s it %.0f x %.0f mm, %s %.0f x %.0f mm", c.names[0], c.verb,
			mm(a.image.Width, a.dpi), mm(a.image.Height, a.dpi), c.names[1], mm(b.image.Width, b.dpi), mm(b.image.Height, b.dpi))
	} else {
		boxes = c.tell(page, a.image, b.image, dpi)
	}
	for _, x := range boxes {
		if c.doubtful(page, x) {
			c.doubts = append(c.doubts, doubt{len(c.report.Differences), page, around(rect(x.Rect, dpi)), c.files})
		}
		c.report.Differences = append(c.report.Differences, Difference{Page: page, Box: rect(x.Rect, dpi), What: c.what, Score: x.Score})
	}
	if c.Show == nil {
		return nil
	}
	return c.Show(Picture{Page: page, DPI: dpi, A: a.image, B: b.image, Boxes: boxes})
}

// even reports whether all pixels of m have one colour, as nearly as an eye sees.
func even(m *gray.Image) bool {
	if m.Width == 0 || m.Height == 0 {
		return false
	}
	ground := int(m.At(0, 0))
	for y := range m.Height {
		for _, v := range m.Row(y) {
			if d := int(v) - ground; d > faint || d < -faint {
				return false
			}
		}
	}
	return true
}

// unlucky reports that only one engine drew a page, for a reason that is none of the file.
func (c *comparison) unlucky(page int, a, b error) {
	name, err := c.names[0], a
	if a == nil {
		name, err = c.names[1], b
	}
	c.report.skip(page, fmt.Sprintf("%s cannot be drawn now: %v", name, err))
}

// apart reports whether two sides, px, are too different for the same page: engines round differently.
func apart(a, b int) bool { return max(a-b, b-a) > 2 }

// wanted returns the pages to compare, of n pages.
func wanted(pages []int, n int) (out []int) {
	if pages != nil {
		return slices.DeleteFunc(slices.Clone(pages), func(p int) bool { return p < 1 || p > n })
	}
	for p := range n {
		out = append(out, p+1)
	}
	return out
}
