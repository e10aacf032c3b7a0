package booktest

import (
	"errors"
	"testing"
	"time"

	"tcode/offline"
	"tcode/offline/trust"
	"tcode/offline/trust/trusttest"
	"tcode/offline/trustbook"
)

// proofAt returns a proof of that time, taken at that reading.
func proofAt(at time.Time, read time.Duration) offline.Proof {
	return offline.Proof{Time: at.UTC(), Boot: offline.Boot{ID: "boot 1", At: read}}
}

func (d *device) prove(t *testing.T, p offline.Proof) trustbook.Correction {
	t.Helper()
	done, err := d.Prove(t.Context(), d.snapshot(t).State().Root.Online, p)
	if err != nil {
		t.Fatal(err)
	}
	return done
}

// The last proof is present after a restart.
func proofIsKept(t *testing.T, d *device) {
	a := trusttest.New(t, "a")
	d.enrol(t, a)
	issued := d.snapshot(t).State().Timestamp.StatusAsOf
	want := proofAt(issued.Add(time.Hour+time.Nanosecond), 5*time.Second)
	if done := d.prove(t, want); done != (trustbook.Correction{}) {
		t.Errorf("a later proof lowered %+v", done)
	}
	d.prove(t, proofAt(issued, 4*time.Second)) // asked before the last one, stored after it
	d.restart(t)
	if got := d.snapshot(t).Proof(); got != want {
		t.Errorf("proof %+v, want %+v", got, want)
	}
	next := proofAt(issued.Add(2*time.Hour), time.Second)
	next.Boot.ID = "boot 2\x00\xff"
	d.prove(t, next)
	if got := d.snapshot(t).Proof(); got != next {
		t.Errorf("proof of the next start %+v, want %+v", got, next)
	}
}

// A floor above the proof and a document dated after it are corrected permanently;
// a new online key voids the state of the old one.
func proofLowers(t *testing.T, d *device) {
	a := trusttest.New(t, "a")
	d.enrol(t, a)
	issued := d.snapshot(t).State().Timestamp.StatusAsOf
	right := issued.Add(-400 * 24 * time.Hour)
	done := d.prove(t, proofAt(right, 0))
	if !done.Floor.Equal(issued) || done.Version != 10 {
		t.Errorf("lowered %+v, want the floor of %v and version 10", done, issued)
	}
	if s := d.snapshot(t).State(); !s.Floor.Equal(right) || s.Dated() {
		t.Errorf("the next snapshot has floor %v, dated %v", s.Floor, s.Dated())
	}
	if done = d.prove(t, proofAt(right, 1)); done != (trustbook.Correction{}) {
		t.Errorf("the next proof lowered %+v", done)
	}
	d.restart(t)
	if s := d.snapshot(t).State(); !s.Floor.Equal(right) || s.Dated() {
		t.Errorf("floor %v, dated %v", s.Floor, s.Dated())
	}
	d.apply(t, a.Set(11, 0)) // dated like the one before
	if s := d.snapshot(t).State(); !s.Floor.Equal(s.Timestamp.StatusAsOf) || !s.Dated() {
		t.Errorf("after the next set: floor %v, dated %v", s.Floor, s.Dated())
	}
	if err := d.Unpin(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := d.snapshot(t).Proof(); got != (offline.Proof{}) {
		t.Errorf("without a root: proof %+v", got)
	}
	if _, err := d.Prove(t.Context(), trust.VerifierKey{}, proofAt(right, 2)); !errors.Is(err, trustbook.ErrNotEnrolled) {
		t.Errorf("Prove without a root: %v", err)
	}
}

// A proof does not count if the device accepts a root with a new online key before
// the proof is stored: the thief of the old key may have signed it.
func proofByOldKey(t *testing.T, d *device) {
	a := trusttest.New(t, "a")
	d.enrol(t, a)
	by := d.snapshot(t).State().Root.Online
	a.Rotate("a-online-2")
	next := a.Set(11, 1)
	next.Roots = a.Roots
	d.apply(t, next)
	now := d.snapshot(t)
	p := proofAt(now.State().Timestamp.StatusAsOf.AddDate(-1, 0, 0), 2)
	if done, err := d.Prove(t.Context(), by, p); !errors.Is(err, trustbook.ErrOldKey) {
		t.Errorf("Prove = %+v, %v, want ErrOldKey", done, err)
	}
	if s := d.snapshot(t); s.Proof() != (offline.Proof{}) || !s.State().Floor.Equal(now.State().Floor) {
		t.Errorf("proof %+v, floor %v", s.Proof(), s.State().Floor)
	}
}

// An operator's confirmation lowers the same dates, proves nothing, and does not
// prevail over a proof by accident.
func confirm(t *testing.T, d *device) {
	a := trusttest.New(t, "a")
	d.enrol(t, a)
	issued := d.snapshot(t).State().Timestamp.StatusAsOf
	right := issued.Add(-400 * 24 * time.Hour)
	done, err := d.Confirm(t.Context(), right, false)
	if err != nil || !done.Floor.Equal(issued) || done.Version != 10 {
		t.Errorf("lowered %+v, %v", done, err)
	}
	if got := d.snapshot(t).Proof(); got != (offline.Proof{}) {
		t.Errorf("a word became a proof: %+v", got)
	}
	d.prove(t, proofAt(issued, 0))
	if _, err := d.Confirm(t.Context(), right, false); !errors.Is(err, trustbook.ErrBelowProof) {
		t.Errorf("below a proof: %v", err)
	}
	if got := d.snapshot(t).Proof(); !got.Time.Equal(issued) {
		t.Errorf("the proof is gone: %+v", got)
	}
	if _, err := d.Confirm(t.Context(), right, true); err != nil || d.snapshot(t).Proof() != (offline.Proof{Time: right}) {
		t.Errorf("despite the proof: %v", err)
	}
	d.restart(t)
	if d.snapshot(t).Proof() != (offline.Proof{Time: right}) {
		t.Error("the lowered proof is gone after a restart")
	}
	if _, err := d.other(t).Confirm(t.Context(), right, true); !errors.Is(err, trustbook.ErrNotEnrolled) {
		t.Errorf("without a root: %v", err)
	}
}
