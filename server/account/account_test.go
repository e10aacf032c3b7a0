package account_test

import (
	"errors"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"tcode/server/account"
	"tcode/server/fault"
	"tcode/server/store/storetest"
	"tcode/server/tenant"
)

const password = "correct horse battery"

var desk = account.From{Address: "192.0.2.1", Agent: "browser"}

// world is a domain with a tenant and a user.
type world struct {
	*storetest.Bundle
	t   *testing.T
	inv account.Invitation
}

func newWorld(t *testing.T, e storetest.Engine, role account.Role) *world {
	t.Helper()
	w := &world{Bundle: storetest.NewOn(t, e), t: t}
	w.Tenant(t, "Acme", "ACME01")
	spec := account.Spec{Tenant: "ACME01", Email: "Ruth@Acme.example", Name: "Ruth", Role: role}
	if role == account.Operator {
		spec.Tenant = ""
	}
	var err error
	if w.inv, err = w.Accounts.Create(t.Context(), spec); err != nil {
		t.Fatal(err)
	}
	return w
}

func must[T any](t *testing.T) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// code is the present code of a secret.
func (w *world) code(secret string) string {
	w.t.Helper()
	return must[string](w.t)(totp.GenerateCode(secret, w.Clock.Now()))
}

// enrolled accepts the invitation and sets up the second factor.
func (w *world) enrolled() (t account.Ticket, secret string, recovery []string) {
	w.t.Helper()
	ctx := w.t.Context()
	t = must[account.Ticket](w.t)(w.Accounts.Accept(ctx, w.inv.Token, password, desk))
	e := must[account.Enrolment](w.t)(w.Accounts.Enrolment(ctx, t.Token, "TCode", desk))
	in, recovery, err := w.Accounts.Enrol(ctx, t.Token, w.code(e.Secret), desk)
	if err != nil {
		w.t.Fatal(err)
	}
	return in, e.Secret, recovery
}

// in reports whether a token is of a signed-in session.
func (w *world) in(token string, from account.From) bool {
	v, err := w.Accounts.Visit(w.t.Context(), token, from)
	return err == nil && v.May(account.Self)
}

// gone checks that a token has no session at any stage.
func (w *world) gone(what, token string) {
	w.t.Helper()
	if v, err := w.Accounts.Visit(w.t.Context(), token, desk); !errors.Is(err, account.ErrNoSession) {
		w.t.Errorf("%s has a session at stage %q, %v", what, v.Stage, err)
	}
}

// signIn signs in at the next step of the clock.
func (w *world) signIn(secret string) account.Ticket {
	w.t.Helper()
	w.Clock.Add(30 * time.Second)
	t := must[account.Ticket](w.t)(w.Accounts.SignIn(w.t.Context(), "ruth@acme.example", password, desk))
	return must[account.Ticket](w.t)(w.Accounts.Code(w.t.Context(), t.Token, w.code(secret), desk))
}

