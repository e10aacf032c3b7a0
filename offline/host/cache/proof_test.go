package cache_test

import (
	"errors"
	"path/filepath"
	"testing"
	"time"

	"tcode/offline"
	"tcode/offline/host/cache"
	"tcode/offline/trust"
	"tcode/offline/trust/trusttest"
	"tcode/offline/trustbook"
)

// proofAt returns a proof of that time, taken at that reading.
func proofAt(at time.Time, read time.Duration) offline.Proof {
	return offline.Proof{Time: at.UTC(), Boot: offline.Boot{ID: "boot 1", At: read}}
}

func prove(t *testing.T, c *cache.Cache, p offline.Proof) trustbook.Correction {
	t.Helper()
	done, err := c.Prove(t.Context(), snapshot(t, c).State().Root.Online, p)
	if err != nil {
		t.Fatal(err)
	}
	return done
}

// TestProofIsKept: the last proof is present after the file was closed and
// opened again; a flipped bit removes it and cannot give another time.
func TestProofIsKept(t *testing.T) {
	t.Parallel()
	a := trusttest.New(t, "a")
	c, path := enrolled(t, a)
	issued := snapshot(t, c).State().Timestamp.StatusAsOf
	want := proofAt(issued.Add(time.Hour+time.Nanosecond), 5*time.Second)
	if done := prove(t, c, want); done != (trustbook.Correction{}) {
		t.Errorf("a later proof lowered %+v", done)
	}
	prove(t, c, proofAt(issued, 4*time.Second)) // asked before the last one, stored after it
	c.Close()
	c = open(t, path)
	if got := snapshot(t, c).Proof(); got != want {
		t.Errorf("proof %+v, want %+v", got, want)
	}
	next := proofAt(issued.Add(2*time.Hour), time.Second)
	next.Boot.ID = "boot 2"
	prove(t, c, next)
	if got := snapshot(t, c).Proof(); got != next {
		t.Errorf("proof of the next start %+v, want %+v", got, next)
	}
	for _, damage := range []string{
		`UPDATE facts SET value = replace(value, ' 1000000000 ', ' 1000000001 ') WHERE name = 'proof'`,
		`UPDATE facts SET value = 'x' WHERE name = 'proof'`,
		`UPDATE facts SET value = '' WHERE name = 'proof'`,
	} {
		if err := cache.Tamper(t.Context(), c, damage); err != nil {
			t.Fatal(err)
		}
		if err := cache.Tamper(t.Context(), c, `UPDATE facts SET value = value + 1 WHERE name = 'generation'`); err != nil {
			t.Fatal(err)
		}
		if got := snapshot(t, c).Proof(); got != (offline.Proof{}) {
			t.Errorf("%s: proof %+v", damage, got)
		}
	}
}

// TestProofLowers: a floor above the proof and a document dated after it are
// corrected permanently; a new online key voids the state of the old one.
func TestProofLowers(t *testing.T) {
	t.Parallel()
	a := trusttest.New(t, "a")
	c, path := enrolled(t, a)
	issued := snapshot(t, c).State().Timestamp.StatusAsOf
	right := issued.Add(-400 * 24 * time.Hour)
	done := prove(t, c, proofAt(right, 0))
	if !done.Floor.Equal(issued) || done.Version != 10 {
		t.Errorf("lowered %+v, want the floor of %v and version 10", done, issued)
	}
	if done = prove(t, c, proofAt(right, 1)); done != (trustbook.Correction{}) {
		t.Errorf("the next proof lowered %+v", done)
	}
	c.Close()
	c = open(t, path)
	if s := snapshot(t, c).State(); !s.Floor.Equal(right) || s.Dated() {
		t.Errorf("floor %v, dated %v", s.Floor, s.Dated())
	}
	apply(t, c, a.Set(11, 0)) // dated like the one before
	if s := snapshot(t, c).State(); !s.Floor.Equal(s.Timestamp.StatusAsOf) || !s.Dated() {
		t.Errorf("after the next set: floor %v, dated %v", s.Floor, s.Dated())
	}
	if err := c.Unpin(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := snapshot(t, c).Proof(); got != (offline.Proof{}) {
		t.Errorf("without a root: proof %+v", got)
	}
	if _, err := c.Prove(t.Context(), trust.VerifierKey{}, proofAt(right, 2)); !errors.Is(err, trustbook.ErrNotEnrolled) {
		t.Errorf("Prove without a root: %v", err)
	}
}

// TestProofByOldKey: a proof does not count if another process accepts a root with a
// new online key before it is stored: the thief of the old key may have signed it.
func TestProofByOldKey(t *testing.T) {
	t.Parallel()
	a := trusttest.New(t, "a")
	c, _ := enrolled(t, a)
	by := snapshot(t, c).State().Root.Online
	a.Rotate("a-online-2")
	next := a.Set(11, 1)
	next.Roots = a.Roots
	apply(t, c, next)
	now := snapshot(t, c)
	p := proofAt(now.State().Timestamp.StatusAsOf.AddDate(-1, 0, 0), 2)
	if done, err := c.Prove(t.Context(), by, p); !errors.Is(err, trustbook.ErrOldKey) {
		t.Errorf("Prove = %+v, %v, want ErrOldKey", done, err)
	}
	if s := snapshot(t, c); s.Proof() != (offline.Proof{}) || !s.State().Floor.Equal(now.State().Floor) {
		t.Errorf("proof %+v, floor %v", s.Proof(), s.State().Floor)
	}
}

// TestConfirm: an operator's confirmation lowers the same dates, proves
// nothing, and does not prevail over a proof by accident.
func TestConfirm(t *testing.T) {
	t.Parallel()
	a := trusttest.New(t, "a")
	c, _ := enrolled(t, a)
	issued := snapshot(t, c).State().Timestamp.StatusAsOf
	right := issued.Add(-400 * 24 * time.Hour)
	done, err := c.Confirm(t.Context(), right, false)
	if err != nil || !done.Floor.Equal(issued) || done.Version != 10 {
		t.Errorf("lowered %+v, %v", done, err)
	}
	if got := snapshot(t, c).Proof(); got != (offline.Proof{}) {
		t.Errorf("a word became a proof: %+v", got)
	}
	prove(t, c, proofAt(issued, 0))
	if _, err := c.Confirm(t.Context(), right, false); !errors.Is(err, trustbook.ErrBelowProof) {
		t.Errorf("below a proof: %v", err)
	}
	if got := snapshot(t, c).Proof(); !got.Time.Equal(issued) {
		t.Errorf("the proof is gone: %+v", got)
	}
	if _, err := c.Confirm(t.Context(), right, true); err != nil || snapshot(t, c).Proof() != (offline.Proof{Time: right}) {
		t.Errorf("despite the proof: %v", err)
	}
	if _, err := open(t, filepath.Join(t.TempDir(), "trust.db")).Confirm(t.Context(), right, true); !errors.Is(err, trustbook.ErrNotEnrolled) {
		t.Errorf("without a root: %v", err)
	}
}
