package stamp_test

import (
	"database/sql"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tcode/offline/payload"
	"tcode/offline/statuslist"
	"tcode/server/fault"
	"tcode/server/issue/stamp"
	"tcode/server/issue/tdoc"
	"tcode/server/platform/spool"
	"tcode/server/store/storetest"
	"tcode/server/tenant"
)

// replacement is a good request for a successor.
func replacement(text string) stamp.Replacement {
	return stamp.Replacement{PDF: spool.Bytes([]byte("%PDF-1.7\n% " + text + "\n%%EOF\n"))}
}

// entry returns a stamp's entry in the status list.
func entry(t *testing.T, db *sql.DB, st stamp.Stamp) (v statuslist.Value) {
	t.Helper()
	err := db.QueryRow(`SELECT value FROM status_entries WHERE shard = $1 AND entry = $2`,
		int(st.StatusIndex.Shard()), int(st.StatusIndex.Entry())).Scan(&v)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// A successor takes over the members that the request leaves out, and each stamp names
// the other.
func TestReplace(t *testing.T) {
	t.Parallel()
	for _, from := range []stamp.Status{stamp.Active, stamp.Suspended} {
		t.Run(string(from), func(t *testing.T) {
			t.Parallel()
			b := storetest.New(t)
			id := b.Tenant(t, "Acme", "ACME01")
			ctx := t.Context()
			tpl, where := diplomas(t, b, id), place(t, b, id)
			r := storetest.Request("Diploma of Ada")
			r.ExternalID, r.TdocTemplateID, r.PlacementTemplateID, r.ModeType = "D-1", tpl.ID, where.ID, stamp.ModeTest
			r.Fields = []payload.Field{{Key: "place", Value: "London"}, {Key: "holder", Value: "Ada"}}
			old, err := b.Stamps.Create(ctx, id, r)
			if err != nil {
				t.Fatal(err)
			}
			if from == stamp.Suspended {
				if err := b.Stamps.Act(ctx, id, old.ID, stamp.ActionSuspend, ""); err != nil {
					t.Fatal(err)
				}
			}
			b.Clock.Add(time.Hour)
			req := replacement("corrected")
			req.Reason = "name corrected"
			made, err := b.Stamps.Replace(ctx, id, strings.ToUpper(old.ID), req)
			if err != nil {
				t.Fatal(err)
			}
			if made.Reference == old.Reference || made.ID == old.ID || made.Status != stamp.Active || made.Replaces != old.Reference.String() {
				t.Errorf("successor %+v", made)
			}
			type taken struct {
				name, kind, external, tdoc, placement string
				test                                  bool
				values                                []payload.Field
			}
			of := func(s stamp.Stamp) taken {
				return taken{s.Name, s.DocumentType, s.ExternalID, s.TdocTemplateID, s.PlacementTemplateID, s.Test, s.Values}
			}
			if diff := cmp.Diff(of(old), of(made), cmp.AllowUnexported(taken{})); diff != "" {
				t.Errorf("taken over (-old +new):\n%s", diff)
			}
			if p, err := payload.Parse(made.Payload); err != nil || !p.Test || len(p.Fields) != 1 {
				t.Errorf("signed %+v, %v", p, err)
			}
			now, err := b.Stamps.Get(ctx, "ACME01", old.ID)
			if err != nil || now.Status != stamp.Revoked || now.ReplacedBy != made.Reference.String() || now.Reason != "name corrected" {
				t.Errorf("replaced stamp %+v, %v", now, err)
			}
			db := storetest.Raw(t, b.Dir)
			if got := entry(t, db, old); got != statuslist.Replaced {
				t.Errorf("status entry %v, want replaced", got)
			}
			if got := entry(t, db, made); got != statuslist.None {
				t.Errorf("successor's status entry %v", got)
			}
			evs, err := b.Stamps.Events(ctx, "ACME01", old.ID)
			if last := evs[len(evs)-1]; err != nil || last.From != from || last.To != stamp.Revoked || last.Action != stamp.ActionReplace || last.By != id.KeyPrefix {
				t.Errorf("last event %+v, %v", last, err)
			}
			// The external id stands for the successor now.
			if _, err := b.Stamps.Create(ctx, id, r); fault.As(err).Reference != made.Reference.String() {
				t.Errorf("same externalId again: %v, want a duplicate of %s", err, made.Reference)
			}
			for _, a := range []stamp.Action{stamp.ActionReactivate, stamp.ActionSuspend} {
				if err := b.Stamps.Act(ctx, id, old.ID, a, ""); fault.As(err).Code != fault.CodeInvalidTransition {
					t.Errorf("%s of the replaced stamp: %v", a, err)
				}
			}
			if _, err := b.Stamps.Replace(ctx, id, old.ID, req); fault.As(err).Code != fault.CodeInvalidTransition {
				t.Errorf("replaced again: %v", err)
			}
			third, err := b.Stamps.Replace(ctx, id, made.ID, req)
			if err != nil || third.Replaces != made.Reference.String() || third.ExternalID != "D-1" {
				t.Errorf("successor's successor: %+v, %v", third, err)
			}
		})
	}
}

func TestReplaceTakesWhatIsSaid(t *testing.T) {
	t.Parallel()
	b := storetest.New(t)
	id := b.Tenant(t, "Acme", "ACME01")
	ctx := t.Context()
	tpl := diplomas(t, b, id)
	r := storetest.Request("old")
	r.ExternalID, r.TdocTemplateID, r.Fields = "D-1", tpl.ID, []payload.Field{{Key: "holder", Value: "Ada"}}
	old, err := b.Stamps.Create(ctx, id, r)
	if err != nil {
		t.Fatal(err)
	}
	free, err := b.Templates.Create(ctx, id, tdoc.Spec{Name: "free"}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	where := place(t, b, id)
	made, err := b.Stamps.Replace(ctx, id, old.ID, stamp.Replacement{
		PDF: r.PDF, Name: "new", DocumentTypeCode: "INV", ExternalID: "D-2", TdocTemplateID: free.ID,
		PlacementTemplateID: where.ID, Fields: []payload.Field{},
	})
	if err != nil {
		t.Fatal(err)
	}
	if made.Name != "new" || made.DocumentType != "INV" || made.ExternalID != "D-2" || made.TdocTemplateID != free.ID ||
		made.PlacementTemplateID != where.ID || len(made.Values) != 0 {
		t.Errorf("successor %+v", made)
	}
	// The old external id names no stamp and may be used again.
	if _, err := b.Stamps.Create(ctx, id, r); err != nil {
		t.Errorf("the old externalId: %v", err)
	}
}

func TestReplaceRefuses(t *testing.T) {
	t.Parallel()
	b := storetest.New(t)
	id, other := b.Tenant(t, "Acme", "ACME01"), b.Tenant(t, "Other", "OTHER1")
	ctx := t.Context()
	tpl, where := diplomas(t, b, id), place(t, b, id)
	r := storetest.Request("n")
	r.TdocTemplateID, r.PlacementTemplateID, r.Fields = tpl.ID, where.ID, []payload.Field{{Key: "holder", Value: "Ada"}}
	old, err := b.Stamps.Create(ctx, id, r)
	if err != nil {
		t.Fatal(err)
	}
	taken := storetest.Request("taken")
	taken.ExternalID = "taken"
	if _, err := b.Stamps.Create(ctx, id, taken); err != nil {
		t.Fatal(err)
	}
	revoked := b.Stamp(t, id, "revoked")
	if err := b.Stamps.Act(ctx, id, revoked.ID, stamp.ActionRevoke, ""); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name   string
		who    tenant.Identity
		id     string
		change func(r *stamp.Replacement)
		code   string
	}{
		{"unknown", id, "00000000-0000-7000-8000-000000000000", nil, fault.CodeNotFound},
		{"another tenant's", other, old.ID, nil, fault.CodeNotFound},
		{"revoked", id, revoked.ID, nil, fault.CodeInvalidTransition},
		{"no PDF", id, old.ID, func(r *stamp.Replacement) { r.PDF = nil }, fault.CodeValidationFailed},
		{"long reason", id, old.ID, func(r *stamp.Replacement) { r.Reason = strings.Repeat("x", 501) }, fault.CodeValidationFailed},
		{"unknown type", id, old.ID, func(r *stamp.Replacement) { r.DocumentTypeCode = "XXX" }, fault.CodeValidationFailed},
		{"unknown template", id, old.ID, func(r *stamp.Replacement) { r.TdocTemplateID = revoked.ID }, fault.CodeNotFound},
		{"unknown placement", id, old.ID, func(r *stamp.Replacement) { r.PlacementTemplateID = revoked.ID }, fault.CodeNotFound},
		{"fields dropped", id, old.ID, func(r *stamp.Replacement) { r.Fields = []payload.Field{} }, fault.CodeFieldSchemaMismatch},
		{"external id of another", id, old.ID, func(r *stamp.Replacement) { r.ExternalID = "taken" }, fault.CodeDuplicate},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			req := replacement("x")
			if tt.change != nil {
				tt.change(&req)
			}
			if _, err := b.Stamps.Replace(ctx, tt.who, tt.id, req); err == nil || fault.As(err).Code != tt.code {
				t.Errorf("err = %v, want %s", err, tt.code)
			}
		})
	}
	if n := count(t, b, "stamps"); n != 3 {
		t.Errorf("%d stamps, want 3", n)
	}

	// The templates of the stamp may be deleted by now; an archived one makes no stamp.
	if err := errors.Join(b.Placements.Delete(ctx, id, where.ID, nil), b.Templates.Act(ctx, id, tpl.ID, nil, tdoc.ActionArchive)); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Stamps.Replace(ctx, id, old.ID, replacement("x")); fault.As(err).Code != fault.CodeTemplateArchived {
		t.Errorf("archived: %v", err)
	}
	if err := errors.Join(b.Templates.Act(ctx, id, tpl.ID, nil, tdoc.ActionUnarchive), b.Templates.Delete(ctx, id, tpl.ID, nil)); err != nil {
		t.Fatal(err)
	}
	if made, err := b.Stamps.Replace(ctx, id, old.ID, replacement("x")); err != nil || made.TdocTemplateID != tpl.ID {
		t.Errorf("with deleted templates: %+v, %v", made, err)
	}
}