// TestLife: link, password, second factor, session, on both engines, for a tenant's user
// and for an operator.
func TestLife(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, e storetest.Engine) {
		for _, role := range []account.Role{account.Owner, account.Operator} {
			w := newWorld(t, e, role)
			ctx := t.Context()
			u, until, err := w.Accounts.Invited(ctx, w.inv.Token)
			if err != nil || u.Email != "ruth@acme.example" || !until.Equal(w.Clock.Now().Add(account.LinkLife)) {
				t.Fatalf("%+v, %v, %v", u, until, err)
			}
			for _, weak := range []string{"", "short", strings.Repeat("ab", 20), "my name is ruth", strings.Repeat("é", 201), "\xff" + password} {
				if _, err := w.Accounts.Accept(ctx, w.inv.Token, weak, desk); !fault.Is(err, fault.Invalid) {
					t.Errorf("password %q: %v", weak, err)
				}
			}
			first := must[account.Ticket](t)(w.Accounts.Accept(ctx, w.inv.Token, password, desk))
			if first.Stage != account.StageEnrol || w.in(first.Token, desk) {
				t.Errorf("a password alone gives %q", first.Stage)
			}
			if _, err := w.Accounts.Accept(ctx, w.inv.Token, password, desk); !errors.Is(err, account.ErrLink) {
				t.Errorf("the link used twice: %v", err)
			}
			enrolment := must[account.Enrolment](t)(w.Accounts.Enrolment(ctx, first.Token, "TCode", desk))
			if a, err := url.Parse(enrolment.URL); err != nil || a.Query().Get("secret") != enrolment.Secret || !strings.HasPrefix(a.Path, "/TCode:ruth@acme.example") || strings.HasSuffix(a.Path, " (ACME01)") != (role == account.Owner) {
				t.Errorf("address for the app %q", enrolment.URL)
			}
			if _, _, err := w.Accounts.Enrol(ctx, first.Token, "000000", desk); !errors.Is(err, account.ErrRecovery) {
				t.Errorf("wrong first code: %v", err)
			}
			code := w.code(enrolment.Secret)
			in, recovery, err := w.Accounts.Enrol(ctx, first.Token, code[:3]+" "+code[3:], desk)
			if err != nil || len(recovery) != 10 || !w.in(in.Token, desk) {
				t.Fatalf("%+v %v %v", in, recovery, err)
			}
			w.gone("the token of the stage before", first.Token)
			v := must[account.Visit](t)(w.Accounts.Visit(ctx, in.Token, desk))
			if v.Tenant.Reference != w.inv.Tenant || v.User.Role != role || v.May(account.Operate) != (role == account.Operator) || v.May(account.Manage) != (role == account.Owner) {
				t.Errorf("visit %+v", v)
			}

			// Signing in again: the code of the enrolment was used.
			next := must[account.Ticket](t)(w.Accounts.SignIn(ctx, " RUTH@acme.example", password, desk))
			if next.Stage != account.StageCode || w.in(next.Token, desk) {
				t.Errorf("the password alone gives %q", next.Stage)
			}
			if _, err := w.Accounts.Code(ctx, next.Token, code, desk); !errors.Is(err, account.ErrRecovery) {
				t.Errorf("a code is accepted twice: %v", err)
			}
			w.Clock.Add(30 * time.Second)
			second := must[account.Ticket](t)(w.Accounts.Code(ctx, next.Token, w.code(enrolment.Secret), desk))
			if !w.in(second.Token, desk) {
				t.Error("not signed in")
			}
			w.gone("the token after the password", next.Token)
			// A recovery code works once.
			for i, want := range []error{nil, account.ErrRecovery} {
				t3 := must[account.Ticket](t)(w.Accounts.SignIn(ctx, "ruth@acme.example", password, desk))
				if _, err := w.Accounts.Code(ctx, t3.Token, strings.ToUpper(recovery[3]), desk); !errors.Is(err, want) {
					t.Errorf("recovery code, time %d: %v", i, err)
				}
			}
			audit := must[[]tenant.Entry](t)(w.DB.Audit(ctx, tenant.AuditFilter{Action: "session.", Limit: 100}))
			for _, e := range audit {
				if e.Tenant != w.inv.Tenant || e.Subject != w.inv.ID || e.By.Actor != tenant.ActorUser || e.By.Name != w.inv.ID {
					t.Errorf("audit %+v", e)
				}
			}
			if len(audit) < 5 {
				t.Errorf("%d entries", len(audit))
			}
		}
	})
}

