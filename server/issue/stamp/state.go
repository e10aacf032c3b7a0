package stamp

import (
	"strings"

	"tcode/offline/statuslist"
	"tcode/server/issue"
)

// Status is where a stamp is in its life. The words stand in the API and in
// the database.
type Status string

// The states of a stamp.
const (
	Active    Status = "Active"
	Suspended Status = "Suspended"
	Revoked   Status = "Revoked" // terminal
)

// statuses are all states, in the order of life.
var statuses = [...]Status{Active, Suspended, Revoked}

// Action is what a tenant may do to a stamp.
type Action string

// The lifecycle actions. ActionCreate stands in histories only; ActionReplace
// is done by [Service.Replace], never by [Service.Act].
const (
	ActionSuspend    Action = "suspend"
	ActionRevoke     Action = "revoke"
	ActionReactivate Action = "reactivate"
	ActionCreate     Action = "create"
	ActionReplace    Action = "replace"
)

// next is the whole state machine: what is not here is not allowed.
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

// Entry is what the status list says of a stamp: replaced outweighs revoked,
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
