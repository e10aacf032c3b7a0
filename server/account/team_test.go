package account_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"tcode/server/account"
	"tcode/server/fault"
	"tcode/server/store/storetest"
	"tcode/server/tenant"
)

// box keeps the messages of invitations, or takes none.
type box struct {
	full bool
	got  []account.Message
}

// Invite takes a message.
func (b *box) Invite(_ context.Context, m account.Message) error {
	if b.full {
		return errors.New("the mailbox is full")
	}
	b.got = append(b.got, m)
	return nil
}

// owner makes an owner who is signed in.
func (w *world) owner(ref, email string) account.Visit {
	w.t.Helper()
	w.inv = must[account.Invitation](w.t)(w.Accounts.Create(w.t.Context(), account.Spec{Tenant: ref, Email: email, Role: account.Owner}))
	in, _, _ := w.enrolled()
	return must[account.Visit](w.t)(w.Accounts.Visit(w.t.Context(), in.Token, desk))
}

// TestInvite: an invitation is the same whether the address has an account elsewhere or not, on
// both engines, and gives the person an account beside that one.
func TestInvite(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, e storetest.Engine) {
		w := newWorld(t, e, account.Owner)
		mailbox := &box{}
		w.Accounts = account.New(account.Config{Store: w.DB, Sealer: w.Ring, Tenants: w.Tenants, Now: w.Clock.Now, Mailer: mailbox})
		w.Tenant(t, "Other", "OTHER1")
		ctx := t.Context()
		v := w.owner("ACME01", "olga@acme.example")
		away := w.owner("OTHER1", "sam@acme.example") // whose address is taken

		free := must[account.Sent](t)(w.Accounts.Invite(ctx, v, "Kim@acme.example", "Kim", account.Issuer))
		taken := must[account.Sent](t)(w.Accounts.Invite(ctx, v, "sam@acme.example", "Sam", account.Issuer))
		if !free.Mailed || !taken.Mailed || free.Token != "" || taken.Token != "" || !free.ExpiresAt.Equal(taken.ExpiresAt) {
			t.Errorf("%+v %+v", free, taken)
		}
		look := func(m account.Member) string {
			return fmt.Sprint(m.Tenant, m.Role, m.State, m.Passkeys, m.Linked, m.CreatedAt, len(m.Factor), m.SignedInAt)
		}
		team := must[[]account.Member](t)(w.Accounts.Team(ctx, v))
		if len(team) != 4 || look(team[0]) != look(team[3]) || team[0].Email != "kim@acme.example" || team[3].Email != "sam@acme.example" {
			t.Errorf("team %+v", team)
		}
		if len(mailbox.got) != 2 || mailbox.got[0].Token == "" || mailbox.got[1].Token == "" || mailbox.got[0].Issuer != "Acme" || mailbox.got[0].By != "olga@acme.example" {
			t.Errorf("messages %+v", mailbox.got)
		}
		if u, _, err := w.Accounts.Invited(ctx, mailbox.got[0].Token); err != nil || u.ID != free.ID {
			t.Errorf("%+v %v", u, err)
		}
		// All that an owner can do to them gives the same answers.
		do := map[string]func(id string) error{
			"role":          func(id string) error { return w.Accounts.SetMemberRole(ctx, v, id, account.Owner) },
			"reset":         func(id string) error { _, err := w.Accounts.ResetMember(ctx, v, id); return err },
			"disable":       func(id string) error { return w.Accounts.DisableMember(ctx, v, id) },
			"disable again": func(id string) error { return w.Accounts.DisableMember(ctx, v, id) },
		}
		for _, what := range []string{"role", "reset", "disable", "disable again", "reset", "role"} {
			one, two := do[what](free.ID), do[what](taken.ID)
			if fmt.Sprint(one) != fmt.Sprint(two) {
				t.Errorf("%s: %v, but %v", what, one, two)
			}
		}
		if _, err := w.Accounts.Invite(ctx, v, "kim@acme.example", "", account.Viewer); !fault.Is(err, fault.Conflict) {
			t.Errorf("the address of a colleague: %v", err)
		}
		if _, err := w.Accounts.Invite(ctx, v, "sam@acme.example", "", account.Viewer); !fault.Is(err, fault.Conflict) {
			t.Errorf("the address of one from elsewhere: %v", err)
		}
		if u := must[account.User](t)(w.Accounts.UserOf(ctx, "OTHER1", "sam@acme.example")); u.ID != away.User.ID || u.State != account.Active {
			t.Errorf("%+v", u)
		}
		mailbox.full = true
		byHand := must[account.Sent](t)(w.Accounts.ResetMember(ctx, v, taken.ID))
		if byHand.Mailed || byHand.Token == "" {
			t.Errorf("without a mail server: %+v", byHand)
		}
		if u, _, err := w.Accounts.Invited(ctx, byHand.Token); err != nil || u.ID != taken.ID {
			t.Errorf("the link of one from elsewhere: %+v %v", u, err)
		}
		if kim := must[account.Sent](t)(w.Accounts.ResetMember(ctx, v, free.ID)); kim.Mailed {
			t.Error("sent to a full mailbox")
		} else if _, err := w.Accounts.Accept(ctx, kim.Token, password, desk); err != nil {
			t.Errorf("a link given by hand: %v", err)
		}
		for _, spec := range []account.Spec{{Email: "x", Role: account.Viewer}, {Email: "x@acme.example", Role: account.Operator}, {Email: "x@acme.example", Role: "king"}, {Email: "x@acme.example", Role: account.Viewer, Name: "a\nb"}} {
			if _, err := w.Accounts.Invite(ctx, v, spec.Email, spec.Name, spec.Role); !fault.Is(err, fault.Invalid) {
				t.Errorf("%+v: %v", spec, err)
			}
		}
		for _, e := range must[[]tenant.Entry](t)(w.DB.Audit(ctx, tenant.AuditFilter{Action: account.ActionCreate, Limit: 100})) {
			if e.Subject == free.ID && (e.Tenant != "ACME01" || e.By.Name != v.User.ID) {
				t.Errorf("audit %+v", e)
			}
		}
	})
}

