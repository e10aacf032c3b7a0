package jobs

import (
	"context"
	"database/sql"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
)

const (
	// beginFor is the time for which a note of begun work is its process's without a renewal.
	beginFor = 15 * time.Second
	// suspectFor is the time for which work of a process that is gone makes all work run apart:
	// longer than the first waits before a delivery or a message is tried again.
	suspectFor = time.Hour
	// noting is the time for one statement about a note.
	noting = 5 * time.Second
)

// begun notes the work that this process has begun and not ended, in the database: after the
// process was ended the notes name the work that may be the cause.
type begun struct {
	db      *sql.DB
	engine  Engine
	process string
	now     func() time.Time
	started time.Time

	looked   atomic.Bool // suspects is known
	suspects atomic.Bool // notes of processes that are gone exist

	mu   sync.Mutex // guards the rest
	open int        // notes of this process
	late []string   // notes that could not be removed yet
	hung time.Time  // work in this process hung then
}

func newBegun(db *sql.DB, e Engine, now func() time.Time) *begun {
	return &begun{db: db, engine: e, process: uuid.NewString(), now: now, started: time.Now()}
}

// others are the notes of the same work by other processes.
type others struct {
	gone   bool // one began it and did not end it
	living bool // one may be at it
}

// begin notes work.
func (b *begun) begin(ctx context.Context, kind Kind, subject string) (id string, o others, err error) {
	if !b.looked.Load() {
		if err := b.look(ctx); err != nil {
			return "", o, err
		}
	}
	b.mu.Lock()
	b.open++
	b.mu.Unlock()
	id = uuid.NewString()
	now, all, living := b.now(), 0, 0
	err = b.db.QueryRowContext(ctx, `INSERT INTO work_begun (id, kind, subject, process, until_at) VALUES ($1, $2, $3, $4, $5)
		RETURNING (SELECT count(*) FROM work_begun o WHERE o.kind = $2 AND o.subject = $3 AND o.process <> $4),
			(SELECT count(*) FROM work_begun o WHERE o.kind = $2 AND o.subject = $3 AND o.process <> $4 AND o.until_at >= $6)`,
		id, string(kind), subject, b.process, now.Add(beginFor).UnixMilli(), now.UnixMilli()).Scan(&all, &living)
	if err != nil {
		b.end(ctx, id) // it may be there
		return id, o, fmt.Errorf("note begun work: %w", err)
	}
	if b.engine == SQLite { // the file has one serving gateway
		living = 0
	}
	return id, others{gone: all > living, living: living > 0}, nil
}

// hang notes that work in this process hangs: later work is done apart for a while.
func (b *begun) hang() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.hung = time.Now()
}

// doubt reports whether work may end this process, or hang in it.
func (b *begun) doubt() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.suspects.Load() || !b.hung.IsZero() && time.Since(b.hung) < suspectFor
}

// end removes a note, now or by a later look.
func (b *begun) end(ctx context.Context, id string) {
	err := b.remove(ctx, id)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.open--
	if err != nil {
		b.late = append(b.late, id)
	}
}

func (b *begun) remove(ctx context.Context, id string) error {
	once, cancel := context.WithTimeout(context.WithoutCancel(ctx), noting)
	defer cancel()
	_, err := b.db.ExecContext(once, `DELETE FROM work_begun WHERE id = $1`, id)
	return err
}

// look renews the notes of this process, removes old ones and looks for those of processes
// that are gone. An SQLite file has one serving gateway, so every other process is gone. On
// PostgreSQL a process that has just started does not know yet which are gone, and doubts all.
func (b *begun) look(ctx context.Context) error {
	b.mu.Lock()
	late, open := b.late, b.open
	b.late = nil
	b.mu.Unlock()
	for i, id := range late {
		if err := b.remove(ctx, id); err != nil {
			b.mu.Lock()
			b.late = append(b.late, late[i:]...)
			b.mu.Unlock()
			return fmt.Errorf("remove notes of work: %w", err)
		}
	}
	now := b.now()
	if open > 0 {
		if _, err := b.db.ExecContext(ctx, `UPDATE work_begun SET until_at = $1 WHERE process = $2`, now.Add(beginFor).UnixMilli(), b.process); err != nil {
			return fmt.Errorf("renew notes of work: %w", err)
		}
	}
	gone, old := 0, 0
	dead := now.UnixMilli()
	if b.engine == SQLite || time.Since(b.started) < beginFor {
		dead = now.Add(suspectFor).UnixMilli()
	}
	err := b.db.QueryRowContext(ctx, `SELECT count(*), count(CASE WHEN until_at < $1 THEN 1 END) FROM work_begun WHERE process <> $2 AND until_at < $3`,
		now.Add(-suspectFor).UnixMilli(), b.process, dead).Scan(&gone, &old)
	if err != nil {
		return fmt.Errorf("read notes of work: %w", err)
	}
	b.suspects.Store(gone > old)
	b.looked.Store(true)
	if old > 0 {
		_, err = b.db.ExecContext(ctx, `DELETE FROM work_begun WHERE until_at < $1`, now.Add(-suspectFor).UnixMilli())
	}
	return err
}
