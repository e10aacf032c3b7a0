package outbox

import (
	"fmt"
	"os"
)

// SyncLock is the right to send. The operating system gives it back when the
// process ends, however it ends.
type SyncLock struct{ f *os.File }

// LockSync takes the sync lock beside the database file. Its holder then calls
// [Outbox.Recover] to put back what a dead sender left inflight. When
// another process, or another holder in this one, has it: [ErrSyncing].
func (o *Outbox) LockSync() (*SyncLock, error) {
	f, err := os.OpenFile(o.db.Path()+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("sync lock: %w", err)
	}
	if err := lockFile(f); err != nil {
		f.Close()
		return nil, fmt.Errorf("sync lock: %w", err)
	}
	return &SyncLock{f}, nil
}

// Unlock gives the lock back. The file stays: removing it would let two
// processes lock two files of one name.
func (l *SyncLock) Unlock() error { return l.f.Close() }