// TestInvitationsBounded: a tenant causes a bounded number of messages in a day, and
// another tenant is not held up by it.
func TestInvitationsBounded(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.DefaultEngine(), account.Owner)
	w.Tenant(t, "Other", "OTHER1")
	ctx := t.Context()
	v, other := w.owner("ACME01", "olga@acme.example"), w.owner("OTHER1", "omar@other.example")
	invite := func(v account.Visit, i int) error {
		_, err := w.Accounts.Invite(ctx, v, fmt.Sprintf("u%d@%s.example", i, v.User.Tenant), "", account.Viewer)
		return err
	}
	for day := range 2 {
		n := 0
		for i := range account.MaxInvitations + 5 {
			err := invite(v, 100*day+i)
			if err == nil {
				n++
			} else if _, waits := account.IsWait(err); !waits {
				t.Fatal(err)
			}
		}
		if n != account.MaxInvitations {
			t.Errorf("%d invitations on day %d", n, day)
		}
		w.Clock.Add(24*time.Hour + time.Second)
	}
	if err := invite(other, 0); err != nil {
		t.Error(err)
	}
	// Few a day are never too many.
	for day := range 30 {
		for i := range 5 {
			if err := invite(other, 10+10*day+i); err != nil {
				t.Fatalf("day %d: %v", day, err)
			}
		}
		w.Clock.Add(24 * time.Hour)
	}
}

