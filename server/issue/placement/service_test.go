package placement_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tcode/offline/digest"
	"tcode/server/fault"
	"tcode/server/issue/placement"
	"tcode/server/store/storetest"
	"tcode/server/tenant"
)

func TestLife(t *testing.T) {
	t.Parallel()
	b := storetest.New(t)
	id := b.Tenant(t, "Acme", "ACME01")
	ctx := t.Context()
	made, err := b.Placements.Create(ctx, id, full(), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(full(), made.Spec); diff != "" || made.Version != 1 || made.Tenant != "ACME01" || made.Hidden {
		t.Errorf("made %+v (-want +got):\n%s", made, diff)
	}
	get := func(id string) placement.Template {
		t.Helper()
		got, err := b.Placements.Get(ctx, "ACME01", id)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	if diff := cmp.Diff(made, get(strings.ToUpper(made.ID))); diff != "" {
		t.Errorf("stored (-made +got):\n%s", diff)
	}

	b.Clock.Add(time.Second)
	changed, err := b.Placements.Update(ctx, id, made.ID, []int64{7, 1}, placement.Spec{Name: "plain"})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(changed, get(made.ID)); diff != "" || changed.Version != 2 || !changed.UpdatedAt.Equal(b.Clock.Now()) ||
		!changed.CreatedAt.Equal(made.CreatedAt) || changed.XNorm != nil || changed.Caption != nil {
		t.Errorf("changed %+v (-returned +stored):\n%s", changed, diff)
	}

	b.Clock.Add(time.Second)
	long := strings.Repeat("ж", placement.MaxName)
	if _, err := b.Placements.Update(ctx, id, made.ID, nil, placement.Spec{Name: long}); err != nil {
		t.Fatal(err)
	}
	double, err := b.Placements.Duplicate(ctx, id, made.ID, "", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if want := long[:2*(placement.MaxName-7)] + " (copy)"; double.Name != want || double.ID == made.ID || double.Version != 1 {
		t.Errorf("copy %+v", double)
	}
	list, err := b.Placements.List(ctx, "ACME01")
	if err != nil || len(list) != 2 || list[0].ID != double.ID || list[1].ID != made.ID {
		t.Errorf("list %+v, %v", list, err)
	}

	if err := b.Placements.Delete(ctx, id, made.ID, []int64{3}); err != nil {
		t.Fatal(err)
	}
	hidden, err := b.Placements.OfStamp(ctx, "ACME01", made.ID)
	if err != nil || !hidden.Hidden {
		t.Errorf("hidden %+v, %v", hidden, err)
	}
	gone := map[string]error{}
	_, gone["get"] = b.Placements.Get(ctx, "ACME01", made.ID)
	_, gone["update"] = b.Placements.Update(ctx, id, made.ID, nil, placement.Spec{Name: "n"})
	_, gone["duplicate"] = b.Placements.Duplicate(ctx, id, made.ID, "", nil, nil)
	gone["delete"] = b.Placements.Delete(ctx, id, made.ID, nil)
	for what, err := range gone {
		if !fault.Is(err, fault.NotFound) {
			t.Errorf("%s of a deleted template: %v", what, err)
		}
	}
	if list, err := b.Placements.List(ctx, "ACME01"); err != nil || len(list) != 1 {
		t.Errorf("list at the end: %+v, %v", list, err)
	}
	audited(t, b, "placement.", "placement.delete", "placement.duplicate", "placement.update", "placement.update", "placement.create")
}

// audited checks the actions under a noun in the audit log, newest first.
func audited(t *testing.T, b *storetest.Bundle, noun string, want ...string) {
	t.Helper()
	rows, err := b.DB.Audit(t.Context(), tenant.AuditFilter{Tenant: "ACME01", Action: noun, Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range rows {
		got = append(got, r.Action)
		if r.By.Actor != tenant.ActorKey || r.Subject == "" {
			t.Errorf("audit row %+v", r)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("audit rows (-want +got):\n%s", diff)
	}
}

// A forbidden operation stores nothing.
func TestRefusals(t *testing.T) {
	t.Parallel()
	b := storetest.New(t)
	id, other := b.Tenant(t, "Acme", "ACME01"), b.Tenant(t, "Other", "OTHER1")
	ctx := t.Context()
	made, err := b.Placements.Create(ctx, id, placement.Spec{Name: "n"}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	without := id
	without.Tenant.Plan = tenant.Plan{Entitled: []tenant.Entitlement{tenant.EntitledStamps}}
	update := func(who tenant.Identity, id string, versions []int64, s placement.Spec) error {
		_, err := b.Placements.Update(ctx, who, id, versions, s)
		return err
	}
	for name, got := range map[string]struct {
		err  error
		kind fault.Kind
	}{
		"no name":                      {update(id, made.ID, nil, placement.Spec{}), fault.Invalid},
		"another version":              {update(id, made.ID, []int64{2}, placement.Spec{Name: "x"}), fault.Precondition},
		"no version that there is":     {update(id, made.ID, []int64{}, placement.Spec{Name: "x"}), fault.Precondition},
		"not in the plan":              {update(without, made.ID, nil, placement.Spec{Name: "x"}), fault.Forbidden},
		"unknown":                      {update(id, "00000000-0000-7000-8000-000000000000", nil, placement.Spec{Name: "x"}), fault.NotFound},
		"no id":                        {update(id, "x", nil, placement.Spec{Name: "x"}), fault.NotFound},
		"another tenant's":             {update(other, made.ID, nil, placement.Spec{Name: "x"}), fault.NotFound},
		"another tenant's, deleted":    {b.Placements.Delete(ctx, other, made.ID, nil), fault.NotFound},
		"another version, deleted":     {b.Placements.Delete(ctx, id, made.ID, []int64{9}), fault.Precondition},
		"another tenant's, duplicated": {second(b.Placements.Duplicate(ctx, other, made.ID, "", nil, nil)), fault.NotFound},
		"another tenant's, read":       {second(b.Placements.Get(ctx, "OTHER1", made.ID)), fault.NotFound},
	} {
		if !fault.Is(got.err, got.kind) {
			t.Errorf("%s: %v, want %v", name, got.err, got.kind)
		}
	}
	if list, err := b.Placements.List(ctx, "OTHER1"); err != nil || len(list) != 0 {
		t.Errorf("list of another tenant: %+v, %v", list, err)
	}
	if got, err := b.Placements.Get(ctx, "ACME01", made.ID); err != nil || cmp.Diff(made, got) != "" {
		t.Errorf("the template changed: %+v, %v", got, err)
	}
	audited(t, b, "placement.", "placement.create")
}

func second[T any](_ T, err error) error { return err }

// A month's quota holds for any number of concurrent calls; copies count.
func TestQuota(t *testing.T) {
	t.Parallel()
	b := storetest.New(t)
	id := b.Tenant(t, "Acme", "ACME01")
	ctx := t.Context()
	first, err := b.Placements.Create(ctx, id, placement.Spec{Name: "n"}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, err = b.DB.ChangePlan(ctx, "ACME01", func(p *tenant.Plan) error {
		p.Quotas[tenant.KindTemplates] = 4
		return nil
	}, b.Clock.Now(), tenant.NewEntry(ctx, "ACME01", tenant.ActionTenantPlan, "ACME01", b.Clock.Now()))
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	made := 1
	var wg sync.WaitGroup
	for range 10 {
		wg.Go(func() {
			_, err := b.Placements.Duplicate(context.Background(), id, first.ID, "", nil, nil)
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				made++
			} else if fault.As(err).Reason != fault.ReasonQuotaExceeded {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	list, err := b.Placements.List(ctx, "ACME01")
	if err != nil || made != 4 || len(list) != 4 {
		t.Errorf("made %d, listed %d, %v; want 4", made, len(list), err)
	}
}

// The answer to an Idempotency-Key is kept with the template or not at all.
func TestOnce(t *testing.T) {
	t.Parallel()
	b := storetest.New(t)
	id := b.Tenant(t, "Acme", "ACME01")
	ctx := t.Context()
	once := tenant.IdempotencyRecord{Tenant: "ACME01", Route: "POST /x", Key: "k", Digest: digest.SHA256{1}}
	answer := func(p placement.Template) (int, []byte, error) { return 201, []byte(p.ID), nil }
	made, err := b.Placements.Create(ctx, id, placement.Spec{Name: "n"}, &once, answer)
	if err != nil {
		t.Fatal(err)
	}
	kept, ok, err := tenant.Answered(ctx, b.DB, once, b.Clock.Now())
	if err != nil || !ok || kept.Status != 201 || string(kept.Body) != made.ID {
		t.Errorf("kept %+v, %v, %v", kept, ok, err)
	}
	if _, err := b.Placements.Create(ctx, id, placement.Spec{Name: "n"}, &once, answer); !errors.Is(err, tenant.ErrAnswered) {
		t.Errorf("second effect: %v", err)
	}
	if list, err := b.Placements.List(ctx, "ACME01"); err != nil || len(list) != 1 {
		t.Errorf("%d templates, %v", len(list), err)
	}
}

// TestConcurrentUpdates: one of two changes that rest on the same version takes place.
func TestConcurrentUpdates(t *testing.T) {
	t.Parallel()
	b := storetest.New(t)
	id := b.Tenant(t, "Acme", "ACME01")
	made, err := b.Placements.Create(t.Context(), id, placement.Spec{Name: "n"}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for version := int64(1); version <= 10; version++ {
		var wg sync.WaitGroup
		errs := make([]error, 4)
		for i := range errs {
			wg.Go(func() {
				_, errs[i] = b.Placements.Update(context.Background(), id, made.ID, []int64{version}, placement.Spec{Name: "n"})
			})
		}
		wg.Wait()
		won := 0
		for _, err := range errs {
			if err == nil {
				won++
			} else if !fault.Is(err, fault.Precondition) {
				t.Error(err)
			}
		}
		if won != 1 {
			t.Fatalf("%d changes of version %d took place, want 1", won, version)
		}
	}
}
