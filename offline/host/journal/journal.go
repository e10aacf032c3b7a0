// Package journal names what a durable set of records must do for the stores over it.
package journal

import "context"

// A Journal is a durable set of keys with a value each.
type Journal interface {
	// Load calls each with every record, in any order.
	Load(ctx context.Context, each func(key string, value []byte) error) error
	// Commit writes all changes or none; a nil value deletes. When it returns nil,
	// they are durable. When it returns an error, the outcome is unknown, and the
	// owner must open the journal again and read it.
	Commit(ctx context.Context, changes map[string][]byte) error
	// Lock makes its caller the only owner of the journal until unlock.
	Lock(ctx context.Context) (unlock func() error, err error)
	Close() error
}
