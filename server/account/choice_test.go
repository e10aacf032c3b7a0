package account_test

import (
	"errors"
	"testing"
	"time"

	"tcode/server/account"
	"tcode/server/store/storetest"
)

const evilPassword = "an evil password 1"

// TestSquatting: a tenant that invites an address, and accepts the invitation itself, takes
// nothing from the person: other tenants invite the address too, each account has its own ways in,
// and a person joins no tenant without a choice.
func TestSquatting(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, e storetest.Engine) {
		w := newWorld(t, e, account.Owner) // invites ruth@acme.example to Acme
		w.withProvider()
		ctx := t.Context()
		const ruth = "ruth@acme.example"
		hers := w.inv
		evil := w.owner("EVIL01", "evil@evil.example")
		squat := must[account.Sent](t)(w.Accounts.Invite(ctx, evil, ruth, "", account.Viewer))

		// With the gateway's provider she sees both, and is in neither before a click.
		id := account.Identity{Issuer: gatewayIssuer, Subject: "r", Email: ruth, Verified: true}
		came := must[account.Ticket](t)(w.comes("", id))
		if came.Choice == nil || came.Token != "" || len(came.Choice.Accounts) != 2 || came.Choice.Accounts[0].Organisation != "Acme" || came.Choice.Accounts[1].Organisation != "EVIL01" {
			t.Fatalf("%+v %+v", came, came.Choice)
		}
		for _, ref := range []string{"ACME01", "EVIL01"} {
			if u := must[account.User](t)(w.Accounts.UserOf(ctx, ref, ruth)); u.State != account.Invited {
				t.Errorf("%s: %s without a choice", ref, u.State)
			}
		}
		for name, try := range map[string]func() (account.Ticket, error){
			"another tenant": func() (account.Ticket, error) { return w.Accounts.Choose(ctx, came.Choice.Sealed, "PLAIN1", desk) },
			"an operator":    func() (account.Ticket, error) { return w.Accounts.Choose(ctx, came.Choice.Sealed, "", desk) },
			"another browser": func() (account.Ticket, error) {
				return w.Accounts.Choose(ctx, came.Choice.Sealed, "ACME01", account.From{Agent: "x"})
			},
			"no choice": func() (account.Ticket, error) { return w.Accounts.Choose(ctx, squat.Token, "ACME01", desk) },
			"late": func() (account.Ticket, error) {
				w.Clock.Add(10 * time.Minute)
				defer w.Clock.Add(-10 * time.Minute)
				return w.Accounts.Choose(ctx, came.Choice.Sealed, "ACME01", desk)
			},
		} {
			if _, err := try(); !errors.Is(err, account.ErrWrong) {
				t.Errorf("%s: %v", name, err)
			}
		}

		// The tenant accepts its own invitation.
		stolen := must[account.Ticket](t)(w.Accounts.Accept(ctx, squat.Token, evilPassword, desk))
		if u := must[account.Visit](t)(w.Accounts.Visit(ctx, stolen.Token, desk)).User; u.Tenant != "EVIL01" {
			t.Errorf("the link leads to %s", u.Tenant)
		}
		// Her link still works, and each password leads to its own tenant.
		w.inv = hers
		_, secret, _ := w.enrolled()
		for text, want := range map[string]string{password: "ACME01", evilPassword: "EVIL01"} {
			in := must[account.Ticket](t)(w.Accounts.SignIn(ctx, ruth, text, desk))
			if in.Choice != nil || must[account.Visit](t)(w.Accounts.Visit(ctx, in.Token, desk)).User.Tenant != want {
				t.Errorf("the password of %s: %+v", want, in)
			}
		}
		// What the tenant knows is no way around the bound of guesses at her password.
		home := account.From{Address: "198.51.100.7", Agent: "thief"}
		guesses := 0
		for range 10 {
			for range 4 {
				if _, err := w.Accounts.SignIn(ctx, ruth, "wrong password", home); errors.Is(err, account.ErrWrong) {
					guesses++
				}
			}
			_, _ = w.Accounts.SignIn(ctx, ruth, evilPassword, home)
		}
		if guesses > 8 {
			t.Errorf("%d guesses", guesses)
		}
		// Her own browser, which is known, is not held up by that.
		hersKnown := account.From{Address: "198.51.100.8", Agent: "hers"}
		w.Clock.Add(time.Hour)
		in := must[account.Ticket](t)(w.Accounts.SignIn(ctx, ruth, password, hersKnown))
		hersKnown.Known = must[account.Ticket](t)(w.Accounts.Code(ctx, in.Token, w.code(secret), hersKnown)).Known
		for range 30 {
			_, _ = w.Accounts.SignIn(ctx, ruth, "wrong password", home)
		}
		for range 8 {
			if _, err := w.Accounts.SignIn(ctx, ruth, password, hersKnown); err != nil {
				t.Fatalf("her own browser: %v", err)
			}
		}
		// A browser that is known for the tenant's account guesses at hers as a stranger.
		if _, err := w.Accounts.SignIn(ctx, ruth, evilPassword, hersKnown); !errors.Is(err, account.ErrWrong) {
			t.Errorf("another account's password, while strangers must wait: %v", err)
		}
		// The account at the provider does not lead into the tenant either.
		came = must[account.Ticket](t)(w.comes("", id))
		if came.Choice == nil || len(came.Choice.Accounts) != 2 || !came.Choice.Accounts[0].Joins || !came.Choice.Accounts[1].Joins {
			t.Fatalf("%+v %+v", came, came.Choice)
		}
		linked := must[account.Ticket](t)(w.Accounts.Choose(ctx, came.Choice.Sealed, "ACME01", desk))
		if linked.Stage != account.StageCode { // she has an app
			t.Errorf("%+v", linked)
		}
		w.Clock.Add(time.Hour)
		must[account.Ticket](t)(w.Accounts.Code(ctx, must[account.Ticket](t)(w.Accounts.SignIn(ctx, ruth, password, desk)).Token, w.code(secret), desk))
	})
}

