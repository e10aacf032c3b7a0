package bulk_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"tcode/server/account"
	"tcode/server/internal/harness"
	"tcode/server/issue/bulk"
	"tcode/server/store/storetest"
	"tcode/server/tenant"
)

// A pausing maker makes stamps, and calls before ahead of each.
type pausing struct {
	bulk.Maker
	before *func(name string)
}

type pausingPlan struct {
	bulk.Plan
	before *func(name string)
}

func (m pausing) Plan(ctx context.Context, tenantRef string, o bulk.Order) (bulk.Plan, error) {
	p, err := m.Maker.Plan(ctx, tenantRef, o)
	return pausingPlan{p, m.before}, err
}

func (p pausingPlan) Make(ctx context.Context, id tenant.Identity, e bulk.Entry, once *tenant.IdempotencyRecord) (bulk.Made, error) {
	(*p.before)(e.Cells["name"])
	return p.Plan.Make(ctx, id, e, once)
}

// authors has the parts of TestAuthors.
type authors struct {
	*storetest.Bundle
	t      *testing.T
	s      *bulk.Service
	before func(name string)
	id     tenant.Identity // of a key that stays
	made   int             // jobs
}

func newAuthors(t *testing.T, e storetest.Engine) *authors {
	a := &authors{Bundle: storetest.NewOn(t, e), t: t, before: func(string) {}}
	a.id = a.Tenant(t, "Acme", "ACME01")
	a.s = bulk.New(bulk.Config{
		Store: a.DB, Blobs: a.Blobs, Author: a.Accounts.Author, Spool: a.Spool, Now: a.Clock.Now, AtOnce: 1,
		Makers: map[bulk.Product]bulk.Maker{bulk.TCode: pausing{bulk.ForStamps(a.Stamps, a.Templates, a.Placements), &a.before}},
	})
	return a
}

// key makes an API key, and returns its holder.
func (a *authors) key(life time.Duration) tenant.Identity {
	a.t.Helper()
	opt := tenant.KeyOptions{Name: "office"}
	if life > 0 {
		opt.ExpiresAt = a.Clock.Now().Add(life)
	}
	k, err := a.Tenants.CreateKey(a.t.Context(), "ACME01", opt)
	harness.Must(a.t, err)
	id, err := a.Tenants.Authenticate(a.t.Context(), k.Secret)
	harness.Must(a.t, err)
	return id
}

// order orders three stamps, in the given time.
func (a *authors) order(who tenant.Identity, in time.Duration) bulk.Job {
	a.t.Helper()
	a.made++
	csv, files := "fileName,name,documentTypeCode\n", map[string][]byte{}
	for i := range 3 {
		file := fmt.Sprintf("%d.pdf", i)
		csv += fmt.Sprintf("%s,row %d,DIP\n", file, i)
		files[file] = fmt.Appendf(nil, "%%PDF-1.7\n%d of %d\n%%%%EOF\n", i, a.made)
	}
	q := bulk.Request{Order: bulk.Order{Product: bulk.TCode}, CSV: strings.NewReader(csv), ZIP: harness.ZIP(a.t, files)}
	if in > 0 {
		q.ScheduledFor = a.Clock.Now().Add(in)
	}
	j, err := a.s.Create(a.t.Context(), who, q)
	harness.Must(a.t, err)
	return j
}

// now returns a job as it is.
func (a *authors) now(j bulk.Job) bulk.Job {
	a.t.Helper()
	j, err := a.s.Get(a.t.Context(), "ACME01", bulk.TCode, j.ID)
	harness.Must(a.t, err)
	return j
}

// run works on a job, and returns it.
func (a *authors) run(j bulk.Job) bulk.Job {
	a.t.Helper()
	harness.Must(a.t, a.s.Run(a.t.Context(), j.ID))
	return a.now(j)
}

// failed checks that a job ended for its author, with rows made.
func (a *authors) failed(what string, j bulk.Job, rows int) {
	a.t.Helper()
	if j.Status != bulk.Failed || j.Message != "its author may no longer issue" || j.Counts.Succeeded != rows || j.Accepted && j.Counts.Skipped != 3-rows {
		a.t.Errorf("%s: %s %q %+v", what, j.Status, j.Message, j.Counts)
	}
}

// TestAuthors: a job ends when its author may issue no longer, in the step that takes the right
// and before the next row. A retry continues it in the name of who asks for it.
//
//race:on rows are made concurrently with changes of keys and users
func TestAuthors(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, e storetest.Engine) {
		a := newAuthors(t, e)
		a.keyRevoked()
		a.keyRotated()
		a.keyExpired()
		a.users()
		a.suspended()
	})
}

