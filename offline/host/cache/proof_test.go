package cache_test

import (
	"testing"
	"time"

	"tcode/offline"
	"tcode/offline/host/cache"
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
