package journal_test

import (
	"context"
	"errors"
	"testing"

	"tcode/offline/host/journal"
	"tcode/offline/host/journal/journaltest"
)

type memoryPlace struct{ disk *journal.Disk }

func (p memoryPlace) Open(context.Context) (journal.Journal, error) { return p.disk.Open() }

func TestMemory(t *testing.T) {
	journaltest.Run(t, func(*testing.T) journaltest.Place { return memoryPlace{new(journal.Disk)} })
}

// TestFaults checks that the prepared faults do as they say.
func TestFaults(t *testing.T) {
	tests := []struct {
		name   string
		fault  journal.Fault
		kept   bool
		usable bool
	}{
		{"none", journal.NoFault, true, true},
		{"before", journal.FailBefore, false, false},
		{"after", journal.FailAfter, true, false},
		{"full", journal.Full, false, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var d journal.Disk
			j, err := d.Open()
			if err != nil {
				t.Fatal(err)
			}
			d.Fail(tt.fault)
			if err := j.Commit(t.Context(), map[string][]byte{"a": {1}}); (err == nil) != (tt.fault == journal.NoFault) {
				t.Errorf("commit: %v", err)
			}
			if _, kept := d.Records()["a"]; kept != tt.kept {
				t.Errorf("kept %t, want %t", kept, tt.kept)
			}
			err = j.Commit(t.Context(), map[string][]byte{"b": {1}})
			if usable := err == nil; usable != tt.usable || !usable && !errors.Is(err, journal.ErrBroken) {
				t.Errorf("next commit: %v", err)
			}
			d.Crash()
			if err := j.Commit(t.Context(), nil); !errors.Is(err, journal.ErrClosed) {
				t.Errorf("a dead owner commits: %v", err)
			}
			if _, err := d.Open(); err != nil {
				t.Errorf("open again: %v", err)
			}
		})
	}
}
