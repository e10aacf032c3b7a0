package outbox

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"tcode/sync/wire"
)

// An Answer is the outcome of one scan of a batch.
type Answer struct {
	ScanID  string
	Event   Event
	NextAt  time.Time       // for Retry: not before this
	Code    string          // why it is dead or in the queue again
	Message string          // the same for people
	Result  wire.ItemResult // the gateway's, for Accepted, Duplicate and Conflict
}

// A Settlement completes a batch.
type Settlement struct {
	BatchID    string
	At         time.Time // device clock
	ReceivedAt time.Time // gateway clock
	Receipt    *Receipt  // verified by the caller; required for any Accepted, Duplicate, Conflict or Rejected
	Answers    []Answer
	Told       []string // ids of the clock events that the receipt covers
}

// A Receipt is a verified receipt with its note.
type Receipt struct {
	wire.Receipt
	Note string
	// Answers is the canonical list whose digest the receipt signs
	// (wire.Batch.AppendResults): with the note it proves the gateway's answer.
	Answers []byte
}

// Settle applies the answers in one transaction, each to a scan that is still
// inflight in this batch; it does not change a scan that another sender has
// leased meanwhile. A scan of the batch without an answer stays leased until
// its lease ends.
func (o *Outbox) Settle(ctx context.Context, s Settlement) error {
	for _, a := range s.Answers {
		if _, err := Inflight.Next(a.Event); err != nil {
			return fmt.Errorf("settle %s: %w", a.ScanID, err)
		}
		if a.Event.needsReceipt() && s.Receipt == nil {
			return fmt.Errorf("settle %s: %w", a.ScanID, ErrReceipt)
		}
	}
	if len(s.Told) > 0 && s.Receipt == nil {
		return fmt.Errorf("settle clock events: %w", ErrReceipt)
	}
	err := o.db.Write(ctx, func(tx *sql.Tx) error {
		var receipt sql.NullInt64
		if err := told(ctx, tx, s.Receipt, s.Told); err != nil {
			return err
		}
		// A receipt for clock events alone is stored with the events: it proves nothing
		// about a scan.
		if s.Receipt != nil && len(s.Answers) > 0 {
			id, err := keepReceipt(ctx, tx, s)
			if err != nil {
				return err
			}
			receipt = sql.NullInt64{Int64: id, Valid: true}
		}
		if len(s.Answers) == 0 {
			return nil
		}
		for _, a := range s.Answers {
			if err := s.apply(ctx, tx, a, receipt); err != nil {
				return err
			}
		}
		return nil
	})
	if err = o.suspect(err); err != nil {
		return fmt.Errorf("settle batch %s: %w", s.BatchID, err)
	}
	return nil
}

func keepReceipt(ctx context.Context, tx *sql.Tx, s Settlement) (id int64, err error) {
	r := s.Receipt
	err = tx.QueryRowContext(ctx, `
		INSERT INTO receipts (batch_id, scanner_id, batch_digest, items, last_seq, issued_at, stored_at, note, answers)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
		ON CONFLICT (batch_id) DO UPDATE SET stored_at = receipts.stored_at WHERE note = excluded.note
		RETURNING id`,
		s.BatchID, r.ScannerID, r.BatchDigest[:], r.Count, int64(r.LastSeq), millis(r.Time), millis(s.At), r.Note, r.Answers).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		// A scan that relies on the first of the two would be done without a proof.
		return 0, fmt.Errorf("%w: another receipt has its batch id", ErrReceipt)
	}
	return id, err
}

const (
	settleHeld = `
		UPDATE scans SET state = $1, next_at = 0, lease_until = 0, code = $2, message = $3, result = $4,
			conflict = $5, gw_verdict = $6, gw_at_scan = $7, gw_changed = $8, gw_reference = $9, gw_status = $10,
			gw_received_at = $11, receipt = $12
		WHERE scan_id = $13 AND batch_id = $14 AND state = 'inflight'`
	settleOther = `
		UPDATE scans SET state = $1, next_at = $2, lease_until = 0, code = $3, message = $4, result = $5
		WHERE scan_id = $6 AND batch_id = $7 AND state = 'inflight'`
)

// apply settles one scan of the batch.
func (s Settlement) apply(ctx context.Context, tx *sql.Tx, a Answer, receipt sql.NullInt64) error {
	to, err := Inflight.Next(a.Event)
	if err != nil {
		return err
	}
	r := a.Result
	var res sql.Result
	if to == Done {
		res, err = tx.ExecContext(ctx, settleHeld,
			string(to), a.Code, a.Message, string(r.Result),
			a.Event == Conflict, r.Verdict, r.VerdictAtScan, r.Changed, r.Reference, r.Status,
			millis(s.ReceivedAt), receipt, a.ScanID, s.BatchID)
	} else {
		res, err = tx.ExecContext(ctx, settleOther, string(to), millis(a.NextAt), a.Code, a.Message, string(r.Result), a.ScanID, s.BatchID)
	}
	if err = mustChange(res, err); !errors.Is(err, errRow) {
		return err
	}
	// If no other sender has leased the scan, the row is damaged.
	var inflight bool
	err = tx.QueryRowContext(ctx, `
		SELECT state = 'inflight' AND batch_id = $2 FROM scans WHERE scan_id = $1`, a.ScanID, s.BatchID).Scan(&inflight)
	if err == nil && !inflight {
		return nil
	}
	return fmt.Errorf("%w: scan %s", errRow, a.ScanID)
}

// Requeue returns dead scans to the queue, all or none, when a person asks for
// it. It refuses a scan that is not dead, or damaged, with [ErrTransition].
func (o *Outbox) Requeue(ctx context.Context, scanIDs ...string) error {
	err := o.db.Write(ctx, func(tx *sql.Tx) error {
		for _, id := range scanIDs {
			rows, err := query(ctx, tx, `WHERE scan_id = $1`, id)
			if err != nil {
				return err
			}
			if len(rows) == 0 {
				return fmt.Errorf("%s: %w", id, sql.ErrNoRows)
			}
			to, err := rows[0].State.Next(Requeue)
			if err != nil {
				return fmt.Errorf("%s: %w", id, err)
			}
			if rows[0].Damaged {
				return fmt.Errorf("%s: %w: wrong checksum", id, ErrTransition)
			}
			if err := mustChange(tx.ExecContext(ctx, `
				UPDATE scans SET state = $1, next_at = 0, attempts = 0, code = '', message = '', result = ''
				WHERE scan_id = $2`, string(to), id)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("requeue: %w", err)
	}
	return nil
}
