// Package batch changes the status of many stamps or documents in one order.
//
//	Order ─▶ Begin ─▶ Running ─▶ steps of [StepSize] records ─▶ Done
//	                     └── Stop, or a refusal of the tenant's ──▶ Stopped
//
// An order has the ids of its records, so a record that is made later is not in it. Each
// record is changed by its own service in its own transaction, with its own event and
// audit row. After each step the order's row says how far it is: a gateway that ends
// leaves the rest to another one, and a record that is changed again keeps its state.
package batch

import (
	"context"
	"time"

	"tcode/server/fault"
	"tcode/server/tenant"
)

// A Subject is a kind of records. The words are in the database.
type Subject string

// The subjects.
const (
	Stamps    Subject = "stamp"
	Documents Subject = "document"
)

// State is the state of an order. The words are in the database.
type State string

// The states.
const (
	Running State = "Running"
	Done    State = "Done"
	Stopped State = "Stopped"
)

// Limits of an order.
const (
	MaxRecords  = 10_000
	MaxReason   = 500
	MaxProblems = 100 // that are kept
	// StepSize is the number of records between two notes of the progress.
	StepSize = 50
	// Keep is the time for which an order that is over is kept.
	Keep = 30 * 24 * time.Hour
)

// An Order asks for one action on many records.
type Order struct {
	Subject Subject
	Action  string // of the subject's service
	Reason  string
	IDs     []string
}

// A Batch is an order with its progress.
type Batch struct {
	Order
	Tenant, ID string
	Author     string // [tenant.Identity.Author]
	State      State
	Stop       string // why it is Stopped: "asked", or a sentence of the service that refused
	Total      int
	Done       int // records that are over
	Changed    int // records among them that the action changed, or that were so already
	Problems   []Problem
	CreatedAt  time.Time
	UpdatedAt  time.Time
}

// LeftOut returns the number of records that could not be changed.
func (b Batch) LeftOut() int { return b.Done - b.Changed }

// A Problem is a record that could not be changed. The store keeps it in its JSON form.
type Problem struct {
	ID   string     `json:"id"`
	Why  string     `json:"why"`           // the sentence of the service
	Said fault.Text `json:"said,omitzero"` // Why with its parts; zero in one that was stored before there were such
}

// Text returns the sentence with its parts.
func (p Problem) Text() fault.Text {
	if p.Said.Key == "" {
		return fault.Say("%s", p.Why)
	}
	return p.Said
}

// SetAside makes the next record a problem, if it is that record, or with "" ends the order. It
// reports whether b was changed.
func (b *Batch) SetAside(record, why string) bool {
	switch {
	case record == "":
		b.State, b.Stop = Stopped, why
		return true
	case b.Done == b.Total || b.IDs[b.Done] != record:
		return false
	}
	b.problem(record, fault.Say("%s", why))
	return true
}

// problem ends the next record without a change.
func (b *Batch) problem(record string, why fault.Text) {
	if len(b.Problems) < MaxProblems {
		b.Problems = append(b.Problems, Problem{record, why.String(), why})
	}
	if b.Done++; b.Done == b.Total {
		b.State = Done
	}
}

// Store keeps the orders. Package store implements it.
type Store interface {
	// InsertBatch stores a new order with its audit row, wakes a gateway for it, and
	// forgets the tenant's orders that were over before old.
	InsertBatch(ctx context.Context, b Batch, old time.Time, audit *tenant.Entry) error
	// Batch returns an order without its ids, or a NotFound fault.
	Batch(ctx context.Context, tenantRef, id string) (Batch, error)
	// Batches returns the newest orders of a subject, without their ids.
	Batches(ctx context.Context, tenantRef string, of Subject, limit int) ([]Batch, error)
	// TakeBatch gives a running order to owner until a time, if no other has it.
	TakeBatch(ctx context.Context, id, owner string, now, until time.Time) (b Batch, taken bool, err error)
	// HoldBatch extends the hold of owner; [ErrLost] if another owner has the order, or none.
	HoldBatch(ctx context.Context, tenantRef, id, owner string, until time.Time) error
	// SaveBatch stores the progress of an order of owner; the order is its until a time.
	// It returns [ErrLost] if the order is not running, or is another owner's.
	SaveBatch(ctx context.Context, b Batch, owner string, until time.Time) error
	// StopBatch ends a running order. It reports whether it was running.
	StopBatch(ctx context.Context, tenantRef, id string, now time.Time, audit *tenant.Entry) (stopped bool, err error)
	// SetAsideRecord changes a running order by [Batch.SetAside], also one that is held, and ends that
	// hold. cause is for the audit log.
	SetAsideRecord(ctx context.Context, id, record, cause string, at time.Time) error
	// FreeBatch ends the hold of owner.
	FreeBatch(ctx context.Context, id, owner string, at time.Time) error
	// WakeBatches wakes gateways for running orders that no gateway works on.
	WakeBatches(ctx context.Context, now time.Time) error
}

// An Act changes one record.
type Act func(ctx context.Context, id tenant.Identity, record, action, reason string) error

// NoBatch is the fault for an order that is not this tenant's.
func NoBatch() error { return fault.New(fault.NotFound, fault.CodeNotFound, "order not found") }
