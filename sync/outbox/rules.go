package outbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"tcode/offline/trust"
	"tcode/sync/wire"
)

// rows is a store within one transaction. All changes of scans are made by the functions of this file, over rows, so the
// stores have the same rules: [Outbox] keeps its rows in SQLite, [Book] in a journal.
type rows interface {
	// get returns the row of a scan; ok is false if there is none.
	get(scanID string) (e Entry, ok bool, err error)
	// due returns the queued rows with the lowest numbers that are due at now, at most limit.
	due(now time.Time, limit int) ([]Entry, error)
	// inflight returns all inflight rows.
	inflight() ([]Entry, error)
	// delayed returns all queued rows that are not due before some time.
	delayed() ([]Entry, error)
	// add adds a queued row for s, whose number is set and new.
	add(s Scan) error
	// save stores the members of a row behind its scan and its digest, without Ahead.
	save(e Entry) error

	// lastSeq returns the highest assigned number.
	lastSeq() (uint64, error)
	setLastSeq(seq uint64) error
	// scannerID returns the device that the store belongs to, empty if it belongs to none yet.
	scannerID() (string, error)
	setScannerID(id string) error
	pause() (time.Time, error)
	setPause(until time.Time) error

	// keepReceipt stores the receipt of s once and returns its id. The error is [ErrReceipt] if another has its batch id.
	keepReceipt(s *Settlement) (id int64, err error)
	// tell marks the event with this id, if no receipt covers it yet, as covered by the receipt with this note.
	tell(id, note string) error
	// datedAfter returns the number of scans, of those that no event marks, that are dated after a time, and the latest date.
	datedAfter(at time.Time) (n int, newest time.Time, err error)
	// addEvent adds e and marks the scans, of those that no event marks, up to its number that are dated after e.after.
	addEvent(e ClockEvent) error
}

// record adds the scans that are not stored yet, and returns the numbers of all. fresh says which ids are new.
func record(r rows, scans []*Scan, fresh []bool) (seqs []uint64, err error) {
	last, err := r.lastSeq()
	if err != nil {
		return nil, err
	}
	before := last
	seqs = make([]uint64, len(scans))
	for i, s := range scans {
		if !fresh[i] {
			if seqs[i], err = existing(r, s); err != nil {
				return nil, err
			}
		}
		if seqs[i] != 0 {
			continue
		}
		last++
		seqs[i] = last
		row := *s
		row.Seq = last
		if err := r.add(row); err != nil {
			return nil, err
		}
	}
	if last == before {
		return seqs, nil
	}
	return seqs, r.setLastSeq(last)
}

// existing returns the number of s if it is already stored, 0 if its id is
// free, and [ErrConflict] if another scan has its id.
func existing(r rows, s *Scan) (uint64, error) {
	e, ok, err := r.get(s.ScanID)
	if err != nil || !ok {
		return 0, err
	}
	it := s.item()
	it.Seq = e.Scan.Seq
	if it.Digest() != e.Digest {
		return 0, fmt.Errorf("%w: %s", ErrConflict, s.ScanID)
	}
	return e.Scan.Seq, nil
}

// lease is the rule of [Outbox.Lease]. Scans whose sender died go back to the queue first.
func lease(r rows, batchID string, now time.Time, l Limits) (Leased, error) {
	l = l.withDefaults()
	b := Leased{Batch: wire.Batch{ID: batchID}, Attempts: map[string]int{}}
	if err := putBack(r, func(e *Entry) bool { return over(e.LeaseUntil, now) }); err != nil {
		return b, err
	}
	paused, err := pausedUntil(r, now)
	if err != nil || paused.After(now) {
		return b, err
	}
	due, err := r.due(now, l.Items)
	if err != nil {
		return b, err
	}
	size := envelope
	for i := range due {
		e := &due[i]
		if e.Damaged {
			return b, fmt.Errorf("%w: scan %d", errRow, e.Scan.Seq)
		}
		it := e.Scan.item()
		raw, err := json.Marshal(it)
		if err != nil {
			return b, err
		}
		if size += len(raw) + 1; size > l.Bytes && len(b.Batch.Items) > 0 {
			return b, nil
		}
		if e.State, err = e.State.Next(Lease); err != nil {
			return b, err
		}
		e.BatchID, e.LeaseUntil, e.NextAt = batchID, now.Add(l.Lease), time.Time{}
		e.Attempts++
		if err := r.save(*e); err != nil {
			return b, err
		}
		b.Batch.Items, b.Encoded, b.Digests = append(b.Batch.Items, it), append(b.Encoded, raw), append(b.Digests, e.Digest)
		b.Attempts[it.ScanID] = e.Attempts
	}
	return b, nil
}

