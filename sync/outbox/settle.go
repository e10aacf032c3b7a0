package outbox

import (
	"context"
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
func (q *Queue) Settle(ctx context.Context, s Settlement) error {
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
	err := q.store.Update(ctx, func(tx Tx) error {
		for _, id := range s.Told {
			if err := tx.Tell(ctx, id, s.Receipt.Note); err != nil {
				return err
			}
		}
		// A receipt for clock events alone is stored with the events: it proves nothing
		// about a scan.
		var receipt int64
		if s.Receipt != nil && len(s.Answers) > 0 {
			id, err := s.keepReceipt(ctx, tx)
			if err != nil {
				return err
			}
			receipt = id
		}
		for _, a := range s.Answers {
			if err := s.apply(ctx, tx, a, receipt); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("settle batch %s: %w", s.BatchID, err)
	}
	return nil
}

// keepReceipt returns the number of the stored receipt.
func (s Settlement) keepReceipt(ctx context.Context, tx Tx) (int64, error) {
	id, note, ok, err := tx.Receipt(ctx, s.BatchID)
	switch {
	case err != nil:
		return 0, err
	case ok && note != s.Receipt.Note:
		// A scan that relies on the first of the two would be done without a proof.
		return 0, fmt.Errorf("%w: another receipt has its batch id", ErrReceipt)
	case ok:
		return id, nil
	}
	return tx.AddReceipt(ctx, ReceiptRow{
		BatchID: s.BatchID, StoredAt: s.At, Receipt: s.Receipt.Receipt, Note: s.Receipt.Note, Answers: s.Receipt.Answers,
	})
}

// apply settles one scan of the batch.
func (s Settlement) apply(ctx context.Context, tx Tx, a Answer, receipt int64) error {
	e, ok, err := tx.Entry(ctx, a.ScanID)
	switch {
	case err != nil:
		return err
	case !ok:
		return fmt.Errorf("%w: scan %s", ErrDamaged, a.ScanID)
	case e.State != Inflight || e.BatchID != s.BatchID:
		return nil // another sender has leased it meanwhile
	}
	if e.State, err = e.State.Next(a.Event); err != nil {
		return err
	}
	e.LeaseUntil, e.NextAt, e.Code, e.Message = time.Time{}, a.NextAt, a.Code, a.Message
	if e.State == Done {
		e.NextAt, e.Result, e.Conflict, e.ReceivedAt, e.ReceiptID = time.Time{}, a.Result, a.Event == Conflict, s.ReceivedAt, receipt
	} else {
		e.Result.Result = a.Result.Result
	}
	return tx.Update(ctx, e)
}

// Requeue returns dead scans to the queue, all or none, when a person asks for
// it. It refuses a scan that is not dead, or damaged, with [ErrTransition].
func (q *Queue) Requeue(ctx context.Context, scanIDs ...string) error {
	err := q.store.Update(ctx, func(tx Tx) error {
		for _, id := range scanIDs {
			if err := requeue(ctx, tx, id); err != nil {
				return fmt.Errorf("%s: %w", id, err)
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("requeue: %w", err)
	}
	return nil
}

func requeue(ctx context.Context, tx Tx, id string) error {
	e, ok, err := tx.Entry(ctx, id)
	switch {
	case err != nil:
		return err
	case !ok:
		return ErrNotFound
	case e.Damaged:
		return fmt.Errorf("%w: wrong checksum", ErrTransition)
	}
	if e.State, err = e.State.Next(Requeue); err != nil {
		return err
	}
	e.NextAt, e.Attempts, e.Code, e.Message, e.Result.Result = time.Time{}, 0, "", "", ""
	return tx.Update(ctx, e)
}
