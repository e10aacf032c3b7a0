package tdoc_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tcode/server/fault"
	"tcode/server/issue/tdoc"
	"tcode/server/issue/trustdoc"
	"tcode/server/store/storetest"
	"tcode/server/tenant"
)

func TestLife(t *testing.T) {
	t.Parallel()
	b := storetest.New(t)
	id := b.Tenant(t, "Acme", "ACME01")
	ctx := t.Context()
	spec := withTrust(t, b, id)
	made, err := b.Templates.Create(ctx, id, spec, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(spec.Normal(), made.Spec); diff != "" || made.Version != 1 || made.Status != tdoc.Active {
		t.Errorf("made %+v (-want +got):\n%s", made, diff)
	}
	want := made
	same := func(when string) {
		t.Helper()
		got, err := b.Templates.Get(ctx, "ACME01", strings.ToUpper(made.ID))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", when, diff)
		}
	}
	same("made")

	act := func(a tdoc.Action, versions ...int64) {
		t.Helper()
		b.Clock.Add(time.Second)
		if err := b.Templates.Act(ctx, id, made.ID, versions, a); err != nil {
			t.Fatalf("%s: %v", a, err)
		}
	}
	act(tdoc.ActionUnarchive)
	same("unarchived while active")
	act(tdoc.ActionArchive, 1)
	want.Status, want.Version, want.UpdatedAt, want.ArchivedAt = tdoc.Archived, 2, b.Clock.Now(), b.Clock.Now()
	same("archived")
	act(tdoc.ActionArchive, 2)
	same("archived twice")
	b.Clock.Add(time.Second)
	changed, err := b.Templates.Update(ctx, id, made.ID, []int64{2}, tdoc.Spec{Name: "plain"})
	if err != nil {
		t.Fatal(err)
	}
	want.Spec, want.Version, want.UpdatedAt = tdoc.Spec{Name: "plain", ProductMode: tdoc.ModeTCode}, 3, b.Clock.Now()
	same("changed while archived")
	if diff := cmp.Diff(want, changed); diff != "" {
		t.Errorf("Update returned (-want +got):\n%s", diff)
	}

	for archived, n := range map[bool]int{false: 0, true: 1} {
		if list, err := b.Templates.List(ctx, "ACME01", archived); err != nil || len(list) != n {
			t.Errorf("list, archived %v: %+v, %v", archived, list, err)
		}
	}
	act(tdoc.ActionUnarchive)
	want.Status, want.Version, want.UpdatedAt, want.ArchivedAt = tdoc.Active, 4, b.Clock.Now(), time.Time{}
	same("unarchived")

	if err := b.Templates.Delete(ctx, id, made.ID, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Templates.Get(ctx, "ACME01", made.ID); !fault.Is(err, fault.NotFound) {
		t.Errorf("deleted: %v", err)
	}
	if got, err := b.Templates.OfStamp(ctx, "ACME01", made.ID); err != nil || !got.Hidden || got.Name != "plain" {
		t.Errorf("of a stamp: %+v, %v", got, err)
	}
	if list, err := b.Templates.List(ctx, "ACME01", true); err != nil || len(list) != 0 {
		t.Errorf("list at the end: %+v, %v", list, err)
	}
	rows, err := b.DB.Audit(ctx, tenant.AuditFilter{Tenant: "ACME01", Action: "tdoc.", Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range rows {
		got = append(got, r.Action)
	}
	if diff := cmp.Diff([]string{"tdoc.delete", "tdoc.unarchive", "tdoc.update", "tdoc.archive", "tdoc.create"}, got); diff != "" {
		t.Errorf("audit rows (-want +got):\n%s", diff)
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	b := storetest.New(t)
	id, other := b.Tenant(t, "Acme", "ACME01"), b.Tenant(t, "Other", "OTHER1")
	ctx := t.Context()
	spec := withTrust(t, b, id)
	made, err := b.Templates.Create(ctx, id, spec, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	without := id
	without.Tenant.Plan = tenant.Plan{}
	for name, got := range map[string]struct {
		err  error
		kind fault.Kind
	}{
		"no name":            {second(b.Templates.Create(ctx, id, tdoc.Spec{}, nil, nil)), fault.Invalid},
		"no name, changed":   {second(b.Templates.Update(ctx, id, made.ID, nil, tdoc.Spec{})), fault.Invalid},
		"not in the plan":    {second(b.Templates.Update(ctx, without, made.ID, nil, spec)), fault.Forbidden},
		"another version":    {second(b.Templates.Update(ctx, id, made.ID, []int64{2}, spec)), fault.Precondition},
		"archived by number": {b.Templates.Act(ctx, id, made.ID, []int64{2}, tdoc.ActionArchive), fault.Precondition},
		"repeated by number": {b.Templates.Act(ctx, id, made.ID, []int64{2}, tdoc.ActionUnarchive), fault.Precondition},
		"no such action":     {b.Templates.Act(ctx, id, made.ID, nil, "burn"), fault.Conflict},
		"deleted by number":  {b.Templates.Delete(ctx, id, made.ID, []int64{0}), fault.Precondition},
		"no id":              {b.Templates.Delete(ctx, id, "x", nil), fault.NotFound},
		"theirs, read":       {second(b.Templates.Get(ctx, "OTHER1", made.ID)), fault.NotFound},
		"theirs, changed":    {second(b.Templates.Update(ctx, other, made.ID, nil, spec)), fault.NotFound},
		"theirs, archived":   {b.Templates.Act(ctx, other, made.ID, nil, tdoc.ActionArchive), fault.NotFound},
		"theirs, deleted":    {b.Templates.Delete(ctx, other, made.ID, nil), fault.NotFound},
	} {
		if !fault.Is(got.err, got.kind) {
			t.Errorf("%s: %v, want %v", name, got.err, got.kind)
		}
	}
	if got, err := b.Templates.Get(ctx, "ACME01", made.ID); err != nil || cmp.Diff(made, got) != "" {
		t.Errorf("the template changed: %+v, %v", got, err)
	}
}

func second[T any](_ T, err error) error { return err }

// withTrust is diploma for a tenant, which gets the Trust template that it names.
func withTrust(t *testing.T, b *storetest.Bundle, id tenant.Identity) tdoc.Spec {
	t.Helper()
	made, err := b.Trust.CreateTemplate(t.Context(), id, trustdoc.Spec{Name: "Diploma", DocumentTypeCode: "DIP"}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	spec := diploma()
	spec.IssuanceTemplateID = strings.ToUpper(made.ID)
	return spec
}
