package offline

import (
	"testing"

	"tcode/offline/trust"
)

// A Rule is a row of the clock rules, for tests that insert a mistake.
type Rule = clockRule

// The clock rules and their words.
const (
	NoProof, OldProof, LiveProof = noProof, oldProof, liveProof
	ByProof, ByClock, ByFloor    = byProof, byClock, byFloor
)

// ClockRules returns a copy of the table.
func ClockRules() []Rule { return append([]Rule(nil), clockRules...) }

// ChangeRule changes the row of a proof and a reading.
func ChangeRule(rules []Rule, r Rule) {
	for i := range rules {
		if rules[i].proof == r.proof && rules[i].reading == r.reading {
			rules[i] = r
		}
	}
}

// NewRule returns a row.
func NewRule(proof proofState, reading Reading, now nowSource, basis Basis, suspect, known bool) Rule {
	return Rule{proof, reading, now, basis, suspect, known}
}

// TimingBy is TimingOf with another table.
func TimingBy(rules []Rule, c Clock, s *trust.State, p Policy) Timing {
	return tell(rules, c, s, p.limited())
}

// CheckClockRules checks the table: each pair once, no known age if the
// device's clock is suspect and no proof gives the time, and Proven only with a
// live proof.
func CheckClockRules(t *testing.T) {
	t.Helper()
	seen := map[[2]any]bool{}
	for _, r := range clockRules {
		key := [2]any{r.proof, r.reading}
		if seen[key] {
			t.Errorf("%v is there twice", key)
		}
		seen[key] = true
		if (r.basis == Proven) != (r.proof == liveProof) || (r.now == byProof) != (r.proof == liveProof) {
			t.Errorf("%v: basis %s by %d", key, r.basis, r.now)
		}
		if r.proof != liveProof && r.known == r.suspect || r.suspect != (r.reading != ClockFits) {
			t.Errorf("%v: known %v, suspect %v", key, r.known, r.suspect)
		}
	}
	live := []Reading{ClockFits, ClockBehindProof, ClockAheadOfProof}
	old := []Reading{ClockFits, ClockBelowProof, ClockBelowDocument, ClockBelowScan}
	for proof, readings := range map[proofState][]Reading{liveProof: live, oldProof: old, noProof: {ClockFits, ClockBelowDocument, ClockBelowScan}} {
		for _, reading := range readings {
			if !seen[[2]any{proof, reading}] {
				t.Errorf("no row of %d, %s", proof, reading)
			}
		}
	}
	if r := ruleOf(clockRules, noProof, ClockBelowProof); r.known || !r.suspect || r.basis != DeviceClock {
		t.Errorf("a pair that cannot be: %+v", r)
	}
}
