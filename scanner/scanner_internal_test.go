package scanner

import (
	"testing"
	"time"
)

// TestThoroughTimeOfLongBudget: the time for closer looks grows with the budget.
func TestThoroughTimeOfLongBudget(t *testing.T) {
	t.Parallel()
	for _, budget := range []time.Duration{DefaultBudget, time.Hour, 1000 * time.Hour} {
		s := New(Config{Budget: budget})
		if want := budget.Seconds() * DefaultThoroughTime.Seconds() / DefaultBudget.Seconds(); s.cfg.ThoroughTime.Seconds() < want*0.999 {
			t.Errorf("budget %v: %v, want %.0f s", budget, s.cfg.ThoroughTime, want)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}
