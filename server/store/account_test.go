package store_test

import (
	"crypto/sha256"
	"fmt"
	"testing"
	"time"

	"tcode/server/account"
	"tcode/server/store/storetest"
)

// TestTriesBounded: a flood of accounts and clients fills a bounded table, and displaces no
// lock.
func TestTriesBounded(t *testing.T) {
	t.Parallel()
	b := storetest.New(t)
	now := b.Clock.Now()
	key := func(of any) account.TryKey {
		return account.TryKey{Kind: account.TryAccount, Key: sha256.Sum256(fmt.Append(nil, of))}
	}
	try := func(of any) time.Time {
		t.Helper()
		until, err := b.DB.Try(t.Context(), []account.TryKey{key(of)}, now, func(k account.TryKey, c account.Tries) (account.Tries, bool) { return k.Next(c, now) })
		if err != nil {
			t.Fatal(err)
		}
		return until
	}
	for range 5 {
		try("victim")
	}
	raw := storetest.Raw(t, b.Dir)
	tx, err := raw.Begin()
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	for i := range account.MaxTries {
		k := key(i)
		if _, err := tx.Exec(`INSERT INTO signin_tries (kind, key, tries, until, last_at) VALUES ('account', $1, 1, 0, $2)`, k.Key[:], now.UnixMilli()); err != nil {
			t.Fatal(err)
		}
	}
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
	for i := range 20 {
		try(-1 - i)
	}
	var n int
	if err := raw.QueryRow(`SELECT count(*) FROM signin_tries`).Scan(&n); err != nil || n > account.MaxTries+1 {
		t.Errorf("%d counts, %v", n, err)
	}
	if until := try("victim"); !until.After(now) {
		t.Error("the lock of an account was displaced")
	}
	now = now.Add(account.Forget + time.Minute)
	try("later")
	if err := raw.QueryRow(`SELECT count(*) FROM signin_tries`).Scan(&n); err != nil || n != 1 {
		t.Errorf("%d counts after a day, %v", n, err)
	}
}
