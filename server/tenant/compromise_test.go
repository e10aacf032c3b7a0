package tenant_test

import (
	"sync"
	"testing"
	"time"

	"tcode/offline/payload"
	"tcode/offline/statuslist"
	"tcode/server/fault"
	"tcode/server/issue/stamp"
	"tcode/server/store/storetest"
	"tcode/server/tenant"
)

// TestCompromise: a compromised key's survivors are exactly its stamps in the rows, the
// next key signs immediately, and the list is published under its hash.
func TestCompromise(t *testing.T) {
	t.Parallel()
	b := storetest.New(t)
	ctx := t.Context()
	id := b.Tenant(t, "A", "AAAAAA")
	other := b.Tenant(t, "B", "BBBBBB")
	survivors := []stamp.Stamp{b.Stamp(t, id, "one"), b.Stamp(t, id, "two")}
	if err := b.Stamps.Act(ctx, id, survivors[1].ID, stamp.ActionRevoke, ""); err != nil {
		t.Fatal(err)
	}
	foreign := b.Stamp(t, other, "of the same key number")
	if _, err := b.Tenants.RotateSigningKey(ctx, "AAAAAA", tenant.RotateOptions{Algorithm: payload.ES256}); err != nil {
		t.Fatal(err)
	}
	since := b.Clock.Now().Add(-48 * time.Hour)
	out, err := b.Tenants.CompromiseSigningKey(ctx, "AAAAAA", 0, since)
	if err != nil {
		t.Fatal(err)
	}
	if out.Survivors != 2 || out.Omitted != 0 || out.Key.State != tenant.KeyCompromised || !out.Key.CompromisedSince.Equal(since) {
		t.Errorf("compromise %+v", out)
	}
	if out.Next == nil || out.Next.Seq != 1 || out.Next.State != tenant.KeySigning || out.Next.ValidFrom.After(b.Clock.Now()) {
		t.Errorf("next key %+v, want the announced one, signing now", out.Next)
	}
	raw, _, err := b.Publish.Object(ctx, out.Key.SurvivorList)
	if err != nil {
		t.Fatal(err)
	}
	list, err := statuslist.ParseSurvivors(raw)
	if err != nil {
		t.Fatal(err)
	}
	if list.Hash().String() != out.Key.SurvivorList || len(list) != 2 {
		t.Errorf("list of %d does not have its hash", len(list))
	}
	for _, st := range survivors {
		if !list.Contains(statuslist.MarkOf(st.CoreBytes)) {
			t.Errorf("%s is not on the list", st.Name)
		}
	}
	after := b.Stamp(t, id, "after")
	if after.KeySeq != 1 || list.Contains(statuslist.MarkOf(after.CoreBytes)) || list.Contains(statuslist.MarkOf(foreign.CoreBytes)) {
		t.Errorf("stamp after by key %d", after.KeySeq)
	}
	// The list survives publications, unlike the documents that they replace.
	for range 3 {
		b.Clock.Add(2 * time.Hour)
		if _, err := b.Publish.Publish(ctx); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, err := b.Publish.Object(ctx, out.Key.SurvivorList); err != nil {
		t.Errorf("survivor list after publications: %v", err)
	}
}

// TestCompromiseBesideStamps: in any order of stamps and a compromise, a delivered stamp
// is on the compromised key's list or was signed by the next key.
func TestCompromiseBesideStamps(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, e storetest.Engine) {
		b := storetest.NewOn(t, e)
		ctx := t.Context()
		id := b.Tenant(t, "A", "AAAAAA")
		var mu sync.Mutex
		var made []stamp.Stamp
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				for range 12 {
					st, err := b.Stamps.Create(ctx, id, storetest.Request("n"))
					if err != nil {
						// The key that signed it was compromised before the row was stored: the stamp is refused,
						// and can be tried again.
						if !fault.Is(err, fault.Unavailable) {
							t.Error(err)
						}
						continue
					}
					mu.Lock()
					made = append(made, st)
					mu.Unlock()
				}
			})
		}
		lists := map[uint8]statuslist.Survivors{}
		for seq := range 3 {
			out, err := b.Tenants.CompromiseSigningKey(ctx, "AAAAAA", seq, b.Clock.Now())
			if err != nil {
				t.Fatal(err)
			}
			raw, _, err := b.Publish.Object(ctx, out.Key.SurvivorList)
			if err != nil {
				t.Fatal(err)
			}
			if lists[uint8(seq)], err = statuslist.ParseSurvivors(raw); err != nil {
				t.Fatal(err)
			}
		}
		wg.Wait()
		if len(made) == 0 {
			t.Fatal("no stamp was made")
		}
		for _, st := range made {
			if list, compromised := lists[st.KeySeq]; compromised && !list.Contains(statuslist.MarkOf(st.CoreBytes)) {
				t.Errorf("stamp %s of key %d was delivered and is not on its list", st.Reference, st.KeySeq)
			}
		}
	})
}

