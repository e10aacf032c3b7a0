package tenant_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"tcode/server/issue/stamp"
	"tcode/server/store/storetest"
	"tcode/server/tenant"
)

// TestAudit: each change writes one audit row with its author; a refused change, and one
// that changes nothing, write none.
func TestAudit(t *testing.T) {
	t.Parallel()
	b := storetest.New(t)
	operator := tenant.WithBy(t.Context(), tenant.By{Actor: tenant.ActorOperator, Name: "ada"})
	last := int64(0)
	// rows returns the rows written since its last call.
	rows := func() (out []tenant.Entry) {
		t.Helper()
		es, err := b.Tenants.Audit(t.Context(), tenant.AuditFilter{})
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range es {
			if e.ID > last {
				out = append(out, e)
			}
		}
		if len(es) > 0 {
			last = es[0].ID
		}
		return out
	}
	rows()
	var key tenant.NewKey
	var id tenant.Identity
	var st stamp.Stamp
	steps := []struct {
		name   string
		do     func() error
		action string // "": no row
		by     tenant.By
	}{
		{"create tenant", func() error { _, err := b.Tenants.CreateTenant(operator, "A", "AAAAAA"); return err }, "tenant.create", tenant.By{}},
		{"create it again", func() error { _, err := b.Tenants.CreateTenant(operator, "A", "AAAAAA"); return refused(err) }, "", tenant.By{}},
		{"create key", func() (err error) {
			key, err = b.Tenants.CreateKey(operator, "AAAAAA", tenant.KeyOptions{Name: "k"})
			return err
		}, "key.create", tenant.By{}},
		{"create key without a name", func() error {
			_, err := b.Tenants.CreateKey(operator, "AAAAAA", tenant.KeyOptions{})
			return refused(err)
		}, "", tenant.By{}},
		{"suspend", func() error { return b.Tenants.Suspend(operator, "AAAAAA") }, "tenant.suspend", tenant.By{}},
		{"suspend again", func() error { return b.Tenants.Suspend(operator, "AAAAAA") }, "", tenant.By{}},
		{"activate", func() error { return b.Tenants.Activate(operator, "AAAAAA") }, "tenant.activate", tenant.By{}},
		{"suspend an unknown tenant", func() error { return refused(b.Tenants.Suspend(operator, "NOBODY")) }, "", tenant.By{}},
		{"plan", func() error {
			_, err := b.Tenants.ChangePlan(operator, "AAAAAA", func(p *tenant.Plan) { p.Quotas[tenant.KindStamps] = 1 })
			return err
		}, "tenant.plan", tenant.By{}},
		{"the same plan", func() error {
			_, err := b.Tenants.ChangePlan(operator, "AAAAAA", func(p *tenant.Plan) { p.Quotas[tenant.KindStamps] = 1 })
			return err
		}, "", tenant.By{}},
		{"stamp", func() (err error) {
			if id, err = b.Tenants.Authenticate(t.Context(), key.Secret); err != nil {
				return err
			}
			id.TraceID = strings.Repeat("ab", 16)
			st, err = b.Stamps.Create(t.Context(), id, storetest.Request("n"))
			return err
		}, "stamp.create", tenant.By{Actor: tenant.ActorKey, Name: key.Prefix}},
		{"stamp beyond the quota", func() error {
			_, err := b.Stamps.Create(t.Context(), id, storetest.Request("n"))
			return refused(err)
		}, "", tenant.By{}},
		{"suspend stamp", func() error { return b.Stamps.Act(t.Context(), id, st.ID, stamp.ActionSuspend, "r") }, "stamp.suspend", tenant.By{Actor: tenant.ActorKey}},
		{"suspend stamp again", func() error { return b.Stamps.Act(t.Context(), id, st.ID, stamp.ActionSuspend, "r") }, "", tenant.By{}},
		{"revoke stamp", func() error { return b.Stamps.Act(t.Context(), id, st.ID, stamp.ActionRevoke, "r") }, "stamp.revoke", tenant.By{Actor: tenant.ActorKey}},
		{"reactivate stamp", func() error { return refused(b.Stamps.Act(t.Context(), id, st.ID, stamp.ActionReactivate, "")) }, "", tenant.By{}},
		{"announce key", func() error {
			_, err := b.Tenants.RotateSigningKey(operator, "AAAAAA", tenant.RotateOptions{})
			return err
		}, "signing_key.rotate", tenant.By{}},
		{"announce another", func() error {
			_, err := b.Tenants.RotateSigningKey(operator, "AAAAAA", tenant.RotateOptions{})
			return refused(err)
		}, "", tenant.By{}},
		{"nothing to open", func() error { return b.Tenants.Advance(t.Context()) }, "", tenant.By{}},
		{"open key", func() error {
			b.Clock.Add(tenant.DefaultAnnounce)
			return b.Tenants.Advance(t.Context())
		}, "signing_key.open", tenant.By{Actor: tenant.ActorSystem}},
		{"retire key", func() error { _, _, err := b.Tenants.RetireSigningKey(operator, "AAAAAA", 1); return err }, "signing_key.retire", tenant.By{}},
		{"retire it again", func() error { _, _, err := b.Tenants.RetireSigningKey(operator, "AAAAAA", 1); return refused(err) }, "", tenant.By{}},
		{"compromise", func() error {
			_, err := b.Tenants.CompromiseSigningKey(operator, "AAAAAA", 0, b.Clock.Now().Add(-time.Hour))
			return err
		}, "signing_key.compromise", tenant.By{}},
		{"compromise again", func() error {
			_, err := b.Tenants.CompromiseSigningKey(operator, "AAAAAA", 0, b.Clock.Now().Add(-time.Hour))
			return refused(err)
		}, "", tenant.By{}},
		{"revoke key", func() error { return b.Tenants.RevokeKey(operator, "", key.Prefix) }, "key.revoke", tenant.By{}},
		{"revoke it again", func() error { return b.Tenants.RevokeKey(operator, "", key.Prefix) }, "", tenant.By{}},
	}
	for _, step := range steps {
		if err := step.do(); err != nil {
			t.Fatalf("%s: %v", step.name, err)
		}
		got := rows()
		if step.action == "" {
			if len(got) != 0 {
				t.Errorf("%s: %+v, want no row", step.name, got)
			}
			continue
		}
		by := step.by
		if by == (tenant.By{}) {
			by = tenant.By{Actor: tenant.ActorOperator, Name: "ada"}
		}
		if by.Actor == tenant.ActorKey {
			by.Name, by.TraceID = key.Prefix, strings.Repeat("ab", 16)
		}
		if len(got) != 1 || got[0].Action != step.action || got[0].Tenant != "AAAAAA" || got[0].By != by ||
			got[0].Subject == "" || !got[0].At.Equal(b.Clock.Now().Truncate(time.Millisecond)) {
			t.Errorf("%s: %+v, want one row %s by %+v", step.name, got, step.action, by)
		}
		for _, e := range got {
			for _, v := range e.Detail {
				if strings.Contains(v, key.Secret[20:]) {
					t.Errorf("%s: the row holds the key", step.name)
				}
			}
		}
	}
}

