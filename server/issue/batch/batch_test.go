package batch_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"tcode/server/account"
	"tcode/server/fault"
	"tcode/server/internal/harness"
	"tcode/server/issue/batch"
	"tcode/server/store/storetest"
	"tcode/server/tenant"
)

func TestMain(m *testing.M) { harness.Main(m) }

// ids are ids of records.
func ids(n int) (out []string) {
	for range n {
		out = append(out, uuid.Must(uuid.NewV7()).String())
	}
	return out
}

// TestRun: an order changes its records in steps, leaves out those that refuse, goes on
// after an outage where it was, and ends when it is stopped or the tenant may do no more.
//
//race:on the steps run concurrently with requests
func TestRun(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, e storetest.Engine) {
		b := storetest.NewOn(t, e)
		id, other := b.Tenant(t, "Acme", "ACME01"), b.Tenant(t, "Other", "OTHER1")
		holder := id
		id.User, id.KeyPrefix = b.User(t, "ada@acme.example", account.Issuer).ID, ""
		records := ids(2*batch.StepSize + 3)
		refuses := map[string]error{records[1]: fault.New(fault.Conflict, fault.CodeConflict, "it belongs to another")}
		var done []string
		lose := func() {}
		act := func(_ context.Context, who tenant.Identity, record, action, reason string) error {
			if who.Tenant.Reference != "ACME01" || who.User != id.User || action != "suspend" || reason != "recount" {
				return fmt.Errorf("%v %s %s", who, action, reason)
			}
			if err := refuses[record]; err != nil {
				return err
			}
			done = append(done, record)
			lose()
			lose = func() {}
			return nil
		}
		s := batch.New(batch.Config{Store: b.DB, Author: b.Accounts.Author, Acts: map[batch.Subject]batch.Act{batch.Stamps: act}, Now: b.Clock.Now})
		ctx := t.Context()
		order := batch.Order{Subject: batch.Stamps, Action: "suspend", Reason: "recount", IDs: records}
		for _, bad := range []batch.Order{{}, {Subject: "x", Reason: "r", IDs: records}, {Subject: batch.Stamps, IDs: records}, {Subject: batch.Stamps, Reason: "r", IDs: []string{"x"}}, {Subject: batch.Stamps, Reason: "r"}} {
			if _, err := s.Begin(ctx, id, bad); !fault.Is(err, fault.Invalid) {
				t.Errorf("%v: %v", bad, err)
			}
		}
		made, err := s.Begin(ctx, id, order)
		harness.Must(t, err)
		outage := errors.New("outage")
		refuses[records[batch.StepSize+5]] = outage
		if err := s.Run(ctx, made.ID); !errors.Is(err, outage) {
			t.Fatal(err)
		}
		got, err := s.Get(ctx, "ACME01", made.ID)
		if err != nil || got.State != batch.Running || got.Done != batch.StepSize+5 || got.LeftOut() != 1 {
			t.Fatalf("%+v %v", got, err)
		}
		harness.Must(t, s.Wake(ctx))
		delete(refuses, records[batch.StepSize+5])
		harness.Must(t, s.Run(ctx, made.ID))
		harness.Must(t, s.Run(ctx, made.ID)) // it is over
		want := slices.DeleteFunc(slices.Clone(records), func(id string) bool { return id == records[1] })
		if !slices.Equal(done, want) {
			t.Errorf("changed %d records, want %d", len(done), len(want))
		}
		got, err = s.Get(ctx, "ACME01", strings.ToUpper(made.ID))
		if err != nil || got.State != batch.Done || got.Done != len(records) || got.Changed != len(want) || len(got.Problems) != 1 || got.Problems[0].ID != records[1] || got.Author != "user:"+id.User {
			t.Errorf("%+v %v", got, err)
		}
		if _, err := s.Get(ctx, "OTHER1", made.ID); !fault.Is(err, fault.NotFound) {
			t.Errorf("another tenant's: %v", err)
		}

		stopped, err := s.Begin(ctx, id, order)
		harness.Must(t, err)
		if err := s.Stop(ctx, other, stopped.ID); !fault.Is(err, fault.NotFound) {
			t.Errorf("another tenant stops it: %v", err)
		}
		harness.Must(t, s.Stop(ctx, id, stopped.ID))
		harness.Must(t, s.Stop(ctx, id, stopped.ID))
		done = nil
		harness.Must(t, s.Run(ctx, stopped.ID))
		if got, err := s.Get(ctx, "ACME01", stopped.ID); err != nil || got.State != batch.Stopped || got.Stop != "asked" || len(done) != 0 {
			t.Errorf("%+v %v, %d changed", got, err, len(done))
		}

		full, err := s.Begin(ctx, id, order)
		harness.Must(t, err)
		refuses[records[2]] = fault.New(fault.Forbidden, fault.CodeForbidden, "the quota is used up")
		harness.Must(t, s.Run(ctx, full.ID))
		if got, err := s.Get(ctx, "ACME01", full.ID); err != nil || got.State != batch.Stopped || got.Stop != "the quota is used up" || got.Done != 2 {
			t.Errorf("%+v %v", got, err)
		}
		if list, err := s.Recent(ctx, "ACME01", batch.Stamps, 10); err != nil || len(list) != 3 {
			t.Errorf("%d orders, %v", len(list), err)
		}

		// The author is refused while the order runs, and while another one waits.
		delete(refuses, records[2])
		waits, err := s.Begin(ctx, id, order)
		harness.Must(t, err)
		runs, err := s.Begin(ctx, id, order)
		harness.Must(t, err)
		done, lose = nil, func() { harness.Must(t, b.Accounts.Disable(ctx, "ACME01", id.User)) }
		harness.Must(t, s.Run(ctx, runs.ID))
		harness.Must(t, s.Run(ctx, waits.ID))
		for _, one := range []batch.Batch{waits, runs} {
			if got, err := s.Get(ctx, "ACME01", one.ID); err != nil || got.State != batch.Stopped || got.Stop != "its author may no longer issue" || len(done) != 1 {
				t.Errorf("%+v %v, %d changed", got, err, len(done))
			}
		}
		late, err := s.Begin(ctx, id, order)
		harness.Must(t, err)
		harness.Must(t, s.Run(ctx, late.ID))
		if got, err := s.Get(ctx, "ACME01", late.ID); err != nil || got.State != batch.Stopped || got.Stop != "its author may no longer issue" || len(done) != 1 {
			t.Errorf("%+v %v, %d changed", got, err, len(done))
		}
		id = holder
		b.Clock.Add(batch.Keep + time.Hour)
		_, err = s.Begin(ctx, id, order)
		harness.Must(t, err)
		if list, err := s.Recent(ctx, "ACME01", batch.Stamps, 10); err != nil || len(list) != 1 {
			t.Errorf("%d orders after %v, %v", len(list), batch.Keep, err)
		}
	})
}

