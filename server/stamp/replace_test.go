package stamp_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tcode/offline/payload"
	"tcode/offline/statuslist"
	"tcode/server/fault"
	"tcode/server/stamp"
	"tcode/server/store/storetest"
	"tcode/server/tdoc"
	"tcode/server/tenant"
)

// replacement is a good request for a successor.
func replacement(text string) stamp.Replacement {
	return stamp.Replacement{PDF: []byte("%PDF-1.7\n% " + text + "\n%%EOF\n")}
}

// entry returns what the status list says of a stamp.
func entry(t *testing.T, db *sql.DB, st stamp.Stamp) (v statuslist.Value) {
	t.Helper()
	err := db.QueryRow(`SELECT value FROM status_entries WHERE shard = $1 AND entry = $2`,
		int(st.StatusIndex.Shard()), int(st.StatusIndex.Entry())).Scan(&v)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// A successor takes over what the request leaves out, and each stamp names the
// other.
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
	// The old external id stands for nobody and may be used again.
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

	// What the stamp names may be gone by now; what is archived makes no stamp.
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

// Whichever INSERT of a replacement fails, the stamp is what it was.
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
			mend := storetest.Break(t, b.Dir, failing, "")
			b.Clock.Add(31 * 24 * time.Hour) // usage of a new month is a new row
			req := replacement("x")
			req.Once = &tenant.Once{Route: "POST /x", Key: "k"}
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
			mend()
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
	req.Once = &tenant.Once{Tenant: "ACME01", Route: "POST /x", Key: "k"}
	req.Answer = func(st stamp.Stamp) (int, []byte, error) { return 200, []byte(st.ID), nil }
	made, err := b.Stamps.Replace(t.Context(), id, old.ID, req)
	if err != nil {
		t.Fatal(err)
	}
	kept, ok, err := tenant.Answered(t.Context(), b.DB, *req.Once, b.Clock.Now())
	if err != nil || !ok || string(kept.Body) != made.ID {
		t.Errorf("kept %+v, %v, %v", kept, ok, err)
	}
}

// rounds is how often the lifecycle is raced.
func rounds() int {
	if testing.Short() {
		return 20
	}
	return 1000
}

// A gate holds two stamps back whose files are written, just before their
// transactions.
type gate struct {
	stamp.Blobs
	written sync.WaitGroup
	open    chan struct{}
}

func (g *gate) Put(ctx context.Context, data []byte) (string, error) {
	sum, err := g.Blobs.Put(ctx, data)
	g.written.Done()
	<-g.open
	return sum, err
}

// TestConcurrentChanges has one stamp replaced twice, revoked, suspended and
// reactivated at once, again and again: what is stored is what some order of
// the changes leads to. Of two replacements at most one makes a successor.
func TestConcurrentChanges(t *testing.T) {
	t.Parallel()
	b := storetest.New(t)
	id := b.Tenant(t, "Acme", "ACME01")
	db := storetest.Raw(t, b.Dir)
	lost, last := 0, map[stamp.Action]int{}
	for round := range rounds() {
		old := b.Stamp(t, id, "n")
		actions := []stamp.Action{stamp.ActionSuspend, stamp.ActionReactivate}
		if round%2 == 0 { // without it a replacement always wins
			actions = append(actions, stamp.ActionRevoke)
		}
		successors, errs := race(t, b, id, old, actions)
		for _, err := range errs {
			if err != nil && fault.As(err).Code != fault.CodeInvalidTransition {
				t.Fatalf("round %d: %v", round, err)
			}
		}
		if successors > 1 || successors < round%2 {
			t.Fatalf("round %d: %d replacements took place: %v", round, successors, errs)
		}
		lost += 1 - successors
		last[serial(t, b, db, old, successors)]++
	}
	t.Logf("%d rounds: a replacement lost to a revocation in %d; before the end: %v", rounds(), lost, last)
	if rounds() >= 1000 && (lost == 0 || lost == rounds()/2) {
		t.Errorf("a replacement lost %d times of %d: nothing was raced", lost, rounds()/2)
	}
}

// race does two replacements of a stamp and actions at once, and returns how
// many replacements took place and the errors of all.
func race(t *testing.T, b *storetest.Bundle, id tenant.Identity, old stamp.Stamp, actions []stamp.Action) (successors int, errs []error) {
	t.Helper()
	c := b.StampConfig
	g := &gate{Blobs: c.Blobs, open: make(chan struct{})}
	g.written.Add(2 * len(old.Files))
	c.Blobs = g
	svc := stamp.New(c)
	errs = make([]error, 2+len(actions))
	var done sync.WaitGroup
	for i := range 2 {
		done.Go(func() { _, errs[i] = svc.Replace(context.Background(), id, old.ID, replacement(fmt.Sprint(i))) })
	}
	for i, a := range actions {
		done.Go(func() {
			<-g.open
			errs[2+i] = svc.Act(context.Background(), id, old.ID, a, "")
		})
	}
	g.written.Wait()
	close(g.open)
	done.Wait()
	for _, err := range errs[:2] {
		if err == nil {
			successors++
		}
	}
	return successors, errs
}

func second[T any](_ T, err error) error { return err }

// serial checks that a stamp's history is a path through the state machine, one
// row for each change, and that all else agrees with its end. It returns what
// was done before the last change.
func serial(t *testing.T, b *storetest.Bundle, db *sql.DB, old stamp.Stamp, successors int) (before stamp.Action) {
	t.Helper()
	evs, err := b.Stamps.Events(t.Context(), old.Tenant, old.ID)
	if err != nil {
		t.Fatal(err)
	}
	at, replaced := stamp.Status(""), 0
	for i, e := range evs {
		want, err := stamp.Active, error(nil)
		if i > 0 {
			want, err = at.Next(e.Action)
		}
		if e.From != at || e.To != want || err != nil || e.From == e.To {
			t.Fatalf("history %+v is no path", evs)
		}
		if at = e.To; e.Action == stamp.ActionReplace {
			replaced++
		}
	}
	now, err := b.Stamps.Get(t.Context(), old.Tenant, old.ID)
	if err != nil {
		t.Fatal(err)
	}
	made := successorsOf(t, db, old)
	got := fmt.Sprintf("%s, replaced %d times by %s, entry %d", now.Status, replaced, now.ReplacedBy, entry(t, db, old))
	want := fmt.Sprintf("%s, replaced %d times by %s, entry %d", at, successors, strings.Join(made, " "), at.Entry(successors > 0))
	if got != want || len(made) != successors {
		t.Fatalf("stamp is %s, successors %v; want %s", got, made, want)
	}
	return evs[max(0, len(evs)-2)].Action
}

func successorsOf(t *testing.T, db *sql.DB, old stamp.Stamp) (references []string) {
	t.Helper()
	rows, err := db.Query(`SELECT reference FROM stamps WHERE replaces = $1`, old.Reference.String())
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var raw []byte
		if err := rows.Scan(&raw); err != nil {
			t.Fatal(err)
		}
		references = append(references, payload.Reference(raw).String())
	}
	return references
}
