package bulk

import (
	"slices"
	"strings"

	"tcode/server/issue"
)

// Status is the state of a job in its life.
type Status string

// The statuses.
const (
	Scheduled           Status = "Scheduled"
	Pending             Status = "Pending"
	Validating          Status = "Validating"
	Processing          Status = "Processing"
	Completed           Status = "Completed"
	CompletedWithErrors Status = "CompletedWithErrors"
	Failed              Status = "Failed"
	Cancelling          Status = "Cancelling"
	Cancelled           Status = "Cancelled"
)

// Statuses are all there are.
func Statuses() []Status {
	return []Status{Scheduled, Pending, Validating, Processing, Completed, CompletedWithErrors, Failed, Cancelling, Cancelled}
}

// RowState is the outcome of a row.
type RowState string

// The states of a row.
const (
	RowPending   RowState = "Pending"
	RowSucceeded RowState = "Succeeded"
	RowFailed    RowState = "Failed"
	RowSkipped   RowState = "Skipped" // the job was cancelled before
)

// Action moves a job from one status to another.
type Action string

// The actions. Cancel and Retry are people's, all others the runner's.
const (
	Take    Action = "take"    // a runner begins
	Accept  Action = "accept"  // the files are good: make the rows
	Pass    Action = "pass"    // the files are good, and no more was asked
	Reject  Action = "reject"  // the files are not good
	Finish  Action = "finish"  // every row succeeded
	Falter  Action = "falter"  // some did
	Fail    Action = "fail"    // none did
	Cancel  Action = "cancel"  // stop between rows
	Stopped Action = "stopped" // the runner did
	Retry   Action = "retry"   // makes the rows again that did not succeed
)

// next is the state machine. A job that no runner has begun is cancelled
// immediately.
var next = map[Status]map[Action]Status{
	Scheduled:           {Take: Validating, Cancel: Cancelled},
	Pending:             {Take: Validating, Cancel: Cancelled},
	Validating:          {Accept: Processing, Pass: Completed, Reject: Failed, Cancel: Cancelling},
	Processing:          {Finish: Completed, Falter: CompletedWithErrors, Fail: Failed, Cancel: Cancelling},
	Completed:           {},
	CompletedWithErrors: {Retry: Pending},
	Failed:              {Retry: Pending},
	Cancelling:          {Stopped: Cancelled},
	Cancelled:           {Retry: Pending},
}

// results are actions that may be said twice.
var results = map[Action]Status{Cancel: Cancelled}

// Next returns the status after a. The fault is INVALID_TRANSITION.
func (s Status) Next(a Action) (Status, error) {
	if s == Cancelling && a == Cancel {
		return s, nil // it is on its way
	}
	return issue.Step("bulk job", next, results, s, a)
}

// Over reports whether nothing more happens by itself.
func (s Status) Over() bool {
	return slices.Contains([]Status{Completed, CompletedWithErrors, Failed, Cancelled}, s)
}

// Outcome returns how a job ends whose rows all have an outcome.
func (c Counts) Outcome() Action {
	switch {
	case c.Succeeded == c.Total:
		return Finish
	case c.Succeeded == 0:
		return Fail
	}
	return Falter
}

// ParseStatus reads a status in any case.
func ParseStatus(s string) (Status, bool) {
	for _, known := range Statuses() {
		if strings.EqualFold(s, string(known)) {
			return known, true
		}
	}
	return "", false
}
