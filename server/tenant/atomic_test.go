package tenant_test

import (
	"testing"

	"tcode/server/issue/stamp"
	"tcode/server/store/storetest"
	"tcode/server/tenant"
)

// TestNoChangeWithoutItsRow: a change whose audit row cannot be written does not take
// place and is not counted: they are one transaction.
func TestNoChangeWithoutItsRow(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, testNoChangeWithoutItsRow)
}

func testNoChangeWithoutItsRow(t *testing.T, e storetest.Engine) {
	b := storetest.NewOn(t, e)
	ctx := t.Context()
	id := b.Tenant(t, "A", "AAAAAA")
	st := b.Stamp(t, id, "n")
	before := used(t, b, "AAAAAA", tenant.KindStamps)
	repair := storetest.Break(t, b.Dir, "audit", "")
	changes := map[string]func() error{
		"create tenant": func() error { _, err := b.Tenants.CreateTenant(ctx, "B", "BBBBBB"); return err },
		"suspend":       func() error { return b.Tenants.Suspend(ctx, "AAAAAA") },
		"plan": func() error {
			_, err := b.Tenants.ChangePlan(ctx, "AAAAAA", func(p *tenant.Plan) { p.RequestsPerMinute = 1 })
			return err
		},
		"create key": func() error {
			_, err := b.Tenants.CreateKey(ctx, "AAAAAA", tenant.KeyOptions{Name: "k"})
			return err
		},
		"revoke key": func() error { return b.Tenants.RevokeKey(ctx, "AAAAAA", id.KeyPrefix) },
		"rotate": func() error {
			_, err := b.Tenants.RotateSigningKey(ctx, "AAAAAA", tenant.RotateOptions{Announce: -1})
			return err
		},
		"compromise": func() error {
			_, err := b.Tenants.CompromiseSigningKey(ctx, "AAAAAA", 0, b.Clock.Now())
			return err
		},
		"stamp":         func() error { _, err := b.Stamps.Create(ctx, id, storetest.Request("m")); return err },
		"revoke stamp":  func() error { return b.Stamps.Act(ctx, id, st.ID, stamp.ActionRevoke, "") },
		"document type": func() error { return b.Ref.RetireDocumentType(ctx, "DIP") },
	}
	for name, change := range changes {
		if err := change(); err == nil {
			t.Errorf("%s went through without its audit row", name)
		}
	}
	repair()
	tenants, err := b.Tenants.Tenants(ctx)
	if err != nil || len(tenants) != 1 || tenants[0].State != tenant.Active || tenants[0].Plan.RequestsPerMinute != 0 {
		t.Errorf("tenants %+v, %v", tenants, err)
	}
	keys, err := b.Tenants.Keys(ctx, "AAAAAA")
	if err != nil || len(keys) != 1 || !keys[0].RevokedAt.IsZero() {
		t.Errorf("API keys %+v, %v", keys, err)
	}
	signing, err := b.Tenants.SigningKeys(ctx, "AAAAAA")
	if err != nil || len(signing) != 1 || signing[0].State != tenant.KeySigning {
		t.Errorf("signing keys %+v, %v", signing, err)
	}
	if got, err := b.Stamps.Get(ctx, "AAAAAA", st.ID); err != nil || got.Status != stamp.Active {
		t.Errorf("stamp is %s, %v", got.Status, err)
	}
	if known, err := b.Ref.KnownDocumentType(ctx, "DIP"); err != nil || !known {
		t.Errorf("document type known %v, %v", known, err)
	}
	if after := used(t, b, "AAAAAA", tenant.KindStamps); after != before {
		t.Errorf("%d stamps counted, want %d", after, before)
	}
	// The log itself cannot be altered.
	db := storetest.Raw(t, b.Dir)
	for _, statement := range []string{`UPDATE audit SET action = 'x.y'`, `DELETE FROM audit`} {
		if _, err := db.Exec(statement); err == nil {
			t.Errorf("%s went through", statement)
		}
	}
}
