package tenant_test

import (
	"testing"
	"testing/synctest"
	"time"

	"tcode/server/store/storetest"
	"tcode/server/tenant"
)

// TestLastUse: a key's last use is recorded in the background, at most once a minute.
func TestLastUse(t *testing.T) {
	t.Parallel()
	b := storetest.New(t)
	ctx := t.Context()
	b.Tenant(t, "A", "AAAAAA")
	key, err := b.Tenants.CreateKey(ctx, "AAAAAA", tenant.KeyOptions{Name: "k"})
	if err != nil {
		t.Fatal(err)
	}
	lastUse := func() time.Time {
		t.Helper()
		keys, err := b.Tenants.Keys(ctx, "AAAAAA")
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range keys {
			if k.Prefix == key.Prefix {
				return k.LastUsedAt
			}
		}
		t.Fatal("no such key")
		return time.Time{}
	}
	use := func() {
		t.Helper()
		if _, err := b.Tenants.Authenticate(ctx, key.Secret); err != nil {
			t.Fatal(err)
		}
	}
	first := b.Clock.Now()
	use()
	if at := lastUse(); !at.IsZero() {
		t.Errorf("the request itself noted its use at %v", at)
	}
	// Another gateway gets the same key at the same time.
	other := tenant.New(b.DB, b.Ring, nil, b.Clock.Now)
	if _, err := other.Authenticate(ctx, key.Secret); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		after time.Duration
		by    *tenant.Service
		want  time.Time
	}{
		{0, b.Tenants, first},
		{30 * time.Second, b.Tenants, first},
		{29 * time.Second, other, first},
		{time.Second, b.Tenants, first.Add(time.Minute)},
	} {
		b.Clock.Add(step.after)
		use()
		if err := step.by.FlushUses(ctx); err != nil {
			t.Fatal(err)
		}
		if at := lastUse(); !at.Equal(step.want) {
			t.Errorf("%v later: last used %v, want %v", step.after, at, step.want)
		}
	}
}

// idle is a store that panics when it is called.
type idle struct{ tenant.Store }

// TestRunEnds: Run ends with its context and does not call the store when there was no request.
func TestRunEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := tenant.New(idle{}, nil, nil, nil)
		done := make(chan error, 1)
		ctx := t.Context()
		go func() { done <- s.Run(ctx) }()
		time.Sleep(time.Hour)
		synctest.Wait()
		select {
		case err := <-done:
			t.Errorf("Run ended: %v", err)
		default:
		}
		t.Cleanup(func() {
			if err := <-done; err != nil {
				t.Error(err)
			}
		})
	})
}
