package outbox

import (
	"fmt"
	"strings"

	"tcode/offline/digest"
	"tcode/sync/wire"
)

func (f facts) encode() []byte {
	w := newEncoder()
	w.uint(f.last)
	w.text(f.scanner)
	w.time(f.pause)
	return w.seal(keyFacts)
}

func decodeFacts(record []byte) (f facts, err error) {
	d, err := open(keyFacts, record)
	if err != nil {
		return f, err
	}
	f.last, f.scanner, f.pause = d.uint(), d.text(), d.time()
	return f, d.end()
}

func encodeReceipt(key string, r *ReceiptRow) []byte {
	w := newEncoder()
	w.text(r.BatchID)
	w.time(r.StoredAt)
	w.text(r.Receipt.ScannerID)
	w.raw(r.Receipt.BatchDigest[:])
	w.uint(uint64(r.Receipt.Count))
	w.uint(r.Receipt.LastSeq)
	w.time(r.Receipt.Time)
	w.text(r.Note)
	w.bytes(r.Answers)
	return w.seal(key)
}

func decodeReceipt(key string, record []byte) (r ReceiptRow, err error) {
	d, err := open(key, record)
	if err != nil {
		return r, err
	}
	r.BatchID, r.StoredAt, r.Receipt.ScannerID = d.text(), d.time(), d.text()
	copy(r.Receipt.BatchDigest[:], d.take(len(digest.SHA256{})))
	r.Receipt.Count, r.Receipt.LastSeq, r.Receipt.Time = int(d.uint()), d.uint(), d.time()
	r.Note, r.Answers = d.text(), append([]byte(nil), d.bytes()...)
	r.readNote()
	return r, d.end()
}

// readNote takes the members of the receipt that its signed note has.
func (r *ReceiptRow) readNote() {
	text, _, _ := strings.Cut(r.Note, "\n\n")
	if signed, err := wire.ParseReceipt([]byte(text + "\n")); err == nil {
		r.Receipt = signed
	}
}

func encodeEvent(key string, e *ClockEvent) []byte {
	w := newEncoder()
	w.text(e.ID)
	w.text(e.Kind)
	w.time(e.At)
	w.time(e.Was)
	w.uint(e.Documents)
	w.uint(uint64(e.Scans))
	w.uint(e.AfterSeq)
	w.flag(e.Told)
	w.text(e.Receipt)
	return w.seal(key)
}

func decodeEvent(key string, record []byte) (e ClockEvent, err error) {
	d, err := open(key, record)
	if err != nil {
		return e, err
	}
	e.ID, e.Kind, e.At, e.Was = d.text(), d.text(), d.time(), d.time()
	e.Documents, e.Scans, e.AfterSeq, e.Told, e.Receipt = d.uint(), int(d.uint()), d.uint(), d.flag(), d.text()
	if e.Kind != ClockWasAhead && e.Kind != ClockConfirmed {
		return e, fmt.Errorf("%w: %s", errRecord, key)
	}
	if err := d.end(); err != nil {
		return e, err
	}
	if err := e.Item().Check(); err != nil { // it would stand before those that a gateway takes
		return e, fmt.Errorf("%w: %s: %w", errRecord, key, err)
	}
	return e, nil
}

// repaired is a repair with its losses.
type repaired struct {
	Repair
	losses []Loss
}

func (p *repaired) encode(key string) []byte {
	w := newEncoder()
	w.time(p.At)
	w.text(p.Reason)
	w.uint(uint64(p.Kept))
	w.flag(p.Seen)
	w.uint(uint64(p.Events))
	w.uint(uint64(p.EventsLost))
	w.uint(uint64(len(p.losses)))
	for _, l := range p.losses {
		w.uint(l.Seq)
		w.text(l.ScanID)
	}
	return w.seal(key)
}

func decodeRepair(key string, id int64, record []byte) (p repaired, err error) {
	d, err := open(key, record)
	if err != nil {
		return p, err
	}
	p.ID, p.At, p.Reason, p.Kept, p.Seen = id, d.time(), d.text(), int(d.uint()), d.flag()
	p.Events, p.EventsLost = int(d.uint()), int(d.uint())
	for n := d.uint(); n > 0 && !d.bad; n-- {
		l := Loss{Seq: d.uint(), ScanID: d.text(), Repair: id}
		d.bad = d.bad || l.Seq == 0
		p.losses = append(p.losses, l)
	}
	p.Lost = len(p.losses)
	return p, d.end()
}
