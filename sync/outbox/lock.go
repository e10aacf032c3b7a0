//go:build !js

package outbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"
)

// A SyncLock is the right to send. The operating system releases it when the
// process ends, even in a crash.
type SyncLock struct{ f *os.File }

// LockSync takes the sync lock in the database's folder. The holder then calls
// [Outbox.Recover] to put the scans of a dead sender back. The error is
// [ErrSyncing] if another process, or another holder in this process, has the lock.
func (o *Outbox) LockSync() (*SyncLock, error) {
	f, err := os.OpenFile(o.db.Path()+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("sync lock: %w", err)
	}
	if err := lock(f, true); err != nil {
		f.Close()
		return nil, fmt.Errorf("sync lock: %w", err)
	}
	return &SyncLock{f}, nil
}

// Unlock releases the lock. The file stays: removing it would let two processes
// lock two files of the same name.
func (l *SyncLock) Unlock() error { return l.f.Close() }

// StartSync takes the sync lock for the device with this scanner id, checks the
// outbox, and returns the scans of a dead sender to the queue. stop releases the
// lock. Errors are those of [Outbox.LockSync], [Outbox.Bind] and [Outbox.Check].
func (o *Outbox) StartSync(ctx context.Context, scannerID string) (stop func() error, err error) {
	lock, err := o.LockSync()
	if err != nil {
		return nil, err
	}
	err = o.Bind(ctx, scannerID)
	if err == nil {
		err = o.Check(ctx)
	}
	if err == nil {
		err = o.Recover(ctx, lock)
	}
	if err != nil {
		return nil, errors.Join(err, lock.Unlock())
	}
	return lock.Unlock, nil
}

// useWait bounds the wait for other processes to close the outbox.
const useWait = 10 * time.Second

// lockUse takes the use lock of the outbox at path: shared by all processes
// that have it open, exclusive to repair it. Closing the file releases it.
func lockUse(ctx context.Context, path string, alone bool) (*os.File, error) {
	f, err := os.OpenFile(path+useSuffix, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("use lock: %w", err)
	}
	for deadline := time.Now().Add(useWait); ; {
		err := lock(f, alone)
		if err == nil {
			return f, nil
		}
		if !errors.Is(err, ErrSyncing) || time.Now().After(deadline) {
			if errors.Is(err, ErrSyncing) {
				err = ErrInUse
			}
			return nil, errors.Join(err, f.Close())
		}
		select {
		case <-ctx.Done():
			return nil, errors.Join(ctx.Err(), f.Close())
		case <-time.After(20 * time.Millisecond):
		}
	}
}
