package account

import (
	"crypto/sha256"
	"fmt"
	"net/netip"
	"time"
)

// TryKind is a kind of guessing that is bounded. The words are in the database.
type TryKind string

// The kinds.
const (
	TryAccount TryKind = "account" // passwords for an address of e-mail, whether or not a user has it
	TryClient  TryKind = "client"  // passwords and codes from an address of the network
	TryCode    TryKind = "code"    // codes of a user
	TryBrowser TryKind = "browser" // passwords of a user from one browser that the user signed in with before
	TryInvite  TryKind = "invite"  // messages to people whom a tenant invites
)

// A TryKey names one count.
type TryKey struct {
	Kind TryKind
	Key  Hash
}

// Tries is one count. A try counts as wrong until it is known to be right.
type Tries struct {
	Count int
	Until time.Time // no try before this time
	Last  time.Time // of the last try; of a kind that is counted by day, of the first
}

// MaxTries bounds the counts that are stored, of each kind. Above it those with the fewest
// tries are dropped, so that a flood of new counts displaces no lock.
const MaxTries = 20_000

// limit bounds the tries of a kind: after free ones the caller waits first, and twice as
// long after each further one.
type limit struct {
	free           int
	first, longest time.Duration
	daily          bool // counts each day anew, also while tries go on
}

var limits = map[TryKind]limit{
	TryAccount: {5, time.Minute, 15 * time.Minute, false},
	TryClient:  {20, time.Minute, time.Hour, false},
	TryCode:    {5, time.Minute, time.Hour, false},
	TryBrowser: {5, time.Minute, 15 * time.Minute, false},
	TryInvite:  {MaxInvitations, 24 * time.Hour, 24 * time.Hour, true},
}

// MaxInvitations is the number of messages to invited people that a tenant may cause in a
// day.
const MaxInvitations = 50

// forget is the time after which a count begins again.
const forget = 24 * time.Hour

// Forget is the time after which the store may drop a count.
const Forget = forget

// Next counts one more try. ok is false if it must not take place before next.Until; then
// nothing is counted.
func (k TryKey) Next(t Tries, now time.Time) (next Tries, ok bool) {
	l := limits[k.Kind]
	// A time that no lock lasts is from a clock that was ahead.
	if wait := t.Until.Sub(now); wait > 0 && wait <= l.longest {
		return t, false
	}
	if now.Sub(t.Last) > forget {
		t = Tries{}
	}
	next = Tries{Count: t.Count + 1, Last: now}
	if l.daily && t.Count > 0 {
		next.Last = t.Last // the beginning of the day
	}
	if over := next.Count - l.free; over >= 0 {
		next.Until = now.Add(min(l.first<<min(over, 20), l.longest))
	}
	return next, true
}

// A Wait is the error of a try that must not take place yet.
type Wait struct{ For time.Duration }

// Error says how long to wait.
func (w *Wait) Error() string { return fmt.Sprintf("too many tries: wait %v", w.For) }

// keyOf returns the key of a count.
func keyOf(kind TryKind, of string) TryKey {
	return TryKey{kind, sha256.Sum256([]byte(string(kind) + " " + of))}
}

// network returns the part of an address that one client has: a /64 of IPv6.
func network(address string) string {
	a, err := netip.ParseAddr(address)
	if err != nil {
		return address
	}
	a = a.Unmap().WithZone("")
	if a.Is4() {
		return a.String()
	}
	p, err := a.Prefix(64)
	if err != nil {
		return a.String()
	}
	return p.String()
}
