package publish_test

import (
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"errors"
	"sync"
	"testing"
	"time"

	"tcode/offline/trust"
	"tcode/server/ceremony"
	"tcode/server/fault"
	"tcode/server/issue/stamp"
	"tcode/server/publish"
	"tcode/server/store/storetest"
)

func offlineKey(t *testing.T, name string) *trust.Signer {
	t.Helper()
	seed := sha256.Sum256([]byte(name))
	s, err := trust.NewSigner("tcode/"+name, ed25519.NewKeyFromSeed(seed[:]))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// draft makes the root after the newest one of p, signed by the sealed root key if there
// is one, and by the given keys.
func draft(t *testing.T, b *storetest.Bundle, c ceremony.Change, newOnline bool, by ...*trust.Signer) []byte {
	t.Helper()
	now, err := b.Publish.Authority(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if newOnline {
		if c.Online, err = b.Publish.NewOnlineKey(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	c.Expires = b.Clock.Now().UTC().Truncate(time.Second).Add(publish.RootLife)
	text, err := ceremony.Next(b.Publish.Fingerprint(), now.Root, c)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := b.Publish.SignRoot(t.Context(), text)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range by {
		if raw, err = trust.SignNote(raw, s); err != nil {
			t.Fatal(err)
		}
	}
	return raw
}

func publishRoot(t *testing.T, b *storetest.Bundle, raws ...[]byte) {
	t.Helper()
	if n, err := b.Publish.PublishRoots(t.Context(), raws...); err != nil || n != len(raws) {
		t.Fatalf("PublishRoots = %d, %v; want %d", n, err, len(raws))
	}
}

// device applies the documents that p publishes.
func device(t *testing.T, p *publish.Publisher, s trust.State) trust.State {
	t.Helper()
	u := fetch(t, p)
	if len(s.Roots) == 0 {
		var err error
		if s, err = trust.Pin(u.Roots[:1], nil); err != nil {
			t.Fatal(err)
		}
	}
	next, _, err := s.Apply(u)
	if err != nil {
		t.Fatal(err)
	}
	return next
}

func both(t *testing.T, do func(t *testing.T, b *storetest.Bundle)) {
	t.Helper()
	for name, e := range map[string]storetest.Engine{"sqlite": storetest.SQLite, "postgres": storetest.Postgres} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			do(t, storetest.NewOn(t, e))
		})
	}
}

// TestFastForwardIsUndone: with a new online key, devices accept lower versions and
// earlier times again, because they begin again, and revocations remain.
func TestFastForwardIsUndone(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, b *storetest.Bundle) {
		id := b.Tenant(t, "Acme", "ACME01")
		st := b.Stamp(t, id, "n")
		if err := b.Stamps.Act(t.Context(), id, st.ID, stamp.ActionRevoke, ""); err != nil {
			t.Fatal(err)
		}
		b.Clock.Add(400 * 24 * time.Hour)
		publishNow(t, b, true)
		held := device(t, b.Publish, trust.State{})
		b.Clock.Add(-400 * 24 * time.Hour)
		publishRoot(t, b, draft(t, b, ceremony.Change{}, true))
		next := device(t, b.Publish, held)
		now := uint64(b.Clock.Now().Unix())
		if next.Root.Version != 2 || next.Timestamp.Version != now || next.Bundle.Version != now || next.Status.Version != now || !next.Floor.Equal(b.Clock.Now()) {
			t.Errorf("root %d, versions %d %d %d, floor %v; want all of %d", next.Root.Version, next.Timestamp.Version, next.Bundle.Version,
				next.Status.Version, next.Floor, now)
		}
		if next.Status.Delta.Since != now {
			t.Errorf("a delta since %d, want %d: older versions are of the old key", next.Status.Delta.Since, now)
		}
		// The old signature no longer counts.
		if _, _, err := next.Apply(trust.Update{Timestamp: held.RawTimestamp, Bundle: held.RawBundle, Status: held.RawStatus}); !errors.Is(err, trust.ErrForeignKey) {
			t.Errorf("the old documents: %v, want ErrForeignKey", err)
		}
		if names, err := b.DB.SecretNames(t.Context(), "tcode/online"); err != nil || len(names) != 1 {
			t.Errorf("online keys kept: %v, %v; want the new one alone", names, err)
		}
	})
}

