//go:build !js

package outbox

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

// A WatchedFile is one state of a file in a watched folder.
type WatchedFile struct {
	Path     string // absolute; also the Source of its scans
	Size     int64
	Modified time.Time
	Changed  time.Time // of content or inode, which no program can set; zero: the system does not say
	Digest   []byte    // SHA-256 of the bytes that were judged; empty: it was not read
	Outcome  string    // the caller's word for its outcome; empty: begun
	Recorded bool      // begun and its scans recorded: processing was interrupted after that
}

// Same reports whether both are the same state of the same file.
func (w WatchedFile) Same(o WatchedFile) bool { return w.Alike(o) && w.Changed.Equal(o.Changed) }

// Alike is [WatchedFile.Same] for what other programs can set: only the digest tells then
// whether it is the same file.
func (w WatchedFile) Alike(o WatchedFile) bool {
	return w.Path == o.Path && w.Size == o.Size && w.Modified.Equal(o.Modified)
}

// Watched returns the stored state of the file at path; ok is false if there is none.
func (o *Outbox) Watched(ctx context.Context, path string) (w WatchedFile, ok bool, err error) {
	var modified, changed int64
	err = o.db.Reader().QueryRowContext(ctx, `
		SELECT path, size, modified, changed, digest, outcome,
			outcome = '' AND EXISTS (SELECT 1 FROM scans WHERE seq > after_seq AND source = path)
		FROM watched WHERE path = $1`, path).
		Scan(&w.Path, &w.Size, &modified, &changed, &w.Digest, &w.Outcome, &w.Recorded)
	if errors.Is(err, sql.ErrNoRows) {
		return w, false, nil
	}
	if err = o.suspect(err); err != nil {
		return w, false, fmt.Errorf("watched file: %w", err)
	}
	w.Modified = time.Unix(0, modified)
	if changed != 0 {
		w.Changed = time.Unix(0, changed)
	}
	return w, true, nil
}

// BeginWatched records that the caller is judging this state of a file. If a scan of it is
// recorded and FinishWatched does not follow, Recorded is true later.
func (o *Outbox) BeginWatched(ctx context.Context, w WatchedFile) error {
	return o.watched(ctx, func(tx *sql.Tx) error {
		changed := int64(0)
		if !w.Changed.IsZero() {
			changed = w.Changed.UnixNano()
		}
		last, err := lastSeq(ctx, tx)
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `
			INSERT INTO watched (path, size, modified, changed, after_seq, outcome)
			VALUES ($1, $2, $3, $4, $5, '')
			ON CONFLICT (path) DO UPDATE SET size = excluded.size, modified = excluded.modified,
				changed = excluded.changed, digest = x'', after_seq = excluded.after_seq, outcome = ''`,
			w.Path, w.Size, w.Modified.UnixNano(), changed, int64(last))
		return err
	})
}

// FinishWatched records the outcome of a file that was begun, and the digest of its bytes, which
// is empty if it was not read.
func (o *Outbox) FinishWatched(ctx context.Context, path, outcome string, digest []byte) error {
	return o.watched(ctx, func(tx *sql.Tx) error {
		return mustChange(tx.ExecContext(ctx, `UPDATE watched SET outcome = $1, digest = $2 WHERE path = $3`,
			outcome, append([]byte{}, digest...), path))
	})
}

// ForgetWatched removes a file that is gone.
func (o *Outbox) ForgetWatched(ctx context.Context, path string) error {
	return o.watched(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `DELETE FROM watched WHERE path = $1`, path)
		return err
	})
}

func (o *Outbox) watched(ctx context.Context, fn func(*sql.Tx) error) error {
	if err := o.suspect(o.db.Write(ctx, fn)); err != nil {
		return fmt.Errorf("watched file: %w", err)
	}
	return nil
}