// TestFaultyRecord: a record whose change panics is left out, and the rest of the order is done.
func TestFaultyRecord(t *testing.T) {
	t.Parallel()
	b := storetest.New(t)
	id := b.Tenant(t, "Acme", "ACME01")
	records := ids(5)
	var done []string
	act := func(_ context.Context, _ tenant.Identity, record, _, _ string) error {
		if record == records[2] {
			panic("seeded")
		}
		done = append(done, record)
		return nil
	}
	s := batch.New(batch.Config{Store: b.DB, Author: b.Accounts.Author, Acts: map[batch.Subject]batch.Act{batch.Stamps: act}, Now: b.Clock.Now})
	made, err := s.Begin(t.Context(), id, batch.Order{Subject: batch.Stamps, Action: "suspend", Reason: "recount", IDs: records})
	harness.Must(t, err)
	harness.Must(t, s.Run(t.Context(), made.ID))
	got, err := s.Get(t.Context(), "ACME01", made.ID)
	if err != nil || got.State != batch.Done || got.Changed != 4 || len(done) != 4 || len(got.Problems) != 1 ||
		got.Problems[0].ID != records[2] || !strings.HasPrefix(got.Problems[0].Why, "the gateway failed on this record") {
		t.Errorf("%+v %v, %d changed", got, err, len(done))
	}
}
