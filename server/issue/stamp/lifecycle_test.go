package stamp_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tcode/server/fault"
	"tcode/server/issue/stamp"
	"tcode/server/store/storetest"
)

// Another tenant's stamp answers exactly as one that does not exist.
func TestIsolation(t *testing.T) {
	t.Parallel()
	b := storetest.New(t)
	a, c := b.Tenant(t, "A", "AAAAAA"), b.Tenant(t, "C", "CCCCCC")
	st := b.Stamp(t, a, "secret diploma")
	const unknown = "00000000-0000-7000-8000-000000000000"
	ctx := t.Context()
	calls := map[string]func(id string) error{
		"Get":    func(id string) error { _, err := b.Stamps.Get(ctx, "CCCCCC", id); return err },
		"File":   func(id string) error { _, err := b.Stamps.File(ctx, "CCCCCC", id, "original"); return err },
		"Events": func(id string) error { _, err := b.Stamps.Events(ctx, "CCCCCC", id); return err },
		"Act":    func(id string) error { return b.Stamps.Act(ctx, c, id, stamp.ActionRevoke, "") },
	}
	for name, call := range calls {
		t.Run(name, func(t *testing.T) {
			want := fault.As(call(unknown))
			for _, id := range []string{st.ID, strings.ToUpper(st.ID), "x", ""} {
				got := fault.As(call(id))
				if diff := cmp.Diff(want.Message, got.Message); diff != "" || got.Code != want.Code || got.Kind != fault.NotFound {
					t.Errorf("%q: %v, want %v", id, got, want)
				}
			}
		})
	}
	page, err := b.Stamps.List(ctx, "CCCCCC", stamp.Filter{Search: st.Reference.String()})
	if err != nil || len(page.Items) != 0 || page.TotalCount != 0 {
		t.Errorf("list of another tenant: %+v, %v", page, err)
	}
	if got, err := b.Stamps.Get(ctx, "AAAAAA", st.ID); err != nil || got.Status != stamp.Active {
		t.Errorf("the stamp changed: %v, %v", got.Status, err)
	}
}

func TestLifecycle(t *testing.T) {
	t.Parallel()
	b := storetest.New(t)
	id := b.Tenant(t, "Acme", "ACME01")
	st := b.Stamp(t, id, "n")
	steps := []struct {
		action stamp.Action
		want   stamp.Status
		code   string
	}{
		{stamp.ActionReactivate, stamp.Active, ""},
		{stamp.ActionSuspend, stamp.Suspended, ""},
		{stamp.ActionSuspend, stamp.Suspended, ""},
		{stamp.ActionReactivate, stamp.Active, ""},
		{stamp.ActionRevoke, stamp.Revoked, ""},
		{stamp.ActionRevoke, stamp.Revoked, ""},
		{stamp.ActionSuspend, stamp.Revoked, fault.CodeInvalidTransition},
		{stamp.ActionReactivate, stamp.Revoked, fault.CodeInvalidTransition},
		{stamp.ActionReplace, stamp.Revoked, fault.CodeValidationFailed},
	}
	for i, step := range steps {
		b.Clock.Add(time.Second)
		err := b.Stamps.Act(t.Context(), id, st.ID, step.action, fmt.Sprintf("reason %d", i))
		if (err == nil) != (step.code == "") || err != nil && fault.As(err).Code != step.code {
			t.Errorf("step %d: %v, want %q", i, err, step.code)
		}
		got, err := b.Stamps.Get(t.Context(), "ACME01", st.ID)
		if err != nil || got.Status != step.want {
			t.Errorf("step %d: %v, %v; want %v", i, got.Status, err, step.want)
		}
	}
	evs, err := b.Stamps.Events(t.Context(), "ACME01", st.ID)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range evs {
		got = append(got, fmt.Sprintf("%s>%s %s %s", e.From, e.To, e.Action, e.Reason))
	}
	want := []string{
		">Active create ", "Active>Active reactivate reason 0", "Active>Suspended suspend reason 1", "Suspended>Suspended suspend reason 2",
		"Suspended>Active reactivate reason 3", "Active>Revoked revoke reason 4", "Revoked>Revoked revoke reason 5",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("history (-want +got):\n%s", diff)
	}
	if err := b.Stamps.Act(t.Context(), id, st.ID, stamp.ActionRevoke, strings.Repeat("x", 501)); !fault.Is(err, fault.Invalid) {
		t.Errorf("long reason: %v", err)
	}
}

