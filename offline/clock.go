package offline

import (
	"time"

	"tcode/offline/trust"
)

// How long a trust state may be relied on. A [Policy] may only shorten them.
const (
	DefaultFresh      = 24 * time.Hour
	DefaultHardExpiry = 7 * 24 * time.Hour
)

// futureTolerance is how far ahead of this device an issuer's clock may run,
// scanTolerance how far behind its newest scan a device's clock may be, and
// proofTolerance how far from the proven time it may be and still count as right.
const (
	futureTolerance = trust.ClockTolerance
	scanTolerance   = trust.ClockTolerance
	proofTolerance  = trust.ClockTolerance
)

// A Basis says what the time of a verdict rests on.
type Basis string

// The bases.
const (
	// Proven: the gateway's online key signed the time for this device since it
	// started, and the boot-time clock has counted from there.
	Proven Basis = "proven"
	// DeviceClock: the device's own clock. Somebody may have set it.
	DeviceClock Basis = "device_clock"
)

// A Boot is a reading of the clock that counts from the start of this machine
// and cannot be set. It must count the time that the machine sleeps:
// CLOCK_BOOTTIME on Linux, not CLOCK_MONOTONIC. What it leaves out makes a trust
// state look younger.
type Boot struct {
	// ID names this start of the machine, or this run of the program where a
	// start has no name: then no proof outlives the program.
	ID string
	At time.Duration // since then
}

// A Proof is what is left of a proof of time: when the boot-time clock said
// Boot, it was not later than Time.
type Proof struct {
	Time time.Time // zero: there is no proof
	Boot Boot
}

// NewProof returns the proof that an answer gives. asked is the reading before
// the question left this device, said the signed time, and unit how much later
// than that it may have been, for its last digit. The answer must depend on
// something random in the question that nobody knew before.
//
// The time runs from the question on, however late the answer comes: so the age of
// a trust state may be over-estimated by the time between, never under-estimated.
// ok is false if the machine was started anew between, or has no boot-time clock.
func NewProof(asked, answered Boot, said time.Time, unit time.Duration) (p Proof, ok bool) {
	if asked.ID == "" || asked.ID != answered.ID || answered.At < asked.At || said.IsZero() {
		return Proof{}, false
	}
	return Proof{Time: said.UTC().Add(unit), Boot: asked}, true
}

// Now returns the latest that it can be. ok is false if the proof is of another
// start of the machine.
func (p Proof) Now(b Boot) (now time.Time, ok bool) {
	if p.Time.IsZero() || b.ID == "" || p.Boot.ID != b.ID || b.At < p.Boot.At {
		return time.Time{}, false
	}
	return p.Time.Add(b.At - p.Boot.At), true
}

// A Clock is what a device knows about the time.
type Clock struct {
	// Now is the device's clock.
	Now time.Time
	// NewestScan is the time of the newest scan on record, but for those that a
	// proof has shown to be dated ahead. Zero if there is none.
	NewestScan time.Time
	// Proof is the last proof of time that this device took, Boot the boot-time
	// clock now. The zero values mean that there is none.
	Proof Proof
	Boot  Boot
}

// Timing is the time as far as it is known, and how old the trust state is.
type Timing struct {
	Now     time.Time // what expiry and issue dates are compared with
	Basis   Basis
	Suspect bool // the device's clock contradicts what is known
	// Reading says what the device's clock contradicts.
	Reading Reading
	Held    bool // there is a trust state to be of any age
	Dated   bool // its date means something: no clock of the gateway's ran ahead
	Known   bool // Age is known
	Age     time.Duration
	Expired bool // known to be too old
	Stale   bool // not fresh, or of unknown age
}

// TimingOf works out the time by the table of clock rules. No payload has a part in
// it, because anybody can print payloads, and no fetched document either, but
// for the floor that it raises: a mirror may have kept it for long.
func TimingOf(c Clock, s *trust.State, p Policy) Timing { return tell(clockRules, c, s, p.limited()) }

func tell(rules []clockRule, c Clock, s *trust.State, p Policy) Timing {
	t := Timing{Held: s.Complete(), Stale: true}
	floor := c.Proof.Time
	if t.Held && s.Floor.After(floor) {
		floor = s.Floor
	}
	proof, proven := c.proof()
	t.Reading = c.read(proof, proven, s)
	rule := ruleOf(rules, proof, t.Reading)
	t.Basis, t.Suspect = rule.basis, rule.suspect
	switch rule.now {
	case byProof:
		t.Now = proven
	case byClock:
		t.Now = c.Now.UTC()
	case byFloor:
		t.Now = c.Now.UTC()
		if t.Now.Before(floor) {
			t.Now = floor
		}
	}
	if !t.Held {
		return t
	}
	issued := s.Timestamp.StatusAsOf
	t.Dated = s.Dated() && !(rule.now == byProof && issued.After(t.Now.Add(futureTolerance)))
	if t.Known = rule.known && t.Dated; !t.Known {
		return t
	}
	t.Age = max(t.Now.Sub(issued), 0)
	t.Expired = t.Age >= p.HardExpiry || !t.Now.Before(s.Expires())
	t.Stale = t.Expired || t.Age > p.Fresh || !t.Now.Before(s.Timestamp.Expires)
	return t
}

// unknownSince is the moment from which the trust state says nothing any more.
func unknownSince(s *trust.State, p Policy) time.Time {
	since := s.Timestamp.StatusAsOf.Add(p.HardExpiry)
	if e := s.Expires(); e.Before(since) {
		return e
	}
	return since
}
