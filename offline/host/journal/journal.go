// Package journal describes a store of records under keys that changes in whole commits: the place where a device keeps
// its scans and its trust state where there is no SQLite, such as in a browser. Start with [Journal]; [Memory] is one for
// tests, with faults.
//
//	owner ──Load──▶ all records, once
//	  │
//	  ├──Commit(changes)──▶ nil: all of them are durable
//	  │                 └─▶ error: all of them or none; close, open again and read
//	  └──Lock──▶ the right to a work that one owner at a time may do, such as sending
//
// Package journaltest holds the tests that every implementation must pass.
package journal

import (
	"context"
	"errors"
)

var (
	// ErrBroken means that a commit before has failed: what the journal holds is not known until it is opened and read again.
	ErrBroken = errors.New("an earlier commit failed: open the journal again and read it")
	// ErrLocked means that another owner holds the lock.
	ErrLocked = errors.New("another owner holds the lock")
	// ErrOwned means that another owner has the journal open.
	ErrOwned = errors.New("another owner has the journal open")
	// ErrClosed means that the journal was closed.
	ErrClosed = errors.New("the journal is closed")
	// ErrFull means that there is no room for a commit; nothing of it was kept.
	ErrFull = errors.New("no room for the journal")

	errFault = errors.New("prepared fault of a commit")
)

// A Journal keeps records: values of any bytes under keys that are not empty. One owner at a time has it open. It is safe for
// concurrent use.
type Journal interface {
	// Load calls each with every record, in the order of the keys' bytes, until it returns an error, which Load returns then. each must
	// not keep value, and must not use the journal.
	Load(ctx context.Context, each func(key string, value []byte) error) error
	// Commit changes the records under some keys; a nil value removes one, also one that is not there. When it returns nil, the
	// changes survive the end of the process and of the machine. When it returns an error, all changes were kept or none: the owner
	// must close the journal, open it again and read it, unless the error is ErrFull. Until then every Commit returns ErrBroken.
	Commit(ctx context.Context, changes map[string][]byte) error
	// Lock takes the lock of the journal, and returns the function that gives it back. The end of the owner's process gives it back
	// too. The error is ErrLocked if it is taken: Lock does not wait.
	Lock(ctx context.Context) (unlock func() error, err error)
	// Close gives back the journal and its lock.
	Close() error
}
