package pgdb

import (
	"testing"
	"time"
)

// TestAheadBy: a clock that is read at the beginning or the end of a slow answer is not ahead.
func TestAheadBy(t *testing.T) {
	t.Parallel()
	begun := time.Now()
	const took = 900 * time.Millisecond
	for _, tt := range []struct{ at, want time.Duration }{
		{0, 0},
		{took / 2, 0},
		{took, 0},
		{3*time.Second + took/2, 3 * time.Second},
		{-time.Minute + took/2, -time.Minute},
		{took + 2*time.Millisecond, took/2 + 2*time.Millisecond},
	} {
		if got := aheadBy(begun.Add(tt.at), begun, took); got != tt.want {
			t.Errorf("read after %v: %v ahead, want %v", tt.at, got, tt.want)
		}
	}
}