// TestGatewaysAgree: two gateways on one database change to a new key together,
// at any point of their work: no document of the old key follows the new root.
func TestGatewaysAgree(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, b *storetest.Bundle) {
		publishNow(t, b, true)
		b2 := storetest.Open(t, b.Dir, b.Clock)
		held := device(t, b.Publish, trust.State{})
		var wg sync.WaitGroup
		ctx, stop := context.WithCancel(t.Context())
		for _, g := range []*storetest.Bundle{b, b2} {
			wg.Go(func() {
				for ctx.Err() == nil {
					if _, err := g.Tenants.CreateTenant(t.Context(), "x", ""); err != nil {
						t.Error(err)
						return
					}
					if _, err := g.Publish.Publish(t.Context()); err != nil {
						t.Error(err)
						return
					}
					time.Sleep(time.Millisecond) // SQLite's lock has no queue
				}
			})
		}
		for range 5 {
			raw := draft(t, b, ceremony.Change{}, true)
			publishRoot(t, b, raw)
			_, root, err := trust.ReadRoot(raw)
			if err != nil {
				t.Fatal(err)
			}
			for range 3 {
				h, err := b.DB.Head(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				if _, err := trust.ParseTimestamp(b.Publish.Fingerprint(), root.Online, h.Timestamp); err != nil {
					t.Errorf("after root %d: %v", root.Version, err)
				}
			}
		}
		stop()
		wg.Wait()
		if next := device(t, b2.Publish, held); next.Root.Version != 6 {
			t.Errorf("root %d, want 6", next.Root.Version)
		}
		if b.Publish.PublicKey().Note != b2.Publish.PublicKey().Note {
			t.Error("the gateways sign by two keys")
		}
	})
}

// TestTimeIsOfTheNewKey: a gateway signs times by the new key a second after another
// gateway changed it, even if it did not publish meanwhile, and signs none when it cannot
// know its key.
func TestTimeIsOfTheNewKey(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, b *storetest.Bundle) {
		publishNow(t, b, true)
		other := storetest.Open(t, b.Dir, b.Clock)
		nonce := [32]byte{1}
		if _, err := other.Publish.Time(t.Context(), nonce); err != nil {
			t.Fatal(err)
		}
		raw := draft(t, b, ceremony.Change{}, true)
		publishRoot(t, b, raw)
		_, root, err := trust.ReadRoot(raw)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(1100 * time.Millisecond)
		note, err := other.Publish.Time(t.Context(), nonce)
		if err == nil {
			_, err = trust.ParseTimeNote(b.Publish.Fingerprint(), root.Online, nonce, note)
		}
		if err != nil {
			t.Errorf("time a second after the change: %v", err)
		}
		if err := other.DB.Close(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(1100 * time.Millisecond)
		if _, err := other.Publish.Time(t.Context(), nonce); err == nil || fault.As(err).Kind != fault.Unavailable {
			t.Errorf("time without a database: %v, want unavailable", err)
		}
	})
}

// TestRootIsRefused: a root counts if enough keys of it and of the one before have signed,
// if it follows the newest one, and if the gateway can sign by it.
func TestRootIsRefused(t *testing.T) {
	t.Parallel()
	b := storetest.New(t)
	publishNow(t, b, true)
	keys := []*trust.Signer{offlineKey(t, "root-1"), offlineKey(t, "root-2"), offlineKey(t, "root-3")}
	three := ceremony.Change{Threshold: 2, Keys: []trust.VerifierKey{keys[0].Key(), keys[1].Key(), keys[2].Key()}}
	second := draft(t, b, three, false, keys[0], keys[1])
	publishRoot(t, b, second)
	if now, err := b.Publish.Authority(t.Context()); err != nil || now.Alone() || !now.Embedded.IsZero() || !now.OnlineHeld {
		t.Errorf("authority %+v, %v: the sealed root key should be gone", now, err)
	}
	thief := offlineKey(t, "thief")
	for _, tt := range []struct {
		name string
		raw  []byte
		want error
	}{
		{"one of two signatures", draft(t, b, ceremony.Change{}, true, keys[0]), trust.ErrThreshold},
		{"the sealed key of root 1", draft(t, b, ceremony.Change{}, false), trust.ErrThreshold},
		{"one key and a thief", draft(t, b, ceremony.Change{}, false, keys[0], thief), trust.ErrThreshold},
		{"the thief's own root", draft(t, b, ceremony.Change{Keys: []trust.VerifierKey{thief.Key()}, Threshold: 1}, false, thief), trust.ErrThreshold},
		{"an online key of another gateway", draft(t, b, ceremony.Change{Online: thief.Key()}, false, keys[0], keys[1]), publish.ErrOnlineKey},
		{"another root 2", draft(t, storetest.New(t), three, false, keys[0], keys[1]), trust.ErrForeignRoot},
	} {
		if n, err := b.Publish.PublishRoots(t.Context(), tt.raw); n != 0 || !errors.Is(err, tt.want) {
			t.Errorf("%s: %d, %v; want %v", tt.name, n, err, tt.want)
		}
	}
	later := draft(t, b, ceremony.Change{}, true, keys[0], keys[1])
	first := draft(t, b, ceremony.Change{}, true, keys[1], keys[2])
	publishRoot(t, b, first)
	if _, err := b.Publish.PublishRoots(t.Context(), later); !errors.Is(err, publish.ErrTaken) {
		t.Errorf("two concurrent operators: %v, want ErrTaken", err)
	}
	fourth := draft(t, b, ceremony.Change{}, true, keys[0], keys[1])
	b.Clock.Add(publish.RootLife)
	if _, err := b.Publish.PublishRoots(t.Context(), fourth); !errors.Is(err, publish.ErrRootExpired) {
		t.Errorf("an expired root: %v", err)
	}
	device(t, b.Publish, trust.State{})
}

