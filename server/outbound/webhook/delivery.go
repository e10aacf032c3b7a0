package webhook

import "time"

// A Delivery is one event for one endpoint.
type Delivery struct {
	Tenant      string
	ID          string // UUIDv7; the same in each try
	Endpoint    string
	Type        EventType
	Body        string // JSON
	State       State
	Tries       int // in all; a try counts when it begins
	TriesBefore int // of those, before a person requested the delivery again
	Status      int // HTTP status of the last try; 0: none
	Reason      string
	DueAt       time.Time // of the next try, while it waits
	CreatedAt   time.Time
	FinishedAt  time.Time // zero: it waits
}

// A Try is one attempt to deliver.
type Try struct {
	Number int // from 1
	At     time.Time
	Took   time.Duration
	Outcome
}

// A State is the state of a delivery.
type State string

// The states. Delivered and Failed are end states, until a person requests the delivery
// again.
const (
	Waiting   State = "Waiting"
	Delivered State = "Delivered"
	Failed    State = "Failed"
)

// MaxTries is the number of tries before a delivery fails: over 17 hours.
const MaxTries = 10

// Backoff returns how long to wait after the nth failed try, n from 1: 2^n minutes.
func Backoff(n int) time.Duration { return time.Minute << min(max(n, 0), MaxTries) }

// An Outcome is the result of one try.
type Outcome struct {
	Status int  // of the answer; 0: none
	Gone   bool // 410: the receiver wants no more deliveries
	Reason string
}

// OK reports whether the receiver took the delivery.
func (o Outcome) OK() bool { return o.Status >= 200 && o.Status <= 299 }

// NextAttempt returns the state of a delivery after its nth try, n from 1, and when
// it is due again if it waits.
func NextAttempt(n int, o Outcome, now time.Time) (State, time.Time) {
	switch {
	case o.OK():
		return Delivered, time.Time{}
	case o.Gone, n >= MaxTries:
		return Failed, time.Time{}
	}
	return Waiting, now.Add(Backoff(n))
}

// StatusGone is the HTTP status of a receiver that wants no more deliveries (RFC 9110
// section 15.5.11).
const StatusGone = 410
