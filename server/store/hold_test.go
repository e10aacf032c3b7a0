package store_test

import (
	"testing"
	"time"

	"tcode/server/account"
	"tcode/server/store"
	"tcode/server/store/storetest"
)

// TestSharedTries: guesses at one gateway count at another.
func TestSharedTries(t *testing.T) {
	t.Parallel()
	b := storetest.NewOn(t, storetest.Postgres)
	second, err := store.Open(t.Context(), storetest.Database(t, b.Dir))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { second.Close() })
	now := b.Clock.Now()
	keys := []account.TryKey{{Kind: account.TryCode, Key: account.Hash{1}}}
	next := func(k account.TryKey, t account.Tries) (account.Tries, bool) { return k.Next(t, now) }
	free := 0
	for free < 100 {
		db := []*store.DB{b.DB, second}[free%2]
		until, err := db.Try(t.Context(), keys, now, next)
		if err != nil {
			t.Fatal(err)
		}
		if !until.IsZero() {
			break
		}
		free++
	}
	if free != 5 {
		t.Errorf("%d codes could be tried at two gateways, want 5", free)
	}
}

// TestClock: the clock of the database's machine, here this one, is compared.
func TestClock(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, e storetest.Engine) {
		b := storetest.NewOn(t, e)
		if err := b.DB.ReadClock(t.Context()); err != nil {
			t.Fatal(err)
		}
		if ahead := b.DB.Ahead(); ahead.Abs() > time.Second {
			t.Errorf("this machine's clock is ahead of itself by %v", ahead)
		}
	})
}

// TestFewConnections: the least number of connections suffices.
func TestFewConnections(t *testing.T) {
	t.Parallel()
	db, err := store.Open(t.Context(), store.Config{DatabaseURL: storetest.EmptyPostgres(t), Connections: 1}) // raised to the least
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	sum := 0
	for _, st := range db.Pools() {
		sum += st.MaxOpenConnections
	}
	if sum != 6 {
		t.Errorf("%d connections, want 6", sum)
	}
	few := storetest.Over(t, db, t.TempDir(), storetest.NewClock(time.Now()))
	few.Stamp(t, few.Tenant(t, "Acme", "ACME01"), "n")
}
