package trust_test

import (
	"bytes"
	"errors"
	"reflect"
	"slices"
	"testing"

	"tcode/offline/trust"
)

// An updaterCase is an attack or update for a device at version 10 and root 1.
type updaterCase struct {
	name string
	// attack changes the gateway's documents.
	attack func(r *repository) trust.Update
	want   error // nil: accepted
	// version is the timestamp's version afterwards, root the root's.
	version, root uint64
}

// TestUpdater runs go-tuf's top-level updater tests against our device, under
// their names (theupdateframework/go-tuf, metadata/updater). Their targets are
// our bundle, their snapshot is our status, and hashes and lengths are always
// present. go-tuf refuses expired documents; we accept them and grade the
// verdict (package offline), as the cases say.
func TestUpdater(t *testing.T) {
	t.Parallel()
	for _, tt := range slices.Concat(rootCases(), documentCases()) {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRepository(t)
			before := r.device()
			// A second device of the same age shows whether Apply has changed
			// its receiver.
			untouched := newRepository(t).device()
			after, changes, err := before.Apply(tt.attack(r))
			if !errors.Is(err, tt.want) {
				t.Fatalf("Apply: %v, want %v", err, tt.want)
			}
			if !reflect.DeepEqual(before, untouched) {
				t.Error("Apply changed its receiver")
			}
			if err != nil && (!reflect.DeepEqual(after, before) || changes.Any()) {
				t.Errorf("refused, and yet changed: %+v", changes)
			}
			if got := after.Timestamp.Version; got != tt.version {
				t.Errorf("timestamp %d, want %d", got, tt.version)
			}
			if got := after.Root.Version; got != tt.root {
				t.Errorf("root %d, want %d", got, tt.root)
			}
			var place *trust.DocumentError
			if err != nil && !errors.As(err, &place) {
				t.Errorf("%v does not say which document", err)
			}
			loaded, err := trust.Load(after.Save())
			if err != nil || !reflect.DeepEqual(loaded, after) {
				t.Errorf("saved and loaded it is not the same: %v", err)
			}
		})
	}
}

// pad makes a note longer with signature lines of an unknown key.
func pad(note []byte, length int) []byte {
	note = bytes.Clone(note)
	for len(note) < length {
		note = append(note, "— unknown AAAAAAAA\n"...)
	}
	return note
}