// putBack returns the inflight scans that dead selects to the queue.
func putBack(r rows, dead func(*Entry) bool) error {
	all, err := r.inflight()
	if err != nil {
		return err
	}
	for i := range all {
		e := &all[i]
		if !dead(e) {
			continue
		}
		if e.State, err = e.State.Next(Expired); err != nil {
			return err
		}
		e.LeaseUntil = time.Time{}
		if err := r.save(*e); err != nil {
			return err
		}
	}
	return nil
}

// over reports whether a time that was set as at most maxPause ahead is over. One that ends later was set under another
// clock, and is over too.
func over(at, now time.Time) bool { return !at.After(now) || at.After(now.Add(maxPause)) }

// pausedUntil returns the end of the gateway's pause, zero if there is none.
func pausedUntil(r rows, now time.Time) (time.Time, error) {
	until, err := r.pause()
	if err != nil || until.After(now.Add(maxPause)) {
		return time.Time{}, err
	}
	return until, nil
}

// dueAt returns when a scan that is due at the time at is sent, not before now and the end of a pause.
func dueAt(at, now, paused time.Time) time.Time {
	if at.After(now.Add(maxPause)) { // written under another clock: due
		at = now
	}
	for _, t := range []time.Time{now, paused} {
		if t.After(at) {
			at = t
		}
	}
	return at
}

// retryNow is the rule of [Outbox.RetryNow].
func retryNow(r rows) error {
	all, err := r.delayed()
	if err != nil {
		return err
	}
	for _, e := range all {
		e.NextAt = time.Time{}
		if err := r.save(e); err != nil {
			return err
		}
	}
	return nil
}

// check returns an error if an answer is not allowed for a scan in transit, or needs a receipt that s lacks.
func (s *Settlement) check() error {
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
	return nil
}

// settle is the rule of [Outbox.Settle], after check.
func settle(r rows, s *Settlement) error {
	for _, id := range s.Told {
		if err := r.tell(id, s.Receipt.Note); err != nil {
			return err
		}
	}
	var receipt int64
	// A receipt for clock events alone is stored with the events: it proves nothing
	// about a scan.
	if s.Receipt != nil && len(s.Answers) > 0 {
		id, err := r.keepReceipt(s)
		if err != nil {
			return err
		}
		receipt = id
	}
	for _, a := range s.Answers {
		e, ok, err := r.get(a.ScanID)
		if err != nil {
			return err
		}
		if !ok { // it was leased: the row or its index is damaged
			return fmt.Errorf("%w: scan %s", errRow, a.ScanID)
		}
		if e.State != Inflight || e.BatchID != s.BatchID {
			continue // another sender has leased it meanwhile
		}
		if err := e.settle(a, s.ReceivedAt, receipt); err != nil {
			return err
		}
		if err := r.save(e); err != nil {
			return err
		}
	}
	return nil
}

// settle applies a to an inflight row.
func (e *Entry) settle(a Answer, receivedAt time.Time, receipt int64) (err error) {
	if e.State, err = e.State.Next(a.Event); err != nil {
		return err
	}
	e.LeaseUntil, e.NextAt, e.Code, e.Message = time.Time{}, a.NextAt, a.Code, a.Message
	if e.State != Done {
		e.Result.Result = a.Result.Result
		return nil
	}
	e.NextAt, e.Result, e.Result.ScanID = time.Time{}, a.Result, e.Scan.ScanID
	e.Conflict, e.ReceivedAt, e.ReceiptID = a.Event == Conflict, receivedAt, receipt
	return nil
}

