package dates_test

import (
	"testing"
	"time"

	"tcode/offline/dates"
)

func TestLastDay(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"2027-01-02T00:00:00Z":      "2027-01-01",
		"2027-01-01T00:00:00Z":      "2026-12-31",
		"2028-03-01T00:00:00Z":      "2028-02-29",
		"2027-01-02T01:00:00+01:00": "2027-01-01",
		"2027-01-02T00:00:00+01:00": "2027-01-01 23:00 UTC",
		"2027-01-02T00:00:01Z":      "2027-01-02 00:00 UTC",
		"2027-01-01T23:59:59Z":      "2027-01-01 23:59 UTC",
	} {
		at, err := time.Parse(time.RFC3339, in)
		if got := dates.LastDay(at); err != nil || got != want {
			t.Errorf("%s ends at %q, want %q", in, got, want)
		}
		if got := dates.LastOn(at); got != want[:len("2027-01-01")] && want != "2027-01-02 00:00 UTC" {
			t.Errorf("%s is good on %q", in, got)
		}
	}
}
