package store_test

import (
	"context"
	"encoding/hex"
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"tcode/offline/payload"
	"tcode/offline/statuslist"
	"tcode/server/issue/field"
	"tcode/server/issue/placement"
	"tcode/server/issue/stamp"
	"tcode/server/issue/tdoc"
	"tcode/server/issue/trustdoc"
	"tcode/server/outbound/delivery"
	"tcode/server/platform/spool"
	"tcode/server/store"
	"tcode/server/store/storetest"
	"tcode/server/tenant"
	"tcode/server/verify"
	"tcode/sync/wire"
)

// things names the things of one tenant.
type things struct {
	stamp, reference, externalID, original, field string
	placement, tdoc, key, once                    string
	trustTemplate, document, trf, bulk, mail      string
	logo                                          string

	hook          hook
	user          person
	device, batch string
}

// tenantCalls are the store's methods that work for one tenant, each called with the
// tenant and a thing.
var tenantCalls = map[string]func(ctx context.Context, db *store.DB, tenantRef string, x things) (any, error){
	"Stamp": func(ctx context.Context, db *store.DB, ref string, x things) (any, error) {
		return db.Stamp(ctx, ref, x.stamp)
	},
	"Events": func(ctx context.Context, db *store.DB, ref string, x things) (any, error) {
		return db.Events(ctx, ref, x.stamp)
	},
	"Stamps": func(ctx context.Context, db *store.DB, ref string, x things) (any, error) {
		var out []any
		for _, f := range []stamp.Filter{
			{},
			{Search: "victim"},
			{Search: x.reference},
			{Search: x.externalID},
			{TemplateID: x.placement},
			{TemplateID: x.tdoc},
			{FieldName: "grade"},
			{FieldName: "grade", FieldValue: x.field},
			{Statuses: []stamp.Status{stamp.Active}},
			{Statuses: []stamp.Status{stamp.Suspended, stamp.Active}, Search: "victim paper", FieldName: "grade"},
		} {
			f.Page, f.PageSize = 1, 20
			p, err := db.Stamps(ctx, ref, f)
			if err != nil {
				return nil, err
			}
			out = append(out, p)
		}
		return out, nil
	},
	"Duplicates": func(ctx context.Context, db *store.DB, ref string, x things) (any, error) {
		return db.Duplicates(ctx, ref, stamp.DuplicateQuery{
			ExternalID: x.externalID, SHA256: x.original, TdocTemplateID: x.tdoc, Fields: []payload.Field{{Key: "grade", Value: x.field}},
		}, 10)
	},
	"ChangeStatus": func(ctx context.Context, db *store.DB, ref string, x things) (any, error) {
		return db.ChangeStatus(ctx, ref, x.stamp, stamp.Event{Action: stamp.ActionRevoke, At: time.Now()}, entry(ctx, ref))
	},
	"ReplaceStamp": func(ctx context.Context, db *store.DB, ref string, x things) (any, error) {
		return db.ReplaceStamp(ctx, x.stamp, stamp.Stamp{Tenant: ref, CreatedAt: time.Now()}, stamp.Event{To: stamp.Active},
			stamp.Event{Action: stamp.ActionReplace, At: time.Now()}, nil, entry(ctx, ref))
	},
	"Placement": func(ctx context.Context, db *store.DB, ref string, x things) (any, error) {
		return db.Placement(ctx, ref, x.placement)
	},
	"Placements": func(ctx context.Context, db *store.DB, ref string, _ things) (any, error) {
		return db.Placements(ctx, ref)
	},
	"ChangePlacement": func(ctx context.Context, db *store.DB, ref string, x things) (any, error) {
		return nil, db.ChangePlacement(ctx, ref, x.placement, entry(ctx, ref), func(*placement.Template) (bool, error) { return true, nil })
	},
	"Tdoc": func(ctx context.Context, db *store.DB, ref string, x things) (any, error) {
		return db.Tdoc(ctx, ref, x.tdoc)
	},
	"Tdocs": func(ctx context.Context, db *store.DB, ref string, _ things) (any, error) {
		return db.Tdocs(ctx, ref, true)
	},
	"ChangeTdoc": func(ctx context.Context, db *store.DB, ref string, x things) (any, error) {
		return nil, db.ChangeTdoc(ctx, ref, x.tdoc, entry(ctx, ref), func(*tdoc.Template) (bool, error) { return true, nil })
	},
	"IdempotencyRecord": func(ctx context.Context, db *store.DB, ref string, x things) (any, error) {
		o, found, err := db.IdempotencyRecord(ctx, ref, "POST /v1/tcode/stamps", x.once, time.Time{})
		o.Key = "" // part of the request
		return fmt.Sprint(o, found), err
	},
	"APIKeys": func(ctx context.Context, db *store.DB, ref string, _ things) (any, error) {
		return db.APIKeys(ctx, ref)
	},
	"RevokeAPIKey": func(ctx context.Context, db *store.DB, ref string, x things) (any, error) {
		return nil, db.RevokeAPIKey(ctx, ref, x.key, time.Now(), entry(ctx, ref))
	},
	"Left": func(ctx context.Context, db *store.DB, ref string, x things) (any, error) {
		return db.Left(ctx, ref, tenant.By{Actor: tenant.ActorKey, Name: x.key}, time.Now())
	},
	"SigningKeys": func(ctx context.Context, db *store.DB, ref string, _ things) (any, error) {
		return db.SigningKeys(ctx, ref)
	},
	"ChangeSigningKeys": func(ctx context.Context, db *store.DB, ref string, _ things) (got any, err error) {
		err = db.ChangeSigningKeys(ctx, ref, func(have []tenant.SigningKey, marks func(uint8) ([]statuslist.Mark, error)) (c tenant.KeyChange, err error) {
			m, err := marks(0)
			got = fmt.Sprint(len(have), len(m))
			return c, err
		})
		return got, err
	},
	"Plan": func(ctx context.Context, db *store.DB, ref string, _ things) (any, error) { return db.Plan(ctx, ref) },
	"ChangePlan": func(ctx context.Context, db *store.DB, ref string, _ things) (any, error) {
		return db.ChangePlan(ctx, ref, func(*tenant.Plan) error { return nil }, time.Now(), entry(ctx, ref))
	},
	"Admit": func(ctx context.Context, db *store.DB, ref string, _ things) (any, error) {
		return nil, db.Admit(ctx, ref, tenant.KindStamps, 1, time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC))
	},
	"Usage": func(ctx context.Context, db *store.DB, ref string, _ things) (any, error) {
		return db.Usage(ctx, ref, tenant.MonthOf(time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)))
	},
	"Audit": func(ctx context.Context, db *store.DB, ref string, _ things) (any, error) {
		return db.Audit(ctx, tenant.AuditFilter{Tenant: ref, Limit: 100})
	},
	"Scans": func(ctx context.Context, db *store.DB, ref string, x things) (any, error) {
		r, err := payload.ParseReference(x.reference)
		if err != nil {
			return nil, err
		}
		return db.Scans(ctx, ref, r, verify.ScanFilter{Page: 1, PageSize: 20})
	},
	"ResendDocument": func(ctx context.Context, db *store.DB, ref string, x things) (any, error) {
		now := time.Now()
		m := delivery.Message{ID: x.mail, Tenant: ref, Document: x.document, State: delivery.Waiting, NextAt: now, GiveUpAt: now, CreatedAt: now}
		return nil, db.ResendDocument(ctx, m, "", entry(ctx, ref))
	},
	"TrustTemplate": func(ctx context.Context, db *store.DB, ref string, x things) (any, error) {
		return db.TrustTemplate(ctx, ref, x.trustTemplate)
	},
	"HasTrustTemplate": func(ctx context.Context, db *store.DB, ref string, x things) (any, error) {
		return db.HasTrustTemplate(ctx, ref, x.trustTemplate)
	},
	"TrustTemplates": func(ctx context.Context, db *store.DB, ref string, _ things) (any, error) {
		return db.TrustTemplates(ctx, ref, trustdoc.TemplateFilter{Page: 1, PageSize: 20})
	},
	"ChangeTrustTemplate": func(ctx context.Context, db *store.DB, ref string, x things) (any, error) {
		return nil, db.ChangeTrustTemplate(ctx, ref, x.trustTemplate, entry(ctx, ref), func(*trustdoc.Template) (bool, error) { return true, nil })
	},
	"Document": func(ctx context.Context, db *store.DB, ref string, x things) (any, error) {
		return db.Document(ctx, ref, x.document)
	},
	"DocumentEvents": func(ctx context.Context, db *store.DB, ref string, x things) (any, error) {
		return db.DocumentEvents(ctx, ref, x.document)
	},
	"Documents": func(ctx context.Context, db *store.DB, ref string, x things) (any, error) {
		var out []any
		for _, f := range []trustdoc.Filter{
			{},
			{Search: "victim"},
			{Search: x.trf},
			{Search: x.externalID},
			{TemplateID: x.trustTemplate},
			{FieldName: "grade"},
			{FieldName: "grade", FieldValue: x.field},
			{Statuses: []trustdoc.Status{trustdoc.Active}},
			{Statuses: []trustdoc.Status{trustdoc.Suspended, trustdoc.Active}, Search: "victim paper", FieldName: "grade"},
		} {
			f.Page, f.PageSize = 1, 20
			p, err := db.Documents(ctx, ref, f)
			if err != nil {
				return nil, err
			}
			out = append(out, p)
		}
		return out, nil
	},
	"DuplicateDocuments": func(ctx context.Context, db *store.DB, ref string, x things) (any, error) {
		return db.DuplicateDocuments(ctx, ref, trustdoc.DuplicateQuery{
			ExternalID: x.externalID, TemplateID: x.trustTemplate, Fields: []payload.Field{{Key: "grade", Value: x.field}},
		}, time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC), 10)
	},
	"DueDocuments": func(ctx context.Context, db *store.DB, ref string, _ things) (any, error) {
		return db.DueDocuments(ctx, ref, time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC), trustdoc.Due{}, 10)
	},
	"ChangeDocument": func(ctx context.Context, db *store.DB, ref string, x things) (any, error) {
		return db.ChangeDocument(ctx, ref, x.document, trustdoc.Event{Action: trustdoc.ActionRevoke, At: time.Now()}, entry(ctx, ref))
	},
	"InsertDocument": func(ctx context.Context, db *store.DB, ref string, x things) (any, error) {
		now := time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)
		return db.InsertDocument(ctx, trustdoc.New{
			Document: trustdoc.Document{Tenant: ref, CreatedAt: now}, Replaces: x.document, Replaced: trustdoc.Event{Action: trustdoc.ActionReplace, At: now}, Audit: entry(ctx, ref),
		})
	},
	"Verifications": func(ctx context.Context, db *store.DB, ref string, _ things) (any, error) {
		return db.Verifications(ctx, ref, verify.HistoryFilter{Kind: verify.OfStamp}, verify.Page{Number: 1, Size: 20})
	},
}

