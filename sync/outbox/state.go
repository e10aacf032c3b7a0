package outbox

import (
	"fmt"

	"tcode/sync/wire"
)

// State is where a scan stands on its way to the gateway.
type State string

// The states of a scan.
const (
	Queued   State = "queued"   // waiting, perhaps until a time
	Inflight State = "inflight" // in a batch that is under way
	Done     State = "done"     // held by the gateway, receipt kept
	Dead     State = "dead"     // refused permanently; kept, listed, requeued by hand only
)

// Event moves a scan from one state to the next.
type Event string

// The events of a scan.
const (
	Lease     Event = "lease"     // goes into a batch
	Accepted  Event = "accepted"  // gateway stored it
	Duplicate Event = "duplicate" // gateway had it
	Conflict  Event = "conflict"  // gateway had another scan under this id and keeps both
	Rejected  Event = "rejected"  // gateway refuses it permanently
	Retry     Event = "retry"     // not now, or nothing was proven: again after a wait
	Release   Event = "release"   // again at once, in a smaller batch or after a stop
	Expired   Event = "expired"   // its sender died
	Requeue   Event = "requeue"   // by hand
)

// next is the whole state machine: what is not here is not allowed.
var next = map[State]map[Event]State{
	Queued: {Lease: Inflight},
	Inflight: {
		Accepted: Done, Duplicate: Done, Conflict: Done,
		Rejected: Dead,
		Retry:    Queued, Release: Queued, Expired: Queued,
	},
	Done: {},
	Dead: {Requeue: Queued},
}

// States returns all states.
func States() []State { return []State{Queued, Inflight, Done, Dead} }

// Events returns all events.
func Events() []Event {
	return []Event{Lease, Accepted, Duplicate, Conflict, Rejected, Retry, Release, Expired, Requeue}
}

// Next returns the state that e leads to, or [ErrTransition].
func (s State) Next(e Event) (State, error) {
	to, ok := next[s][e]
	if !ok {
		return "", fmt.Errorf("%w: %s of a scan that is %s", ErrTransition, e, s)
	}
	return to, nil
}

// EventOf is the event that a gateway's word for one item stands for.
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
	return Retry // a word from the future proves nothing
}

// needsReceipt reports whether e may only happen on a verified receipt.
func (e Event) needsReceipt() bool {
	return e == Accepted || e == Duplicate || e == Conflict || e == Rejected
}
