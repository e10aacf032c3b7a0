package offline

import (
	"time"

	"tcode/offline/trust"
)

// Limits on the age of a trust state. A [Policy] may only shorten them.
const (
	DefaultFresh      = 24 * time.Hour
	DefaultHardExpiry = 7 * 24 * time.Hour
)

// futureTolerance is the limit by which an issuer's clock may run ahead of this device.
// scanTolerance is the limit by which a device's clock may be behind its newest scan.
// proofTolerance is the greatest difference from the proven time of a clock that counts as right.
const (
	futureTolerance = trust.ClockTolerance
	scanTolerance   = trust.ClockTolerance
	proofTolerance  = trust.ClockTolerance
)

// A Basis says where the time of a verdict comes from.
type Basis string

// The bases.
const (
	// Proven: the gateway's online key signed the time for this device since it
	// started, and the boot-time clock has counted from there.
	Proven Basis = "proven"
	// DeviceClock: the device's own clock. A person may have set it.
	DeviceClock Basis = "device_clock"
)

// A Boot is a reading of the clock that counts from the start of this machine
// and cannot be set. The clock must include the time for which the machine
// sleeps: CLOCK_BOOTTIME on Linux, not CLOCK_MONOTONIC. Time that it leaves out
// makes a trust state look younger.
type Boot struct {
	// ID identifies this start of the machine. If the system has no name for a start,
	// it identifies this run of the program: then no proof outlives the program.
	ID string
	At time.Duration // since then
}

// A Proof is the stored form of a proof of time: when the boot-time clock
// showed Boot, the true time was not later than Time.
type Proof struct {
	Time time.Time // zero: there is no proof
	Boot Boot
}

// NewProof returns the proof that follows from an answer. asked is the reading before
// the question left this device, said the signed time, and unit the longest time by
// which the true time may have been later, because of the last digit of said. The
// answer must depend on random bytes of the question that were not known before.
//
// The time counts from the question, even if the answer comes late: so the age of
// a trust state may be over-estimated by the delay, but never under-estimated. ok
// is false if the machine was restarted in between, or has no boot-time clock.
func NewProof(asked, answered Boot, said time.Time, unit time.Duration) (p Proof, ok bool) {
	if asked.ID == "" || asked.ID != answered.ID || answered.At < asked.At || said.IsZero() {
		return Proof{}, false
	}
	return Proof{Time: said.UTC().Add(unit), Boot: asked}, true
}

// Now returns the latest possible time. ok is false if the proof belongs to
// another start of the machine.
func (p Proof) Now(b Boot) (now time.Time, ok bool) {
	if p.Time.IsZero() || b.ID == "" || p.Boot.ID != b.ID || b.At < p.Boot.At {
		return time.Time{}, false
	}
	return p.Time.Add(b.At - p.Boot.At), true
}

// A Clock holds all that a device knows about the time.
type Clock struct {
	// Now is the device's clock.
	Now time.Time
	// NewestScan is the time of the newest recorded scan, without those that a
	// proof has shown to be dated ahead. It is zero if there is none.
	NewestScan time.Time
	// Proof is the last proof of time that this device received, and Boot the present
	// reading of the boot-time clock. The zero values mean that there is none.
	Proof Proof
	Boot  Boot
}

// Timing is the time as far as the device knows it, and the age of the trust state.
type Timing struct {
	Now     time.Time // the time that expiry and issue dates are compared with
	Basis   Basis
	Suspect bool // the device's clock contradicts what is known
	// Reading says which other source the device's clock contradicts.
	Reading Reading
	Held    bool // the device holds a trust state
	Dated   bool // the trust state's date is usable: no clock of the gateway ran ahead
	Known   bool // Age is known
	Age     time.Duration
	Expired bool // known to be too old
	Stale   bool // not fresh, or of unknown age
}

// TimingOf computes the time by the table of clock rules. Payloads do not count,
// because an attacker can print payloads. Fetched documents count only through
// the floor that they raise, because a mirror may have kept them for a long time.
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

// unknownSince returns the time from which the trust state says nothing any more.
func unknownSince(s *trust.State, p Policy) time.Time {
	since := s.Timestamp.StatusAsOf.Add(p.HardExpiry)
	if e := s.Expires(); e.Before(since) {
		return e
	}
	return since
}
