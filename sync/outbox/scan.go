package outbox

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"tcode/offline/digest"
	"tcode/sync/wire"
)

var (
	// ErrConflict means that another scan already has the scan id.
	ErrConflict = errors.New("scan id is taken by another scan")
	// ErrScan means that package wire cannot carry the scan.
	ErrScan = errors.New("scan is not valid")
	// ErrOtherDevice means that the outbox belongs to another device key.
	ErrOtherDevice = errors.New("outbox belongs to another device")
	// ErrNoScan means that there is no scan with this id.
	ErrNoScan = errors.New("there is no scan with this id")
	// ErrTransition means that the event is not allowed in the state of the
	// row.
	ErrTransition = errors.New("not allowed in this state")
	// ErrSyncing means that another process holds the sync lock.
	ErrSyncing = errors.New("another process is syncing")
	// ErrInUse means that the outbox is damaged and that another process has it open.
	ErrInUse = errors.New("the outbox is damaged and another process has it open: end it, for example tcode-scan sync --follow")
	// ErrReceipt means that an answer would make a scan done or dead without a receipt.
	ErrReceipt = errors.New("no scan leaves the queue without a receipt")
)

// A Scan is a symbol as a device read it, with the device's answer. Exactly one
// of Payload and Reference is set.
type Scan struct {
	ScanID string // UUIDv7; empty: [Outbox.Record] makes it
	Seq    uint64 // set by Record

	Payload   []byte // as read from the symbol
	Reference string // as typed by hand

	ScannedAt    time.Time // device clock, or proven time; kept in whole milliseconds
	Verdict      string    // an offline.Verdict
	Assurance    string    // an offline.Assurance
	Binding      string    // a binding.State
	TrustVersion uint64    // version of the timestamp document judged by, 0: none
	StatusAsOf   time.Time // trust.Timestamp.StatusAsOf; zero: none
	Stale        bool      // the trust state was too old for a green verdict
	ClockSuspect bool      // the device's clock contradicts another source
	Proven       bool      // ScannedAt comes from a proof of time, not from the device's clock
	Test         bool      // a test document

	Context wire.Context
	Source  string // file or camera the scan came from; never sent
	Page    int    // page of Source from 1; 0: none. Never sent
}

// item returns the scan in its form for sync; its digest is the scan's digest.
func (s *Scan) item() wire.Item {
	it := wire.Item{
		ScanID: s.ScanID, Seq: s.Seq, Reference: s.Reference, ScannedAt: wire.TruncateMillis(s.ScannedAt),
		OfflineVerdict: s.Verdict, Assurance: s.Assurance, Binding: s.Binding,
		TrustVersion: s.TrustVersion, Context: s.Context,
	}
	if s.Payload != nil {
		it.Payload = wire.PayloadString(s.Payload)
	}
	return it
}

// flags packs the four booleans of a row into an integer.
func (s *Scan) flags() (f int64) {
	for i, set := range []bool{s.Stale, s.ClockSuspect, s.Test, s.Proven} {
		if set {
			f |= 1 << i
		}
	}
	return f
}

func (s *Scan) setFlags(f int64) {
	s.Stale, s.ClockSuspect, s.Test, s.Proven = f&1 != 0, f&2 != 0, f&4 != 0, f&8 != 0
}

// sum returns the row's checksum: it covers the digest, which covers all that
// is sent, and the columns that are not sent. SQLite itself detects only 26 of
// 400 random bit flips.
func (s *Scan) sum(digest digest.SHA256) [8]byte {
	b := append([]byte(nil), digest[:]...)
	b = binary.BigEndian.AppendUint64(b, uint64(millis(s.StatusAsOf)))
	b = binary.BigEndian.AppendUint64(b, uint64(s.flags()))
	b = binary.BigEndian.AppendUint64(b, uint64(s.Page))
	b = append(b, s.Source...)
	h := sha256.Sum256(b)
	return [8]byte(h[:8])
}

// millis stores a time, the zero time as 0.
func millis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

// moment is the inverse of millis.
func moment(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}

// prepareAll prepares the scans, and reports which have a new id: no other scan has it.
func prepareAll(scans []*Scan) (fresh []bool, err error) {
	fresh = make([]bool, len(scans))
	for i, s := range scans {
		fresh[i] = s.ScanID == ""
		if err := prepare(s); err != nil {
			return nil, fmt.Errorf("record scan %d: %w", i, err)
		}
	}
	return fresh, nil
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
	it := s.item()
	it.Seq = wire.MaxInteger // the longest number
	probe := wire.Batch{ID: "probe", ScannerID: "probe", SentAt: s.ScannedAt, Items: []wire.Item{it}}
	if _, err := probe.Encode(); err != nil {
		return fmt.Errorf("%w: %w", ErrScan, err)
	}
	return nil
}
