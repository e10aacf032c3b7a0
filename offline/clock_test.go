package offline_test

import (
	"testing"
	"time"

	"tcode/offline"
	"tcode/offline/binding"
	"tcode/offline/trust"
)

// TestClock walks along every edge of the clock rules, a second to each side.
// The trust state is an hour old at noon.
func TestClock(t *testing.T) {
	t.Parallel()
	const version = 9
	after := func(elapsed time.Duration) offline.Confirmation {
		return offline.Confirmation{Version: version, Elapsed: elapsed}
	}
	tests := []struct {
		name    string
		change  func(s *trust.State)
		clock   offline.Clock
		policy  offline.Policy
		verdict offline.Verdict
		stale   bool
		suspect bool
		code    string // of freshness
	}{
		{name: "an hour", clock: offline.Clock{Now: noon}, verdict: offline.Valid, code: offline.CodeOK},
		{name: "no clock at all", clock: offline.Clock{}, verdict: offline.Unverified, stale: true, suspect: true, code: offline.CodeClockSuspect},
		{name: "at the floor", clock: offline.Clock{Now: noon.Add(-time.Hour)}, verdict: offline.Valid, code: offline.CodeOK},
		{name: "below the floor", clock: offline.Clock{Now: noon.Add(-time.Hour - 1)}, verdict: offline.Unverified, stale: true, suspect: true, code: offline.CodeClockSuspect},
		{name: "below an older, higher floor", change: func(s *trust.State) { s.Floor = noon.Add(1) }, clock: offline.Clock{Now: noon}, verdict: offline.Unverified, stale: true, suspect: true, code: offline.CodeClockSuspect},
		{name: "10 minutes below the newest scan", clock: offline.Clock{Now: noon, NewestScan: noon.Add(10 * time.Minute)}, verdict: offline.Valid, code: offline.CodeOK},
		{name: "more than 10 minutes below it", clock: offline.Clock{Now: noon, NewestScan: noon.Add(10*time.Minute + 1)}, verdict: offline.Unverified, stale: true, suspect: true, code: offline.CodeClockSuspect},
		{name: "24 hours", clock: offline.Clock{Now: noon.Add(23 * time.Hour)}, verdict: offline.Valid, code: offline.CodeOK},
		{name: "more than 24 hours", clock: offline.Clock{Now: noon.Add(23*time.Hour + 1)}, verdict: offline.Valid, stale: true, code: offline.CodeStale},
		{name: "less than 7 days", clock: offline.Clock{Now: noon.Add(7*day - time.Hour - 1)}, verdict: offline.Valid, stale: true, code: offline.CodeStale},
		{name: "7 days", clock: offline.Clock{Now: noon.Add(7*day - time.Hour)}, verdict: offline.Unverified, stale: true, code: offline.CodeTrustExpired},
		{name: "a clock far ahead", clock: offline.Clock{Now: noon.Add(1e4 * day)}, verdict: offline.Unverified, stale: true, code: offline.CodeTrustExpired},
		{name: "confirmed, below the floor", clock: offline.Clock{Now: noon.Add(-day), Confirmed: after(time.Hour)}, verdict: offline.Valid, suspect: true, code: offline.CodeOK},
		{name: "confirmed, below the newest scan", clock: offline.Clock{Now: noon, NewestScan: noon.Add(day), Confirmed: after(0)}, verdict: offline.Valid, suspect: true, code: offline.CodeOK},
		{name: "confirmed, an old gateway clock ran ahead", change: func(s *trust.State) { s.Floor = noon.Add(300 * day) }, clock: offline.Clock{Now: noon, Confirmed: after(0)}, verdict: offline.Valid, suspect: true, code: offline.CodeOK},
		{name: "confirmed a day ago", clock: offline.Clock{Now: noon.Add(-day), Confirmed: after(day)}, verdict: offline.Valid, suspect: true, code: offline.CodeOK},
		{name: "confirmed more than a day ago", clock: offline.Clock{Now: noon.Add(-day), Confirmed: after(day + 1)}, verdict: offline.Valid, stale: true, suspect: true, code: offline.CodeStale},
		{name: "confirmed 7 days ago", clock: offline.Clock{Now: noon.Add(-day), Confirmed: after(7 * day)}, verdict: offline.Unverified, stale: true, suspect: true, code: offline.CodeTrustExpired},
		{name: "confirmed, and the clock is later still", clock: offline.Clock{Now: noon.Add(7 * day), NewestScan: noon.Add(8 * day), Confirmed: after(0)}, verdict: offline.Unverified, stale: true, suspect: true, code: offline.CodeTrustExpired},
		{name: "confirmed another version", clock: offline.Clock{Now: noon.Add(-day), Confirmed: offline.Confirmation{Version: 8}}, verdict: offline.Unverified, stale: true, suspect: true, code: offline.CodeClockSuspect},
		{name: "confirmed in the future", clock: offline.Clock{Now: noon.Add(-day), Confirmed: after(-1)}, verdict: offline.Unverified, stale: true, suspect: true, code: offline.CodeClockSuspect},
		{name: "a clock that stands still", clock: offline.Clock{Now: noon, Confirmed: after(7 * day)}, verdict: offline.Unverified, stale: true, code: offline.CodeTrustExpired},
		{name: "root expires", change: func(s *trust.State) { s.Root.Expires = noon }, clock: offline.Clock{Now: noon}, verdict: offline.Unverified, stale: true, code: offline.CodeTrustExpired},
		{name: "root expires next", change: func(s *trust.State) { s.Root.Expires = noon.Add(1) }, clock: offline.Clock{Now: noon}, verdict: offline.Valid, code: offline.CodeOK},
		{name: "timestamp expires", change: func(s *trust.State) { s.Timestamp.Expires = noon }, clock: offline.Clock{Now: noon}, verdict: offline.Valid, stale: true, code: offline.CodeStale},
		{name: "policy shortens fresh", policy: offline.Policy{Fresh: time.Hour - 1}, clock: offline.Clock{Now: noon}, verdict: offline.Valid, stale: true, code: offline.CodeStale},
		{name: "policy shortens hard expiry", policy: offline.Policy{HardExpiry: time.Hour}, clock: offline.Clock{Now: noon}, verdict: offline.Unverified, stale: true, code: offline.CodeTrustExpired},
		{name: "policy cannot lengthen fresh", policy: offline.Policy{Fresh: 48 * time.Hour}, clock: offline.Clock{Now: noon.Add(day)}, verdict: offline.Valid, stale: true, code: offline.CodeStale},
		{name: "policy cannot lengthen hard expiry", policy: offline.Policy{HardExpiry: 8 * day}, clock: offline.Clock{Now: noon.Add(7 * day)}, verdict: offline.Unverified, stale: true, code: offline.CodeTrustExpired},
		{name: "policy below zero", policy: offline.Policy{Fresh: -1, HardExpiry: -1}, clock: offline.Clock{Now: noon}, verdict: offline.Valid, code: offline.CodeOK},
	}
	raw, _ := seal(t, stamp())
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := base()
			if tt.change != nil {
				tt.change(s.state)
			}
			r := offline.New(s, tt.policy).Verify(tt.clock, offline.Request{Payload: raw, Binding: binding.Match})
			c, _ := offline.FindCheck(r.Checks, offline.CheckFreshness)
			if r.Verdict != tt.verdict || r.Stale != tt.stale || r.ClockSuspect != tt.suspect || c.Code != tt.code {
				t.Errorf("got %s, stale %v, suspect %v, %s; want %s, %v, %v, %s\n%s",
					r.Verdict, r.Stale, r.ClockSuspect, c.Code, tt.verdict, tt.stale, tt.suspect, tt.code, list(r))
			}
		})
	}
}