// TestSessionsEnd: a session that ended in any way, or comes from another agent, is
// refused.
func TestSessionsEnd(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, e storetest.Engine) {
		w := newWorld(t, e, account.Owner)
		ctx := t.Context()
		first, secret, _ := w.enrolled()
		refused := func(what, token string) {
			t.Helper()
			if w.in(token, desk) {
				t.Error(what + ": the session works")
			}
		}
		for _, token := range []string{"", "fixed", strings.Repeat("A", 43), first.Token + "A"} {
			refused("a token of the client's choice", token)
		}
		for range 3 { // in use, it stays for longer than it may be idle
			w.Clock.Add(account.Idle - time.Second)
			if !w.in(first.Token, desk) {
				t.Fatal("a session in use has ended")
			}
		}
		w.Clock.Add(account.Idle)
		refused("idle", first.Token)

		s := w.signIn(secret)
		w.Clock.Add(-13 * time.Hour)
		refused("a clock that was ahead", s.Token)
		w.Clock.Add(13 * time.Hour)
		for range 24 {
			w.Clock.Add(30*time.Minute - time.Second)
			if !w.in(s.Token, desk) {
				t.Fatal("ended too early")
			}
		}
		w.Clock.Add(24 * time.Second)
		refused("after 12 hours", s.Token)

		s = w.signIn(secret)
		if w.in(s.Token, account.From{Address: desk.Address, Agent: "another"}) {
			t.Error("a stolen token works from another agent")
		}
		refused("after a theft", s.Token)

		s, other := w.signIn(secret), w.signIn(secret)
		v := must[account.Visit](t)(w.Accounts.Visit(ctx, s.Token, desk))
		list := must[[]account.Session](t)(w.Accounts.Sessions(ctx, v))
		if len(list) != 2 || list[1].ID != v.ID || list[0].Agent != "browser" || list[0].Address != "192.0.2.1" {
			t.Errorf("sessions %+v", list)
		}
		if err := w.Accounts.End(ctx, v, list[0].ID); err != nil {
			t.Error(err)
		}
		refused("ended by its user", other.Token)
		if err := w.Accounts.End(ctx, v, list[0].ID); !errors.Is(err, account.ErrNoSession) {
			t.Errorf("ended twice: %v", err)
		}
		for _, id := range []string{"", "\x00", "\xff", "' OR 1=1"} {
			if err := w.Accounts.End(ctx, v, id); !errors.Is(err, account.ErrNoSession) {
				t.Errorf("session %q: %v", id, err)
			}
		}
		if !w.in(s.Token, desk) {
			t.Error("another session has ended, too")
		}
		for _, end := range []struct {
			what string
			do   func() error
		}{
			{"change of role", func() error { return w.Accounts.SetRole(ctx, "ACME01", w.inv.ID, account.Viewer) }},
			{"suspended tenant", func() error { return w.Tenants.Suspend(ctx, "ACME01") }},
			{"disabled", func() error { return w.Accounts.Disable(ctx, "ACME01", w.inv.ID) }},
		} {
			s := w.signIn(secret)
			if err := end.do(); err != nil {
				t.Fatal(err)
			}
			refused(end.what, s.Token)
			if end.what == "suspended tenant" {
				if _, err := w.Accounts.Visit(ctx, s.Token, desk); !errors.Is(err, account.ErrSuspended) {
					t.Errorf("suspended: %v", err)
				}
				if err := w.Tenants.Activate(ctx, "ACME01"); err != nil {
					t.Fatal(err)
				}
			}
		}
	})
}

// TestReset: a reset ends sessions and removes password, second factor, recovery codes and
// earlier links.
func TestReset(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, e storetest.Engine) {
		w := newWorld(t, e, account.Viewer)
		ctx := t.Context()
		old, _, _ := w.enrolled()
		first := must[account.Invitation](t)(w.Accounts.Reset(ctx, "ACME01", w.inv.ID))
		if w.in(old.Token, desk) {
			t.Error("the session works")
		}
		if _, err := w.Accounts.SignIn(ctx, w.inv.Email, password, desk); !errors.Is(err, account.ErrWrong) {
			t.Errorf("the password works: %v", err)
		}
		second := must[account.Invitation](t)(w.Accounts.Reset(ctx, "ACME01", w.inv.ID))
		if _, err := w.Accounts.Accept(ctx, first.Token, password, desk); !errors.Is(err, account.ErrLink) {
			t.Errorf("the replaced link works: %v", err)
		}
		w.Clock.Add(account.LinkLife)
		if _, err := w.Accounts.Accept(ctx, second.Token, password, desk); !errors.Is(err, account.ErrLink) {
			t.Errorf("the expired link works: %v", err)
		}
		w.inv = must[account.Invitation](t)(w.Accounts.Reset(ctx, "ACME01", w.inv.ID))
		in, _, _ := w.enrolled()
		if !w.in(in.Token, desk) {
			t.Error("the new link, password and factor give no session")
		}
		w.inv = must[account.Invitation](t)(w.Accounts.Reset(ctx, "ACME01", w.inv.ID))
		if err := w.Accounts.Disable(ctx, "ACME01", w.inv.ID); err != nil {
			t.Fatal(err)
		}
		if _, _, err := w.Accounts.Invited(ctx, w.inv.Token); !errors.Is(err, account.ErrLink) {
			t.Errorf("link of a disabled user: %v", err)
		}
	})
}

