package outbox

import (
	"context"
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
// another scan has a scan id, and the store's error of a full disk. On an error
// Record stores none of the scans, unless the commit's outcome is unknown.
func (q *Queue) Record(ctx context.Context, scans ...*Scan) error {
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
	err := q.store.Update(ctx, func(tx Tx) error {
		last, err := tx.LastSeq(ctx)
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
			numbered := *s
			numbered.Seq = last
			if err := tx.Insert(ctx, numbered); err != nil {
				return err
			}
		}
		if last == before {
			return nil
		}
		return tx.SetLastSeq(ctx, last)
	})
	if err != nil {
		return fmt.Errorf("record: %w", err)
	}
	for i, s := range scans {
		s.Seq = seqs[i]
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
	it := s.Item()
	it.Seq = lastNumber // the longest number
	probe := wire.Batch{ID: "probe", ScannerID: "probe", SentAt: s.ScannedAt, Items: []wire.Item{it}}
	if _, err := probe.Encode(); err != nil {
		return fmt.Errorf("%w: %w", ErrScan, err)
	}
	return nil
}

// existing returns the number of s if it is already stored, 0 if its id is
// free, and [ErrConflict] if another scan has its id.
func existing(ctx context.Context, v View, s *Scan) (uint64, error) {
	e, ok, err := v.Entry(ctx, s.ScanID)
	if err != nil || !ok {
		return 0, err
	}
	it := s.Item()
	it.Seq = e.Scan.Seq
	if e.Digest != it.Digest() {
		return 0, fmt.Errorf("%w: %s", ErrConflict, s.ScanID)
	}
	return e.Scan.Seq, nil
}

// NewestScan returns the latest recorded ScannedAt, without scans that are
// known to be dated ahead ([Queue.Correct]); it is zero if there is none. A
// clock far below it has been set back.
func (q *Queue) NewestScan(ctx context.Context) (at time.Time, err error) {
	err = q.store.View(ctx, func(v View) error {
		ms, err := v.NewestScan(ctx)
		at = Moment(ms)
		return err
	})
	if err != nil {
		return time.Time{}, fmt.Errorf("newest scan: %w", err)
	}
	return at, nil
}
