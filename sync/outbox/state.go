package outbox

import (
	"fmt"

	"tcode/sync/wire"
)

// A State is the place of a scan on its way to the gateway.
type State string

// The states of a scan.
const (
	Queued   State = "queued"   // waiting, perhaps until a time
	Inflight State = "inflight" // in a batch in transit
	Done     State = "done"     // the gateway has it, receipt stored
	Dead     State = "dead"     // refused permanently, or its key is lost; kept, listed, requeued only by a person
)

// An Event moves a scan from one state to the next.
type Event string

// The events of a scan.
const (
	Lease     Event = "lease"     // goes into a batch
	Accepted  Event = "accepted"  // the gateway stored it
	Duplicate Event = "duplicate" // the gateway had it already
	Conflict  Event = "conflict"  // the gateway had another scan under this id and keeps both
	Rejected  Event = "rejected"  // the gateway refuses it permanently
	Retry     Event = "retry"     // not now, or the answer proved nothing: again after a wait
	Release   Event = "release"   // again immediately, in a smaller batch or after a stop
	Expired   Event = "expired"   // its sender died
	Orphaned  Event = "orphaned"  // the key that may have sent it is lost
	Requeue   Event = "requeue"   // by hand
)

// next is the whole state machine: a transition that is not here is not allowed.
var next = map[State]map[Event]State{
	Queued: {Lease: Inflight, Orphaned: Dead},
	Inflight: {
		Accepted: Done, Duplicate: Done, Conflict: Done,
		Rejected: Dead, Orphaned: Dead,
		Retry:    Queued, Release: Queued, Expired: Queued,
	},
	Done: {},
	Dead: {Requeue: Queued},
}

// States returns all states.
func States() []State { return []State{Queued, Inflight, Done, Dead} }

// Events returns all events.
func Events() []Event {
	return []Event{Lease, Accepted, Duplicate, Conflict, Rejected, Retry, Release, Expired, Orphaned, Requeue}
}

// Next returns the state that e leads to, or [ErrTransition].
func (s State) Next(e Event) (State, error) {
	to, ok := next[s][e]
	if !ok {
		return "", fmt.Errorf("%w: %s of a scan that is %s", ErrTransition, e, s)
	}
	return to, nil
}

// EventOf returns the event for a gateway's outcome of one item.
func EventOf(o wire.ItemOutcome) Event {
	switch o {
	case wire.Accepted:
		return Accepted
	case wire.Duplicate:
		return Duplicate
	case wire.Conflict:
		return Conflict
	case wire.Rejected:
		return Rejected
	case wire.Retry:
		return Retry
	}
	return Retry // an unknown outcome proves nothing
}

// needsReceipt reports whether e requires a verified receipt.
func (e Event) needsReceipt() bool {
	return e == Accepted || e == Duplicate || e == Conflict || e == Rejected
}
