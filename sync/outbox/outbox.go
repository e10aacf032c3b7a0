// Package outbox holds the rules of a device's durable queue of scans. A scan is on disk before
// its verdict is shown, and leaves the queue only on the gateway's signed receipt. Start with
// package outboxdb (one SQLite file) or package outboxbook (a journal, in a browser too): both are a [Store]
// under a [Queue], which has the operations. Package uplink leases and settles.
//
//	Record ─▶ QUEUED ──lease──▶ INFLIGHT ──accepted, duplicate, conflict (with receipt)──▶ DONE
//	            ▲                  │ └─────rejected (with receipt)──▶ DEAD (kept, listed)
//	            ├── retry, release, expired ──┘                 │
//	            └──────────────── requeue (by hand) ────────────┘
//
//	Queue (rules) ──View, Update──▶ Store (rows, whole transactions)
//
// From the start each row holds all that the receipt audit and the regret report need.
// Package outboxtest holds the tests that each store must pass. sync/README.md has the states.
package outbox

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"time"

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
	// ErrTransition means that the event is not allowed in the state of the
	// row.
	ErrTransition = errors.New("not allowed in this state")
	// ErrSyncing means that another sender holds the sync lock.
	ErrSyncing = errors.New("another process is syncing")
	// ErrReceipt means that an answer would make a scan done or dead without a receipt.
	ErrReceipt = errors.New("no scan leaves the queue without a receipt")
	// ErrNotFound means that no scan has the id.
	ErrNotFound = errors.New("no scan has this id")
	// ErrDamaged means that a row or an index contradicts the data written earlier.
	ErrDamaged = errors.New("a stored scan does not match its checksum or its index")
)

// IsDamaged reports whether err, which an operation of a [Queue] returned, means that the outbox
// is damaged. Closing and opening it again repairs it.
func IsDamaged(err error) bool { return errors.Is(err, ErrDamaged) }

// A SyncLock is the right to send. The end of its holder's process releases it.
type SyncLock interface {
	// Unlock releases the lock.
	Unlock() error
}

// A Scan is a symbol as a device read it, with the device's answer. Exactly one
// of Payload and Reference is set.
type Scan struct {
	ScanID string // UUIDv7; empty: [Queue.Record] makes it
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

// Item returns the scan in its form for sync; its digest is the scan's digest.
func (s *Scan) Item() wire.Item {
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

// Flags packs the four booleans of a row into an integer.
func (s *Scan) Flags() (f int64) {
	for i, set := range []bool{s.Stale, s.ClockSuspect, s.Test, s.Proven} {
		if set {
			f |= 1 << i
		}
	}
	return f
}

// SetFlags is the inverse of Flags; it ignores other bits.
func (s *Scan) SetFlags(f int64) {
	s.Stale, s.ClockSuspect, s.Test, s.Proven = f&1 != 0, f&2 != 0, f&4 != 0, f&8 != 0
}

// Sum returns the row's checksum: it covers the digest, which covers all that
// is sent, and the columns that are not sent. SQLite itself detects only 26 of
// 400 random bit flips.
func (s *Scan) Sum(digest digest.SHA256) [8]byte {
	b := append([]byte(nil), digest[:]...)
	b = binary.BigEndian.AppendUint64(b, uint64(Millis(s.StatusAsOf)))
	b = binary.BigEndian.AppendUint64(b, uint64(s.Flags()))
	b = binary.BigEndian.AppendUint64(b, uint64(s.Page))
	b = append(b, s.Source...)
	h := sha256.Sum256(b)
	return [8]byte(h[:8])
}

// Millis returns a time as stored, in ms since 1970; the zero time is 0.
func Millis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

// Moment is the inverse of Millis.
func Moment(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}
