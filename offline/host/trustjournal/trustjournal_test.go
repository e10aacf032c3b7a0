package trustjournal_test

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"sync"
	"testing"

	"tcode/offline/host/journal"
	"tcode/offline/host/trustjournal/trustjournaltest"
	"tcode/offline/trustbook/booktest"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	trustjournaltest.Run(t, func(*testing.T) trustjournaltest.Disk {
		m := &memory{records: map[string][]byte{}, arm: -1}
		fault := func(name string, way int) booktest.Fault {
			return booktest.Fault{Name: name, Arm: func(after int) { m.arm, m.way = after, way }}
		}
		return trustjournaltest.Disk{
			Open:   func(context.Context) (journal.Journal, error) { return &handle{memory: m}, nil },
			Faults: []booktest.Fault{fault("before", 0), fault("after", 1)},
		}
	}, true)
}

// A memory is a disk; a handle is one opening of it, which breaks with a failed commit.
type memory struct {
	mu      sync.Mutex
	records map[string][]byte
	locked  bool
	arm     int // commits before the one that fails; negative: none
	way     int // 1: it has its effect
}

type handle struct {
	*memory
	broken bool
}

var (
	errDisk   = errors.New("the disk failed")
	errBroken = errors.New("used after a failed commit")
	errLocked = errors.New("another owner")
)

func (h *handle) Load(_ context.Context, each func(string, []byte) error) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.broken {
		return errBroken
	}
	for key, value := range h.records {
		if err := each(key, bytes.Clone(value)); err != nil {
			return err
		}
	}
	return nil
}

func (h *handle) Commit(_ context.Context, changes map[string][]byte) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.broken {
		return errBroken
	}
	h.broken = h.arm == 0
	h.arm--
	if h.broken && h.way == 0 {
		return errDisk
	}
	maps.Copy(h.records, changes)
	maps.DeleteFunc(h.records, func(_ string, v []byte) bool { return v == nil })
	if h.broken {
		return errDisk
	}
	return nil
}

func (h *handle) Lock(context.Context) (func() error, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.locked {
		return nil, errLocked
	}
	h.locked = true
	return func() error {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.locked = false
		return nil
	}, nil
}

func (h *handle) Close() error { return nil }