// requeue is the rule of [Outbox.Requeue].
func requeue(r rows, scanIDs []string) error {
	for _, id := range scanIDs {
		e, ok, err := r.get(id)
		if err != nil {
			return err
		}
		if !ok {
			return fmt.Errorf("%s: %w", id, ErrNoScan)
		}
		if e.State, err = e.State.Next(Requeue); err != nil {
			return fmt.Errorf("%s: %w", id, err)
		}
		if e.Damaged {
			return fmt.Errorf("%s: %w: wrong checksum", id, ErrTransition)
		}
		e.NextAt, e.Attempts, e.Code, e.Message, e.Result.Result = time.Time{}, 0, "", "", ""
		if err := r.save(e); err != nil {
			return err
		}
	}
	return nil
}

// bind is the rule of [Outbox.Bind].
func bind(r rows, scannerID string) error {
	have, err := r.scannerID()
	switch {
	case err != nil:
		return err
	case have == "":
		return r.setScannerID(scannerID)
	case have != scannerID:
		return fmt.Errorf("%w: %s, not %s", otherOrDamaged(have, scannerID), have, scannerID)
	}
	return nil
}

// CodeKeyLost is the code of a dead scan that a lost device key may have sent already.
const CodeKeyLost = "key_lost"

// rebind is the rule of [Book.Rebind].
func rebind(r *bookRows, scannerID string) error {
	if err := r.setScannerID(scannerID); err != nil {
		return err
	}
	tried, err := r.inflight()
	if err != nil {
		return err
	}
	waiting, err := r.waiting()
	if err != nil {
		return err
	}
	for _, e := range waiting {
		if e.Attempts > 0 {
			tried = append(tried, e)
		}
	}
	for _, e := range tried {
		if e.State, err = e.State.Next(Orphaned); err != nil {
			return err
		}
		e.NextAt, e.LeaseUntil, e.Code = time.Time{}, time.Time{}, CodeKeyLost
		e.Message = "the device key was lost after a try to send this scan: the gateway may have it from the device before"
		if err := r.save(e); err != nil {
			return err
		}
	}
	return nil
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
		return errRow
	}
	return ErrOtherDevice
}

// correct is the rule of [Outbox.Correct]; prepareEvent comes first.
func correct(r rows, e *ClockEvent) (ok bool, err error) {
	n, newest, err := r.datedAfter(e.after())
	if err != nil {
		return false, err
	}
	if e.Scans = n; n > 0 && newest.After(e.Was) {
		e.Was = newest
	}
	if e.Kind != ClockConfirmed && e.Scans == 0 && e.Was.IsZero() && e.Documents == 0 {
		return false, nil
	}
	if e.AfterSeq, err = r.lastSeq(); err != nil {
		return false, err
	}
	return true, r.addEvent(*e)
}

// prepareEvent makes the id of e and truncates its time.
func prepareEvent(e *ClockEvent) error {
	id, err := uuid.NewV7()
	if err != nil {
		return err
	}
	e.ID, e.At = id.String(), e.At.UTC().Truncate(time.Millisecond)
	return nil
}

// after returns the latest date that the event does not contradict.
func (e *ClockEvent) after() time.Time { return moment(millis(e.At.Add(trust.ClockTolerance))) }

func (l Limits) withDefaults() Limits {
	if l.Items <= 0 || l.Items > wire.MaxItems {
		l.Items = wire.MaxItems
	}
	if l.Bytes <= 0 || l.Bytes > wire.MaxBodyBytes {
		l.Bytes = wire.MaxBodyBytes
	}
	if l.Lease <= 0 {
		l.Lease = DefaultLease
	}
	return l
}

// errRow means that a row or an index contradicts the data written earlier.
var errRow = errors.New("a stored scan does not match its checksum or its index")
