package delivery

import (
	"tcode/server/fault"
)

// State is where a message is in its life. The words stand in the database and
// in the contract.
type State string

// The states.
const (
	NotConfigured State = "NotConfigured" // the gateway that issued the document sends no e-mail
	Waiting       State = "Waiting"       // for its first try, or the next
	Sending       State = "Sending"       // a gateway is at it, or was when it was killed
	Sent          State = "Sent"          // the server confirmed that it took the message
	Refused       State = "Refused"       // the server will never take it (5xx)
	Failed        State = "Failed"        // not confirmed in all the time there was
	Dropped       State = "Dropped"       // the document had ended before it could be sent
)

// States are all there are.
func States() []State {
	return []State{NotConfigured, Waiting, Sending, Sent, Refused, Failed, Dropped}
}

// Action is what moves a message.
type Action string

// The actions.
const (
	Take     Action = "take"     // a gateway begins a try; again, if it was killed in the one before
	Confirm  Action = "confirm"  // the server took the message
	Refuse   Action = "refuse"   // the server never will
	Postpone Action = "postpone" // not now
	GiveUp   Action = "give up"  // not now, and there is no time left
	Drop     Action = "drop"     // the document has ended
	Resend   Action = "resend"   // an operator wants it sent, after all or again
	Hold     Action = "hold"     // the database came out of a backup, and it may have been sent since
)

// next is the whole state machine: what is not here is not allowed.
var next = map[State]map[Action]State{
	NotConfigured: {Resend: Waiting},
	Waiting:       {Take: Sending, Hold: Failed},
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

// Reason is why a message is not sent, or not yet. The words stand in the
// database and in the contract.
type Reason string

// The reasons. The first four end a delivery or hold it for the document's
// sake, the others say what went wrong at the last try. [Message.Words] says
// them to people.
const (
	Revoked         Reason = "revoked"
	Replaced        Reason = "replaced"
	Expired         Reason = "expired"
	Suspended       Reason = "suspended" // the document, or its issuer
	Unreachable     Reason = "unreachable"
	Insecure        Reason = "tls"
	NoLogin         Reason = "login"
	Unanswered      Reason = "unanswered" // the server fell silent: it may have taken the message
	Answered        Reason = "answered"   // the code says what
	FileUnavailable Reason = "file"
	Unwritable      Reason = "message"     // an address that cannot be written to, for instance
	Interrupted     Reason = "interrupted" // the gateway was killed in a try: it may have been taken
	Restored        Reason = "restored"    // it waited in a backup that was restored: it may have been sent since
)
