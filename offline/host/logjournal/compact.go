package logjournal

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"slices"

	"tcode/offline/host/journal"
)

const (
	slack = 1 << 20  // bytes of old records that a log may have in any case
	chunk = 64 << 10 // bytes of a frame of a snapshot, or one record
)

// compact writes a snapshot if more of the log is old than not. Without room for it the log goes on as it is.
func (l *Log) compact(ctx context.Context) error {
	if l.end < max(l.later, 2*l.live+slack) {
		return nil
	}
	err := l.rewrite(ctx, nil)
	if errors.Is(err, journal.ErrFull) && !l.broken {
		l.later = l.end + l.end/2
		return nil
	}
	return err
}

// Repair writes all records that verify, with changes applied as by Commit, into the other file, and makes that the log: it is not
// damaged then. All of this happens or nothing. The damaged file is empty afterwards.
func (l *Log) Repair(ctx context.Context, changes map[string][]byte) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.closed:
		return journal.ErrClosed
	case l.broken:
		return journal.ErrBroken
	}
	return l.outcome("repair the log", l.rewrite(ctx, changes))
}

// rewrite writes a snapshot into the other slot and goes over to it. After journal.ErrFull the log is as before.
func (l *Log) rewrite(ctx context.Context, changes map[string][]byte) error {
	s := &snapshot{to: l.files[1-l.at], end: headSize, head: header{generation: l.head.generation + 1, base: l.number}}
	_, _ = rand.Read(s.head.nonce[:]) // never fails
	s.index = make(map[string]place, len(l.index))
	err := empty(s.to)
	if err == nil {
		err = l.pour(ctx, s, changes)
	}
	if err == nil {
		err = s.to.Flush()
	}
	if err != nil {
		return errors.Join(err, s.leave(l))
	}
	// From here to the end both slots are valid and hold the same records, or the new one is not valid yet.
	if _, err := s.to.WriteAt(s.head.encode(), 0); err != nil {
		return errors.Join(err, s.leave(l))
	}
	if err := s.to.Flush(); err != nil {
		l.broken = true
		return err
	}
	old := l.files[l.at]
	l.at, l.head, l.index, l.live, l.end = 1-l.at, s.head, s.index, s.live, s.end
	l.damage, l.later, l.lastAt = Damage{}, 0, 0
	if err := empty(old); err != nil {
		l.broken = true
		return fmt.Errorf("the old slot stays: %w", err)
	}
	return nil
}

// pour writes the records of l with changes.
func (l *Log) pour(ctx context.Context, s *snapshot, changes map[string][]byte) error {
	put := func(key string, value []byte) error {
		if changed, ok := changes[key]; ok {
			value = changed
		}
		if value == nil {
			return nil
		}
		return s.put(key, value)
	}
	if err := l.walk(ctx, slices.Sorted(maps.Keys(l.index)), func(key string, value []byte) error {
		if value == nil {
			value = []byte{}
		}
		return put(key, value)
	}); err != nil {
		return err
	}
	for key, value := range changes {
		if _, there := l.index[key]; !there {
			if err := put(key, value); err != nil {
				return err
			}
		}
	}
	return s.flush()
}

// snapshot is a slot that is being written.
type snapshot struct {
	to    File
	head  header
	end   int64
	index map[string]place
	live  int64
	buf   []byte // a frame
}

// leave makes the file empty again after an error. A broken log has an outcome that is not known.
func (s *snapshot) leave(l *Log) error {
	if err := empty(s.to); err != nil {
		l.broken = true
		return fmt.Errorf("the new slot stays: %w", err)
	}
	return nil
}

func (s *snapshot) put(key string, value []byte) error {
	if len(s.buf) == 0 {
		s.buf = append(s.buf, make([]byte, frameHead)...)
	}
	s.buf = appendEntry(s.buf, key, value)
	s.index[key] = place{off: s.end + int64(len(s.buf)-len(value)), n: len(value)}
	s.live += cost(key, len(value))
	if len(s.buf) < chunk {
		return nil
	}
	return s.flush()
}

func (s *snapshot) flush() error {
	if len(s.buf) == 0 {
		return nil
	}
	s.head.frames++
	s.head.seal(s.buf, kindSnapshot, s.head.frames)
	if _, err := s.to.WriteAt(s.buf, s.end); err != nil {
		return err
	}
	s.end += int64(len(s.buf))
	s.head.size += uint64(len(s.buf))
	s.buf = s.buf[:0]
	return nil
}
