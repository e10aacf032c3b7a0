package delivery

import (
	"tcode/server/fault"
)

// State is the state of a message. The words are in the database and in the
// contract.
type State string

// The states.
const (
	NotConfigured State = "NotConfigured" // the gateway that issued the document sends no e-mail
	Waiting       State = "Waiting"       // for its first try, or the next
	Sending       State = "Sending"       // a gateway is sending it, or was killed while it did
	Sent          State = "Sent"          // the server confirmed that it took the message
	Refused       State = "Refused"       // the server will never take it (5xx)
	Failed        State = "Failed"        // not confirmed in all the time for tries
	Dropped       State = "Dropped"       // the document had ended before it could be sent
)

// States returns all states.
func States() []State {
	return []State{NotConfigured, Waiting, Sending, Sent, Refused, Failed, Dropped}
}

// Action is a transition of a message.
type Action string

// The actions.
const (
	Take     Action = "take"     // a gateway begins a try, possibly after another one was killed
	Confirm  Action = "confirm"  // the server took the message
	Refuse   Action = "refuse"   // the server never will take it
	Postpone Action = "postpone" // not now
	GiveUp   Action = "give up"  // not now, and there is no time left
	Drop     Action = "drop"     // the document has ended
	Resend   Action = "resend"   // a person wants it sent now, for the first time or again
	Hold     Action = "hold"     // the database was restored from a backup, and the message may have been sent since
)

// next is the whole state machine: all other transitions are forbidden.
var next = map[State]map[Action]State{
	NotConfigured: {Resend: Waiting},
	Waiting:       {Take: Sending, Hold: Failed, Resend: Waiting},
	Sending:       {Take: Sending, Confirm: Sent, Refuse: Refused, Postpone: Waiting, GiveUp: Failed, Drop: Dropped, Hold: Failed},
	Sent:          {Resend: Waiting},
	Refused:       {Resend: Waiting},
	Failed:        {Resend: Waiting},
	Dropped:       {Resend: Waiting},
}

// Next returns the state after a, or an INVALID_TRANSITION fault.
func (s State) Next(a Action) (State, error) {
	to, ok := next[s][a]
	if !ok {
		return "", fault.New(fault.Conflict, fault.CodeInvalidTransition, "cannot %s a message that is %s", string(a), string(s))
	}
	return to, nil
}

// Reason is the reason why a message is not sent, or not yet. The words are in the
// database and in the contract.
type Reason string

// The first four reasons concern the document and end or hold a delivery. The
// others are results of the last try. [Message.Words] returns sentences for
// people.
const (
	Revoked         Reason = "revoked"
	Replaced        Reason = "replaced"
	Expired         Reason = "expired"
	Suspended       Reason = "suspended" // the document, or its issuer
	Unreachable     Reason = "unreachable"
	Insecure        Reason = "tls"
	NoLogin         Reason = "login"
	Unanswered      Reason = "unanswered" // the server stopped answering: it may have taken the message
	Answered        Reason = "answered"   // the code has the details
	FileUnavailable Reason = "file"
	Unwritable      Reason = "message"     // for example an address that is not valid
	Interrupted     Reason = "interrupted" // the gateway was killed in a try: the server may have taken it
	Restored        Reason = "restored"    // it waited in a restored backup: it may have been sent since
)
