package keep

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"

	"tcode/offline/host/journal"
)

// MostAnswers is the number of answers that are kept as they were shown: the newest ones.
const MostAnswers = 300

// Keys of the records (FORMAT.md).
const (
	keySettings = "settings"
	preRemark   = "remark/"
	preAnswer   = "answer/"
)

// Notes are what a device keeps beside its scans, in a journal of their own: nothing of it is sent, and no verdict
// depends on it. They are safe for concurrent use.
type Notes struct {
	open Opener

	mu      sync.Mutex
	j       journal.Journal // nil: it must be opened again
	records map[string][]byte
	answers map[string]string // scan id -> key
	tried   bool              // reading has failed since the last change
	closed  bool
}

// OpenNotes opens the notes and reads all of them. Records that do not read are ignored.
func OpenNotes(ctx context.Context, open Opener) (*Notes, error) {
	n := &Notes{open: open}
	n.mu.Lock()
	defer n.mu.Unlock()
	return n, n.ready(ctx)
}

// ready opens the journal if it must be.
func (n *Notes) ready(ctx context.Context) error {
	if n.closed {
		return journal.ErrClosed
	}
	if n.j != nil {
		return nil
	}
	j, err := n.open(ctx)
	if err != nil {
		return err
	}
	records, answers := map[string][]byte{}, map[string]string{}
	err = j.Load(ctx, func(key string, value []byte) error {
		records[key] = bytes.Clone(value)
		index(answers, key, value)
		return nil
	})
	if err != nil {
		return errors.Join(err, j.Close())
	}
	n.j, n.records, n.answers = j, records, answers
	return nil
}

// index notes the scan ids of an answer's record.
func index(answers map[string]string, key string, value []byte) {
	if ids, _, ok := bytes.Cut(value, []byte("\n")); ok && strings.HasPrefix(key, preAnswer) {
		for _, id := range strings.Fields(string(ids)) {
			answers[id] = key
		}
	}
}

// commit makes changes durable, and then visible.
func (n *Notes) commit(ctx context.Context, changes map[string][]byte) error {
	n.tried = false
	if err := n.ready(ctx); err != nil {
		n.tried = true
		return err
	}
	if err := n.j.Commit(ctx, changes); err != nil {
		if errors.Is(err, journal.ErrFull) {
			return err
		}
		err = errors.Join(err, n.j.Close())
		n.j = nil // its outcome is unknown: the next call reads it
		return err
	}
	for key, value := range changes {
		if value == nil {
			maps.DeleteFunc(n.answers, func(_, of string) bool { return of == key })
			delete(n.records, key)
			continue
		}
		n.records[key] = value
		index(n.answers, key, value)
	}
	return nil
}

// read reads the journal again after a commit whose outcome is unknown. If that fails, the records that were read before count, and
// the next change tries again: a page of the history asks for many.
func (n *Notes) read() {
	if n.j == nil && !n.tried {
		n.tried = n.ready(context.Background()) != nil
	}
}

func (n *Notes) get(key string) []byte {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.read()
	return n.records[key]
}

func (n *Notes) put(ctx context.Context, changes map[string][]byte) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.commit(ctx, changes)
}

// Settings returns the stored settings as JSON; nil: none.
func (n *Notes) Settings() []byte { return n.get(keySettings) }

// SetSettings stores settings as JSON.
func (n *Notes) SetSettings(ctx context.Context, raw []byte) error {
	return n.put(ctx, map[string][]byte{keySettings: raw})
}

// Remark returns a person's remark about a scan; empty: none.
func (n *Notes) Remark(scanID string) string { return string(n.get(preRemark + scanID)) }

// SetRemark stores a remark; an empty one removes it.
func (n *Notes) SetRemark(ctx context.Context, scanID, remark string) error {
	var value []byte
	if remark != "" {
		value = []byte(remark)
	}
	return n.put(ctx, map[string][]byte{preRemark + scanID: value})
}

// Answer returns the answer about a scan as it was shown, as JSON; nil: it is not kept any more.
func (n *Notes) Answer(scanID string) []byte {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.read()
	_, raw, _ := bytes.Cut(n.records[n.answers[scanID]], []byte("\n"))
	return raw
}

// KeepAnswer stores an answer, as JSON, about the scans of these ids, and forgets the oldest above [MostAnswers].
func (n *Notes) KeepAnswer(ctx context.Context, scanIDs []string, raw []byte) error {
	if len(scanIDs) == 0 {
		return nil
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if err := n.ready(ctx); err != nil {
		return err
	}
	key := preAnswer + scanIDs[0]
	changes := map[string][]byte{key: append([]byte(strings.Join(scanIDs, " ")+"\n"), raw...)}
	var others []string // damaged ones too
	for held := range n.records {
		if strings.HasPrefix(held, preAnswer) && held != key {
			others = append(others, held)
		}
	}
	slices.Sort(others) // ids of scans begin with their time
	for _, old := range others[:max(0, len(others)+1-MostAnswers)] {
		changes[old] = nil
	}
	return n.commit(ctx, changes)
}

// Close closes the journal.
func (n *Notes) Close() error {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.closed = true
	if n.j == nil {
		return nil
	}
	j := n.j
	n.j = nil
	return j.Close()
}