// TestSeveralTenants: a person with one password for several tenants chooses one, once, in the
// browser that proved the password, while the password is the same.
func TestSeveralTenants(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, e storetest.Engine) {
		w := newWorld(t, e, account.Owner)
		ctx := t.Context()
		w.Tenant(t, "Other", "OTHER1")
		w.enrolled()
		home := w.inv
		away := must[account.Invitation](t)(w.Accounts.Create(ctx, account.Spec{Tenant: "OTHER1", Email: home.Email, Role: account.Viewer}))
		must[account.Ticket](t)(w.Accounts.Accept(ctx, away.Token, password, desk))
		proven := func() account.Choice {
			t.Helper()
			in := must[account.Ticket](t)(w.Accounts.SignIn(ctx, home.Email, password, desk))
			if in.Choice == nil || in.Token != "" || len(in.Choice.Accounts) != 2 || in.Choice.Accounts[1].Organisation != "Other" || in.Choice.Accounts[1].Joins {
				t.Fatalf("%+v %+v", in, in.Choice)
			}
			return *in.Choice
		}
		c := proven()
		for ref, stage := range map[string]account.Stage{"ACME01": account.StageCode, "OTHER1": account.StageEnrol} {
			c := proven()
			in := must[account.Ticket](t)(w.Accounts.Choose(ctx, c.Sealed, ref, desk))
			if got := must[account.Visit](t)(w.Accounts.Visit(ctx, in.Token, desk)); got.User.Tenant != ref || in.Stage != stage {
				t.Errorf("%s: %s at %q", ref, got.User.Tenant, in.Stage)
			}
			if _, err := w.Accounts.Choose(ctx, c.Sealed, ref, desk); !errors.Is(err, account.ErrUsed) {
				t.Errorf("a choice used twice: %v", err)
			}
		}
		// Another password there: the first one leads here alone, and the choice of before nowhere.
		again := must[account.Invitation](t)(w.Accounts.Reset(ctx, "OTHER1", away.ID))
		must[account.Ticket](t)(w.Accounts.Accept(ctx, again.Token, evilPassword, desk))
		if _, err := w.Accounts.Choose(ctx, c.Sealed, "OTHER1", desk); !errors.Is(err, account.ErrWrong) {
			t.Errorf("the choice of a former password: %v", err)
		}
		if in := must[account.Ticket](t)(w.Accounts.SignIn(ctx, home.Email, password, desk)); in.Choice != nil || in.Stage != account.StageCode {
			t.Errorf("%+v", in)
		}
		// Who is removed is gone here only, and may be invited again.
		if err := w.Accounts.Remove(ctx, "OTHER1", away.ID); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Accounts.SignIn(ctx, home.Email, evilPassword, account.From{Address: "198.51.100.9"}); !errors.Is(err, account.ErrWrong) {
			t.Errorf("a removed user: %v", err)
		}
		must[account.Invitation](t)(w.Accounts.Create(ctx, account.Spec{Tenant: "OTHER1", Email: home.Email, Role: account.Viewer}))
	})
}

// TestInvitationEnds: an invitation ends with its link, also for a provider, and is gone with the
// next one. A user who was reset is no invitation.
func TestInvitationEnds(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, e storetest.Engine) {
		w := newWorld(t, e, account.Owner)
		w.withProvider()
		ctx := t.Context()
		v := w.owner("ACME01", "olga@acme.example")
		_, _ = w.Accounts.Reset(ctx, "ACME01", must[account.Invitation](t)(w.Accounts.Create(ctx, account.Spec{Tenant: "ACME01", Email: "kim@acme.example", Role: account.Viewer})).ID)
		w.owner("ACME01", "otto@acme.example")
		otto := must[account.User](t)(w.Accounts.UserOf(ctx, "ACME01", "otto@acme.example"))
		must[account.Invitation](t)(w.Accounts.Reset(ctx, "ACME01", otto.ID))
		id := account.Identity{Issuer: gatewayIssuer, Subject: "k", Email: "kim@acme.example", Verified: true}
		came := must[account.Ticket](t)(w.comes("", id))
		w.Clock.Add(account.LinkLife)
		if _, err := w.comes("", id); !errors.Is(err, account.ErrIdentity) {
			t.Errorf("an invitation that has ended: %v", err)
		}
		if _, err := w.Accounts.Choose(ctx, came.Choice.Sealed, "ACME01", desk); !errors.Is(err, account.ErrWrong) {
			t.Errorf("the choice of before: %v", err)
		}
		must[account.Sent](t)(w.Accounts.Invite(ctx, v, "kim@acme.example", "", account.Issuer))
		var team []string
		for _, u := range must[[]account.User](t)(w.Accounts.Users(ctx, "ACME01")) {
			team = append(team, u.Email+" "+string(u.State))
		}
		if len(team) != 3 || team[0] != "kim@acme.example invited" || team[1] != "olga@acme.example active" || team[2] != "otto@acme.example invited" {
			t.Errorf("team %q", team)
		}
	})
}
