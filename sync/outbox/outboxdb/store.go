package outboxdb

import (
	"context"
	"database/sql"
	"errors"

	"tcode/sync/outbox"
)

// A store is the outbox as its rules see it.
type store struct{ *Outbox }

// View reads without one transaction around several statements: a rule that reads more than once does not depend on it.
func (s store) View(_ context.Context, fn func(outbox.View) error) error {
	return s.suspect(fn(view{s.Outbox, s.db.Reader()}))
}

// Update keeps the last number in its side file too.
func (s store) Update(ctx context.Context, fn func(outbox.Tx) error) error {
	var last uint64
	err := s.suspect(s.db.Write(ctx, func(tx *sql.Tx) error {
		t := &transaction{view: view{s.Outbox, tx}, tx: tx}
		err := fn(t)
		last = t.last
		return err
	}))
	if err == nil {
		s.keepLast(last)
	}
	return err
}

func (s store) Check(ctx context.Context) error { return s.Outbox.check(ctx) }

type querier interface {
	rowsQuerier
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// A transaction makes changes. SQLite has taken the lock for writing.
type transaction struct {
	view
	tx   *sql.Tx
	last uint64 // number that it has assigned
}

const insertScan = `
	INSERT INTO scans (scan_id, seq, payload, reference, scanned_at, verdict, assurance, binding,
		trust_version, trust_issued, flags, location, coordinates, latitude_e6, longitude_e6, note,
		source, page, digest, row_sum, state)
	VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21)`

func (t *transaction) Insert(ctx context.Context, s outbox.Scan) error {
	return insert(ctx, t.tx, s)
}

func insert(ctx context.Context, tx *sql.Tx, s outbox.Scan) error {
	digest := s.Item().Digest()
	sum := s.Sum(digest)
	var payload, reference any // exactly one stays NULL
	if s.Payload != nil {
		payload = s.Payload
	} else {
		reference = s.Reference
	}
	c := s.Context
	_, err := tx.ExecContext(ctx, insertScan,
		s.ScanID, int64(s.Seq), payload, reference, outbox.Millis(s.ScannedAt), s.Verdict, s.Assurance, s.Binding,
		int64(s.TrustVersion), outbox.Millis(s.StatusAsOf), s.Flags(), c.Location, c.Coordinates, c.LatitudeE6, c.LongitudeE6, c.Note,
		s.Source, s.Page, digest[:], sum[:], string(outbox.Queued))
	return err
}

const updateScan = `
	UPDATE scans SET state = $1, attempts = $2, next_at = $3, lease_until = $4, batch_id = $5, code = $6, message = $7, result = $8,
		conflict = $9, gw_verdict = $10, gw_at_scan = $11, gw_changed = $12, gw_reference = $13, gw_status = $14,
		gw_received_at = $15, receipt = $16
	WHERE scan_id = $17`

func (t *transaction) Update(ctx context.Context, e outbox.Entry) error {
	r := e.Result
	return mustChange(t.tx.ExecContext(ctx, updateScan,
		string(e.State), e.Attempts, outbox.Millis(e.NextAt), outbox.Millis(e.LeaseUntil), e.BatchID, e.Code, e.Message, string(r.Result),
		e.Conflict, r.Verdict, r.VerdictAtScan, r.Changed, r.Reference, r.Status,
		outbox.Millis(e.ReceivedAt), sql.NullInt64{Int64: e.ReceiptID, Valid: e.ReceiptID != 0}, e.Scan.ScanID))
}

func (t *transaction) Reset(ctx context.Context, from outbox.State, due outbox.Due, to outbox.State) error {
	_, err := t.tx.ExecContext(ctx, `
		UPDATE scans SET state = $1, lease_until = 0, next_at = 0
		WHERE state = $2 AND (`+timeOf(from)+` <= $3 OR `+timeOf(from)+` > $4) AND ($1 <> $2 OR `+timeOf(from)+` <> 0)`,
		string(to), string(from), due.Now, due.Far)
	return err
}

// timeOf returns the column with the time of the rows in a state.
func timeOf(s outbox.State) string {
	if s == outbox.Inflight {
		return "lease_until"
	}
	return "next_at"
}

// A fact is one row of facts; the number and the pause are integers, the device is text.
const upsertFact = `
	INSERT INTO facts (name, value) VALUES ($1, $2)
	ON CONFLICT (name) DO UPDATE SET value = excluded.value`

func (t *transaction) SetLastSeq(ctx context.Context, seq uint64) error {
	t.last = seq
	return mustChange(t.tx.ExecContext(ctx, upsertFact, "last_seq", int64(seq)))
}

func (t *transaction) SetScannerID(ctx context.Context, id string) error {
	return mustChange(t.tx.ExecContext(ctx, upsertFact, "scanner_id", id))
}

func (t *transaction) SetPauseUntil(ctx context.Context, ms int64) error {
	return mustChange(t.tx.ExecContext(ctx, upsertFact, "pause_until", ms))
}

func (t *transaction) AddReceipt(ctx context.Context, r outbox.ReceiptRow) (id int64, err error) {
	err = t.tx.QueryRowContext(ctx, `
		INSERT INTO receipts (batch_id, scanner_id, batch_digest, items, last_seq, issued_at, stored_at, note, answers)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) RETURNING id`,
		r.BatchID, r.Receipt.ScannerID, r.Receipt.BatchDigest[:], r.Receipt.Count, int64(r.Receipt.LastSeq),
		outbox.Millis(r.Receipt.Time), outbox.Millis(r.StoredAt), r.Note, r.Answers).Scan(&id)
	return id, err
}

func (t *transaction) AddClockEvent(ctx context.Context, e outbox.ClockEvent) error {
	return insertEvent(ctx, t.tx, e)
}

// insertEvent writes the event and marks the earlier scans that are dated after it.
func insertEvent(ctx context.Context, tx *sql.Tx, e outbox.ClockEvent) error {
	var row int64
	err := tx.QueryRowContext(ctx, `
		INSERT INTO clock_events (event_id, kind, at, was, documents, scans, after_seq, sum)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING id`,
		e.ID, e.Kind, outbox.Millis(e.At), outbox.Millis(e.Was), int64(e.Documents), e.Scans, int64(e.AfterSeq), e.Sum()).Scan(&row)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `UPDATE scans SET ahead = $1 WHERE ahead IS NULL AND scanned_at > $2 AND seq <= $3`,
		row, e.After(), int64(e.AfterSeq))
	return err
}

func (t *transaction) Tell(ctx context.Context, eventID, note string) error {
	_, err := t.tx.ExecContext(ctx, `UPDATE clock_events SET told = 1, receipt = $1 WHERE event_id = $2 AND told = 0`, note, eventID)
	return err
}

// none turns the absence of a row into ok = false.
func none(err error) (ok bool, _ error) {
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return err == nil, err
}