// refused converts a fault to success and its absence to an error.
func refused(err error) error {
	if err == nil {
		return errNotRefused
	}
	return nil
}

func TestAuditFilter(t *testing.T) {
	t.Parallel()
	b := storetest.New(t)
	b.Tenant(t, "A", "AAAAAA")
	b.Clock.Add(time.Hour)
	b.Tenant(t, "B", "BBBBBB")
	count := func(f tenant.AuditFilter) int {
		t.Helper()
		es, err := b.Tenants.Audit(t.Context(), f)
		if err != nil {
			t.Fatal(err)
		}
		for i := 1; i < len(es); i++ {
			if es[i].ID >= es[i-1].ID {
				t.Errorf("row %d after %d", es[i].ID, es[i-1].ID)
			}
		}
		return len(es)
	}
	all := count(tenant.AuditFilter{})
	of := tenant.AuditFilter{Tenant: "aaaaaa"}
	if n := count(of); n != 2 {
		t.Errorf("%d rows of A, want 2", n)
	}
	if n := count(tenant.AuditFilter{Action: "key."}); n != 2 {
		t.Errorf("%d rows of keys, want 2", n)
	}
	if n := count(tenant.AuditFilter{Action: "tenant.create", From: b.Clock.Now()}); n != 1 {
		t.Errorf("%d tenants since the last hour, want 1", n)
	}
	if n := count(tenant.AuditFilter{To: b.Clock.Now()}); n != all-2 {
		t.Errorf("%d rows before, want %d", n, all-2)
	}
	if n := count(tenant.AuditFilter{Limit: 1}); n != 1 {
		t.Errorf("%d rows, want 1", n)
	}
	es, err := b.Tenants.Audit(t.Context(), tenant.AuditFilter{Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	if n := count(tenant.AuditFilter{Before: es[0].ID}); n != all-1 {
		t.Errorf("%d rows before the newest, want %d", n, all-1)
	}
	if _, err := b.Tenants.Audit(t.Context(), tenant.AuditFilter{Limit: 1001}); err == nil {
		t.Error("a limit of 1001 is no error")
	}
}

var errNotRefused = errors.New("was not refused")

// TestAuthor: the word in a history names a key or a user, and leads back to it.
func TestAuthor(t *testing.T) {
	t.Parallel()
	for _, id := range []tenant.Identity{{KeyPrefix: "abcdefgh"}, {User: "01999999-9999-7999-8999-999999999999"}, {}} {
		if got := (tenant.Identity{}).WithAuthor(id.Author()); got.Author() != id.Author() || got.By() != id.By() {
			t.Errorf("%+v has become %+v by %q", id, got, id.Author())
		}
	}
	if by := (tenant.Identity{User: "u", TraceID: "t"}).By(); by != (tenant.By{Actor: tenant.ActorUser, Name: "u", TraceID: "t"}) {
		t.Errorf("a user is %+v", by)
	}
}
