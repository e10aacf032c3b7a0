//go:build !js

package outbox

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"tcode/offline/host/journal"
	"tcode/offline/host/litedb"
)

// IsFull reports whether err means that the disk is full, so that the caller
// must refuse new scans.
func IsFull(err error) bool { return litedb.IsFull(err) || errors.Is(err, journal.ErrFull) }

// IsDamaged reports whether err means that the outbox is damaged. Closing and
// opening it again repairs it.
func IsDamaged(err error) bool { return litedb.IsDamaged(err) || errors.Is(err, errRow) }

type rowQuerier interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// sqlRows is rows in SQLite.
type sqlRows struct {
	ctx context.Context // sqlRows lives for one transaction
	tx  *sql.Tx         // nil: only pause is called
	q   rowQuerier
}

// write runs fn in one transaction.
func (o *Outbox) write(ctx context.Context, fn func(rows) error) error {
	return o.db.Write(ctx, func(tx *sql.Tx) error { return fn(sqlRows{ctx, tx, tx}) })
}

// sqlReader returns rows for the rules that read single facts.
func sqlReader(ctx context.Context, db *litedb.DB) sqlRows { return sqlRows{ctx, nil, db.Reader()} }

func (r sqlRows) get(scanID string) (Entry, bool, error) {
	all, err := query(r.ctx, r.tx, `WHERE scan_id = $1`, scanID)
	if err != nil || len(all) == 0 {
		return Entry{}, false, err
	}
	return all[0], true, nil
}

func (r sqlRows) due(now time.Time, limit int) ([]Entry, error) {
	return query(r.ctx, r.tx, `
		WHERE state = 'queued' AND (next_at <= $1 OR next_at > $2)
		ORDER BY seq LIMIT $3`, millis(now), millis(now.Add(maxPause)), limit)
}

func (r sqlRows) inflight() ([]Entry, error) { return query(r.ctx, r.tx, `WHERE state = 'inflight'`) }

func (r sqlRows) delayed() ([]Entry, error) {
	return query(r.ctx, r.tx, `WHERE state = 'queued' AND next_at <> 0`)
}

func (r sqlRows) add(s Scan) error { return insert(r.ctx, r.tx, s, s.Seq) }

const saveScan = `
	UPDATE scans SET state = $1, attempts = $2, next_at = $3, lease_until = $4, batch_id = $5, code = $6, message = $7,
		result = $8, conflict = $9, gw_verdict = $10, gw_at_scan = $11, gw_changed = $12, gw_reference = $13, gw_status = $14,
		gw_received_at = $15, receipt = $16
	WHERE scan_id = $17`

func (r sqlRows) save(e Entry) error {
	g := e.Result
	receipt := sql.NullInt64{Int64: e.ReceiptID, Valid: e.ReceiptID != 0}
	return mustChange(r.tx.ExecContext(r.ctx, saveScan,
		string(e.State), e.Attempts, millis(e.NextAt), millis(e.LeaseUntil), e.BatchID, e.Code, e.Message,
		string(g.Result), e.Conflict, g.Verdict, g.VerdictAtScan, g.Changed, g.Reference, g.Status,
		millis(e.ReceivedAt), receipt, e.Scan.ScanID))
}

func (r sqlRows) lastSeq() (uint64, error) { return lastSeq(r.ctx, r.tx) }

func (r sqlRows) setLastSeq(seq uint64) error {
	return mustChange(r.tx.ExecContext(r.ctx, upsertLastSeq, int64(seq)))
}

func (r sqlRows) scannerID() (id string, err error) {
	err = r.tx.QueryRowContext(r.ctx, `SELECT value FROM facts WHERE name = 'scanner_id'`).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	return id, err
}

func (r sqlRows) setScannerID(id string) error {
	_, err := r.tx.ExecContext(r.ctx, `INSERT INTO facts (name, value) VALUES ('scanner_id', $1)`, id)
	return err
}

func (r sqlRows) pause() (time.Time, error) {
	var ms int64
	err := r.q.QueryRowContext(r.ctx, `SELECT value FROM facts WHERE name = 'pause_until'`).Scan(&ms)
	if errors.Is(err, sql.ErrNoRows) {
		return time.Time{}, nil
	}
	return moment(ms), err
}

func (r sqlRows) setPause(until time.Time) error {
	_, err := r.tx.ExecContext(r.ctx, `
		INSERT INTO facts (name, value) VALUES ('pause_until', $1)
		ON CONFLICT (name) DO UPDATE SET value = excluded.value`, millis(until))
	return err
}

func (r sqlRows) keepReceipt(s *Settlement) (id int64, err error) {
	p := s.Receipt
	err = r.tx.QueryRowContext(r.ctx, `
		INSERT INTO receipts (batch_id, scanner_id, batch_digest, items, last_seq, issued_at, stored_at, note, answers)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
		ON CONFLICT (batch_id) DO UPDATE SET stored_at = receipts.stored_at WHERE note = excluded.note
		RETURNING id`,
		s.BatchID, p.ScannerID, p.BatchDigest[:], p.Count, int64(p.LastSeq), millis(p.Time), millis(s.At), p.Note, p.Answers).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		// A scan that relies on the first of the two would be done without a proof.
		return 0, fmt.Errorf("%w: another receipt has its batch id", ErrReceipt)
	}
	return id, err
}

func (r sqlRows) tell(id, note string) error {
	_, err := r.tx.ExecContext(r.ctx, `UPDATE clock_events SET told = 1, receipt = $1 WHERE event_id = $2 AND told = 0`, note, id)
	return err
}

func (r sqlRows) datedAfter(at time.Time) (n int, newest time.Time, err error) {
	var ms sql.NullInt64
	err = r.tx.QueryRowContext(r.ctx, `
		SELECT count(*), max(scanned_at) FROM scans WHERE ahead IS NULL AND scanned_at > $1`, millis(at)).Scan(&n, &ms)
	return n, moment(ms.Int64), err
}

func (r sqlRows) addEvent(e ClockEvent) error {
	_, err := e.insert(r.ctx, r.tx)
	return err
}
