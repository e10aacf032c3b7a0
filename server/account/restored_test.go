package account_test

import (
	"bytes"
	"errors"
	"testing"

	"tcode/server/account"
	"tcode/server/store/storetest"
	"tcode/server/tenant"
)

// TestRestored: sessions and links from a backup do not work.
func TestRestored(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, e storetest.Engine) {
		w := newWorld(t, e, account.Owner)
		ctx := t.Context()
		in, secret, _ := w.enrolled()
		open := must[account.Invitation](t)(w.Accounts.Create(ctx, account.Spec{Email: "ada@example.org", Role: account.Operator}))
		if err := w.DB.MarkRestored(ctx, w.Clock.Now(), w.Clock.Now(), tenant.NewEntry(ctx, "", "backup.restore", "x", w.Clock.Now())); err != nil {
			t.Fatal(err)
		}
		if w.in(in.Token, desk) {
			t.Error("a session of the backup works")
		}
		if _, err := w.Accounts.Accept(ctx, open.Token, password, desk); !errors.Is(err, account.ErrLink) {
			t.Errorf("a link of the backup works: %v", err)
		}
		if s := w.signIn(secret); !w.in(s.Token, desk) {
			t.Error("a user cannot sign in after a restore")
		}
	})
}

// TestReseal: a rotation of the keyset seals second factors and secrets of providers again.
func TestReseal(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.DefaultEngine(), account.Owner)
	_, secret, _ := w.enrolled()
	if err := w.Accounts.SetProvider(t.Context(), account.Provider{Tenant: "ACME01", Issuer: acmeIssuer, ClientID: "tcode", Secret: "hunter2"}); err != nil {
		t.Fatal(err)
	}
	must[[]byte](t)(w.Ring.Rotate())
	must[int](t)(w.DB.Reseal(t.Context(), w.Ring.Reseal, tenant.NewEntry(t.Context(), "", tenant.ActionKeysetRotate, "x", w.Clock.Now())))
	must[[]byte](t)(w.Ring.Prune())
	if s := w.signIn(secret); !w.in(s.Token, desk) {
		t.Error("the second factor is lost")
	}
	if p, err := w.Accounts.Provider(t.Context(), "ACME01"); err != nil || p.Secret != "hunter2" || bytes.Contains(p.Sealed, []byte("hunter2")) {
		t.Errorf("the secret of a provider: %+v, %v", p, err)
	}
}
