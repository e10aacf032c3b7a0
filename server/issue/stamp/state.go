package stamp

import (
	"strings"

	"tcode/offline/statuslist"
	"tcode/server/issue"
)

// Status is the state of a stamp in its life. The API and the database use these
// words.
type Status string

// The states of a stamp.
const (
	Active    Status = "Active"
	Suspended Status = "Suspended"
	Revoked   Status = "Revoked" // terminal
)

// statuses are all states, in the order of life.
var statuses = [...]Status{Active, Suspended, Revoked}

// Action is an operation of a tenant on a stamp.
type Action string

// The lifecycle actions. Only histories contain ActionCreate; [Service.Replace]
// performs ActionReplace, and [Service.Act] never does.
const (
	ActionSuspend    Action = "suspend"
	ActionRevoke     Action = "revoke"
	ActionReactivate Action = "reactivate"
	ActionCreate     Action = "create"
	ActionReplace    Action = "replace"
)

// next is the whole state machine: an action that is not in it is not allowed.
var next = map[Status]map[Action]Status{
	Active:    {ActionSuspend: Suspended, ActionRevoke: Revoked, ActionReplace: Revoked},
	Suspended: {ActionReactivate: Active, ActionRevoke: Revoked, ActionReplace: Revoked},
	Revoked:   {},
}

// result is the state an action leads to, whatever it starts from. An action
// whose result is the present state changes nothing and is no error. A stamp is
// not replaced twice, so ActionReplace is not here.
var result = map[Action]Status{
	ActionSuspend:    Suspended,
	ActionRevoke:     Revoked,
	ActionReactivate: Active,
}

// Next returns the state after a. It returns s itself if a leads to where the
// stamp is already, and an INVALID_TRANSITION fault if a is not allowed.
func (s Status) Next(a Action) (Status, error) {
	return issue.Step("stamp", next, result, s, a)
}

// ParseStatus reads a status in any case.
func ParseStatus(s string) (Status, bool) {
	for _, v := range statuses {
		if strings.EqualFold(s, string(v)) {
			return v, true
		}
	}
	return "", false
}

// Entry returns the stamp's entry in the status list: replaced outweighs revoked,
// because a replaced stamp is revoked too.
func (s Status) Entry(replaced bool) statuslist.Value {
	switch {
	case s == Revoked && replaced:
		return statuslist.Replaced
	case s == Revoked:
		return statuslist.Revoked
	case s == Suspended:
		return statuslist.Suspended
	}
	return statuslist.None
}
