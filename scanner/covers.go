package scanner

import (
	"context"
	"fmt"

	"tcode/scanner/raster"
)

const (
	maxCompared  = 16  // pages
	compareDPI   = 150 // strokes of print in 4 pt type are dark then
	leastCompare = 100 // dpi of a page too large for that
	blank        = 250 // gray of a pixel on which nothing is drawn, or more
)

// CoversNothing reports whether the file after draws on all pages given, from 1, what the file before draws there, and
// more only where that is blank. Pages are drawn as people see them. With more than 16 pages, or where one cannot be
// drawn well enough to tell, the answer is no. The error is that of ctx.
func (s *Scanner) CoversNothing(ctx context.Context, before, after []byte, pages []int) (bool, error) {
	if len(pages) > maxCompared {
		return false, nil
	}
	var old []raster.View
	err := s.views(ctx, before, pages, func(_ int, v raster.View) bool {
		old = append(old, v)
		return true
	})
	good := err == nil
	if good {
		err = s.views(ctx, after, pages, func(i int, v raster.View) bool {
			good = v.Width == old[i].Width && v.Height == old[i].Height && v.DPI == old[i].DPI && v.DPI >= leastCompare && onlyAdds(old[i].Pix, v.Pix)
			return good
		})
	}
	if ctx.Err() != nil {
		return false, fmt.Errorf("compare pages: %w", ctx.Err())
	}
	return good && err == nil, nil
}

// views draws pages until use returns false.
func (s *Scanner) views(ctx context.Context, file []byte, pages []int, use func(i int, v raster.View) bool) error {
	ctx, cancel := context.WithTimeout(ctx, s.cfg.Budget)
	defer cancel()
	return s.raster.Open(ctx, file, func(d *raster.Document) error {
		for i, page := range pages {
			v, err := d.View(raster.ViewRequest{Page: page, DPI: compareDPI})
			if err != nil {
				return err
			}
			if !use(i, v) {
				break
			}
		}
		return d.Done()
	})
}

// onlyAdds reports whether the pixels after differ from those before only where those are blank.
func onlyAdds(before, after []byte) bool {
	if len(before) != len(after) {
		return false
	}
	for i, v := range before {
		if v != after[i] && v < blank {
			return false
		}
	}
	return true
}
