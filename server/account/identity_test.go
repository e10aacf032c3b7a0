package account_test

import (
	"errors"
	"testing"
	"time"

	"tcode/server/account"
	"tcode/server/store/storetest"
)

const gatewayIssuer, acmeIssuer = "https://login.gateway.example", "https://login.acme.example"

// withProvider gives the gateway a provider, and the tenants EVIL01 and PLAIN1.
func (w *world) withProvider() {
	w.t.Helper()
	w.Accounts = account.New(account.Config{
		Store: w.DB, Sealer: w.Ring, Tenants: w.Tenants, Now: w.Clock.Now, Gateway: account.Provider{Issuer: gatewayIssuer, ClientID: "tcode"},
	})
	for _, ref := range []string{"EVIL01", "PLAIN1"} {
		w.Tenant(w.t, ref, ref)
	}
}

// comes signs in by an identity at the provider of a tenant.
func (w *world) comes(ref string, id account.Identity) (account.Ticket, error) {
	w.t.Helper()
	f, sealed, err := w.Accounts.BeginFlow(ref, desk)
	if err == nil {
		f, err = w.Accounts.OpenFlow(sealed, f.State, desk)
	}
	if err != nil {
		w.t.Fatal(err)
	}
	return w.Accounts.SignInIdentity(w.t.Context(), f, id, desk)
}

// joins signs in as comes does, for the first time: the person sees the name of a tenant's
// organisation, and chooses it.
func (w *world) joins(ref, tenantRef, name string, id account.Identity) account.Ticket {
	w.t.Helper()
	t := must[account.Ticket](w.t)(w.comes(ref, id))
	if t.Choice == nil || t.Token != "" || len(t.Choice.Accounts) != 1 || t.Choice.Accounts[0].Organisation != name || !t.Choice.Accounts[0].Joins {
		w.t.Fatalf("%s: the first time gives %+v, %+v", name, t, t.Choice)
	}
	return must[account.Ticket](w.t)(w.Accounts.Choose(w.t.Context(), t.Choice.Sealed, tenantRef, desk))
}

// TestIdentity: the provider of a tenant, or that of the gateway for tenants without one,
// signs in a user who was invited or exists, and no other person, on both engines.
func TestIdentity(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, e storetest.Engine) {
		w := newWorld(t, e, account.Owner)
		w.withProvider()
		ctx := t.Context()
		made := func(ref, email string, role account.Role) account.Invitation {
			t.Helper()
			return must[account.Invitation](t)(w.Accounts.Create(ctx, account.Spec{Tenant: ref, Email: email, Role: role}))
		}
		made("PLAIN1", "pat@plain.example", account.Viewer)
		made("", "ada@gateway.example", account.Operator)
		sam := made("ACME01", "sam@acme.example", account.Issuer)
		for _, ref := range []string{"acme01", "EVIL01"} {
			p := account.Provider{Tenant: ref, Issuer: acmeIssuer, ClientID: "tcode", Secret: "secret"}
			if ref == "EVIL01" {
				p.Issuer = "https://evil.example"
			}
			if err := w.Accounts.SetProvider(ctx, p); err != nil {
				t.Fatal(err)
			}
		}
		if p, err := w.Accounts.Provider(ctx, "acme01"); err != nil || p.Secret != "secret" || p.Issuer != acmeIssuer {
			t.Errorf("%+v %v", p, err)
		}
		for _, ref := range []string{"PLAIN1", "NONE01", "x", "' OR 1=1"} {
			if _, err := w.Accounts.Provider(ctx, ref); !errors.Is(err, account.ErrNoProvider) {
				t.Errorf("provider of %q: %v", ref, err)
			}
		}

		ruth := account.Identity{Issuer: acmeIssuer, Subject: "1", Email: "Ruth@acme.example", Verified: true}
		evil := account.Identity{Issuer: "https://evil.example", Subject: "1", Email: "ruth@acme.example", Verified: true}
		elsewhere := ruth
		elsewhere.Issuer = gatewayIssuer
		unverified, unknown, operator := ruth, ruth, evil
		unverified.Verified, unknown.Email, operator.Email = false, "unknown@acme.example", "ada@gateway.example"
		for name, try := range map[string]struct {
			ref string
			id  account.Identity
		}{
			"an address that is not verified":         {"ACME01", unverified},
			"an address without a user":               {"ACME01", unknown},
			"no address":                              {"ACME01", account.Identity{Issuer: acmeIssuer, Subject: "1", Verified: true}},
			"the provider of another tenant":          {"EVIL01", evil},
			"an operator by the provider of a tenant": {"EVIL01", operator},
			"the gateway's, in place of the tenant's": {"", elsewhere},
			"another issuer than the flow's provider": {"ACME01", elsewhere},
			"a tenant without a provider":             {"PLAIN1", ruth},
		} {
			if _, err := w.comes(try.ref, try.id); !errors.Is(err, account.ErrIdentity) {
				t.Errorf("%s: %v", name, err)
			}
		}

		// The first time links; from then on the subject alone counts, not the address.
		in := w.joins("ACME01", "ACME01", "Acme", ruth)
		if !w.in(in.Token, desk) || in.Stage != account.StageIn {
			t.Fatalf("an invited user gets %q", in.Stage)
		}
		if _, _, err := w.Accounts.Invited(ctx, w.inv.Token); !errors.Is(err, account.ErrLink) {
			t.Errorf("the link of the invitation still works: %v", err)
		}
		if _, err := w.Accounts.SignIn(ctx, ruth.Email, "-", desk); !errors.Is(err, account.ErrWrong) {
			t.Errorf("a user without a password signs in with one: %v", err)
		}
		moved := ruth
		moved.Email, moved.Verified = "sam@acme.example", true
		if got := must[account.Visit](t)(w.Accounts.Visit(ctx, must[account.Ticket](t)(w.comes("ACME01", moved)).Token, desk)); got.User.ID != w.inv.ID {
			t.Errorf("the subject of one user signs in %s", got.User.Email)
		}
		second := ruth
		second.Subject = "2"
		if _, err := w.comes("ACME01", second); !errors.Is(err, account.ErrIdentity) {
			t.Errorf("a second account with the same address: %v", err)
		}
		for ref, id := range map[string]account.Identity{
			"PLAIN1": {Issuer: gatewayIssuer, Subject: "7", Email: "pat@plain.example", Verified: true},
			"":       {Issuer: gatewayIssuer, Subject: "8", Email: "ada@gateway.example", Verified: true},
		} {
			if in := w.joins("", ref, ref, id); !w.in(in.Token, desk) {
				t.Errorf("tenant %q: the gateway's provider signs no user in", ref)
			}
		}

		// A user with a second factor here still gives it.
		w.inv = sam
		_, secret, _ := w.enrolled()
		s := account.Identity{Issuer: acmeIssuer, Subject: "3", Email: "sam@acme.example", Verified: true}
		ticket := w.joins("ACME01", "ACME01", "Acme", s)
		if ticket.Stage != account.StageCode || w.in(ticket.Token, desk) {
			t.Errorf("a user with a second factor gets %q", ticket.Stage)
		}
		w.Clock.Add(30 * time.Second)
		if in := must[account.Ticket](t)(w.Accounts.Code(ctx, ticket.Token, w.code(secret), desk)); !w.in(in.Token, desk) {
			t.Error("not signed in")
		}
		// A tenant that loses its provider loses the way in, and a disabled user, too.
		if err := w.Accounts.SetProvider(ctx, account.Provider{Tenant: "ACME01"}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.comes("ACME01", ruth); !errors.Is(err, account.ErrIdentity) {
			t.Errorf("a removed provider: %v", err)
		}
		if err := w.Accounts.SetProvider(ctx, account.Provider{Tenant: "ACME01", Issuer: acmeIssuer, ClientID: "tcode"}); err != nil {
			t.Fatal(err)
		}
		if err := w.Accounts.Disable(ctx, "ACME01", sam.ID); err != nil {
			t.Fatal(err)
		}
		if _, err := w.comes("ACME01", s); !errors.Is(err, account.ErrIdentity) {
			t.Errorf("a disabled user: %v", err)
		}
	})
}

