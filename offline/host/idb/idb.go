//go:build js

package idb

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"syscall/js"

	"tcode/offline/host/journal"
	"tcode/offline/host/webapi"
)

// batch is the number of records that Load holds in memory at a time.
const batch = 256

// store is a journal in an IndexedDB database.
type store struct {
	name  string
	db    js.Value
	owner *weblock
	off   []func()
	turn  chan struct{} // has room for the one that works on the database
	lost  atomic.Bool   // the browser closed the connection

	mu     sync.Mutex
	broken bool
	closed bool
	held   *weblock // the lock of Lock
}

// begin waits for the turn of the caller, who calls the function that it returns.
func (s *store) begin(ctx context.Context) (end func(), err error) {
	select {
	case s.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	end = func() { <-s.turn }
	if err := s.state(); err != nil {
		end()
		return nil, err
	}
	return end, nil
}

func (s *store) state() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return journal.ErrClosed
	}
	return nil
}

func (s *store) setBroken() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.broken = true
}

func (s *store) isBroken() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.broken || s.lost.Load()
}

// Load reads the records in batches. Commits wait until it returns, so all batches are of one state.
func (s *store) Load(ctx context.Context, each func(key string, value []byte) error) error {
	end, err := s.begin(ctx)
	if err != nil {
		return err
	}
	defer end()
	after := js.Undefined() // the last key
	for {
		keys, values, err := s.read(ctx, after)
		if err != nil {
			return fmt.Errorf("read the journal %s: %w", s.name, err)
		}
		n := keys.Length()
		for i := range n {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := each(string(webapi.Bytes(keys.Index(i))), webapi.Bytes(values.Index(i))); err != nil {
				return err
			}
		}
		if n < batch {
			return nil
		}
		after = keys.Index(n - 1)
	}
}

// read returns the keys and values of the next batch.
func (s *store) read(ctx context.Context, after js.Value) (keys, values js.Value, err error) {
	tx, err := webapi.Try(func() js.Value {
		tx := s.db.Call("transaction", records, "readonly")
		from := js.Null()
		if !after.IsUndefined() {
			from = js.Global().Get("IDBKeyRange").Call("lowerBound", after, true)
		}
		all := tx.Call("objectStore", records)
		keys, values = all.Call("getAllKeys", from, batch), all.Call("getAll", from, batch)
		return tx
	})
	if err != nil {
		return keys, values, err
	}
	if err := webapi.Finished(ctx, tx); err != nil {
		return keys, values, err
	}
	return keys.Get("result"), values.Get("result"), nil
}

// Commit changes the records in one transaction.
func (s *store) Commit(ctx context.Context, changes map[string][]byte) error {
	end, err := s.begin(ctx)
	if err != nil {
		if !errors.Is(err, journal.ErrClosed) {
			s.setBroken()
		}
		return err
	}
	defer end()
	if s.isBroken() {
		return journal.ErrBroken
	}
	if err := s.write(ctx, changes); err != nil {
		if e, ok := errors.AsType[*webapi.Error](err); ok && e.Name == "QuotaExceededError" {
			return fmt.Errorf("%w: %w", journal.ErrFull, err)
		}
		s.setBroken()
		return fmt.Errorf("commit to the journal %s: %w", s.name, err)
	}
	return nil
}

func (s *store) write(ctx context.Context, changes map[string][]byte) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	tx := js.Undefined()
	if _, err := webapi.Try(func() js.Value {
		tx = s.db.Call("transaction", records, "readwrite", map[string]any{"durability": "strict"})
		all := tx.Call("objectStore", records)
		for key, value := range changes {
			if value == nil {
				all.Call("delete", webapi.Array([]byte(key)))
				continue
			}
			all.Call("put", webapi.Array(value), webapi.Array([]byte(key)))
		}
		tx.Call("commit") // immediately, not when this worker is idle
		return tx
	}); err != nil {
		if !tx.IsUndefined() {
			abort(tx) // otherwise the browser commits the first part
		}
		return err
	}
	err := webapi.Finished(ctx, tx)
	if err != nil && ctx.Err() != nil {
		abort(tx)
	}
	return err
}

// abort aborts a transaction, unless it has ended.
func abort(tx js.Value) {
	_, _ = webapi.Try(func() js.Value { return tx.Call("abort") })
}

// Lock takes the Web Lock "idb-work:NAME".
func (s *store) Lock(ctx context.Context) (func() error, error) {
	if err := s.state(); err != nil {
		return nil, err
	}
	l, err := take(ctx, "idb-work:"+s.name)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	closed := s.closed
	if !closed {
		s.held = l
	}
	s.mu.Unlock()
	if closed {
		return nil, errors.Join(journal.ErrClosed, l.free(context.WithoutCancel(ctx)))
	}
	return sync.OnceValue(func() error {
		s.mu.Lock()
		held := s.held == l
		if held {
			s.held = nil
		}
		s.mu.Unlock()
		if !held { // Close gave it back
			return nil
		}
		return l.free(context.Background())
	}), nil
}

// Close closes the connection after the transactions that have begun, and gives both locks back.
func (s *store) Close() error {
	s.mu.Lock()
	closed, held := s.closed, s.held
	s.closed, s.held = true, nil
	s.mu.Unlock()
	if closed {
		return nil
	}
	for _, off := range s.off {
		off()
	}
	s.db.Call("close")
	var err error
	if held != nil {
		err = held.free(context.Background())
	}
	return errors.Join(err, s.owner.free(context.Background()))
}
