// Package dates writes times as people read them: paper, public pages, messages and scanners say
// the same of one document. All are in UTC, in digits, which every language reads alike.
package dates

import "time"

// Moment returns a time to the minute, "2026-11-29 01:07 UTC".
func Moment(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 UTC") }

// Day returns the day of a time, "2026-11-29".
func Day(t time.Time) string { return t.UTC().Format(time.DateOnly) }

// LastOn returns the last day of something that ends at t, in UTC: at midnight, the day before.
func LastOn(t time.Time) string { return Day(t.Add(-time.Nanosecond)) }

// LastDay returns the last day of something that ends at midnight, see [LastOn], and the [Moment]
// of another end.
func LastDay(t time.Time) string {
	if t.Equal(t.UTC().Truncate(24 * time.Hour)) {
		return LastOn(t)
	}
	return Moment(t)
}