// keyRevoked revokes the key of a job that waits, and that of one that runs.
func (a *authors) keyRevoked() {
	ctx := a.t.Context()
	k := a.key(0)
	waits := a.order(k, 24*time.Hour)
	left, err := a.Tenants.Left(ctx, "", k.KeyPrefix)
	if err != nil || len(left) != 1 || left[0] != (tenant.Left{Kind: tenant.LeftBulkJob, ID: waits.ID}) {
		a.t.Errorf("left behind: %+v %v", left, err)
	}
	harness.Must(a.t, a.Tenants.RevokeKey(ctx, "ACME01", k.KeyPrefix))
	a.failed("it waited", a.now(waits), 0)
	if left, err = a.Tenants.Left(ctx, "", k.KeyPrefix); err != nil || len(left) != 0 {
		a.t.Errorf("left behind afterwards: %+v %v", left, err)
	}
	a.failed("ordered too late", a.run(a.order(k, 0)), 0)

	k = a.key(0)
	a.before = func(name string) {
		if name == "row 1" {
			harness.Must(a.t, a.Tenants.RevokeKey(ctx, "ACME01", k.KeyPrefix))
		}
	}
	runs := a.run(a.order(k, 0))
	a.before = func(string) {}
	a.failed("it ran", runs, 1)

	// It is done at its time, in the name of another.
	retried, err := a.s.Change(ctx, a.id, bulk.TCode, waits.ID, bulk.Retry)
	if err != nil || retried.By != a.id.KeyPrefix || !retried.ScheduledFor.Equal(waits.ScheduledFor) {
		a.t.Errorf("%+v %v", retried, err)
	}
	if j := a.run(waits); j.Status != bulk.Pending {
		a.t.Errorf("before its time: %s", j.Status)
	}
	a.Clock.Add(25 * time.Hour)
	if j := a.run(waits); j.Status != bulk.Completed || j.Counts.Succeeded != 3 {
		a.t.Errorf("retried: %s %+v", j.Status, j.Counts)
	}
}

// keyRotated has jobs of a rotated key continue until one of the two is revoked.
func (a *authors) keyRotated() {
	ctx := a.t.Context()
	for _, revoked := range []string{"", "old", "new"} {
		k := a.key(0)
		before := a.order(k, 72*time.Hour)
		next, err := a.Tenants.RotateKey(ctx, "ACME01", k.KeyPrefix, tenant.RenewOptions{})
		harness.Must(a.t, err)
		during := a.order(k, 72*time.Hour)
		last, err := a.Tenants.RotateKey(ctx, "ACME01", next.Prefix, tenant.RenewOptions{Overlap: -1})
		harness.Must(a.t, err)
		if left, err := a.Tenants.Left(ctx, "ACME01", k.KeyPrefix); err != nil || len(left) != 2 || left[1].ID != during.ID {
			a.t.Errorf("left by a key that was rotated: %+v %v", left, err)
		}
		a.Clock.Add(73 * time.Hour)
		switch revoked {
		case "old":
			harness.Must(a.t, a.Tenants.RevokeKey(ctx, "ACME01", k.KeyPrefix))
		case "new":
			harness.Must(a.t, a.Tenants.RevokeKey(ctx, "ACME01", last.Prefix))
		}
		for _, j := range []bulk.Job{a.run(before), a.run(during)} {
			if revoked != "" {
				a.failed("rotated, and the "+revoked+" key revoked", j, 0)
			} else if j.Status != bulk.Completed || j.By != k.KeyPrefix {
				a.t.Errorf("rotated: %s by %s", j.Status, j.By)
			}
		}
	}
}

// keyExpired has the key of a job expire between two rows.
func (a *authors) keyExpired() {
	a.before = func(name string) {
		if name == "row 0" {
			a.Clock.Add(2 * time.Hour)
		}
	}
	j := a.run(a.order(a.key(time.Hour), 0))
	a.before = func(string) {}
	if j.Status != bulk.Failed || j.Counts.Succeeded == 0 || j.Counts.Succeeded == 3 {
		a.t.Errorf("expired: %s %q %+v", j.Status, j.Message, j.Counts)
	}
}

// users has people lose their right in each way.
func (a *authors) users() {
	ctx := a.t.Context()
	for what, lose := range map[string]func(u account.User) error{
		"disabled": func(u account.User) error { return a.Accounts.Disable(ctx, "ACME01", u.ID) },
		"viewer":   func(u account.User) error { return a.Accounts.SetRole(ctx, "ACME01", u.ID, account.Viewer) },
		"reset": func(u account.User) error {
			_, err := a.Accounts.Reset(ctx, "ACME01", u.ID)
			return err
		},
	} {
		u := a.User(a.t, what+"@acme.example", account.Owner)
		who := tenant.Identity{Tenant: a.id.Tenant, User: u.ID}
		waits := a.order(who, time.Hour)
		harness.Must(a.t, a.Accounts.SetRole(ctx, "ACME01", u.ID, account.Issuer))
		if j := a.now(waits); j.Status != bulk.Scheduled {
			a.t.Errorf("an issuer: %s", j.Status)
		}
		a.before = func(name string) {
			if name == "row 1" {
				harness.Must(a.t, lose(u))
			}
		}
		a.failed(what+", it ran", a.run(a.order(who, 0)), 1)
		a.before = func(string) {}
		a.failed(what, a.now(waits), 0)
	}
}

// suspended has a tenant suspended between two rows.
func (a *authors) suspended() {
	ctx := a.t.Context()
	a.before = func(name string) {
		if name == "row 0" {
			harness.Must(a.t, a.Tenants.Suspend(ctx, "ACME01"))
		}
	}
	j := a.run(a.order(a.id, 0))
	if j.Status != bulk.Failed || j.Message != "this tenant is suspended" || j.Counts.Succeeded != 0 {
		a.t.Errorf("suspended: %s %q %+v", j.Status, j.Message, j.Counts)
	}
	harness.Must(a.t, a.Tenants.Activate(ctx, "ACME01"))
}
