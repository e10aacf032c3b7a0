package outbox

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"tcode/offline/digest"
	"tcode/sync/wire"
)

// codeVersion is the first byte of every record of a [Book]. FORMAT.md describes the records.
const codeVersion = 1

// errRecord means that a record of a [Book] does not read, or has another checksum.
var errRecord = errors.New("a stored record is damaged")

// An encoder appends the members of a record.
type encoder struct{ b []byte }

func newEncoder() *encoder { return &encoder{[]byte{codeVersion}} }

func (e *encoder) uint(v uint64)          { e.b = binary.AppendUvarint(e.b, v) }
func (e *encoder) int(v int64)            { e.b = binary.AppendVarint(e.b, v) }
func (e *encoder) time(t time.Time)       { e.int(millis(t)) }
func (e *encoder) text(s string)          { e.uint(uint64(len(s))); e.b = append(e.b, s...) }
func (e *encoder) bytes(b []byte)         { e.uint(uint64(len(b))); e.b = append(e.b, b...) }
func (e *encoder) raw(b []byte)           { e.b = append(e.b, b...) }
func (e *encoder) flag(v bool)            { e.b = append(e.b, map[bool]byte{true: 1}[v]) }
func (e *encoder) seal(key string) []byte { s := seal(key, e.b); return append(e.b, s[:]...) }

// seal returns the checksum of a record: it covers the key, so that a record is damaged under another one.
func seal(key string, b []byte) [8]byte {
	h := sha256.New()
	h.Write([]byte(key))
	h.Write([]byte{0})
	h.Write(b)
	return [8]byte(h.Sum(nil)[:8])
}

// A decoder reads the members of a record. After the first one that does not read, it returns zero values.
type decoder struct {
	b   []byte
	bad bool
}

// open returns a decoder of the members of a record.
func open(key string, record []byte) (*decoder, error) {
	n := len(record) - 8
	if n < 1 || record[0] != codeVersion || seal(key, record[:n]) != [8]byte(record[n:]) {
		return nil, fmt.Errorf("%w: %s", errRecord, key)
	}
	return &decoder{b: record[1:n]}, nil
}

func (d *decoder) take(n int) []byte {
	if d.bad || n < 0 || n > len(d.b) {
		d.bad = true
		return nil
	}
	out := d.b[:n]
	d.b = d.b[n:]
	return out
}

func (d *decoder) uint() uint64 {
	v, n := binary.Uvarint(d.b)
	d.take(max(n, 0))
	if d.bad = d.bad || n <= 0 || v > wire.MaxInteger; d.bad {
		return 0
	}
	return v
}

func (d *decoder) int() int64 {
	v, n := binary.Varint(d.b)
	d.take(max(n, 0))
	if d.bad = d.bad || n <= 0; d.bad {
		return 0
	}
	return v
}

func (d *decoder) time() time.Time { return moment(d.int()) }

func (d *decoder) bytes() []byte {
	n := d.uint()
	if n > uint64(len(d.b)) {
		d.bad = true
		return nil
	}
	return d.take(int(n))
}

func (d *decoder) text() string { return string(d.bytes()) }

func (d *decoder) flag() bool {
	b := d.take(1)
	if len(b) == 1 && b[0] > 1 {
		d.bad = true
	}
	return len(b) == 1 && b[0] == 1
}

// end returns an error unless all members were read, and nothing is behind them.
func (d *decoder) end() error {
	if d.bad || len(d.b) > 0 {
		return errRecord
	}
	return nil
}

// states are the codes of the states in a record.
var states = []State{Queued, Inflight, Done, Dead}

