package outbox

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"tcode/sync/wire"
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
	made := make([]bool, len(scans)) // the id is new: no other scan has it
	for i, s := range scans {
		made[i] = s.ScanID == ""
		if err := prepare(s); err != nil {
			return fmt.Errorf("record scan %d: %w", i, err)
		}
	}
	if len(scans) == 0 {
		return nil
	}
	seqs := make([]uint64, len(scans))
	err := o.db.Write(ctx, func(tx *sql.Tx) error {
		last, err := lastSeq(ctx, tx)
		if err != nil {
			return err
		}
		before := last
		for i, s := range scans {
			seqs[i] = 0
			if !made[i] {
				if seqs[i], err = existing(ctx, tx, s); err != nil {
					return err
				}
			}
			if seqs[i] != 0 {
				continue
			}
			last++
			seqs[i] = last
			if err := insert(ctx, tx, *s, last); err != nil {
				return err
			}
		}
		if last == before {
			return nil
		}
		return mustChange(tx.ExecContext(ctx, upsertLastSeq, int64(last)))
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

// prepare makes the id and checks that wire can carry the scan, alone in a
// batch: finding later that no gateway accepts a row would be too late.
func prepare(s *Scan) error {
	if s.ScanID == "" {
		id, err := uuid.NewV7()
		if err != nil {
			return fmt.Errorf("make scan id: %w", err)
		}
		s.ScanID = id.String()
	}
	s.ScannedAt = wire.TruncateMillis(s.ScannedAt)
	if !s.StatusAsOf.IsZero() {
		s.StatusAsOf = wire.TruncateMillis(s.StatusAsOf)
	}
	it := s.item()
	it.Seq = wire.MaxInteger // the longest number
	probe := wire.Batch{ID: "probe", ScannerID: "probe", SentAt: s.ScannedAt, Items: []wire.Item{it}}
	if _, err := probe.Encode(); err != nil {
		return fmt.Errorf("%w: %w", ErrScan, err)
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

// existing returns the number of s if it is already stored, 0 if its id is
// free, and [ErrConflict] if another scan has its id.
func existing(ctx context.Context, tx *sql.Tx, s *Scan) (uint64, error) {
	var seq int64
	var digest []byte
	err := tx.QueryRowContext(ctx, `SELECT seq, digest FROM scans WHERE scan_id = $1`, s.ScanID).Scan(&seq, &digest)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	it := s.item()
	it.Seq = uint64(seq)
	if want := it.Digest(); !bytes.Equal(digest, want[:]) {
		return 0, fmt.Errorf("%w: %s", ErrConflict, s.ScanID)
	}
	return uint64(seq), nil
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
