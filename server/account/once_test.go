package account_test

import (
	"sync"
	"testing"
	"time"

	"tcode/server/account"
	"tcode/server/store/storetest"
	"tcode/server/tenant"
)

// winners runs do concurrently and returns how often it succeeded.
func winners(n int, do func(i int) error) (won int) {
	var mu sync.Mutex
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			err := do(i)
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				won++
			}
		})
	}
	all.Wait()
	return won
}

// TestOnce: a link, a code of the app, a recovery code and the set-up of a second factor
// work once, also when they are used concurrently.
func TestOnce(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, e storetest.Engine) {
		w := newWorld(t, e, account.Owner)
		ctx := t.Context()
		var mu sync.Mutex
		var first account.Ticket
		n := winners(4, func(int) error {
			got, err := w.Accounts.Accept(ctx, w.inv.Token, password, desk)
			if err == nil {
				mu.Lock()
				defer mu.Unlock()
				first = got
			}
			return err
		})
		if n != 1 {
			t.Fatalf("a link was used %d times", n)
		}
		secret := must[account.Enrolment](t)(w.Accounts.Enrolment(ctx, first.Token, "TCode", desk)).Secret
		code := w.code(secret)
		var recovery []string
		n = winners(4, func(int) error {
			_, codes, err := w.Accounts.Enrol(ctx, first.Token, code, desk)
			if err == nil {
				mu.Lock()
				defer mu.Unlock()
				recovery = codes
			}
			return err
		})
		if n != 1 {
			t.Fatalf("a second factor was set up %d times", n)
		}
		for what, code := range map[string]func() string{"code": func() string { return w.code(secret) }, "recovery code": func() string { return recovery[0] }} {
			w.Clock.Add(30 * time.Second)
			var tickets []account.Ticket
			for range 4 {
				tickets = append(tickets, must[account.Ticket](t)(w.Accounts.SignIn(ctx, w.inv.Email, password, desk)))
			}
			text := code()
			if n := winners(4, func(i int) error { _, err := w.Accounts.Code(ctx, tickets[i].Token, text, desk); return err }); n != 1 {
				t.Errorf("a %s was accepted %d times", what, n)
			}
		}
	})
}

// TestNoChangeWithoutItsRow: a change whose audit row cannot be written does not take
// place; each change that does has one row.
func TestNoChangeWithoutItsRow(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, e storetest.Engine) {
		w := newWorld(t, e, account.Owner)
		ctx := t.Context()
		var ticket, in account.Ticket
		var secret string
		var visit account.Visit
		var err error
		id := w.inv.ID
		for _, step := range []struct {
			name string
			do   func() error
		}{
			{account.ActionCreate, func() error {
				_, err := w.Accounts.Create(ctx, account.Spec{Email: "another@example.org", Role: account.Operator})
				return err
			}},
			{account.ActionPassword, func() error { ticket, err = w.Accounts.Accept(ctx, w.inv.Token, password, desk); return err }},
			{account.ActionFactor, func() error {
				secret = must[account.Enrolment](t)(w.Accounts.Enrolment(ctx, ticket.Token, "TCode", desk)).Secret
				_, _, err := w.Accounts.Enrol(ctx, ticket.Token, w.code(secret), desk)
				return err
			}},
			{account.ActionBegin, func() error { ticket, err = w.Accounts.SignIn(ctx, w.inv.Email, password, desk); return err }},
			{account.ActionBegin, func() error {
				w.Clock.Add(time.Minute)
				in, err = w.Accounts.Code(ctx, ticket.Token, w.code(secret), desk)
				return err
			}},
			{account.ActionEnd, func() error {
				visit = must[account.Visit](t)(w.Accounts.Visit(ctx, in.Token, desk))
				return w.Accounts.End(ctx, visit, visit.ID)
			}},
			{account.ActionRole, func() error { return w.Accounts.SetRole(ctx, "ACME01", id, account.Viewer) }},
			{account.ActionDisable, func() error { return w.Accounts.Disable(ctx, "ACME01", id) }},
			{account.ActionReset, func() error { _, err := w.Accounts.Reset(ctx, "ACME01", id); return err }},
		} {
			rows := func() []tenant.Entry {
				return must[[]tenant.Entry](t)(w.DB.Audit(ctx, tenant.AuditFilter{Limit: 100}))
			}
			before := len(rows())
			repair := storetest.Break(t, w.Dir, "audit", "")
			if err := step.do(); err == nil {
				t.Errorf("%s went through without its row", step.name)
			}
			repair()
			if err := step.do(); err != nil { // everything is as it was
				t.Fatalf("%s after a failure: %v", step.name, err)
			}
			if after := rows(); len(after) != before+1 || after[0].Action != step.name {
				t.Errorf("%s has %d rows: %+v", step.name, len(after)-before, after[0])
			}
		}
	})
}