// TestGuessing: guesses of passwords and codes are bounded, for accounts that exist and
// those that do not, also for concurrent ones.
func TestGuessing(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, e storetest.Engine) {
		w := newWorld(t, e, account.Owner)
		ctx := t.Context()
		_, secret, _ := w.enrolled()
		at := func(i int) account.From {
			return account.From{Address: "198.51.100." + string(rune('0'+i)), Agent: "x"}
		}
		for _, email := range []string{"ruth@acme.example", "unknown@acme.example"} {
			var wrong, waits int
			var mu sync.Mutex
			var all sync.WaitGroup
			for i := range 9 {
				all.Go(func() {
					_, err := w.Accounts.SignIn(ctx, email, "wrong password", at(i))
					mu.Lock()
					defer mu.Unlock()
					if errors.Is(err, account.ErrWrong) {
						wrong++
					} else if wait, ok := account.IsWait(err); ok && wait > 0 && wait <= time.Minute {
						waits++
					} else {
						t.Errorf("%s: %v", email, err)
					}
				})
			}
			all.Wait()
			if wrong != 5 || waits != 4 {
				t.Errorf("%s: %d guesses, %d waits", email, wrong, waits)
			}
		}
		// The right password waits, too, and then works; each further guess waits longer.
		if _, err := w.Accounts.SignIn(ctx, "ruth@acme.example", password, desk); err == nil {
			t.Error("a locked account can be signed in to")
		}
		w.Clock.Add(time.Hour)
		ticket := must[account.Ticket](t)(w.Accounts.SignIn(ctx, "ruth@acme.example", password, desk))
		codes := 0
		for range 20 {
			if _, err := w.Accounts.Code(ctx, ticket.Token, "000000", desk); errors.Is(err, account.ErrRecovery) {
				codes++
			}
		}
		if codes > 5 {
			t.Errorf("%d codes guessed", codes)
		}
		if _, err := w.Accounts.Code(ctx, ticket.Token, w.code(secret), desk); err == nil {
			t.Error("the right code is accepted during a lock")
		}
		for _, text := range []string{"", "no address", "nul\x00@acme.example", "\xff@acme.example", strings.Repeat("a", 300) + "@acme.example"} {
			if _, err := w.Accounts.SignIn(ctx, text, "wrong password", account.From{Address: "203.0.113.9", Agent: "\xff\x00"}); !errors.Is(err, account.ErrWrong) {
				t.Errorf("address %q: %v", text, err)
			}
		}
		// A client that guesses at many accounts waits.
		guesses := 0
		for i := range 24 {
			_, err := w.Accounts.SignIn(ctx, string(rune('a'+i))+"@acme.example", "wrong password", account.From{Address: "2001:db8::1"})
			if errors.Is(err, account.ErrWrong) {
				guesses++
			}
		}
		if guesses != 20 {
			t.Errorf("one client guesses at %d accounts", guesses)
		}
		if _, err := w.Accounts.SignIn(ctx, "z@acme.example", "wrong password", account.From{Address: "2001:db8::2"}); errors.Is(err, account.ErrWrong) {
			t.Error("another address of the network may guess on")
		}
	})
}
