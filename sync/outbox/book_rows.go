package outbox

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"tcode/sync/wire"
)

// Keys of the records of a book: a letter, and for most a number of 16 hexadecimal digits.
const (
	keyFacts   = "f"
	keyScan    = "s"
	keyReceipt = "r"
	keyEvent   = "e"
	keyRepair  = "p"
	keyAside   = "x" // a damaged record, as it was, under its key
)

func scanKey(seq uint64) string              { return numberKey(keyScan, seq) }
func receiptKey(id int64) string             { return numberKey(keyReceipt, uint64(id)) }
func eventKey(n int) string                  { return numberKey(keyEvent, uint64(n)) }
func repairKey(id int64) string              { return numberKey(keyRepair, uint64(id)) }
func numberKey(kind string, n uint64) string { return kind + fmt.Sprintf("%016x", n) }

// numberOf returns the number in a key of kind; ok is false if it is no such key.
func numberOf(kind, key string) (n uint64, ok bool) {
	if len(key) != len(kind)+16 || key[:len(kind)] != kind {
		return 0, false
	}
	n, err := strconv.ParseUint(key[len(kind):], 16, 53)
	return n, err == nil && n > 0 && numberKey(kind, n) == key
}

// bookRows is rows over a Book within one change: the book, and the changes that are not committed yet.
type bookRows struct {
	book    *Book
	facts   facts
	changed map[int]Entry // by slot
	added   []Entry       // by number
	proofs  []proof
	events  []ClockEvent // nil: as in the book
	seen    []int        // repairs that an operator has seen now, by index
}

func (r *bookRows) get(scanID string) (Entry, bool, error) {
	for _, e := range r.added {
		if e.Scan.ScanID == scanID {
			return e, true, nil
		}
	}
	i, ok := r.book.byID[scanID]
	if !ok {
		return Entry{}, false, nil
	}
	e, err := r.at(i)
	return e, err == nil, err
}

// at returns the row in slot i.
func (r *bookRows) at(i int) (Entry, error) {
	if e, ok := r.changed[i]; ok {
		return e, nil
	}
	return r.book.entry(i)
}

// find returns the rows that want selects by their slot, at most limit; 0: all.
func (r *bookRows) find(limit int, want func(*slot) bool) (all []Entry, err error) {
	for i := range r.book.rows {
		s := r.book.rows[i]
		if e, ok := r.changed[i]; ok {
			s.state, s.next, s.lease = e.State, e.NextAt, e.LeaseUntil
		}
		if !want(&s) {
			continue
		}
		e, err := r.at(i)
		if err != nil {
			return nil, err
		}
		if all = append(all, e); len(all) == limit {
			break
		}
	}
	return all, nil
}

func (r *bookRows) due(now time.Time, limit int) ([]Entry, error) {
	return r.find(limit, func(s *slot) bool { return s.state == Queued && over(s.next, now) })
}

func (r *bookRows) inflight() ([]Entry, error) {
	return r.find(0, func(s *slot) bool { return s.state == Inflight })
}

func (r *bookRows) delayed() ([]Entry, error) {
	return r.find(0, func(s *slot) bool { return s.state == Queued && !s.next.IsZero() })
}

// waiting returns all queued rows.
func (r *bookRows) waiting() ([]Entry, error) {
	return r.find(0, func(s *slot) bool { return s.state == Queued })
}

func (r *bookRows) add(s Scan) error {
	r.added = append(r.added, Entry{Scan: s, Digest: s.item().Digest(), State: Queued})
	return nil
}

func (r *bookRows) save(e Entry) error {
	i, ok := r.book.byID[e.Scan.ScanID]
	if !ok {
		return errRow
	}
	// As a column of whole milliseconds has them.
	e.NextAt, e.LeaseUntil, e.ReceivedAt = moment(millis(e.NextAt)), moment(millis(e.LeaseUntil)), moment(millis(e.ReceivedAt))
	r.changed[i] = e
	return nil
}

func (r *bookRows) lastSeq() (uint64, error)       { return r.facts.last, nil }
func (r *bookRows) setLastSeq(seq uint64) error    { r.facts.last = seq; return nil }
func (r *bookRows) scannerID() (string, error)     { return r.facts.scanner, nil }
func (r *bookRows) setScannerID(id string) error   { r.facts.scanner = id; return nil }
func (r *bookRows) pause() (time.Time, error)      { return r.facts.pause, nil }
func (r *bookRows) setPause(until time.Time) error { r.facts.pause = moment(millis(until)); return nil }

