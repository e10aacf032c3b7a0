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

// TestScripts plays random commits with faults, kills and power cuts: each acknowledged commit is there, each other one as a whole
// or not at all, and nothing is taken for damage.
func TestScripts(t *testing.T) {
	scripts := uint64(300)
	if testing.Short() {
		scripts = 40
	}
	var full, failed, cuts int
	for seed := range scripts {
		r := rand.New(rand.NewPCG(seed, 1))
		var d logtest.Disk
		var l *logjournal.Log
		state := map[string][]byte{} // acknowledged
		var doubt map[string][]byte  // state with the commit whose outcome is not known
		reopen := func() {
			var err error
			for range 2 { // a fault may be armed
				if l, err = d.Open(); err == nil {
					break
				}
			}
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			if err := l.Damage(); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			got := records(t, l)
			if doubt != nil && equal(got, doubt) {
				state = doubt
			}
			if doubt = nil; !equal(got, state) {
				t.Fatalf("seed %d: %d records, want %d", seed, len(got), len(state))
			}
		}
		reopen()
		for range 60 {
			switch r.IntN(12) {
			case 0:
				d.Kill()
				reopen()
			case 1:
				d.PowerCut(r)
				cuts++
				reopen()
			case 2:
				d.Fail(r.IntN(8))
			case 3:
				files := d.Files()
				d.Room(int64(len(files[0])+len(files[1])) + int64(r.IntN(400_000)))
			case 4:
				d.Room(0)
			default:
				changes := someChanges(r)
				switch err := l.Commit(t.Context(), changes); {
				case err == nil:
					state = applied(state, changes)
					if r.IntN(4) == 0 {
						old := state
						if l.Undo(t.Context()) != nil {
							break
						}
						state = old
						_ = old
					}
				case errors.Is(err, journal.ErrFull):
					full++
				default:
					failed++
					doubt = applied(state, changes)
					if r.IntN(2) == 0 {
						d.PowerCut(r)
					} else {
						d.Kill()
					}
					d.Room(0)
					reopen()
				}
			}
		}
	}
	t.Logf("%d scripts, %d commits without room, %d that failed, %d power cuts", scripts, full, failed, cuts)
	if full == 0 || failed == 0 || cuts == 0 {
		t.Error("the scripts reach too little")
	}
}
