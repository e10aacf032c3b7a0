package offline_test

import (
	"testing"
	"time"

	"tcode/offline"
	"tcode/offline/binding"
	"tcode/offline/trust"
)

// TestClock tests every edge of the clock rules, a second on each side. The
// trust state is an hour old at noon.
func TestClock(t *testing.T) {
	t.Parallel()
	// proven returns a clock with a proof of the time t, that long ago.
	proven := func(now, t time.Time, ago time.Duration) offline.Clock {
		return offline.Clock{Now: now, Proof: offline.Proof{Time: t, Boot: boot(time.Hour)}, Boot: boot(time.Hour + ago)}
	}
	restarted := func(c offline.Clock) offline.Clock {
		c.Boot = offline.Boot{ID: "next", At: c.Boot.At}
		return c
	}
	issued := noon.Add(-time.Hour)
	tests := []struct {
		name    string
		change  func(s *trust.State)
		clock   offline.Clock
		policy  offline.Policy
		verdict offline.Verdict
		stale   bool
		suspect bool
		code    string // of freshness
		proven  bool
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
		{name: "proven, clock below the floor", clock: proven(noon.Add(-day), issued, time.Hour), verdict: offline.Valid, suspect: true, code: offline.CodeOK, proven: true},
		{name: "proven, clock in 1973", clock: proven(time.Date(1973, 1, 1, 0, 0, 0, 0, time.UTC), issued, time.Hour), verdict: offline.Valid, suspect: true, code: offline.CodeOK, proven: true},
		{name: "proven, clock far ahead", clock: proven(noon.Add(400*day), issued, time.Hour), verdict: offline.Valid, suspect: true, code: offline.CodeOK, proven: true},
		{name: "proven, clock 10 minutes behind", clock: proven(noon.Add(-10*time.Minute), noon, 0), verdict: offline.Valid, code: offline.CodeOK, proven: true},
		{name: "proven, clock more than 10 minutes ahead", clock: proven(noon.Add(10*time.Minute+1), noon, 0), verdict: offline.Valid, suspect: true, code: offline.CodeOK, proven: true},
		{name: "proven, below the newest scan", clock: offline.Clock{Now: noon, NewestScan: noon.Add(400 * day), Proof: offline.Proof{Time: noon, Boot: boot(0)}, Boot: boot(0)}, verdict: offline.Valid, code: offline.CodeOK, proven: true},
		{name: "proven, an old floor from a clock that ran ahead", change: func(s *trust.State) { s.Floor = noon.Add(300 * day) }, clock: proven(noon, noon, 0), verdict: offline.Valid, code: offline.CodeOK, proven: true},
		{name: "proven, a day", clock: proven(noon, issued, day), verdict: offline.Valid, suspect: true, code: offline.CodeOK, proven: true},
		{name: "proven, more than a day", clock: proven(noon, issued, day+1), verdict: offline.Valid, stale: true, suspect: true, code: offline.CodeStale, proven: true},
		{name: "proven, 7 days", clock: proven(noon, issued, 7*day), verdict: offline.Unverified, stale: true, suspect: true, code: offline.CodeTrustExpired, proven: true},
		{name: "proven, the timestamp a little ahead", clock: proven(noon, issued.Add(-10*time.Minute), 0), verdict: offline.Valid, suspect: true, code: offline.CodeOK, proven: true},
		{name: "proven, the timestamp was dated ahead", clock: proven(noon, issued.Add(-10*time.Minute-1), 0), verdict: offline.Unverified, stale: true, suspect: true, code: offline.CodeStatusAhead, proven: true},
		{name: "marked as dated ahead, and its date has come", change: func(s *trust.State) { s.Ahead = s.Timestamp.Version }, clock: proven(noon, noon, 0), verdict: offline.Unverified, stale: true, code: offline.CodeStatusAhead, proven: true},
		{name: "marked, by the device's clock", change: func(s *trust.State) { s.Ahead = s.Timestamp.Version }, clock: offline.Clock{Now: noon}, verdict: offline.Unverified, stale: true, code: offline.CodeStatusAhead},
		{name: "an earlier mark", change: func(s *trust.State) { s.Ahead = s.Timestamp.Version - 1 }, clock: offline.Clock{Now: noon}, verdict: offline.Valid, code: offline.CodeOK},
		{name: "restarted, at the last proof", clock: restarted(proven(noon, noon, 0)), verdict: offline.Valid, code: offline.CodeOK},
		{name: "restarted, below the last proof", clock: restarted(proven(noon.Add(-1), noon, 0)), verdict: offline.Unverified, stale: true, suspect: true, code: offline.CodeClockSuspect},
		{name: "restarted, the proof counts no longer", clock: restarted(proven(noon, issued, 9*day)), verdict: offline.Valid, code: offline.CodeOK},
		{name: "no name of this start", clock: offline.Clock{Now: noon.Add(-day), Proof: offline.Proof{Time: noon}}, verdict: offline.Unverified, stale: true, suspect: true, code: offline.CodeClockSuspect},
		{name: "the boot-time clock went back", clock: proven(noon.Add(-1), noon, -1), verdict: offline.Unverified, stale: true, suspect: true, code: offline.CodeClockSuspect},
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
			basis := map[bool]offline.Basis{true: offline.Proven, false: offline.DeviceClock}[tt.proven]
			if r.Verdict != tt.verdict || r.Basis != basis || r.Stale != tt.stale || r.ClockSuspect != tt.suspect || c.Code != tt.code {
				t.Errorf("got %s, stale %v, suspect %v, %s, %s; want %s, %v, %v, %s, %s\n%s", r.Verdict, r.Stale, r.ClockSuspect, c.Code, r.Basis,
					tt.verdict, tt.stale, tt.suspect, tt.code, basis, list(r))
			}
		})
	}
}

// TestNewProof: a proof counts from the question on, and only within one start
// of the machine.
func TestNewProof(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name            string
		asked, answered offline.Boot
		said            time.Time
		ok              bool
	}{
		{"immediately", boot(5), boot(5), noon, true},
		{"after a minute", boot(5), boot(5 + time.Minute), noon, true},
		{"no boot-time clock", offline.Boot{}, offline.Boot{}, noon, false},
		{"restarted between", boot(5), offline.Boot{ID: "next", At: 6}, noon, false},
		{"the clock went back", boot(5), boot(4), noon, false},
		{"no time", boot(5), boot(5), time.Time{}, false},
	}
	for _, tt := range tests {
		p, ok := offline.NewProof(tt.asked, tt.answered, tt.said, time.Second)
		if ok != tt.ok || ok && (p.Boot != tt.asked || !p.Time.Equal(tt.said.Add(time.Second))) || !ok && p != (offline.Proof{}) {
			t.Errorf("%s: %+v, %v", tt.name, p, ok)
		}
		if now, live := p.Now(boot(5 + time.Hour)); live != ok || ok && !now.Equal(noon.Add(time.Second+time.Hour)) {
			t.Errorf("%s: an hour later %v, %v", tt.name, now, live)
		}
	}
}

// TestClockRules: every possible pair of proof and reading has one row, and a
// pair without one gives a suspect clock.
func TestClockRules(t *testing.T) { offline.CheckClockRules(t) }