// otherCalls are the methods that do not work for one tenant, with the reason.
var otherCalls = map[string]string{
	"RecordByReference": "public", "RecordByHash": "public", "DocumentByReference": "public", "DocumentByHash": "public", "Issuer": "public", "DocumentType": "public", "DocumentTypes": "public",
	"Devices": "no tenant's", "ClockEvents": "no tenant's", "ClearDevice": "no tenant's", "ChangeDevice": "no tenant's", "ExpireClaims": "of no tenant's stamps",
	"Sync": "a device's batch crosses tenants", "AddVerifications": "a group of several tenants'",
	"APIKey": "a key says whose it is", "TouchAPIKeys": "by keys that were proven", "Tenant": "public", "Tenants": "operator",
	"SetTenantState": "operator", "InsertTenant": "operator", "InsertAPIKey": "writes its own tenant only", "InsertStamp": "writes its own tenant only",
	"InsertTrustTemplate": "writes its own tenant only", "InsertPlacement": "writes its own tenant only", "InsertTdoc": "writes its own tenant only",
	"Publication": "publishes all", "Head": "public", "Object": "public", "Roots": "public", "Secret": "no tenant", "SecretNames": "no tenant",
	"IsPostgres": "no rows", "PutSecret": "no tenant", "PutDocumentTypes": "no tenant", "RetireDocumentType": "no tenant", "OpenShards": "no tenant", "EntryFree": "no tenant",
	"Reseal": "operator", "Snapshot": "operator", "Dump": "operator", "FilesID": "operator", "NameFiles": "operator", "SetFilesID": "operator", "Condemn": "operator", "Removed": "operator", "LeftCondemned": "operator", "ForgetCondemned": "operator", "NamedFiles": "operator", "NamedBytes": "operator", "AddUsage": "counts of several tenants", "MarkRestored": "operator", "Restored": "operator",
	"Activity": "operator", "FirstRestore": "operator", "LostPayloads": "operator", "RevokeLost": "operator",
	"AgreeRestore": "operator", "CheckRows": "operator", "EachStamp": "operator", "EachDocument": "operator", "Reconcile": "operator",
	"Pools": "no rows", "Ahead": "no rows", "ReadClock": "no rows", "CheckSchema": "no tenant's", "CheckFiles": "no rows", "QuotaUse": "operator", "Record": "no tenant's",
	"TakeMessage": "a gateway works for all", "WakeMessages": "a gateway works for all", "WaitingMessages": "a count of all", "ResendMessage": "operator", "SetTenantLanguage": "operator",
	"Background": "no rows", "InsertBulk": "writes its own tenant only", "TakeBulk": "a runner works for all", "HoldBulk": "a runner works for all",
	"BulkStatus": "a runner works for all", "ReleaseBulk": "a runner works for all", "WakeBulks": "a runner works for all",
	"DueErasures": "a gateway works for all", "LeavingFiles": "a gateway works for all", "SweepShared": "a gateway works for all", "Compact": "no rows", "ExportTables": "no rows",
	"Close": "", "ListStatements": "test",
}

