package logjournal_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"

	"tcode/offline/host/journal"
	"tcode/offline/host/journal/journaltest"
	"tcode/offline/host/logjournal"
	"tcode/offline/host/logjournal/logtest"
)

type place struct{ disk *logtest.Disk }

func (p place) Open(context.Context) (journal.Journal, error) {
	l, err := p.disk.Open()
	if err != nil {
		return nil, err
	}
	return l, nil
}

func TestJournal(t *testing.T) {
	journaltest.Run(t, func(*testing.T) journaltest.Place { return place{new(logtest.Disk)} })
}

func open(t testing.TB, d *logtest.Disk) *logjournal.Log {
	t.Helper()
	l, err := d.Open()
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func records(t testing.TB, j journal.Journal) map[string][]byte {
	t.Helper()
	all, err := journaltest.Records(context.Background(), j)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func equal(a, b map[string][]byte) bool { return maps.EqualFunc(a, b, bytes.Equal) }

func applied(state, changes map[string][]byte) map[string][]byte {
	state = maps.Clone(state)
	for key, value := range changes {
		if value == nil {
			delete(state, key)
			continue
		}
		state[key] = value
	}
	return state
}

// someChanges returns a small commit, or a large one so that the log is compacted from time to time.
func someChanges(r *rand.Rand) map[string][]byte {
	changes := map[string][]byte{}
	for range 1 + r.IntN(4) {
		key := fmt.Sprintf("key %d", r.IntN(20))
		switch r.IntN(8) {
		case 0:
			changes[key] = nil
		case 1:
			changes[key] = bytes.Repeat([]byte{byte(r.Uint32())}, r.IntN(300_000))
		default:
			changes[key] = fmt.Appendf(nil, "%d", r.Uint64())
		}
	}
	return changes
}

// model is a log on a disk, and the records that it must have.
type model struct {
	t     *testing.T
	r     *rand.Rand
	disk  logtest.Disk
	log   *logjournal.Log
	state map[string][]byte // acknowledged
	doubt map[string][]byte // also allowed: the outcome of the last change is not known

	full, failed, cuts, undone int
}

func (m *model) reopen() {
	var err error
	for range 2 { // the first time a fault may be armed
		if m.log, err = m.disk.Open(); err == nil {
			break
		}
	}
	if err != nil {
		m.t.Fatal(err)
	}
	if err := m.log.Damage(); err != nil {
		m.t.Fatal(err)
	}
	got := records(m.t, m.log)
	if m.doubt != nil && equal(got, m.doubt) {
		m.state = m.doubt
	}
	if m.doubt = nil; !equal(got, m.state) {
		m.t.Fatalf("%d records, want %d", len(got), len(m.state))
	}
}

func (m *model) crash() {
	if m.r.IntN(2) == 0 {
		m.disk.PowerCut(m.r)
		m.cuts++
	} else {
		m.disk.Kill()
	}
	m.disk.Room(0)
	m.reopen()
}

func (m *model) step() {
	switch m.r.IntN(12) {
	case 0, 1:
		m.crash()
	case 2:
		m.disk.Fail(m.r.IntN(8))
	case 3:
		files := m.disk.Files()
		m.disk.Room(int64(len(files[0])+len(files[1])) + int64(m.r.IntN(400_000)))
	case 4:
		m.disk.Room(0)
	default:
		m.commit(someChanges(m.r))
	}
}

func (m *model) commit(changes map[string][]byte) {
	before, after := m.state, applied(m.state, changes)
	err := m.log.Commit(m.t.Context(), changes)
	switch {
	case err == nil && m.r.IntN(4) == 0:
		m.state = after
		if err = m.log.Undo(m.t.Context()); err == nil {
			m.state = before
			m.undone++
			return
		}
		m.doubt = before
	case err == nil:
		m.state = after
		return
	case errors.Is(err, journal.ErrFull):
		m.full++
		return
	default:
		m.doubt = after
	}
	m.failed++
	if err := m.log.Commit(m.t.Context(), changes); !errors.Is(err, journal.ErrBroken) {
		m.t.Fatalf("a broken log: %v", err)
	}
	m.crash()
}

// TestScripts plays random commits with faults, kills and power cuts: each acknowledged commit is there, each other one as a whole
// or not at all, and nothing is taken for damage.
func TestScripts(t *testing.T) {
	scripts := uint64(300)
	if testing.Short() {
		scripts = 40
	}
	var full, failed, cuts, undone int
	for seed := range scripts {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			m := &model{t: t, r: rand.New(rand.NewPCG(seed, 1)), state: map[string][]byte{}}
			m.reopen()
			for range 60 {
				m.step()
			}
			m.crash()
			full, failed, cuts, undone = full+m.full, failed+m.failed, cuts+m.cuts, undone+m.undone
		})
	}
	t.Logf("%d scripts, %d commits without room, %d that failed, %d power cuts, %d taken back", scripts, full, failed, cuts, undone)
	if full == 0 || failed == 0 || cuts == 0 || undone == 0 {
		t.Error("the scripts reach too little")
	}
}
