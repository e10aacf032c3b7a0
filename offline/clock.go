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

const (
	// futureTolerance is how far ahead of this device an issuer's clock may run.
	futureTolerance = 10 * time.Minute
	// scanTolerance is how far behind its newest scan a device's clock may be.
	scanTolerance = 10 * time.Minute
)

// A Clock is what a device knows about the time.
type Clock struct {
	// Now is the device's clock.
	Now time.Time
	// NewestScan is the time of the newest scan on record, by the same clock as
	// it was then. Zero if there is none.
	NewestScan time.Time
	// Confirmed says that the gateway answered since the program started. The zero
	// Confirmation says that it did not.
	Confirmed Confirmation
}

// A Confirmation is an answer of the gateway's, by which the age of the trust
// state is known without a believable clock.
type Confirmation struct {
	// Version is that of the timestamp document the gateway answered with, over
	// the network and since the program started. A document from a file or from
	// the store confirms nothing: it may have been lying there for long.
	Version uint64
	// Elapsed is the time since the request for that answer by a clock that only
	// goes forward. It should count the time the device slept (CLOCK_BOOTTIME on
	// Linux): what it leaves out makes a trust state look younger, if the wall
	// clock is wrong at the same time.
	Elapsed time.Duration
}

// timing is the time as far as it is known.
type timing struct {
	now     time.Time // not later than the true time if suspect
	held    bool      // there is a trust state to be of any age
	suspect bool      // the device's clock contradicts what is known
	proven  bool      // the age of the trust state is known
	age     time.Duration
	expired bool // hard: proven, and too old
	stale   bool // not fresh, or not proven
}

// tell works out the time. The clock's floor is the highest issue time of an
// accepted timestamp document; no payload raises it, because anybody can print
// payloads.
func tell(c Clock, s *trust.State, p Policy) timing {
	t := timing{now: c.Now.UTC(), held: s.Complete(), stale: true}
	t.suspect = !c.NewestScan.IsZero() && c.Now.Before(c.NewestScan.Add(-scanTolerance))
	if !t.held {
		return t
	}
	t.suspect = t.suspect || c.Now.Before(s.Floor)
	issued := s.Timestamp.Issued
	confirmed := c.Confirmed.Version == s.Timestamp.Version && c.Confirmed.Elapsed >= 0
	least := s.Floor
	if confirmed {
		// The floor may come from a gateway clock that ran ahead; the answer and
		// the monotonic clock do not depend on it.
		least = issued.Add(c.Confirmed.Elapsed)
	}
	if t.now.Before(least) {
		t.now = least
	}
	t.proven = !t.suspect || confirmed
	if !t.proven {
		return t
	}
	t.age = t.now.Sub(issued)
	t.expired = t.age >= p.HardExpiry || !t.now.Before(s.Expires())
	t.stale = t.expired || t.age > p.Fresh || !t.now.Before(s.Timestamp.Expires)
	return t
}

// unknownSince is the moment from which the trust state says nothing any more.
func unknownSince(s *trust.State, p Policy) time.Time {
	since := s.Timestamp.Issued.Add(p.HardExpiry)
	if e := s.Expires(); e.Before(since) {
		return e
	}
	return since
}