func entry(ctx context.Context, ref string) *tenant.Entry {
	return tenant.NewEntry(ctx, ref, "test.call", "", time.Now())
}

// tenantPredicate is the beginning of every tenant query.
var tenantPredicate = regexp.MustCompile(`\b(?:\w+\.)?tenant(?: \|\| '')? = (\$\d+)`)

// TestRowLevelSecurity: row-level security is the second protection. Every method that
// works for one tenant runs without its tenant predicates, with another tenant's ids, and
// answers as for ids that do not exist.
func TestRowLevelSecurity(t *testing.T) {
	t.Parallel()
	b := storetest.NewOn(t, storetest.Postgres)
	victim := furnish(t, b, "ACME01", "victim")
	furnish(t, b, "SPY001", "spy")
	unknown := things{
		stamp: "0196fb7e-0000-7000-8000-0000000000aa", reference: "TCR-0000-0000-0000-0000", externalID: "nobody's", original: strings.Repeat("00", 32), field: "none",
		trustTemplate: "0196fb7e-0000-7000-8000-0000000000dd", document: "0196fb7e-0000-7000-8000-0000000000ee", trf: "TRF-0000-0000-0000-0000",
		placement: "0196fb7e-0000-7000-8000-0000000000bb", tdoc: "0196fb7e-0000-7000-8000-0000000000cc", key: "nobody00", once: "none", logo: logoOf("f"),
		hook: hook{"0196fb7e-0000-7000-8000-0000000000f1", "0196fb7e-0000-7000-8000-0000000000f2"},
		user: person{"0196fb7e-0000-7000-8000-0000000000f3", "0196fb7e-0000-7000-8000-0000000000f4"}, device: "dev_00000000000000000000000000", batch: "0196fb7e-0000-7000-8000-0000000000f5", mail: "0196fb7e-0000-7000-8000-0000000000f6",
	}
	rewritten := map[string]bool{}
	spy, err := store.OpenRewriting(t.Context(), storetest.Database(t, b.Dir).DatabaseURL, func(q string) string {
		out := tenantPredicate.ReplaceAllString(q, "$1::text IS NOT NULL")
		if strings.Contains(q, " FROM tenants WHERE reference = ") || strings.HasPrefix(q, "UPDATE tenants") {
			out = strings.Replace(out, "reference = $1", "$1::text IS NOT NULL", 1)
		}
		rewritten[q] = out != q
		return out
	})
	if err != nil {
		t.Fatal(err)
	}
	defer spy.Close()
	for name, call := range tenantCalls {
		want, wantErr := call(t.Context(), b.DB, "SPY001", unknown)
		got, gotErr := call(t.Context(), spy, "SPY001", victim)
		w := show(want, wantErr, unknown)
		if g := show(got, gotErr, victim); g != w || strings.Contains(g, "ACME01") || strings.Contains(g, "victim") {
			t.Errorf("%s without its tenant predicates:\n got %s\nwant %s", name, g, w)
		}
	}
	n := 0
	for _, did := range rewritten {
		if did {
			n++
		}
	}
	if n < 40 {
		t.Errorf("only %d statements had a predicate to take away", n)
	}
	// The test can see a leak: without the policies there is one.
	for _, table := range []string{"stamps", "placement_templates", "audit"} {
		if _, err := storetest.Raw(t, b.Dir).Exec(`ALTER TABLE ` + table + ` DISABLE ROW LEVEL SECURITY`); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"Stamps", "Placements", "Audit"} {
		got, err := tenantCalls[name](t.Context(), spy, "SPY001", victim)
		if err != nil || !strings.Contains(fmt.Sprintf("%+v", got), "victim") && !strings.Contains(fmt.Sprintf("%+v", got), "ACME01") {
			t.Errorf("%s without policies leaks nothing (%v): this test proves nothing", name, err)
		}
	}
}

