package offline

import (
	"time"

	"tcode/offline/trust"
)

// A proofState says how much the last proof of time is worth now.
type proofState uint8

const (
	noProof   proofState = iota
	oldProof             // of another start of the machine: only a floor
	liveProof            // of this start: the boot-time clock has counted since
)

// A Reading says how the device's clock compares with the other sources. Its
// words are those of the clock vectors and of `tcode-scan clock --json`.
type Reading string

// The readings. [Clock.read] compares in their order.
const (
	ClockFits          Reading = "fits"
	ClockBehindProof   Reading = "behind_proof"   // by more than 10 minutes, while the proof is live
	ClockAheadOfProof  Reading = "ahead_of_proof" // likewise
	ClockBelowProof    Reading = "below_proof"    // of an earlier start
	ClockBelowDocument Reading = "below_document" // the newest trust document
	ClockBelowScan     Reading = "below_scan"     // by more than 10 minutes
)

// A nowSource says which clock counts.
type nowSource uint8

const (
	byProof nowSource = iota // the proof and the boot-time clock
	byClock                  // the device's clock
	byFloor                  // the later of the device's clock and the floor, which may still be too early
)

// A clockRule is one row of the table below.
type clockRule struct {
	proof   proofState
	reading Reading
	now     nowSource
	basis   Basis
	suspect bool
	known   bool // the age of a trust state is known
}

// clockRules is the complete rule: every possible pair of proof and reading has
// one row. While a proof is live nothing else counts: neither a floor, which
// may come from a clock that ran ahead, nor the device's clock.
var clockRules = []clockRule{
	{noProof, ClockFits, byClock, DeviceClock, false, true},
	{noProof, ClockBelowDocument, byFloor, DeviceClock, true, false},
	{noProof, ClockBelowScan, byFloor, DeviceClock, true, false},

	{oldProof, ClockFits, byClock, DeviceClock, false, true},
	{oldProof, ClockBelowProof, byFloor, DeviceClock, true, false},
	{oldProof, ClockBelowDocument, byFloor, DeviceClock, true, false},
	{oldProof, ClockBelowScan, byFloor, DeviceClock, true, false},

	{liveProof, ClockFits, byProof, Proven, false, true},
	{liveProof, ClockBehindProof, byProof, Proven, true, true},
	{liveProof, ClockAheadOfProof, byProof, Proven, true, true},
}

// ruleOf returns the row of a pair. A pair without a row gives a suspect clock
// and an unknown age.
func ruleOf(rules []clockRule, proof proofState, reading Reading) clockRule {
	for _, r := range rules {
		if r.proof == proof && r.reading == reading {
			return r
		}
	}
	return clockRule{proof: proof, reading: reading, now: byFloor, basis: DeviceClock, suspect: true}
}

// proof returns the state of the last proof, and the present time if it is live.
func (c Clock) proof() (state proofState, now time.Time) {
	if c.Proof.Time.IsZero() {
		return noProof, now
	}
	now, ok := c.Proof.Now(c.Boot)
	if !ok {
		return oldProof, now
	}
	return liveProof, now
}

// read compares the device's clock with the proof if that is live, otherwise
// with each floor in turn.
func (c Clock) read(proof proofState, proven time.Time, s *trust.State) Reading {
	switch {
	case proof == liveProof && c.Now.Before(proven.Add(-proofTolerance)):
		return ClockBehindProof
	case proof == liveProof && c.Now.After(proven.Add(proofTolerance)):
		return ClockAheadOfProof
	case proof == liveProof:
		return ClockFits
	case proof == oldProof && c.Now.Before(c.Proof.Time):
		return ClockBelowProof
	case s.Complete() && c.Now.Before(s.Floor):
		return ClockBelowDocument
	case !c.NewestScan.IsZero() && c.Now.Before(c.NewestScan.Add(-scanTolerance)):
		return ClockBelowScan
	}
	return ClockFits
}