// TestLastOwner: a tenant keeps an owner who can sign in, also if two owners lower each
// other concurrently; only operators may do more.
func TestLastOwner(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, e storetest.Engine) {
		w := newWorld(t, e, account.Owner) // invited: does not count
		w.Tenant(t, "Other", "OTHER1")
		ctx := t.Context()
		v := w.owner("ACME01", "olga@acme.example")
		for what, do := range map[string]func() error{
			"lower":   func() error { return w.Accounts.SetMemberRole(ctx, v, v.User.ID, account.Viewer) },
			"disable": func() error { return w.Accounts.DisableMember(ctx, v, v.User.ID) },
			"remove":  func() error { return w.Accounts.RemoveMember(ctx, v, v.User.ID) },
			"reset":   func() error { _, err := w.Accounts.ResetMember(ctx, v, v.User.ID); return err },
		} {
			if err := do(); !errors.Is(err, account.ErrLastOwner) {
				t.Errorf("%s the last owner: %v", what, err)
			}
		}
		two := w.owner("ACME01", "otto@acme.example")
		if n := winners(2, func(i int) error {
			return w.Accounts.SetMemberRole(ctx, v, []string{v.User.ID, two.User.ID}[i], account.Viewer)
		}); n != 1 {
			t.Errorf("%d of two owners were lowered", n)
		}
		// No owner changes users of another tenant, and no viewer those of its own.
		other := w.owner("OTHER1", "omar@other.example")
		viewer := v
		viewer.User.Role = account.Viewer
		for name, v := range map[string]account.Visit{"another tenant": other, "a viewer": viewer, "no user": {}} {
			for what, err := range map[string]error{
				"role":    w.Accounts.SetMemberRole(ctx, v, two.User.ID, account.Viewer),
				"disable": w.Accounts.DisableMember(ctx, v, two.User.ID),
				"remove":  w.Accounts.RemoveMember(ctx, v, two.User.ID),
				"reset":   func() error { _, err := w.Accounts.ResetMember(ctx, v, two.User.ID); return err }(),
			} {
				if want := map[bool]fault.Kind{true: fault.NotFound, false: fault.Forbidden}[name == "another tenant"]; !fault.Is(err, want) {
					t.Errorf("%s, %s: %v", name, what, err)
				}
			}
		}
		if _, err := w.Accounts.Team(ctx, viewer); !fault.Is(err, fault.Forbidden) {
			t.Errorf("a viewer lists users: %v", err)
		}
		if list := must[[]account.Member](t)(w.Accounts.Team(ctx, other)); len(list) != 1 {
			t.Errorf("users of a tenant: %+v", list)
		}
	})
}

// TestKnownBrowser: strangers who guess lock a password for all but the browsers in which
// its user signed in before; what such a browser may guess is bounded, too.
func TestKnownBrowser(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, e storetest.Engine) {
		w := newWorld(t, e, account.Owner)
		ctx := t.Context()
		in, secret, _ := w.enrolled()
		home := desk
		if home.Known = in.Known; home.Known == "" {
			t.Fatal("a signed-in browser gets no mark")
		}
		stranger := account.From{Address: desk.Address, Agent: "stranger"} // of the same network
		guess := func(from account.From) (waits bool) {
			t.Helper()
			_, err := w.Accounts.SignIn(ctx, w.inv.Email, "wrong password", from)
			if _, waits = account.IsWait(err); !waits && !errors.Is(err, account.ErrWrong) {
				t.Fatal(err)
			}
			return waits
		}
		for range 30 {
			guess(stranger)
		}
		if !guess(desk) {
			t.Error("guesses are not bounded")
		}
		w.Clock.Add(30 * time.Second)
		ticket, err := w.Accounts.SignIn(ctx, w.inv.Email, password, home)
		if err != nil {
			t.Fatalf("a stranger keeps the owner out: %v", err)
		}
		next := must[account.Ticket](t)(w.Accounts.Code(ctx, ticket.Token, w.code(secret), home))
		n := 0
		for range 20 {
			if !guess(home) {
				n++
			}
		}
		if n != 5 {
			t.Errorf("a known browser guesses %d times", n)
		}
		// The mark of one user, of no user, or from before a change of the password gives nothing.
		other := must[account.Invitation](t)(w.Accounts.Create(ctx, account.Spec{Tenant: "ACME01", Email: "sam@acme.example", Role: account.Viewer}))
		if _, err := w.Accounts.SignIn(ctx, other.Email, password, home); !errors.Is(err, account.ErrWrong) {
			if _, waits := account.IsWait(err); !waits {
				t.Error(err)
			}
		}
		home.Known = next.Known
		if !guess(home) {
			t.Error("a new mark of the same browser begins to count anew")
		}
		w.inv = must[account.Invitation](t)(w.Accounts.Reset(ctx, "ACME01", w.inv.ID))
		w.enrolled()
		for range 30 {
			guess(stranger)
		}
		for _, known := range []string{in.Known, next.Known, "x", in.Token} {
			if home.Known = known; !guess(home) {
				t.Errorf("the mark %.10q works after a change of the password", known)
			}
		}
	})
}
