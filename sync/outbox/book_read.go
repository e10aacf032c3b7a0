package outbox

import (
	"context"
	"fmt"
	"time"
)

// Counts is [Outbox.Counts].
func (b *Book) Counts(ctx context.Context) (c Counts, err error) {
	err = b.read(ctx, func(*bookRows) error {
		for i := range b.rows {
			s := &b.rows[i]
			switch s.state {
			case Queued:
				c.Queued++
			case Inflight:
				c.Inflight++
			case Done:
				c.Done++
			case Dead:
				c.Dead++
			}
			if s.conflict {
				c.Conflicts++
			}
			if s.changed {
				c.Changed++
			}
			if waits := s.state == Queued || s.state == Inflight; waits && (c.Oldest.IsZero() || s.scanned.Before(c.Oldest)) {
				c.Oldest = s.scanned
			}
		}
		return nil
	})
	return c, err
}

// Verdicts returns the number of scans by their verdict: the worse one of device and gateway (wire.Worse).
func (b *Book) Verdicts(ctx context.Context) (n map[string]int, err error) {
	n = map[string]int{}
	err = b.read(ctx, func(*bookRows) error {
		for i := range b.rows {
			n[b.rows[i].verdict]++
		}
		return nil
	})
	return n, err
}

// History is [Outbox.History].
func (b *Book) History(ctx context.Context, f Filter) (all []Entry, err error) {
	if f.Limit <= 0 {
		f.Limit = 100
	}
	err = b.read(ctx, func(*bookRows) error {
		for i := len(b.rows) - 1; i >= 0 && len(all) < f.Limit; i-- {
			s := &b.rows[i]
			if f.Before != 0 && s.seq >= f.Before || f.State != "" && s.state != f.State {
				continue
			}
			e, err := b.entry(i)
			if err != nil {
				return err
			}
			all = append(all, e)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("history: %w", err)
	}
	return all, nil
}

// Get is [Outbox.Get].
func (b *Book) Get(ctx context.Context, scanID string) (e Entry, err error) {
	err = b.read(ctx, func(r *bookRows) error {
		var ok bool
		if e, ok, err = r.get(scanID); err == nil && !ok {
			err = ErrNoScan
		}
		return err
	})
	if err != nil {
		return Entry{}, fmt.Errorf("scan %s: %w", scanID, err)
	}
	return e, nil
}

// Receipts is [Outbox.Receipts].
func (b *Book) Receipts(ctx context.Context, after int64, limit int) (all []ReceiptRow, err error) {
	err = b.read(ctx, func(*bookRows) error {
		from, held := b.proofAt(after)
		if held {
			from++
		}
		for _, p := range b.proofs[from:] {
			if len(all) >= limit {
				break
			}
			r, err := decodeReceipt(receiptKey(p.id), p.record)
			if err != nil {
				return fmt.Errorf("receipts: %w", err)
			}
			r.ID = p.id
			all = append(all, r)
		}
		return nil
	})
	return all, err
}

// LastReceipt returns the time, by the device's clock, at which the newest receipt was stored; zero: there is none.
func (b *Book) LastReceipt(ctx context.Context) (at time.Time, err error) {
	err = b.read(ctx, func(*bookRows) error {
		i, _ := b.proofAt(b.nextReceipt())
		if i == 0 {
			return nil
		}
		p := b.proofs[i-1]
		r, err := decodeReceipt(receiptKey(p.id), p.record)
		at = r.StoredAt
		return err
	})
	return at, err
}

// NewestScan is [Outbox.NewestScan].
func (b *Book) NewestScan(ctx context.Context) (newest time.Time, err error) {
	err = b.read(ctx, func(*bookRows) error {
		for i := range b.rows {
			if s := &b.rows[i]; !s.ahead && s.scanned.After(newest) {
				newest = s.scanned
			}
		}
		return nil
	})
	return newest, err
}

// BoundTo is [Outbox.BoundTo].
func (b *Book) BoundTo(ctx context.Context) (scannerID string, err error) {
	err = b.read(ctx, func(r *bookRows) error {
		scannerID = r.facts.scanner
		return nil
	})
	return scannerID, err
}

// Repairs is [Outbox.Repairs]. Aside is empty: damaged records lie in the journal, under their keys after an x.
func (b *Book) Repairs(ctx context.Context) (all []Repair, err error) {
	err = b.read(ctx, func(*bookRows) error {
		for i := len(b.fixed) - 1; i >= 0; i-- {
			all = append(all, b.fixed[i].Repair)
		}
		return nil
	})
	return all, err
}

// Losses is [Outbox.Losses].
func (b *Book) Losses(ctx context.Context, limit int) (all []Loss, err error) {
	err = b.read(ctx, func(*bookRows) error {
		for _, p := range b.fixed {
			all = append(all, p.losses...)
		}
		return nil
	})
	return all[:min(len(all), limit)], err
}

// MarkSeen is [Outbox.MarkSeen].
func (b *Book) MarkSeen(ctx context.Context) error {
	err := b.write(ctx, func(r rows) error {
		tx := r.(*bookRows)
		for i := range b.fixed {
			if !b.fixed[i].Seen {
				tx.seen = append(tx.seen, i)
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("mark repairs as seen: %w", err)
	}
	return nil
}
