package publish_test

import (
	"bytes"
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"tcode/offline/trust"
	"tcode/server/fault"
	"tcode/server/platform/keyring"
	"tcode/server/publish"
	"tcode/server/store"
	"tcode/server/store/storetest"
	"tcode/server/tenant"
)

// TestRootRenewal: a restarted gateway has the same root; before it expires there is a
// next one, which devices accept because of the one before.
func TestRootRenewal(t *testing.T) {
	t.Parallel()
	b := storetest.New(t)
	fp := b.Publish.Fingerprint()
	b.Clock.Add(280 * 24 * time.Hour)
	b2 := storetest.Open(t, b.Dir, b.Clock)
	if b2.Publish.Fingerprint() != fp {
		t.Fatal("the restarted gateway has another root")
	}
	var roots [][]byte
	for v := uint64(1); v <= 2; v++ {
		raw, err := b2.Publish.Root(t.Context(), v)
		if err != nil {
			t.Fatal(err)
		}
		roots = append(roots, raw)
	}
	if _, err := b2.Publish.Root(t.Context(), 3); !fault.Is(err, fault.NotFound) {
		t.Errorf("root 3: %v", err)
	}
	state, err := trust.Pin(roots, &fp)
	if err != nil || state.Root.Version != 2 || state.Root.Expires.Before(b.Clock.Now().Add(300*24*time.Hour)) {
		t.Errorf("root %+v, %v", state.Root, err)
	}
}

// TestForeignKeyset: a database whose secrets were sealed by another keyset does not open,
// and gets no new keys while devices trust the old ones.
func TestForeignKeyset(t *testing.T) {
	t.Parallel()
	b := storetest.New(t)
	ring, err := keyring.Open(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	db, err := store.Open(t.Context(), storetest.Database(t, b.Dir))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := publish.New(t.Context(), publish.Config{Store: db, Ring: ring}); !errors.Is(err, keyring.ErrSealed) {
		t.Errorf("err = %v, want ErrSealed", err)
	}
}

// fakeStore counts publications without a database, so that the test can fake the time.
type fakeStore struct {
	publish.Store
	mu     sync.Mutex
	head   publish.Head
	at     []time.Time
	broken bool
}

var errBroken = errors.New("broken")

func (f *fakeStore) Head(context.Context) (publish.Head, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.broken {
		return publish.Head{}, errBroken
	}
	return f.head, nil
}

func (f *fakeStore) Publication(context.Context, func(publish.Tx) error) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.head.Published, f.head.At, f.head.Timestamp = f.head.Wanted, time.Now(), []byte("t")
	f.at = append(f.at, time.Now())
	return nil
}

func (f *fakeStore) change() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.head.Wanted++
}

func (f *fakeStore) published() []time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.at
}

// TestRun: Run publishes within a second of a change, notified or not, and twice an hour
// without one.
func TestRun(t *testing.T) {
	t.Parallel()
	b := storetest.New(t) // for a publisher with keys; its clock is not used
	synctest.Test(t, func(t *testing.T) {
		f := &fakeStore{Store: b.DB, head: publish.Head{Root: 1, Since: 1}}
		p := publish.WithStore(b.Publish, f, time.Now)
		ctx, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		wg.Go(func() {
			if err := p.Run(ctx); err != nil {
				t.Error(err)
			}
		})
		synctest.Wait()
		if n := len(f.published()); n != 1 {
			t.Fatalf("%d publications at the start, want 1", n)
		}
		for _, notify := range []bool{true, false} {
			time.Sleep(time.Minute)
			before := time.Now()
			f.change()
			if notify {
				p.Notify()
			}
			time.Sleep(time.Second)
			synctest.Wait()
			at := f.published()
			if last := at[len(at)-1]; last.Before(before) {
				t.Errorf("notify %v: not published within a second", notify)
			}
		}
		n := len(f.published())
		time.Sleep(3 * time.Hour)
		synctest.Wait()
		if got := len(f.published()) - n; got < 6 || got > 7 {
			t.Errorf("%d publications in three quiet hours, want 6", got)
		}
		f.mu.Lock()
		f.broken = true
		f.mu.Unlock()
		f.change()
		time.Sleep(time.Minute) // errors are logged, and Run continues
		f.mu.Lock()
		f.broken = false
		f.mu.Unlock()
		before := time.Now()
		time.Sleep(time.Second)
		synctest.Wait()
		if at := f.published(); at[len(at)-1].Before(before) {
			t.Error("not published after the store came back")
		}
		cancel()
		wg.Wait()
	})
}

// TestAnnouncedKey: Advance opens an announced key at its date, and the bundle includes it.
func TestAnnouncedKey(t *testing.T) {
	t.Parallel()
	b := storetest.New(t)
	b.Tenant(t, "A", "AAAAAA")
	if _, err := b.Tenants.RotateSigningKey(t.Context(), "AAAAAA", tenant.RotateOptions{}); err != nil {
		t.Fatal(err)
	}
	publishNow(t, b, true)
	root, err := trust.Pin(fetch(t, b.Publish).Roots, nil)
	if err != nil {
		t.Fatal(err)
	}
	state := func() trust.KeyState {
		t.Helper()
		s, _, err := root.Apply(fetch(t, b.Publish))
		if err != nil {
			t.Fatal(err)
		}
		k, _ := s.Bundle.Key("AAAAAA", 1)
		return k.State
	}
	if got := state(); got != trust.KeyAnnounced {
		t.Errorf("key 1 is %s, want announced", got)
	}
	b.Clock.Add(tenant.DefaultAnnounce)
	if err := b.Tenants.Advance(t.Context()); err != nil {
		t.Fatal(err)
	}
	publishNow(t, b, true)
	if got := state(); got != trust.KeySigning {
		t.Errorf("key 1 is %s, want signing", got)
	}
	if bytes.Equal(b.Publish.PublicKey().Public, nil) {
		t.Error("no online key")
	}
}
