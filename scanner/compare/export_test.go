package compare

import (
	"time"

	"tcode/scanner/gray"
)

// AgainDPI is the resolution of the second look.
const AgainDPI = againDPI

// Twice applies the rule for pages with the same outlines: a and b at StrictDPI, and the second look at a2 and b2, which
// here covers the whole page.
func Twice(a, b, a2, b2 *gray.Image) bool {
	first := doubting.images(a, b, StrictDPI)
	for _, x := range first {
		if x.Score > sureLimit {
			return true
		}
	}
	return len(first) > 0 && len(again.images(a2, b2, againDPI)) > 0
}

// Looks returns the number of windows of two images, at dpi, in which two implementations of look differ, and the
// number of all windows.
func Looks(a, b *gray.Image, dpi float64) (unlike, windows int) {
	n := max(5, int(windowPoints*dpi/72+0.5))
	step := n / 2
	pa, pb := newPlane(a, a.Width, a.Height, n, 1), newPlane(b, a.Width, a.Height, n, 1)
	m, g := newMatcher(pa, pb, n), newGrid(a.Width, a.Height, step)
	t := newTiles(m, step, g.cols)
	for y := range g.rows {
		for x := range g.cols {
			if (x+y)%7 == 0 { // as cells that are equal are left out
				continue
			}
			t.look(x, y)
			tiled := m.here
			m.look(x*step, y*step)
			if windows++; tiled != m.here {
				unlike++
			}
		}
	}
	return unlike, windows
}

// LeftBefore returns how much of limit a [stopwatch] leaves for the file before, after it spent time on
// both.
func LeftBefore(onBefore, onAfter, limit time.Duration, least bool) time.Duration {
	s := stopwatch{spent: [2]time.Duration{before: onBefore, after: onAfter}}
	return s.left(before, limit, least)
}
