package httpapi_test

import (
	"testing"
	"time"

	"tcode/server/httpapi"
)

func TestDateRange(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 1, 0, 0, 0, time.FixedZone("", 2*3600)) // still February in UTC
	day := func(s string) time.Time {
		d, _ := time.Parse(time.DateOnly, s)
		return d
	}
	tests := []struct {
		in       string
		from, to time.Time
		ok       bool
	}{
		{"", time.Time{}, time.Time{}, true},
		{"today", day("2026-02-28"), time.Time{}, true},
		{"7d", day("2026-02-22"), time.Time{}, true},
		{"30d", day("2026-01-30"), time.Time{}, true},
		{"90d", day("2025-12-01"), time.Time{}, true},
		{"this_month", day("2026-02-01"), time.Time{}, true},
		{"last_month", day("2026-01-01"), day("2026-02-01"), true},
		{"this_year", day("2026-01-01"), time.Time{}, true},
		{"2026-01-01/2026-01-31", day("2026-01-01"), day("2026-02-01"), true},
		{"2026-01-01/2026-01-01", day("2026-01-01"), day("2026-01-02"), true},
		{"2026-01-01/", day("2026-01-01"), time.Time{}, true},
		{"/2026-01-31", time.Time{}, day("2026-02-01"), true},
		{"/", time.Time{}, time.Time{}, false},
		{"2026-02-01/2026-01-01", day("2026-02-01"), day("2026-01-02"), false},
		{"yesterday", time.Time{}, time.Time{}, false},
		{"2026-13-01/", time.Time{}, time.Time{}, false},
		{"2026-01-01", day("2026-01-01"), day("2026-01-02"), true},
		{"2026-13-01", time.Time{}, time.Time{}, false},
	}
	for _, tt := range tests {
		from, to, ok := httpapi.DateRange(tt.in, now)
		if ok != tt.ok || ok && (!from.Equal(tt.from) || !to.Equal(tt.to)) {
			t.Errorf("DateRange(%q) = %v, %v, %v, want %v, %v, %v", tt.in, from, to, ok, tt.from, tt.to, tt.ok)
		}
	}
}