// show writes an answer without the requested ids.
func show(v any, err error, x things) string {
	s := fmt.Sprintf("%+v, %v", v, err)
	for _, id := range []string{x.stamp, x.reference, x.externalID, x.placement, x.tdoc, x.key, x.trustTemplate, x.document, x.trf, x.hook.id, x.hook.delivery, x.user.id, x.device, x.batch, x.mail} {
		s = strings.ReplaceAll(s, id, "ID")
	}
	return s
}

// TestEveryMethodIsCovered: every method of the store is in one of the two lists.
func TestEveryMethodIsCovered(t *testing.T) {
	t.Parallel()
	for m := range reflect.TypeFor[*store.DB]().Methods() {
		_, ours := tenantCalls[m.Name]
		_, others := otherCalls[m.Name]
		if ours == others {
			t.Errorf("%s must stand in tenantCalls, to be tried with another tenant's ids, or in otherCalls", m.Name)
		}
	}
}

// furnish makes a tenant with one thing of each kind; everything that has a name includes
// mark.
func furnish(t *testing.T, b *storetest.Bundle, ref, mark string) things {
	t.Helper()
	ctx := t.Context()
	id := b.Tenant(t, mark, ref)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	_, err := b.DB.ChangePlan(ctx, ref, func(p *tenant.Plan) error {
		p.Quotas = map[tenant.Kind]int64{tenant.KindStamps: 1000}
		return nil
	}, b.Clock.Now(), entry(ctx, ref))
	must(err)
	p, err := b.Placements.Create(ctx, id, placement.Spec{Name: mark + " place"}, nil, nil)
	must(err)
	td, err := b.Templates.Create(ctx, id, tdoc.Spec{
		Name: mark + " template", CustomFields: []tdoc.Field{{Key: "grade", Label: "Grade", Type: "text", InPayload: true}},
	}, nil, nil)
	must(err)
	r := storetest.Request(mark + " paper")
	r.ExternalID, r.PlacementTemplateID, r.TdocTemplateID = mark+"-1", p.ID, td.ID
	r.Fields = []payload.Field{{Key: "grade", Value: mark}}
	r.Idempotency = &tenant.IdempotencyRecord{Route: "POST /v1/tcode/stamps", Key: mark}
	r.Answer = func(st stamp.Stamp) (int, []byte, error) { return 201, []byte(mark), nil }
	st, err := b.Stamps.Create(ctx, id, r)
	must(err)
	tt, err := b.Trust.CreateTemplate(ctx, id, trustdoc.Spec{
		Name: mark + " trust", DocumentTypeCode: "DIP", Fields: []field.Definition{{Key: "grade"}},
	}, nil, nil)
	must(err)
	doc, err := b.Trust.Issue(ctx, id, trustdoc.Issuance{
		TemplateID: tt.ID, RecipientName: mark, RecipientEmail: mark + "@example.org", Title: mark + " paper", ExternalID: mark + "-1", Fields: []payload.Field{{Key: "grade", Value: mark}},
		PDF: spool.Bytes([]byte("%PDF-1.7\n% " + mark + "\n")), Path: trustdoc.PathBoth, ExpiresAt: b.Clock.Now().AddDate(1, 0, 0),
	})
	must(err)
	must(b.Trust.Act(ctx, id, doc.ID, trustdoc.ActionSuspend, mark))
	must(b.Trust.Act(ctx, id, doc.ID, trustdoc.ActionReinstate, mark))
	twin, err := b.Trust.Issue(ctx, id, trustdoc.Issuance{TemplateID: tt.ID, RecipientName: mark, Fields: []payload.Field{{Key: "grade", Value: mark}}})
	must(err)
	_, err = b.Trust.Replace(ctx, id, twin.ID, trustdoc.Replacement{Title: "again"})
	must(err)
	must(b.Stamps.Act(ctx, id, st.ID, stamp.ActionSuspend, mark))
	must(b.Stamps.Act(ctx, id, st.ID, stamp.ActionReactivate, mark))
	_, err = b.Verify.Sync(ctx, wire.Batch{
		ID: "0196fb7e-0000-7000-8000-000000000001", ScannerID: mark, SentAt: wire.TruncateMillis(b.Clock.Now()), Single: true,
		Items: []wire.Item{{Reference: st.Reference.String(), Context: wire.Context{Location: mark}}},
	}, verify.Proof{})
	must(err)
	must(b.DB.AddVerifications(ctx, []verify.Entry{{
		Tenant: ref, Reference: st.Reference, Verdict: verify.Valid, Method: verify.ByReference, VerifiedAt: b.Clock.Now(),
	}}))
	if _, err := hex.DecodeString(st.OriginalSHA256); err != nil {
		t.Fatal(err)
	}
	return things{
		stamp: st.ID, reference: st.Reference.String(), externalID: mark + "-1", original: st.OriginalSHA256, field: mark,
		placement: p.ID, tdoc: td.ID, key: id.KeyPrefix, once: mark,
		trustTemplate: tt.ID, document: doc.ID, trf: doc.Reference.String(), bulk: furnishBulk(t, b, ref, mark), mail: furnishMail(t, b, doc), hook: furnishWebhook(t, b, id, mark),
		user: furnishUser(t, b, ref, mark), device: furnishDevice(t, b, st, mark), logo: furnishBrand(t, b, ref, mark), batch: furnishBatch(t, b, id, st.ID, mark),
	}
}
