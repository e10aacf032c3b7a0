//go:build !js

package outbox

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

// Record stores scans in one commit. When it returns nil, all of them survive a power
// cut, and only then may the program show a verdict. It sets ScanID, before the
// commit, and Seq, and truncates ScannedAt to whole milliseconds. Recording the same
// scans again, after an error that left the commit's outcome unknown, changes nothing.
//
// Errors: [ErrScan] if package wire cannot carry a scan, [ErrConflict] if
// another scan has a scan id, litedb.ErrFull if the disk is full. On an error
// Record stores none of the scans.
func (o *Outbox) Record(ctx context.Context, scans ...*Scan) error {
	fresh, err := prepareAll(scans)
	if err != nil || len(scans) == 0 {
		return err
	}
	var seqs []uint64
	err = o.write(ctx, func(r rows) (err error) {
		seqs, err = record(r, scans, fresh)
		return err
	})
	if !errors.Is(err, ErrConflict) {
		err = o.suspect(err)
	}
	if err != nil {
		return fmt.Errorf("record: %w", err)
	}
	for i, s := range scans {
		s.Seq = seqs[i]
		o.keepLast(s.Seq)
	}
	return nil
}

// This is the highest assigned number. The counter and the rows both have it;
// the higher one counts, so no number is assigned twice.
const (
	selectLastSeq = `
		SELECT max(coalesce((SELECT max(seq) FROM scans), 0),
		           coalesce((SELECT value FROM facts WHERE name = 'last_seq'), 0))`
	upsertLastSeq = `
		INSERT INTO facts (name, value) VALUES ('last_seq', $1)
		ON CONFLICT (name) DO UPDATE SET value = excluded.value`
)

func lastSeq(ctx context.Context, q rowQuerier) (uint64, error) {
	var last int64
	err := q.QueryRowContext(ctx, selectLastSeq).Scan(&last)
	return uint64(last), err
}

const insertScan = `
	INSERT INTO scans (scan_id, seq, payload, reference, scanned_at, verdict, assurance, binding,
		trust_version, trust_issued, flags, location, coordinates, latitude_e6, longitude_e6, note,
		source, page, digest, row_sum, state)
	VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21)`

func insert(ctx context.Context, tx *sql.Tx, s Scan, seq uint64) error {
	s.Seq = seq
	digest := s.item().Digest()
	sum := s.sum(digest)
	var payload, reference any // exactly one stays NULL
	if s.Payload != nil {
		payload = s.Payload
	} else {
		reference = s.Reference
	}
	c := s.Context
	_, err := tx.ExecContext(ctx, insertScan,
		s.ScanID, int64(seq), payload, reference, millis(s.ScannedAt), s.Verdict, s.Assurance, s.Binding,
		int64(s.TrustVersion), millis(s.StatusAsOf), s.flags(), c.Location, c.Coordinates, c.LatitudeE6, c.LongitudeE6, c.Note,
		s.Source, s.Page, digest[:], sum[:], string(Queued))
	return err
}

// NewestScan returns the latest recorded ScannedAt, without scans that are
// known to be dated ahead ([Outbox.Correct]); it is zero if there is none. A
// clock far below it has been set back.
func (o *Outbox) NewestScan(ctx context.Context) (time.Time, error) {
	var ms sql.NullInt64
	err := o.db.Reader().QueryRowContext(ctx, `SELECT max(scanned_at) FROM scans WHERE ahead IS NULL`).Scan(&ms)
	if err = o.suspect(err); err != nil {
		return time.Time{}, fmt.Errorf("newest scan: %w", err)
	}
	return moment(ms.Int64), nil
}