// TestOnlineKeyLost: a gateway without the online key of its newest root opens, publishes
// nothing, and publishes again with the root after it.
func TestOnlineKeyLost(t *testing.T) {
	t.Parallel()
	b := storetest.New(t)
	publishNow(t, b, true)
	held := device(t, b.Publish, trust.State{})
	publishRoot(t, b, draft(t, b, ceremony.Change{}, true))
	if err := b.DB.Publication(t.Context(), func(tx publish.Tx) error {
		names, err := b.DB.SecretNames(t.Context(), "tcode/online")
		return errors.Join(err, tx.DropSecrets(t.Context(), names...))
	}); err != nil {
		t.Fatal(err)
	}
	b2 := storetest.Open(t, b.Dir, b.Clock)
	b2.Tenant(t, "A", "AAAAAA")
	if _, err := b2.Publish.Publish(t.Context()); !errors.Is(err, publish.ErrOnlineKey) {
		t.Errorf("Publish = %v, want ErrOnlineKey", err)
	}
	if now, err := b2.Publish.Authority(t.Context()); err != nil || now.OnlineHeld || !now.Alone() {
		t.Errorf("authority %+v, %v", now, err)
	}
	publishRoot(t, b2, draft(t, b2, ceremony.Change{}, true))
	if next := device(t, b2.Publish, held); next.Root.Version != 3 {
		t.Errorf("root %d, want 3", next.Root.Version)
	}
}

// TestRootWithoutDocuments: after another program stored a root without documents, the next
// check publishes documents under it, and chains may be longer than one run of a device.
func TestRootWithoutDocuments(t *testing.T) {
	t.Parallel()
	b := storetest.New(t)
	publishNow(t, b, true)
	held := device(t, b.Publish, trust.State{})
	for range trust.MaxRootRun + 8 {
		raw := draft(t, b, ceremony.Change{}, true)
		_, root, err := trust.ReadRoot(raw)
		if err != nil {
			t.Fatal(err)
		}
		if err := b.DB.Publication(t.Context(), func(tx publish.Tx) error { return tx.PutRoot(t.Context(), root.Version, raw) }); err != nil {
			t.Fatal(err)
		}
	}
	publishNow(t, b, true)
	publishNow(t, b, false)
	u := fetch(t, b.Publish)
	if _, _, err := held.Apply(u); !errors.Is(err, trust.ErrTooManyRoots) {
		t.Errorf("all in one call: %v, want ErrTooManyRoots", err)
	}
	next, _, err := held.Apply(trust.Update{Roots: u.Roots[:trust.MaxRootRun+1]})
	if err != nil {
		t.Fatal(err)
	}
	if next = device(t, b.Publish, next); next.Root.Version != trust.MaxRootRun+9 {
		t.Errorf("root %d, want %d", next.Root.Version, trust.MaxRootRun+9)
	}
	if b2 := storetest.Open(t, b.Dir, b.Clock); b2.Publish.Fingerprint() != b.Publish.Fingerprint() {
		t.Error("a restarted gateway has another root")
	}
}
