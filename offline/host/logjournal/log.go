package logjournal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"

	"tcode/offline/host/journal"
)

var (
	errUndo = errors.New("there is no commit to take back")
	errKey  = errors.New("an empty key")
)

// place is where a value lies in the slot in use.
type place struct {
	off int64
	n   int
}

// A Log is a journal in two files. It is safe for concurrent use.
type Log struct {
	mu     sync.Mutex
	files  [2]File
	at     int // the slot in use
	head   header
	index  map[string]place
	number uint64 // of the last commit
	end    int64  // of the last frame
	live   int64  // bytes of the records in the index
	later  int64  // end at which the next snapshot is tried
	damage Damage
	cut    int64
	last   []before // the last commit
	lastAt int64    // begin of its frame; 0: none can be taken back

	broken, closed, locked bool
}

// before is a record before the last commit.
type before struct {
	key   string
	was   place
	there bool
}

// apply changes the index.
func (l *Log) apply(key string, at place, removed bool) {
	if was, ok := l.index[key]; ok {
		l.live -= cost(key, was.n)
	}
	if removed {
		delete(l.index, key)
		return
	}
	l.index[key] = at
	l.live += cost(key, at.n)
}

// cost is about the bytes of a record in a snapshot.
func cost(key string, n int) int64 { return int64(len(key) + n + 4) }

// Damage returns a [*Damage] if records are damaged, or nil. Load shows the others. Commit and Undo return it until Repair succeeds.
func (l *Log) Damage() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.damage == (Damage{}) {
		return nil
	}
	d := l.damage
	return &d
}

// Cut returns how many bytes of a commit that was not acknowledged Open has cut from the end.
func (l *Log) Cut() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.cut
}

// Load calls each with every record, as journal.Journal says.
func (l *Log) Load(ctx context.Context, each func(key string, value []byte) error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return journal.ErrClosed
	}
	return l.walk(ctx, slices.Sorted(maps.Keys(l.index)), each)
}

func (l *Log) walk(ctx context.Context, keys []string, each func(key string, value []byte) error) error {
	w, err := newWindow(l.files[l.at])
	if err != nil {
		return err
	}
	for _, key := range keys {
		if err := ctx.Err(); err != nil {
			return err
		}
		at := l.index[key]
		value, err := w.piece(at.off, at.n)
		if err == nil && len(value) < at.n {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return fmt.Errorf("read the log: %w", err)
		}
		if err := each(key, value); err != nil {
			return err
		}
	}
	return nil
}

// usable returns the error of a log that takes no commits.
func (l *Log) usable() error {
	switch {
	case l.closed:
		return journal.ErrClosed
	case l.broken:
		return journal.ErrBroken
	case l.damage != Damage{}:
		d := l.damage
		return &d
	}
	return nil
}

// Commit adds one frame and flushes it. The error is a [*Damage] if the log is damaged; nothing is written then.
func (l *Log) Commit(ctx context.Context, changes map[string][]byte) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.usable(); err != nil {
		return err
	}
	err := ctx.Err()
	if err == nil {
		err = l.commit(ctx, changes)
	}
	return l.outcome("commit to the log", err)
}

// outcome returns the error of a change. After journal.ErrFull, and only then, the log stays usable.
func (l *Log) outcome(what string, err error) error {
	switch {
	case err == nil:
		return nil
	case l.broken && errors.Is(err, journal.ErrFull):
		return fmt.Errorf("%s: %s", what, err.Error())
	case !errors.Is(err, journal.ErrFull):
		l.broken = true
	}
	return fmt.Errorf("%s: %w", what, err)
}

func (l *Log) commit(ctx context.Context, changes map[string][]byte) error {
	if len(changes) == 0 {
		return nil
	}
	if err := l.compact(ctx); err != nil {
		return err
	}
	keys := slices.Sorted(maps.Keys(changes))
	b := make([]byte, frameHead)
	ends := make([]int, len(keys))
	for i, key := range keys {
		if key == "" {
			return errKey
		}
		b = appendEntry(b, key, changes[key])
		ends[i] = len(b)
	}
	if len(b)-frameHead > frameMax {
		return fmt.Errorf("%w: %d bytes in one commit", journal.ErrFull, len(b))
	}
	l.head.seal(b, kindCommit, l.number+1)
	if err := l.add(b); err != nil {
		return err
	}
	l.last, l.lastAt = l.last[:0], l.end
	for i, key := range keys {
		was, there := l.index[key]
		l.last = append(l.last, before{key, was, there})
		n := len(changes[key])
		l.apply(key, place{off: l.end + int64(ends[i]-n), n: n}, changes[key] == nil)
	}
	l.number++
	l.end += int64(len(b))
	return nil
}

// add writes a frame at the end and flushes it. After journal.ErrFull the file is as before.
func (l *Log) add(b []byte) error {
	f := l.files[l.at]
	if _, err := f.WriteAt(b, l.end); err != nil {
		if back := l.truncate(l.end); back != nil {
			l.broken = true
			return fmt.Errorf("%w; a part of it stays: %w", err, back)
		}
		return err
	}
	return f.Flush()
}

// truncate makes the slot in use that long, durably.
func (l *Log) truncate(size int64) error {
	f := l.files[l.at]
	if err := f.Truncate(size); err != nil {
		return err
	}
	switch got, err := f.Size(); {
	case err != nil:
		return err
	case got != size:
		return fmt.Errorf("the file has %d bytes after it was cut to %d", got, size)
	}
	return f.Flush()
}

// Undo takes back the last commit, if it was made since Open and nothing else happened since: the owner of two copies needs it
// when the other one has no room. When it returns an error, the outcome is unknown and the log is broken.
func (l *Log) Undo(context.Context) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.usable(); err != nil {
		return err
	}
	if l.lastAt == 0 {
		return errUndo
	}
	if err := l.truncate(l.lastAt); err != nil {
		l.broken = true
		return fmt.Errorf("take back a commit: %w", err)
	}
	for _, b := range l.last {
		l.apply(b.key, b.was, !b.there)
	}
	l.end, l.lastAt = l.lastAt, 0
	l.number--
	return nil
}

// Lock takes the lock of the log. The files have one owner, so the lock is in its memory.
func (l *Log) Lock(context.Context) (func() error, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.closed:
		return nil, journal.ErrClosed
	case l.locked:
		return nil, journal.ErrLocked
	}
	l.locked = true
	return sync.OnceValue(func() error {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.locked = false
		return nil
	}), nil
}

// Close closes the files.
func (l *Log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil
	}
	l.closed = true
	return errors.Join(l.files[0].Close(), l.files[1].Close())
}
