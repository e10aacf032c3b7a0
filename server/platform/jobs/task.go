package jobs

import (
	"time"
)

// Failures is the item of a [Task] which says that its subject failed, without an end of its process.
const Failures = "failures"

// A Task is background work as an operator sees it: a subject, or one item of it.
type Task struct {
	Kind    Kind
	Subject string
	Item    string // "": the subject
	Tenant  string // "": it is gone
	State   TaskState
	Reason  string // how it ended its process, or failed; "" if it did not
	Ends    int    // how often it did
	Input   string // what it works on, for people
	Since   time.Time
}

// ID names t for commands.
func (t Task) ID() string {
	if t.Item == "" {
		return t.Subject
	}
	return t.Subject + "/" + t.Item
}

// TaskState is the state of a [Task].
type TaskState string

// The states.
const (
	Due      TaskState = "due"       // it waits for its turn, or its time
	Running  TaskState = "running"   // a gateway has it
	Suspect  TaskState = "suspect"   // it may have ended a gateway, ended its process once, or fails
	SetAside TaskState = "set-aside" // it ended its process twice or failed too often, and is not tried again by itself
)

// TaskStates returns all states.
func TaskStates() []TaskState { return []TaskState{Due, Running, Suspect, SetAside} }

// Kinds returns all kinds.
func Kinds() []Kind {
	return []Kind{Bulk, Batch, Webhook, Mail, Publication, Privacy, Expiry}
}

// A TaskFilter selects tasks.
type TaskFilter struct {
	Kind    Kind      // "": all
	State   TaskState // "": all
	Tenant  string    // "": all
	Subject string    // "": all
	Limit   int       // of each kind
}
