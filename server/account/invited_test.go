package account_test

import (
	"errors"
	"testing"
	"time"

	"tcode/server/account"
	"tcode/server/fault"
	"tcode/server/store/storetest"
)

// TestPasskeyInPlaceOfPassword: an invited person begins with a passkey. The link works once,
// for the browser that got the challenge and until it expires; the only way in stays.
func TestPasskeyInPlaceOfPassword(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, e storetest.Engine) {
		w := newWorld(t, e, account.Owner)
		ctx, link := t.Context(), w.inv.Token
		a := newAuthenticator(t)
		begin := func() account.Challenge {
			t.Helper()
			return must[account.Challenge](t)(w.Accounts.InvitedPasskey(ctx, link, origin, desk))
		}
		c, second := begin(), begin()
		other := must[account.Invitation](t)(w.Accounts.Create(ctx, account.Spec{Tenant: "ACME01", Email: "sam@acme.example", Role: account.Viewer}))
		unverified := newAuthenticator(t)
		unverified.flags = 1
		for name, try := range map[string]func() (account.Ticket, error){
			"another link": func() (account.Ticket, error) {
				return w.Accounts.AcceptPasskey(ctx, other.Token, origin, c.Sealed, "Phone", a.register(t, c), desk)
			},
			"another browser": func() (account.Ticket, error) {
				return w.Accounts.AcceptPasskey(ctx, link, origin, c.Sealed, "Phone", a.register(t, c), account.From{Agent: "another"})
			},
			"another origin": func() (account.Ticket, error) {
				return w.Accounts.AcceptPasskey(ctx, link, "https://evil.example", c.Sealed, "Phone", a.register(t, c), desk)
			},
			"another challenge": func() (account.Ticket, error) {
				return w.Accounts.AcceptPasskey(ctx, link, origin, second.Sealed, "Phone", a.register(t, c), desk)
			},
			"not verified": func() (account.Ticket, error) {
				return w.Accounts.AcceptPasskey(ctx, link, origin, c.Sealed, "Phone", unverified.register(t, c), desk)
			},
			"late": func() (account.Ticket, error) {
				w.Clock.Add(11 * time.Minute)
				defer w.Clock.Add(-11 * time.Minute)
				return w.Accounts.AcceptPasskey(ctx, link, origin, c.Sealed, "Phone", a.register(t, c), desk)
			},
		} {
			if _, err := try(); !errors.Is(err, account.ErrPasskey) {
				t.Errorf("%s: %v", name, err)
			}
		}
		if _, err := w.Accounts.AcceptPasskey(ctx, link, origin, c.Sealed, " ", a.register(t, c), desk); !fault.Is(err, fault.Invalid) {
			t.Errorf("no name: %v", err)
		}
		w.Clock.Add(account.LinkLife)
		if _, err := w.Accounts.InvitedPasskey(ctx, link, origin, desk); !errors.Is(err, account.ErrLink) {
			t.Errorf("an old link begins: %v", err)
		}
		if _, err := w.Accounts.AcceptPasskey(ctx, link, origin, c.Sealed, "Phone", a.register(t, c), desk); !errors.Is(err, account.ErrLink) {
			t.Errorf("an old link ends: %v", err)
		}
		w.Clock.Add(-account.LinkLife)

		in := must[account.Ticket](t)(w.Accounts.AcceptPasskey(ctx, link, origin, c.Sealed, "Phone", a.register(t, c), desk))
		if in.Stage != account.StageIn || !w.in(in.Token, desk) {
			t.Errorf("the ticket is at %q", in.Stage)
		}
		fresh := newAuthenticator(t)
		if _, err := w.Accounts.AcceptPasskey(ctx, link, origin, second.Sealed, "Phone", fresh.register(t, second), desk); !errors.Is(err, account.ErrLink) {
			t.Errorf("a second passkey by the link: %v", err)
		}
		if _, err := w.Accounts.Accept(ctx, link, password, desk); !errors.Is(err, account.ErrLink) {
			t.Errorf("a password by the link: %v", err)
		}
		for _, empty := range []string{"", "-", password} {
			if _, err := w.Accounts.SignIn(ctx, w.inv.Email, empty, desk); !errors.Is(err, account.ErrWrong) {
				t.Errorf("password %q: %v", empty, err)
			}
		}
		in = must[account.Ticket](t)(w.signs(a))
		v := must[account.Visit](t)(w.Accounts.Visit(ctx, in.Token, desk))
		first := must[[]account.Passkey](t)(w.Accounts.Passkeys(ctx, v))
		if len(first) != 1 || first[0].Name != "Phone" {
			t.Fatalf("passkeys %+v", first)
		}
		if err := w.Accounts.RemovePasskey(ctx, v, first[0].ID); !errors.Is(err, account.ErrLastWay) {
			t.Errorf("removing the only way in: %v", err)
		}
		w.add(in.Token, fresh)
		if err := w.Accounts.RemovePasskey(ctx, v, first[0].ID); err != nil {
			t.Errorf("removing one of two: %v", err)
		}
		if _, err := w.signs(fresh); err != nil {
			t.Errorf("the other one: %v", err)
		}
		again := must[account.Invitation](t)(w.Accounts.Reset(ctx, "ACME01", w.inv.ID))
		if _, err := w.signs(fresh); !errors.Is(err, account.ErrPasskey) {
			t.Errorf("after a reset: %v", err)
		}
		must[account.Ticket](t)(w.Accounts.Accept(ctx, again.Token, password, desk))
	})
}
