package outbox

import (
	"context"
	"fmt"
	"strings"
	"time"

	"tcode/offline/digest"
	"tcode/sync/wire"
)

// An Entry is one row of the outbox: the scan and the gateway's answer.
type Entry struct {
	Scan       Scan
	Digest     digest.SHA256 // as stored
	State      State
	Attempts   int
	NextAt     time.Time // not sent before
	LeaseUntil time.Time // if Inflight: the sender counts as dead after this
	BatchID    string    // of the last batch that contained it
	Code       string    // why it is dead or in the queue again
	Message    string

	Result     wire.ItemResult // of the gateway, if Done
	Conflict   bool            // the gateway holds another scan under this id
	ReceivedAt time.Time       // gateway clock
	ReceiptID  int64           // of [ReceiptRow]; 0: none

	// Ahead reports that a proof of time, or an operator, has shown that a
	// clock that ran ahead dated the scan.
	Ahead bool
	// Damaged reports that the row does not match its checksum: do not trust
	// its contents.
	Damaged bool
}

// Counts holds the number of scans in each state.
type Counts struct {
	Queued, Inflight, Done, Dead int
	Conflicts                    int       // of Done
	Changed                      int       // of Done: the gateway's verdicts at the scan and now differ
	Damaged                      int       // in no state: a journal's rows that are not readable, listed and never sent
	Oldest                       time.Time // scan time of the oldest that is not Done or Dead; zero: none
}

// Counts reads the numbers.
func (q *Queue) Counts(ctx context.Context) (c Counts, err error) {
	err = q.store.View(ctx, func(v View) error {
		c, err = v.Counts(ctx)
		return err
	})
	if err != nil {
		return c, fmt.Errorf("count scans: %w", err)
	}
	return c, nil
}

// A Filter selects entries of [Queue.History].
type Filter struct {
	State  State  // empty: all
	Before uint64 // only lower numbers, to page on; 0: from the newest
	Limit  int    // 0: 100
}

// History returns entries, newest first.
func (q *Queue) History(ctx context.Context, f Filter) (all []Entry, err error) {
	if f.Limit <= 0 {
		f.Limit = 100
	}
	if f.Before == 0 {
		f.Before = lastNumber
	}
	err = q.store.View(ctx, func(v View) error {
		all, err = v.History(ctx, f)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("history: %w", err)
	}
	return all, nil
}

// Get returns the entry of one scan, or an error that is [ErrNotFound].
func (q *Queue) Get(ctx context.Context, scanID string) (e Entry, err error) {
	err = q.store.View(ctx, func(v View) error {
		var ok bool
		if e, ok, err = v.Entry(ctx, scanID); err == nil && !ok {
			err = ErrNotFound
		}
		return err
	})
	if err != nil {
		return Entry{}, fmt.Errorf("scan %s: %w", scanID, err)
	}
	return e, nil
}

// BoundTo returns the scanner id of the device that the outbox belongs to,
// empty if it belongs to none yet.
func (q *Queue) BoundTo(ctx context.Context) (scannerID string, err error) {
	err = q.store.View(ctx, func(v View) error {
		scannerID, err = v.ScannerID(ctx)
		return err
	})
	if err != nil {
		return "", fmt.Errorf("read scanner id: %w", err)
	}
	return scannerID, nil
}

// Bind ties the outbox to the device whose key has this scanner id. Later calls
// with another id fail with [ErrOtherDevice], because receipts and numbers
// would belong to another device.
func (q *Queue) Bind(ctx context.Context, scannerID string) error {
	return q.store.Update(ctx, func(tx Tx) error {
		have, err := tx.ScannerID(ctx)
		switch {
		case err != nil || have == scannerID:
			return err
		case have == "":
			return tx.SetScannerID(ctx, scannerID)
		}
		return fmt.Errorf("%w: %s, not %s", otherOrDamaged(have, scannerID), have, scannerID)
	})
}

// otherOrDamaged tells another device's id from our id with a damaged byte or
// two: ids are hashes.
func otherOrDamaged(have, ours string) error {
	differ := max(len(have), len(ours)) - min(len(have), len(ours))
	for i := range min(len(have), len(ours)) {
		if have[i] != ours[i] {
			differ++
		}
	}
	if differ <= 2 && wire.Keyed(ours) && len(ours) > 20 {
		return ErrDamaged
	}
	return ErrOtherDevice
}

// A ReceiptRow is one stored receipt.
type ReceiptRow struct {
	ID       int64
	BatchID  string
	StoredAt time.Time // device clock
	Receipt  wire.Receipt
	Note     string // the signed note, which an audit verifies again
	Answers  []byte // the bytes whose digest is in its results line
}

// ReadNote replaces Receipt by the one in the note, if it is readable: only the note is signed.
func (r *ReceiptRow) ReadNote() {
	text, _, _ := strings.Cut(r.Note, "\n\n")
	if signed, err := wire.ParseReceipt([]byte(text + "\n")); err == nil {
		r.Receipt = signed
	}
}

// Receipts returns at most limit receipts in the order in which they were
// stored, after the id after.
func (q *Queue) Receipts(ctx context.Context, after int64, limit int) (all []ReceiptRow, err error) {
	err = q.store.View(ctx, func(v View) error {
		all, err = v.Receipts(ctx, after, limit)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("receipts: %w", err)
	}
	return all, nil
}
