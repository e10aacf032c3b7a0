package compare_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"tcode/offline/geometry"
	"tcode/offline/host/sandbox"
	"tcode/scanner/compare"
	"tcode/scanner/raster"
)

// TestStamp: a stamp may change the contents of its box, on the pages that it names, and nothing else
// in either engine.
//
//race:on both engines draw concurrently
func TestStamp(t *testing.T) {
	t.Parallel()
	mupdf, pdfium := engines(t)
	pay := func(n string, more ...string) []byte {
		return document(append([]string{text("Pay " + n + " EUR")}, more...), "")
	}
	base := pay("100", text("two"), text("three"))
	box := []geometry.Area{{Page: 1, Rect: geometry.Rect{X: 60, Y: 20, Width: 8, Height: 8}}}
	mark := " 180 30 10 10 re f"
	link := func(n string) []byte { // PDFium draws the appearance of a link, MuPDF does not
		return document([]string{text("Pay " + n + " EUR")}, "/Annots[<</Subtype/Link/Rect[20 40 120 70]/F 4/AP<</N 4 0 R>>>>]",
			"<</Subtype/Form/BBox[0 0 100 30]/Length 24>>stream\n1 g 0 0 100 30 re f     \nendstream")
	}
	for name, c := range map[string]struct {
		before, after        []byte
		all                  bool
		changed, differences []int // pages
		pages, compared      int
	}{
		"only in the box":             {base, document([]string{text("Pay 100 EUR") + mark, text("two"), text("three")}, ""), true, nil, nil, 3, 3},
		"outside of the box":          {base, document([]string{text("Pay 900 EUR") + mark, text("two"), text("three")}, ""), true, []int{1, 1}, nil, 3, 3},
		"outside, engines not asked":  {base, document([]string{text("Pay 900 EUR") + mark, text("two"), text("three")}, ""), false, []int{1, 1}, nil, 0, 0},
		"on a page without a box":     {base, pay("100", text("two"), text("there")), true, []int{3}, nil, 3, 3},
		"there, and All is not set":   {base, pay("100", text("two"), text("there")), false, nil, nil, 0, 0},
		"a page is gone":              {base, pay("100", text("two")), true, []int{0}, nil, 2, 2},
		"the page is gone":            {base, document(nil, ""), true, []int{}, nil, 0, 0},
		"engines disagree as before":  {link("100"), link("100"), true, nil, []int{1}, 1, 1},
		"engines disagree, not asked": {link("100"), link("100"), false, nil, nil, 0, 0},
	} {
		got, err := compare.Stamp(t.Context(), compare.Stamping{Before: file(c.before), After: file(c.after), Boxes: box, Least: 1, All: c.all}, mupdf, pdfium, compare.Options{MaxTime: time.Hour})
		if name == "the page is gone" {
			if err == nil && len(got.Changed) == 0 {
				t.Errorf("%s: %+v", name, got)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var changed []int
		for _, d := range got.Changed {
			changed = append(changed, d.Page)
		}
		changed = slices.Compact(changed)
		if want := slices.Compact(slices.Clone(c.changed)); !slices.Equal(changed, want) {
			t.Errorf("%s: changes on %v, want %v: %+v", name, changed, want, got.Changed)
		}
		if pages := slices.Compact(pagesOf(got.Report)); !slices.Equal(pages, c.differences) {
			t.Errorf("%s: differences on %v, want %v: %+v", name, pages, c.differences, got.Report)
		}
		if got.Pages != c.pages || len(got.Compared) != c.compared {
			t.Errorf("%s: %d of %d pages compared, want %d of %d", name, len(got.Compared), got.Pages, c.compared, c.pages)
		}
	}
}

// TestStampBudget: as many pages are compared as the limits allow, the stamped ones first; the
// report names the others.
func TestStampBudget(t *testing.T) {
	t.Parallel()
	mupdf, pdfium := engines(t)
	var pages []string
	for range 9 {
		pages = append(pages, text("Pay 100 EUR"))
	}
	base := document(pages, "")
	boxes := []geometry.Area{{Page: 9, Rect: geometry.Rect{Width: 1, Height: 1}}, {Page: 5, Rect: geometry.Rect{Width: 1, Height: 1}}}
	s := compare.Stamping{Before: file(base), After: file(base), Boxes: boxes, Least: 1, All: true}
	got, err := compare.Stamp(t.Context(), s, mupdf, pdfium, compare.Options{MaxTime: time.Hour, MaxPages: 2})
	if err != nil || got.Pages != 9 || !slices.Contains(got.Compared, 9) || !slices.Contains(got.Compared, 5) || len(got.Skipped) == 0 || !strings.Contains(got.Skipped[0].Why, "2 pages") {
		t.Errorf("%+v, %v", got, err)
	}
	// A page that must be compared and is not drawn in time is an error; other pages are skipped.
	_, err = compare.Stamp(t.Context(), s, mupdf, pdfium, compare.Options{MaxTime: time.Nanosecond})
	if !errors.Is(err, sandbox.ErrTimeout) {
		t.Errorf("no time: %v", err)
	}
	s.Least = 0
	if got, err = compare.Stamp(t.Context(), s, mupdf, pdfium, compare.Options{MaxTime: time.Nanosecond}); err != nil || len(got.Compared) != 0 || len(got.Skipped) == 0 {
		t.Errorf("no time and no need: %+v, %v", got, err)
	}
}

// TestStampBlank: pages of one colour are named, whatever they contain; the stamped one as it was before.
func TestStampBlank(t *testing.T) {
	t.Parallel()
	mupdf, pdfium := engines(t)
	before := document([]string{"", text("Pay 100 EUR"), text(" "), "1 g 0 0 200 100 re f", "0.9 g 5 5 9 9 re f"}, "")
	after := document([]string{"0 g 5 5 9 9 re f", text("Pay 100 EUR"), text(" "), "1 g 0 0 200 100 re f", "0.9 g 5 5 9 9 re f"}, "")
	box := []geometry.Area{{Page: 1, Rect: geometry.Rect{Width: 70, Height: 35}}}
	got, err := compare.Stamp(t.Context(), compare.Stamping{Before: file(before), After: file(after), Boxes: box, Least: 1, All: true}, mupdf, pdfium, compare.Options{MaxTime: time.Hour})
	if want := []int{1, 3, 4}; err != nil || !slices.Equal(got.Blank, want) {
		t.Errorf("blank: %v, want %v, %v", got.Blank, want, err)
	}
}

// TestStampOfNothing: a file that neither engine opens is an error; a file that only the
// second engine cannot open is a difference.
func TestStampOfNothing(t *testing.T) {
	t.Parallel()
	mupdf, pdfium := engines(t)
	junk := file([]byte("%PDF-1.7\nnothing"))
	box := []geometry.Area{{Page: 1, Rect: geometry.Rect{Width: 1, Height: 1}}}
	if got, err := compare.Stamp(t.Context(), compare.Stamping{Before: junk, After: junk, Boxes: box, Least: 1, All: true}, mupdf, pdfium, compare.Options{MaxTime: time.Hour}); !errors.Is(err, raster.ErrDamaged) {
		t.Errorf("%+v, %v", got, err)
	}
	base := file(document([]string{text("Pay 100 EUR")}, ""))
	got, err := compare.Stamp(t.Context(), compare.Stamping{Before: base, After: junk, Boxes: box, Least: 1}, mupdf, pdfium, compare.Options{MaxTime: time.Hour})
	if err == nil && len(got.Changed) == 0 {
		t.Errorf("a stamp that makes a file unreadable changes nothing: %+v", got)
	}
}
