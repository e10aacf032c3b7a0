// Package outbox is the device's durable queue of scans. A scan is on disk before
// its verdict is shown, and leaves the queue only on the gateway's signed receipt.
// Start with [Open] and [Outbox.Record]; package uplink leases and settles.
//
//	Record ─▶ QUEUED ──lease──▶ INFLIGHT ──accepted, duplicate, conflict (with receipt)──▶ DONE
//	            ▲                  │ └─────rejected (with receipt)──▶ DEAD (kept, listed)
//	            ├── retry, release, expired ──┘                 │
//	            └──────────────── requeue (by hand) ────────────┘
//
// Several processes may use one file: all may record while one of them, the
// holder of the sync lock, sends. From the start each row holds all that the
// receipt audit and the regret report need.
//
// sync/README.md has the states, and describes the repair of a damaged file.
package outbox

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"embed"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"tcode/offline/digest"
	"tcode/offline/host/litedb"
	"tcode/sync/wire"
)

// ApplicationID marks an outbox in its file header: "TCOB".
const ApplicationID = 0x54434f42

//go:embed migrations/*.sql
var migrations embed.FS

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
	// ErrSyncing means that another process holds the sync lock.
	ErrSyncing = errors.New("another process is syncing")
	// ErrInUse means that the outbox is damaged and that another process has it open.
	ErrInUse = errors.New("the outbox is damaged and another process has it open: end it, for example tcode-scan sync --follow")
	// ErrReceipt means that an answer would make a scan done or dead without a receipt.
	ErrReceipt = errors.New("no scan leaves the queue without a receipt")
)

// An Outbox is an open queue. It is safe for concurrent use.
type Outbox struct {
	db *litedb.DB

	copied bool // in memory: no file is written

	use  *os.File      // holds the shared use lock; nil for a copy
	last atomic.Uint64 // number in the side file
}

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

// Open opens the outbox at path and creates it if it does not exist. It sets a
// damaged file aside and salvages it (see [Outbox.Repairs]), or returns [ErrInUse]
// if another process has it open. Other errors are those of [litedb.Open].
func Open(ctx context.Context, path string) (*Outbox, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("outbox: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("outbox: %w", err)
	}
	for range 3 {
		o, reason, err := openOnce(ctx, path)
		if err != nil {
			return nil, fmt.Errorf("outbox: %w", err)
		}
		if reason == "" {
			return o, nil
		}
		if err := repairAlone(ctx, path, reason); err != nil {
			return nil, fmt.Errorf("outbox: repair: %w", err)
		}
	}
	return nil, fmt.Errorf("outbox: %w: a repair did not help", litedb.ErrDamaged)
}

// openOnce opens the file under the shared use lock, or returns the reason for
// a repair.
func openOnce(ctx context.Context, path string) (_ *Outbox, reason string, err error) {
	use, err := lockUse(ctx, path, false)
	if err != nil {
		return nil, "", err
	}
	o := &Outbox{use: use}
	defer func() {
		if err != nil || reason != "" {
			if o.db != nil {
				_ = o.db.Close()
			}
			_ = use.Close()
		}
	}()
	if _, err := os.Stat(path + readySuffix); err == nil {
		return nil, "a repair was interrupted", nil
	}
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return nil, "", err
	}
	want := readLast(path)
	o.db, err = litedb.Open(ctx, path, litedb.Options{
		ApplicationID: ApplicationID, Migrations: files, Readers: 2, QuickCheck: true,
	})
	if err == nil {
		err = o.usable(ctx)
	}
	reason, err = o.reason(ctx, path, want, err)
	if err != nil || reason != "" {
		return nil, reason, err
	}
	o.last.Store(want)
	return o, "", nil
}

// repairAlone repairs once every other process has closed the outbox. If
// another process has repaired it meanwhile, it is repaired again at worst,
// which loses nothing.
func repairAlone(ctx context.Context, path, reason string) error {
	use, err := lockUse(ctx, path, true)
	if err != nil {
		return err
	}
	defer use.Close()
	if _, err := os.Stat(path + readySuffix); err == nil {
		return finishRepair(path)
	}
	return repair(ctx, path, reason, time.Now())
}

// usable checks that the tables accept a scan, so that a damaged schema is
// found before the first scan.
func (o *Outbox) usable(ctx context.Context) error {
	s, err := o.db.Writer().PrepareContext(ctx, insertScan)
	if err != nil {
		return err
	}
	return s.Close()
}

// Close closes the file.
func (o *Outbox) Close() error {
	if o.copied {
		return o.db.Close()
	}
	return errors.Join(o.db.Close(), o.use.Close())
}

// Path returns the absolute path of the file, empty for a copy.
func (o *Outbox) Path() string { return o.db.Path() }

// Bind ties the outbox to the device whose key has this scanner id. Later calls
// with another id fail with [ErrOtherDevice], because receipts and numbers
// would belong to another device.
func (o *Outbox) Bind(ctx context.Context, scannerID string) error {
	err := o.db.Write(ctx, func(tx *sql.Tx) error {
		var have string
		err := tx.QueryRowContext(ctx, `SELECT value FROM facts WHERE name = 'scanner_id'`).Scan(&have)
		switch {
		case errors.Is(err, sql.ErrNoRows):
			_, err = tx.ExecContext(ctx, `INSERT INTO facts (name, value) VALUES ('scanner_id', $1)`, scannerID)
			return err
		case err != nil:
			return err
		case have != scannerID:
			return fmt.Errorf("%w: %s, not %s", otherOrDamaged(have, scannerID), have, scannerID)
		}
		return nil
	})
	return o.suspect(err)
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