// TestFlow: an answer of a provider counts once, in the browser that asked, in time, with
// the state of the flow.
func TestFlow(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.DefaultEngine(), account.Owner)
	w.withProvider()
	f, sealed, err := w.Accounts.BeginFlow("PLAIN1", desk)
	if err != nil {
		t.Fatal(err)
	}
	other, _, err := w.Accounts.BeginFlow("PLAIN1", desk)
	if err != nil || f.State == other.State || f.Nonce == other.Nonce || f.Verifier == other.Verifier || len(f.Verifier) < 43 {
		t.Errorf("%+v %+v %v", f, other, err)
	}
	for name, try := range map[string]func() (account.Flow, error){
		"another state":   func() (account.Flow, error) { return w.Accounts.OpenFlow(sealed, other.State, desk) },
		"no state":        func() (account.Flow, error) { return w.Accounts.OpenFlow(sealed, "", desk) },
		"no cookie":       func() (account.Flow, error) { return w.Accounts.OpenFlow("", f.State, desk) },
		"another browser": func() (account.Flow, error) { return w.Accounts.OpenFlow(sealed, f.State, account.From{Agent: "x"}) },
		"late": func() (account.Flow, error) {
			w.Clock.Add(account.FlowLife)
			defer w.Clock.Add(-account.FlowLife)
			return w.Accounts.OpenFlow(sealed, f.State, desk)
		},
	} {
		if _, err := try(); !errors.Is(err, account.ErrIdentity) {
			t.Errorf("%s: %v", name, err)
		}
	}
	must[account.Invitation](t)(w.Accounts.Create(t.Context(), account.Spec{Email: "ada@gateway.example", Role: account.Operator}))
	id := account.Identity{Issuer: gatewayIssuer, Subject: "8", Email: "ada@gateway.example", Verified: true}
	if f, _, err = w.Accounts.BeginFlow("", desk); err != nil {
		t.Fatal(err)
	}
	first, again := must[account.Ticket](t)(w.Accounts.SignInIdentity(t.Context(), f, id, desk)), must[account.Ticket](t)(w.Accounts.SignInIdentity(t.Context(), f, id, desk))
	for i, try := range []struct {
		of   account.Ticket
		want error
	}{{first, nil}, {first, account.ErrUsed}, {again, account.ErrUsed}} {
		if _, err := w.Accounts.Choose(t.Context(), try.of.Choice.Sealed, "", desk); !errors.Is(err, try.want) {
			t.Errorf("time %d: %v", i, err)
		}
	}
}
