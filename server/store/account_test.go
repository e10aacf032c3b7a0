package store_test

import (
	"crypto/sha256"
	"fmt"
	"testing"
	"time"

	"tcode/server/account"
	"tcode/server/store/storetest"
)

// tellUsers notes the answers about users with difficult names and addresses.
func tellUsers(t *testing.T, b *storetest.Bundle, x *transcript) {
	ctx := t.Context()
	for i, name := range texts {
		spec := account.Spec{Tenant: "ACME01", Email: fmt.Sprintf("%c_%d'x@acme.example", 'z'-i%26, i), Name: name, Role: account.Roles()[i%3]}
		if i%5 == 0 {
			spec.Tenant, spec.Role = "", account.Operator
		}
		inv, err := b.Accounts.Create(ctx, spec)
		x.failed("user "+name, err)
		x.note("%q %q %s %s", inv.Email, inv.Name, inv.Role, inv.State)
		_, err = b.Accounts.Create(ctx, spec)
		x.failed("the same address", err)
		switch i % 4 {
		case 1:
			x.failed("disable", b.Accounts.Disable(ctx, inv.Tenant, inv.ID))
			x.failed("again", b.Accounts.Disable(ctx, inv.Tenant, inv.ID))
		case 2:
			x.failed("role", b.Accounts.SetRole(ctx, inv.Tenant, inv.ID, account.Owner))
		}
		x.failed("of another tenant", b.Accounts.Disable(ctx, "T00099", inv.ID))
	}
	for _, ref := range []string{"ACME01", "", "T00099"} {
		us, err := b.DB.TenantUsers(ctx, ref)
		x.note("users of %q %q %v", ref, names(us, func(u account.User) string { return u.Email + " " + string(u.Role) + " " + string(u.State) }), err)
	}
	us, err := b.DB.AllUsers(ctx)
	x.note("all users %q %v", names(us, func(u account.User) string { return u.Tenant + " " + u.Email + " " + u.Name }), err)
	ms, err := b.DB.Comers(ctx, "nothing@acme.example", b.Clock.Now())
	x.note("unknown %v %v", len(ms), err)
}

// lookUpUsers runs the statements of signing in that are not for one tenant.
func lookUpUsers(t *testing.T, b *storetest.Bundle) {
	t.Helper()
	ctx, now := t.Context(), b.Clock.Now()
	if _, err := b.DB.AllUsers(ctx); err != nil {
		t.Error(err)
	}
	if _, _, err := b.DB.LinkUser(ctx, account.Hash{}, now); err != account.ErrLink {
		t.Error(err)
	}
	if _, _, _, err := b.DB.SessionUser(ctx, account.Hash{}); err != account.ErrNoSession {
		t.Error(err)
	}
	if _, _, err := b.DB.PasskeyUser(ctx, []byte{1}); err != account.ErrPasskey {
		t.Error(err)
	}
	if us, err := b.DB.IdentityUsers(ctx, "https://login.example", "unknown"); err != nil || len(us) != 0 {
		t.Error(us, err)
	}
	for range 2 {
		if _, err := b.Accounts.SignIn(ctx, "nothing@acme.example", "x", account.From{}); err != account.ErrWrong {
			t.Error(err)
		}
	}
	if err := b.DB.Forgive(ctx, []account.TryKey{{Kind: account.TryAccount}, {Kind: account.TryClient}}); err != nil {
		t.Error(err)
	}
}

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