// Many concurrent operators: in every order the history is a path through the state
// machine, and no stamp leaves Revoked.
func TestConcurrentLifecycle(t *testing.T) {
	t.Parallel()
	b := storetest.New(t)
	id := b.Tenant(t, "Acme", "ACME01")
	st := b.Stamp(t, id, "n")
	actions := []stamp.Action{stamp.ActionSuspend, stamp.ActionReactivate, stamp.ActionSuspend, stamp.ActionReactivate, stamp.ActionRevoke}
	var wg sync.WaitGroup
	for i := range 40 {
		wg.Go(func() {
			err := b.Stamps.Act(context.Background(), id, st.ID, actions[i%len(actions)], "")
			if err != nil && fault.As(err).Code != fault.CodeInvalidTransition {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	evs, err := b.Stamps.Events(t.Context(), "ACME01", st.ID)
	if err != nil {
		t.Fatal(err)
	}
	at := stamp.Status("")
	for i, e := range evs {
		if e.From != at {
			t.Fatalf("event %d goes from %q, the stamp was %q", i, e.From, at)
		}
		if i > 0 {
			if to, err := e.From.Next(e.Action); err != nil || to != e.To || to == e.From {
				t.Fatalf("event %d: %+v", i, e)
			}
		}
		at = e.To
	}
	if at != stamp.Revoked {
		t.Errorf("ends %s, want Revoked", at)
	}
}

// TestConcurrentDuplicate: exactly one of two creations with one externalId wins, however close.
func TestConcurrentDuplicate(t *testing.T) {
	t.Parallel()
	b := storetest.New(t)
	id := b.Tenant(t, "Acme", "ACME01")
	var mu sync.Mutex
	created, refused := map[string]bool{}, map[string]int{}
	var wg sync.WaitGroup
	for range 12 {
		wg.Go(func() {
			r := storetest.Request("n")
			r.ExternalID = "same"
			st, err := b.Stamps.Create(context.Background(), id, r)
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				created[st.Reference.String()] = true
			} else if f := fault.As(err); f.Code == fault.CodeDuplicate {
				refused[f.Reference]++
			} else {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if len(created) != 1 || len(refused) != 1 {
		t.Fatalf("created %v, refused %v", created, refused)
	}
	for ref, n := range refused {
		if !created[ref] || n != 11 {
			t.Errorf("refused %d times for %s, created %v", n, ref, created)
		}
	}
}

// Only changes that devices must receive wake the publisher.
func TestChangesWakeThePublisher(t *testing.T) {
	t.Parallel()
	b := storetest.New(t)
	id := b.Tenant(t, "A", "AAAAAA")
	st := b.Stamp(t, id, "diploma")
	woken := 0
	s := stamp.New(stamp.Config{Store: b.DB, Now: b.Clock.Now, Notify: func() { woken++ }}) // Act needs no more
	for _, step := range []struct {
		action stamp.Action
		want   int
	}{
		{stamp.ActionReactivate, 0},
		{stamp.ActionSuspend, 1},
		{stamp.ActionSuspend, 1},
		{stamp.ActionReactivate, 2},
		{stamp.ActionRevoke, 3},
		{stamp.ActionRevoke, 3},
		{stamp.ActionSuspend, 3},
	} {
		err := s.Act(t.Context(), id, st.ID, step.action, "")
		if err != nil && !fault.Is(err, fault.Conflict) {
			t.Fatal(err)
		}
		if woken != step.want {
			t.Errorf("after %s the publisher was woken %d times, want %d", step.action, woken, step.want)
		}
	}
}