// Whichever INSERT of a replacement fails, the stamp stays unchanged.
func TestReplaceIsAllOrNothing(t *testing.T) {
	t.Parallel()
	tables := []string{"stamps", "stamp_fields", "stamp_files", "stamp_events", "status_entries", "audit", "usage_months", "once"}
	for _, failing := range tables {
		t.Run(failing, func(t *testing.T) {
			t.Parallel()
			b := storetest.New(t)
			id := b.Tenant(t, "Acme", "ACME01")
			r := storetest.Request("n")
			r.ExternalID, r.TdocTemplateID, r.Fields = "D-1", diplomas(t, b, id).ID, []payload.Field{{Key: "holder", Value: "Ada"}}
			old, err := b.Stamps.Create(t.Context(), id, r)
			if err != nil {
				t.Fatal(err)
			}
			before, err := b.Stamps.Get(t.Context(), "ACME01", old.ID)
			if err != nil {
				t.Fatal(err)
			}
			rows := map[string]int{}
			for _, table := range tables {
				rows[table] = count(t, b, table)
			}
			repair := storetest.Break(t, b.Dir, failing, "")
			b.Clock.Add(31 * 24 * time.Hour) // usage of a new month is a new row
			req := replacement("x")
			req.Idempotency = &tenant.IdempotencyRecord{Route: "POST /x", Key: "k"}
			req.Answer = func(st stamp.Stamp) (int, []byte, error) { return 200, []byte(st.ID), nil }
			if _, err := b.Stamps.Replace(t.Context(), id, old.ID, req); !fault.Is(err, fault.Internal) {
				t.Fatalf("err = %v, want Internal", err)
			}
			after, err := b.Stamps.Get(t.Context(), "ACME01", old.ID)
			if diff := cmp.Diff(before, after); diff != "" || err != nil {
				t.Errorf("%v, stamp (-before +after):\n%s", err, diff)
			}
			if got := entry(t, storetest.Raw(t, b.Dir), old); got != statuslist.None {
				t.Errorf("status entry %v", got)
			}
			for _, table := range tables {
				if n := count(t, b, table); n != rows[table] {
					t.Errorf("%d rows in %s, %d before", n, table, rows[table])
				}
			}
			repair()
			if _, err := b.Stamps.Replace(t.Context(), id, old.ID, req); err != nil {
				t.Errorf("after the repair: %v", err)
			}
		})
	}
}

// A repeat of a replacement finds the answer, and not a stamp that is revoked.
func TestReplaceOnce(t *testing.T) {
	t.Parallel()
	b := storetest.New(t)
	id := b.Tenant(t, "Acme", "ACME01")
	old := b.Stamp(t, id, "n")
	req := replacement("x")
	req.Idempotency = &tenant.IdempotencyRecord{Tenant: "ACME01", Route: "POST /x", Key: "k"}
	req.Answer = func(st stamp.Stamp) (int, []byte, error) { return 200, []byte(st.ID), nil }
	made, err := b.Stamps.Replace(t.Context(), id, old.ID, req)
	if err != nil {
		t.Fatal(err)
	}
	kept, ok, err := tenant.Answered(t.Context(), b.DB, *req.Idempotency, b.Clock.Now())
	if err != nil || !ok || string(kept.Body) != made.ID {
		t.Errorf("kept %+v, %v, %v", kept, ok, err)
	}
}
