package privacy

import (
	"time"

	"tcode/server/fault"
)

// Subject is the kind of record that is erased.
type Subject string

// The subjects.
const (
	Stamp    Subject = "stamp"
	Document Subject = "document" // a Trust document, with the stamp that it owns
)

// Step is a part of an erasure.
type Step string

// The steps. The transaction that begins an erasure has cleared the record itself, its
// fields, search words, history and e-mail.
const (
	StepAnswers   Step = "answers"   // kept for an Idempotency-Key
	StepEvents    Step = "events"    // bodies of webhook deliveries
	StepScans     Step = "scans"     // payloads, places and notes of scans of it; places of look-ups
	StepConflicts Step = "conflicts" // second scans under an id, and claims
	StepUploads   Step = "uploads"   // CSV, ZIP and row of the bulk job that made it; reasons of orders
	StepFiles     Step = "files"     // no other row names them
	StepCompact   Step = "compact"   // free space in database files is cleared
	StepDone      Step = "done"
)

// next is the whole order of the steps.
var next = map[Step]Step{
	StepAnswers:   StepEvents,
	StepEvents:    StepScans,
	StepScans:     StepConflicts,
	StepConflicts: StepUploads,
	StepUploads:   StepFiles,
	StepFiles:     StepCompact,
	StepCompact:   StepDone,
}

// First is the step that follows the transaction that begins an erasure.
const First = StepAnswers

// Steps returns the steps in order, with the last one.
func Steps() []Step {
	all := []Step{First}
	for s, more := next[First]; more; s, more = next[s] {
		all = append(all, s)
	}
	return all
}

// An Erasure is the erasure of one record. It is done when no byte of the personal data is
// left, as far as the gateway can reach: see server/README.md, "Privacy and retention".
type Erasure struct {
	Tenant, ID string // of the record
	Subject    Subject
	Step       Step
	Place      string // where the step continues; "" at its beginning
	Requested  time.Time
	Due        time.Time // of the next work
	Done       time.Time // zero: not yet
}

// then returns the erasure after a part of its step. finished means that the step is over.
func (e Erasure) then(place string, finished bool, now time.Time) Erasure {
	e.Place, e.Due = place, now
	if finished {
		e.Place, e.Step = "", next[e.Step]
	}
	if e.Step == StepDone {
		e.Done = now
	}
	return e
}

// Sending is the fault of a record whose e-mail is on its way at this moment.
func Sending() error {
	return fault.New(fault.Conflict, fault.CodeConflict, "its e-mail is being sent at this moment: try again in a few minutes")
}

// InJob is the fault of a record that a bulk job made which is not over.
func InJob(job string) error {
	return fault.New(fault.Conflict, fault.CodeConflict, "the bulk job %s that made it is not over: cancel it, or wait for its end", job)
}

// Contradicts is the fault of a record that is not what its issuer signed. To erase it
// would hide that.
func Contradicts() error {
	return fault.New(fault.Conflict, fault.CodeConflict, "the record is not what was signed: tell the operator of the gateway, who can run fsck")
}