// encodeEntry returns the record of a row: the scan with its digest and checksum, which never change, and the rest.
func encodeEntry(key string, e *Entry) []byte {
	w := newEncoder()
	s, c, r := &e.Scan, &e.Scan.Context, &e.Result
	w.text(s.ScanID)
	w.uint(s.Seq)
	w.flag(s.Payload != nil)
	w.bytes(s.Payload)
	w.text(s.Reference)
	w.int(s.ScannedAt.UnixMilli())
	for _, word := range []string{s.Verdict, s.Assurance, s.Binding} {
		w.text(word)
	}
	w.uint(s.TrustVersion)
	w.time(s.StatusAsOf)
	w.uint(uint64(s.flags()))
	w.text(c.Location)
	w.flag(c.Coordinates)
	w.int(int64(c.LatitudeE6))
	w.int(int64(c.LongitudeE6))
	w.text(c.Note)
	w.text(s.Source)
	w.uint(uint64(s.Page))
	w.raw(e.Digest[:])
	sum := s.sum(e.Digest)
	w.raw(sum[:])
	for code, state := range states {
		if state == e.State {
			w.uint(uint64(code))
		}
	}
	w.uint(uint64(e.Attempts))
	w.time(e.NextAt)
	w.time(e.LeaseUntil)
	for _, word := range []string{e.BatchID, e.Code, e.Message, string(r.Result)} {
		w.text(word)
	}
	w.flag(e.Conflict)
	w.text(r.Verdict)
	w.text(r.VerdictAtScan)
	w.flag(r.Changed)
	w.text(r.Reference)
	w.text(r.Status)
	w.time(e.ReceivedAt)
	w.uint(uint64(e.ReceiptID))
	w.flag(e.Ahead)
	return w.seal(key)
}

// decodeScan reads the part of a record that never changes. ok is false if it does not match its own checksums.
func decodeScan(d *decoder) (e Entry, ok bool) {
	s, c := &e.Scan, &e.Scan.Context
	s.ScanID, s.Seq = d.text(), d.uint()
	some, payload := d.flag(), d.bytes()
	if some {
		s.Payload = append([]byte{}, payload...)
	}
	s.Reference, s.ScannedAt = d.text(), time.UnixMilli(d.int()).UTC()
	s.Verdict, s.Assurance, s.Binding = d.text(), d.text(), d.text()
	s.TrustVersion, s.StatusAsOf = d.uint(), d.time()
	s.setFlags(int64(d.uint()))
	c.Location, c.Coordinates = d.text(), d.flag()
	lat, lon := d.int(), d.int()
	c.LatitudeE6, c.LongitudeE6 = int32(lat), int32(lon)
	c.Note, s.Source, s.Page = d.text(), d.text(), int(d.uint())
	copy(e.Digest[:], d.take(len(digest.SHA256{})))
	sum := d.take(8)
	if d.bad || int64(c.LatitudeE6) != lat || int64(c.LongitudeE6) != lon || len(payload) > 0 && !some {
		return e, false
	}
	want := s.item().Digest()
	wantSum := s.sum(want)
	return e, e.Digest == want && [8]byte(sum) == wantSum && s.ScanID != "" && s.Seq > 0
}

// decodeEntry reads a record of encodeEntry. If only the part that changes is damaged, salvaged is true: e is then queued as
// after its recording.
func decodeEntry(key string, record []byte) (e Entry, salvaged bool, err error) {
	d, err := open(key, record)
	if err != nil {
		// The scan has checksums of its own.
		d = &decoder{b: record[min(1, len(record)):]}
	}
	e, ok := decodeScan(d)
	if !ok || scanKey(e.Scan.Seq) != key {
		return e, false, fmt.Errorf("%w: %s", errRecord, key)
	}
	if err == nil {
		e, err = decodeState(d, e)
	}
	if err != nil {
		return Entry{Scan: e.Scan, Digest: e.Digest, State: Queued}, true, nil
	}
	return e, false, nil
}

// decodeState reads the part of a record that changes.
func decodeState(d *decoder, e Entry) (Entry, error) {
	r := &e.Result
	code := d.uint()
	if code >= uint64(len(states)) {
		return e, errRecord
	}
	e.State, e.Attempts, e.NextAt, e.LeaseUntil = states[code], int(d.uint()), d.time(), d.time()
	e.BatchID, e.Code, e.Message, r.Result = d.text(), d.text(), d.text(), wire.ItemOutcome(d.text())
	e.Conflict, r.Verdict, r.VerdictAtScan, r.Changed = d.flag(), d.text(), d.text(), d.flag()
	r.Reference, r.Status, e.ReceivedAt, e.ReceiptID, e.Ahead = d.text(), d.text(), d.time(), int64(d.uint()), d.flag()
	r.ScanID = e.Scan.ScanID
	if e.State == Done && e.ReceiptID == 0 {
		return e, errRecord // nothing is done without a receipt
	}
	return e, d.end()
}
