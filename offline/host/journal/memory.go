package journal

import (
	"bytes"
	"context"
	"maps"
	"slices"
	"sync"
)

// A Fault is a failure of one commit of a [Disk].
type Fault int

// Faults.
const (
	// NoFault is a commit that succeeds.
	NoFault Fault = iota
	// FailBefore is a commit that fails and keeps nothing.
	FailBefore
	// FailAfter is a commit that keeps everything, and whose success is never told.
	FailAfter
	// Full is a commit for which there is no room: nothing is kept, and the journal stays usable.
	Full
)

// A Disk is the memory behind journals of tests: it outlives them, as a disk outlives a process. Its zero value is empty.
type Disk struct {
	mu     sync.Mutex
	all    map[string][]byte
	owner  *memory
	locked bool
	next   []Fault
}

// Fail sets the faults of the next commits, in order.
func (d *Disk) Fail(faults ...Fault) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.next = slices.Clone(faults)
}

// Crash ends the owner as the end of its process does: it can commit no more, and its lock is free.
func (d *Disk) Crash() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.owner != nil {
		d.owner.closed = true
	}
	d.owner, d.locked = nil, false
}

// Records returns a copy of all records.
func (d *Disk) Records() map[string][]byte {
	d.mu.Lock()
	defer d.mu.Unlock()
	return copied(d.all)
}

// Set replaces all records, as a person with access to the disk can.
func (d *Disk) Set(records map[string][]byte) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.all = copied(records)
}

// Open opens the journal on the disk. The error is ErrOwned if it is open.
func (d *Disk) Open() (Journal, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.owner != nil {
		return nil, ErrOwned
	}
	d.owner = &memory{disk: d}
	return d.owner, nil
}

func copied(records map[string][]byte) map[string][]byte {
	out := make(map[string][]byte, len(records))
	for key, value := range records {
		out[key] = append([]byte{}, value...)
	}
	return out
}

// memory is a journal on a Disk. The disk's lock protects it.
type memory struct {
	disk   *Disk
	closed bool
	broken bool
}

func (m *memory) Load(ctx context.Context, each func(key string, value []byte) error) error {
	m.disk.mu.Lock()
	if m.closed {
		m.disk.mu.Unlock()
		return ErrClosed
	}
	all := copied(m.disk.all)
	m.disk.mu.Unlock()
	for _, key := range slices.Sorted(maps.Keys(all)) {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := each(key, all[key]); err != nil {
			return err
		}
	}
	return nil
}

func (m *memory) Commit(ctx context.Context, changes map[string][]byte) error {
	m.disk.mu.Lock()
	defer m.disk.mu.Unlock()
	switch {
	case m.closed:
		return ErrClosed
	case m.broken:
		return ErrBroken
	case ctx.Err() != nil:
		m.broken = true
		return ctx.Err()
	}
	fault := NoFault
	if len(m.disk.next) > 0 {
		fault, m.disk.next = m.disk.next[0], m.disk.next[1:]
	}
	if fault == Full {
		return ErrFull
	}
	m.broken = fault != NoFault
	if fault != FailBefore {
		m.disk.apply(changes)
	}
	if m.broken {
		return errFault
	}
	return nil
}

func (d *Disk) apply(changes map[string][]byte) {
	if d.all == nil {
		d.all = map[string][]byte{}
	}
	for key, value := range changes {
		if value == nil {
			delete(d.all, key)
			continue
		}
		d.all[key] = bytes.Clone(value)
	}
}

func (m *memory) Lock(context.Context) (func() error, error) {
	m.disk.mu.Lock()
	defer m.disk.mu.Unlock()
	switch {
	case m.closed:
		return nil, ErrClosed
	case m.disk.locked:
		return nil, ErrLocked
	}
	m.disk.locked = true
	return sync.OnceValue(func() error {
		m.disk.mu.Lock()
		defer m.disk.mu.Unlock()
		if m.disk.owner == m {
			m.disk.locked = false
		}
		return nil
	}), nil
}

func (m *memory) Close() error {
	m.disk.mu.Lock()
	defer m.disk.mu.Unlock()
	if m.disk.owner == m {
		m.disk.owner, m.disk.locked = nil, false
	}
	m.closed = true
	return nil
}
