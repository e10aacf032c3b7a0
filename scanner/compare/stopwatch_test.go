package compare_test

import (
	"testing"
	"time"

	"tcode/scanner/compare"
)

// TestStopwatch: each file has the time for the pages that must be compared, and all further pages share it.
func TestStopwatch(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		before, after time.Duration // spent
		least         bool
		want          time.Duration // left for the file before
	}{
		{0, 0, true, 8 * time.Second},
		{0, 6 * time.Second, true, 8 * time.Second},
		{6 * time.Second, 7 * time.Second, true, 2 * time.Second},
		{0, 6 * time.Second, false, 2 * time.Second},
		{1 * time.Second, 6 * time.Second, false, time.Second},
		{6 * time.Second, 6 * time.Second, false, -4 * time.Second},
	} {
		if got := compare.LeftBefore(c.before, c.after, 8*time.Second, c.least); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}
