package jobs

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/riverdriver/riverdatabasesql"
	"github.com/riverqueue/river/riverdriver/riversqlite"
	"github.com/riverqueue/river/rivermigrate"
)

// Engine is a kind of database.
type Engine int

// The engines.
const (
	SQLite Engine = iota
	Postgres
)

// driver returns River's driver for db. On SQLite, db is the pool of the one writing
// connection.
func driver(db *sql.DB, e Engine) riverdriver.Driver[*sql.Tx] {
	if e == Postgres {
		return riverdatabasesql.New(db)
	}
	return riversqlite.New(db)
}

// Migrate makes River's tables or updates them. Processes that do so
// concurrently may fail, harmlessly: a process that fails checks whether another
// has done it.
func Migrate(ctx context.Context, db *sql.DB, e Engine) error {
	m, err := rivermigrate.New(driver(db, e), &rivermigrate.Config{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return fmt.Errorf("tables of background work: %w", err)
	}
	var last error
	for range 5 {
		if state, err := m.Validate(ctx, nil); err == nil && state.OK {
			return nil
		}
		if _, last = m.Migrate(ctx, rivermigrate.DirectionUp, nil); last == nil {
			return nil
		}
	}
	return fmt.Errorf("tables of background work: %w", last)
}

// A Kind of work. Each that takes jobs has a queue of its own, so that long work of one kind
// does not keep another waiting.
type Kind string

// The kinds.
const (
	Bulk    Kind = "bulk"    // subject: a bulk job's id
	Mail    Kind = "mail"    // subject: a message's id
	Webhook Kind = "webhook" // subject: an endpoint's id
	Batch   Kind = "batch"   // subject: the id of an order of many changes

	Publication Kind = "publication" // subject: keys, or documents
	Privacy     Kind = "privacy"     // subject: the id of an erased record, sweep, files, or compact
	Expiry      Kind = "expiry"      // subject: documents
)

// A Job is a wake-up.
type Job struct {
	Kind    Kind
	Subject string    // where to look: an id of the domain
	Due     time.Time // zero: now
}

// wake is a [Job] in River's form.
type wake struct {
	Work    Kind   `json:"work"`
	Subject string `json:"subject"`
}

// Kind returns River's name for all of them.
func (wake) Kind() string { return "wake" }

// A Queue takes jobs. It is safe for concurrent use.
type Queue struct{ client *river.Client[*sql.Tx] }

// NewQueue returns the queue in the database db, whose tables [Migrate] made.
func NewQueue(db *sql.DB, e Engine) (*Queue, error) {
	client, err := river.NewClient(driver(db, e), &river.Config{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return nil, fmt.Errorf("queue of background work: %w", err)
	}
	return &Queue{client}, nil
}

var errNoSubject = errors.New("a job needs a kind and a subject")

// Add adds j in tx: the wake-up exists exactly if the work does.
func (q *Queue) Add(ctx context.Context, tx *sql.Tx, j Job) error {
	if j.Kind == "" || j.Subject == "" {
		return errNoSubject
	}
	_, err := q.client.InsertTx(ctx, tx, wake{j.Kind, j.Subject}, &river.InsertOpts{Queue: string(j.Kind), ScheduledAt: j.Due})
	if err != nil {
		return fmt.Errorf("add background work: %w", err)
	}
	return nil
}
