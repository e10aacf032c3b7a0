package outbox

import (
	"context"
	"math"
	"time"

	"tcode/sync/wire"
)

// A Store keeps the rows of an outbox. It holds no rule: those are the methods of [Queue].
type Store interface {
	// View calls fn with one state of the outbox.
	View(ctx context.Context, fn func(View) error) error
	// Update calls fn in one transaction. When Update returns nil, its changes survive a power cut; when fn
	// returns an error, nothing changes. When the commit itself fails, the outcome is unknown, so each
	// operation is harmless if it happens twice.
	Update(ctx context.Context, fn func(Tx) error) error
	// LockSync takes the sync lock, or returns [ErrSyncing].
	LockSync(ctx context.Context) (SyncLock, error)
	// Check reads all rows; [IsDamaged] is true for the error if the store must be closed, opened
	// and thereby repaired.
	Check(ctx context.Context) error
}

// A View reads one state of an outbox.
type View interface {
	// Entry returns the row of a scan; ok is false if there is none.
	Entry(ctx context.Context, scanID string) (e Entry, ok bool, err error)
	// History returns at most f.Limit entries below f.Before, newest first.
	History(ctx context.Context, f Filter) ([]Entry, error)
	// Select returns the rows in s whose time is within due, lowest number first, at most limit.
	Select(ctx context.Context, s State, due Due, limit int) ([]Entry, error)
	// Waiting returns the number of queued and inflight rows, and the earliest of their times, ms.
	Waiting(ctx context.Context) (n int, first int64, err error)
	Counts(ctx context.Context) (Counts, error)
	// Dated returns the number of scans that are not marked as ahead and dated after ms, and the
	// newest date of them in ms.
	Dated(ctx context.Context, after int64) (n int, newest int64, err error)
	// NewestScan returns the newest date of all scans that are not marked as ahead, 0 if there is none.
	NewestScan(ctx context.Context) (int64, error)
	// LastSeq returns the highest number that a row or the counter has.
	LastSeq(ctx context.Context) (uint64, error)
	// ScannerID returns the device of the outbox, empty if it has none yet.
	ScannerID(ctx context.Context) (string, error)
	// PauseUntil returns the stored end of a pause in ms, 0 if there is none.
	PauseUntil(ctx context.Context) (int64, error)
	// Receipt returns the number and the note of the receipt of a batch; ok is false if there is none.
	Receipt(ctx context.Context, batchID string) (id int64, note string, ok bool, err error)
	// Receipts returns at most limit receipts above the number after, in order.
	Receipts(ctx context.Context, after int64, limit int) ([]ReceiptRow, error)
	// ClockEvents returns the newest events, newest first, at most limit.
	ClockEvents(ctx context.Context, limit int) ([]ClockEvent, error)
	// Untold returns the oldest events that no receipt covers, oldest first, at most limit.
	Untold(ctx context.Context, limit int) ([]ClockEvent, error)
}

// A Tx is a View in a transaction, of which it sees the changes, and makes them.
type Tx interface {
	View
	// Insert adds a queued scan with its number, digest and checksum.
	Insert(ctx context.Context, s Scan) error
	// Update replaces all of a row but its Scan, Digest and Ahead. It returns [ErrDamaged] if there is no such row.
	Update(ctx context.Context, e Entry) error
	// Reset moves the rows in state from whose time is within due to state to, and sets their times to 0.
	Reset(ctx context.Context, from State, due Due, to State) error
	SetLastSeq(ctx context.Context, seq uint64) error
	SetScannerID(ctx context.Context, id string) error
	SetPauseUntil(ctx context.Context, ms int64) error
	// AddReceipt stores a receipt and returns its number.
	AddReceipt(ctx context.Context, r ReceiptRow) (id int64, err error)
	// AddClockEvent stores an event, and marks the scans up to e.AfterSeq that are dated after e.After and have no mark as ahead.
	AddClockEvent(ctx context.Context, e ClockEvent) error
	// Tell stores the receipt of an event that has none.
	Tell(ctx context.Context, eventID, note string) error
}

// A Due selects rows by their time in ms: NextAt of a queued row, LeaseUntil of an inflight one. A time beyond Far was written under
// another clock, and is due.
type Due struct{ Now, Far int64 }

// always is a Due of all times.
var always = Due{math.MaxInt64, math.MaxInt64}

// dueAt returns the Due for the device's clock.
func dueAt(now time.Time) Due { return Due{Millis(now), Millis(now.Add(maxPause))} }

// Includes reports whether a row with the time ms is due.
func (d Due) Includes(ms int64) bool { return ms <= d.Now || ms > d.Far }

// maxPause is the longest stored waiting time that counts. A row with a longer
// one was written under another clock, and is due.
const maxPause = time.Hour

// A Queue is the outbox: its operations over a store. It is safe for concurrent use if its store is.
type Queue struct{ store Store }

// New returns the queue over a store.
func New(s Store) *Queue { return &Queue{s} }

// LockSync takes the right to send. The holder then calls [Queue.Recover] to put the scans of a dead sender back. The error is
// [ErrSyncing] if another process, or another holder in this process, has the lock.
func (q *Queue) LockSync(ctx context.Context) (SyncLock, error) { return q.store.LockSync(ctx) }

// Check reads all that the outbox holds. [IsDamaged] is true for the error if it finds damage that opening it again repairs.
func (q *Queue) Check(ctx context.Context) error { return q.store.Check(ctx) }

// lastNumber bounds numbers of scans.
const lastNumber = wire.MaxInteger