func (r *bookRows) keepReceipt(s *Settlement) (id int64, err error) {
	if id, ok := r.book.byName[s.BatchID]; ok {
		if i, _ := r.book.proofAt(id); r.book.proofs[i].note != s.Receipt.Note {
			// A scan that relies on the first of the two would be done without a proof.
			return 0, fmt.Errorf("%w: another receipt has its batch id", ErrReceipt)
		}
		return id, nil
	}
	id = r.book.nextReceipt() + int64(len(r.proofs))
	row := ReceiptRow{ID: id, BatchID: s.BatchID, StoredAt: s.At, Receipt: s.Receipt.Receipt, Note: s.Receipt.Note, Answers: s.Receipt.Answers}
	r.proofs = append(r.proofs, proof{id, encodeReceipt(receiptKey(id), &row), s.BatchID, row.Note})
	return id, nil
}

// change returns the events for a change.
func (r *bookRows) change() []ClockEvent {
	if r.events == nil {
		r.events = slices.Clone(r.book.events)
	}
	return r.events
}

func (r *bookRows) tell(id, note string) error {
	for i, e := range r.change() {
		if e.ID == id && !e.Told {
			r.events[i].Told, r.events[i].Receipt = true, note
		}
	}
	return nil
}

func (r *bookRows) datedAfter(at time.Time) (n int, newest time.Time, err error) {
	for i := range r.book.rows {
		if s := &r.book.rows[i]; !s.ahead && s.scanned.After(at) {
			n++
			if s.scanned.After(newest) {
				newest = s.scanned
			}
		}
	}
	return n, newest, nil
}

func (r *bookRows) addEvent(e ClockEvent) error {
	r.events = append(r.change(), e)
	for i := range r.book.rows {
		s := &r.book.rows[i]
		if s.ahead || s.seq > e.AfterSeq || !s.scanned.After(e.after()) {
			continue
		}
		row, err := r.at(i)
		if err != nil {
			return err
		}
		row.Ahead = true
		r.changed[i] = row
	}
	return nil
}

// changes returns the records to commit.
func (r *bookRows) changes() map[string][]byte {
	out := map[string][]byte{}
	for i, e := range r.changed {
		key := scanKey(r.book.rows[i].seq)
		out[key] = encodeEntry(key, &e)
	}
	for i := range r.added {
		key := scanKey(r.added[i].Scan.Seq)
		out[key] = encodeEntry(key, &r.added[i])
	}
	for _, p := range r.proofs {
		out[receiptKey(p.id)] = p.record
	}
	for i, e := range r.events {
		if i >= len(r.book.events) || r.book.events[i] != e {
			out[eventKey(i+1)] = encodeEvent(eventKey(i+1), &e)
		}
	}
	for _, i := range r.seen {
		p := r.book.fixed[i]
		p.Seen = true
		out[repairKey(p.ID)] = p.encode(repairKey(p.ID))
	}
	if r.facts != r.book.facts {
		out[keyFacts] = r.facts.encode()
	}
	return out
}

// apply changes the book after the commit of changes.
func (r *bookRows) apply(changes map[string][]byte) {
	b := r.book
	for _, i := range slices.Sorted(maps.Keys(r.changed)) {
		e := r.changed[i]
		b.rows[i] = slotOf(&e, changes[scanKey(b.rows[i].seq)])
	}
	for i := range r.added {
		e := &r.added[i]
		b.byID[e.Scan.ScanID] = len(b.rows)
		b.rows = append(b.rows, slotOf(e, changes[scanKey(e.Scan.Seq)]))
	}
	for _, p := range r.proofs {
		i, _ := b.proofAt(p.id)
		b.byName[p.batch], b.proofs = p.id, slices.Insert(b.proofs, i, p)
	}
	if r.events != nil {
		b.events = r.events
	}
	for _, i := range r.seen {
		b.fixed[i].Seen = true
	}
	b.facts = r.facts
}

// slotOf returns the slot of a row and its record.
func slotOf(e *Entry, record []byte) slot {
	return slot{
		record: record, id: e.Scan.ScanID, seq: e.Scan.Seq, state: e.State,
		next: e.NextAt, lease: e.LeaseUntil, scanned: e.Scan.ScannedAt,
		conflict: e.Conflict, changed: e.Result.Changed, ahead: e.Ahead,
		verdict: wire.Worse(e.Scan.Verdict, string(e.Result.Verdict)),
	}
}