// TestKeyActions checks the allowed actions on a key in each state.
func TestKeyActions(t *testing.T) {
	t.Parallel()
	b := storetest.New(t)
	ctx := t.Context()
	b.Tenant(t, "A", "AAAAAA")
	now := b.Clock.Now()
	retire := func(seq int) error { _, _, err := b.Tenants.RetireSigningKey(ctx, "AAAAAA", seq); return err }
	compromise := func(seq int) error {
		_, err := b.Tenants.CompromiseSigningKey(ctx, "AAAAAA", seq, now)
		return err
	}
	announce := func(int) error {
		_, err := b.Tenants.RotateSigningKey(ctx, "AAAAAA", tenant.RotateOptions{})
		return err
	}
	steps := []struct {
		name string
		do   func(seq int) error
		seq  int
		want fault.Kind // 0: allowed
		keys []tenant.KeyState
	}{
		{"retire the only key", retire, 0, 0, []tenant.KeyState{"verifying", "signing"}},
		{"retire a retired key", retire, 0, fault.Conflict, nil},
		{"compromise a retired key", compromise, 0, 0, []tenant.KeyState{"compromised", "signing"}},
		{"retire a compromised key", retire, 0, fault.Conflict, nil},
		{"compromise a compromised key", compromise, 0, fault.Conflict, nil},
		{"announce", announce, 0, 0, []tenant.KeyState{"compromised", "signing", "announced"}},
		{"withdraw the announced key", retire, 2, 0, []tenant.KeyState{"compromised", "signing", "verifying"}},
		{"announce again", announce, 0, 0, []tenant.KeyState{"compromised", "signing", "verifying", "announced"}},
		{"compromise the announced key", compromise, 3, 0, []tenant.KeyState{"compromised", "signing", "verifying", "compromised"}},
		{"compromise the signing key", compromise, 1, 0, []tenant.KeyState{"compromised", "compromised", "verifying", "compromised", "signing"}},
		{"announce once more", announce, 0, 0, []tenant.KeyState{"compromised", "compromised", "verifying", "compromised", "signing", "announced"}},
		{"retire for the announced key", retire, 4, 0, []tenant.KeyState{"compromised", "compromised", "verifying", "compromised", "verifying", "signing"}},
		{"no such key", retire, 9, fault.NotFound, nil},
		{"no such key", compromise, 300, fault.NotFound, nil},
	}
	for _, step := range steps {
		err := step.do(step.seq)
		if step.want == 0 && err != nil || step.want != 0 && !fault.Is(err, step.want) {
			t.Fatalf("%s: %v, want %v", step.name, err, step.want)
		}
		keys, err := b.Tenants.SigningKeys(ctx, "AAAAAA")
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range step.keys {
			if i >= len(keys) || keys[i].State != want {
				t.Fatalf("%s: keys %+v, want %v", step.name, keys, step.keys)
			}
		}
		if _, err := b.Publish.Publish(ctx); err != nil { // the bundle accepts every one of these records
			t.Fatalf("%s: %v", step.name, err)
		}
	}
	if _, err := b.Tenants.CompromiseSigningKey(ctx, "AAAAAA", 5, now.Add(time.Hour)); fault.As(err).Fields["since"] == nil {
		t.Errorf("since the future: %v", err)
	}
}
