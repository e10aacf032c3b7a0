package trustdoc

import (
	"strings"
	"time"

	"tcode/server/issue"
	"tcode/server/issue/stamp"
)

// Status is the state of a document in its life. The API and the database use these
// words.
type Status string

// The states of a document.
const (
	Active    Status = "Active"
	Suspended Status = "Suspended"
	Revoked   Status = "Revoked" // terminal
	Expired   Status = "Expired" // terminal
)

// statuses are all states, in the order of life.
var statuses = [...]Status{Active, Suspended, Revoked, Expired}

// Action changes a document's status.
type Action string

// The actions. Only histories contain ActionIssue; [Service.Replace] performs
// ActionReplace, and [Service.Act] never does.
const (
	ActionSuspend   Action = "suspend"
	ActionRevoke    Action = "revoke"
	ActionReinstate Action = "reinstate"
	ActionExpire    Action = "expire" // by its tenant, or because expiresAt has passed
	ActionIssue     Action = "issue"
	ActionReplace   Action = "replace"
)

// next is the whole state machine: an action that is not in it is not allowed.
var next = map[Status]map[Action]Status{
	Active:    {ActionSuspend: Suspended, ActionRevoke: Revoked, ActionExpire: Expired, ActionReplace: Revoked},
	Suspended: {ActionReinstate: Active, ActionRevoke: Revoked, ActionExpire: Expired, ActionReplace: Revoked},
	Revoked:   {},
	Expired:   {},
}

// result is the state an action leads to, whatever it starts from. A document
// is not replaced twice, so ActionReplace is not here.
var result = map[Action]Status{
	ActionSuspend:   Suspended,
	ActionRevoke:    Revoked,
	ActionReinstate: Active,
	ActionExpire:    Expired,
}

// Next returns the status after a. It returns s itself if a leads to where the
// document is already, and an INVALID_TRANSITION fault if a is not allowed.
func (s Status) Next(a Action) (Status, error) {
	return issue.Step("document", next, result, s, a)
}

// At returns the status as of now of a document that is stored as s: a document that
// has not ended otherwise ends when its time is over.
func (s Status) At(expires, now time.Time) Status {
	if (s == Active || s == Suspended) && due(expires, now) {
		return Expired
	}
	return s
}

func due(expires, now time.Time) bool { return !expires.IsZero() && !now.Before(expires) }

// Terminal reports whether nothing changes the document any more.
func (s Status) Terminal() bool { return len(next[s]) == 0 }

// stampActions maps the actions of a document to those of the stamp that it owns: a
// stamp has no state Expired, and the stamp of an expired document is revoked.
var stampActions = map[Action]stamp.Action{
	ActionSuspend:   stamp.ActionSuspend,
	ActionRevoke:    stamp.ActionRevoke,
	ActionReinstate: stamp.ActionReactivate,
	ActionExpire:    stamp.ActionRevoke,
	ActionReplace:   stamp.ActionReplace,
}

// ForStamp returns the action on the stamp of a document that goes with a.
func (a Action) ForStamp() stamp.Action { return stampActions[a] }

// ParseStatus reads a status in any case.
func ParseStatus(s string) (Status, bool) {
	for _, v := range statuses {
		if strings.EqualFold(s, string(v)) {
			return v, true
		}
	}
	return "", false
}

// ParseAction reads an action of [Service.Act] as clients write it: any case,
// and reactivate for reinstate.
func ParseAction(s string) (Action, bool) {
	if strings.EqualFold(s, string(stamp.ActionReactivate)) {
		return ActionReinstate, true
	}
	a := Action(strings.ToLower(s))
	_, ok := result[a]
	return a, ok
}

// TemplateStatus says whether a template issues documents.
type TemplateStatus string

// The states of a template.
const (
	TemplateActive   TemplateStatus = "Active"
	TemplateArchived TemplateStatus = "Archived"
)

// TemplateAction changes a template's status.
type TemplateAction string

// The actions on templates.
const (
	ActionArchive   TemplateAction = "archive"
	ActionUnarchive TemplateAction = "unarchive"
)

var (
	templateNext = map[TemplateStatus]map[TemplateAction]TemplateStatus{
		TemplateActive:   {ActionArchive: TemplateArchived},
		TemplateArchived: {ActionUnarchive: TemplateActive},
	}
	templateResult = map[TemplateAction]TemplateStatus{ActionArchive: TemplateArchived, ActionUnarchive: TemplateActive}
)

// Next returns the status after a, as [Status.Next] does.
func (s TemplateStatus) Next(a TemplateAction) (TemplateStatus, error) {
	return issue.Step("template", templateNext, templateResult, s, a)
}
