package store_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"tcode/server/fault"
	"tcode/server/issue/stamp"
	"tcode/server/publish"
	"tcode/server/store/storetest"
	"tcode/server/tenant"
)

// TestPublicationBesideChanges: two gateways publish repeatedly while other goroutines
// stamp, suspend, revoke and replace. No goroutine fails or waits forever, and the last
// publication equals the rows.
func TestPublicationBesideChanges(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, e storetest.Engine) {
		b := storetest.NewOn(t, e)
		gateways := []*storetest.Bundle{b, storetest.Open(t, b.Dir, b.Clock)}
		id := b.Tenant(t, "Acme", "ACME01")
		ctx, stop := context.WithCancel(context.Background())
		var published atomic.Int64
		var publishers, workers sync.WaitGroup
		for _, g := range gateways {
			publishers.Go(func() {
				for ctx.Err() == nil {
					did, err := g.Publish.Publish(context.Background())
					if err != nil {
						t.Error(err)
						return
					}
					if did {
						published.Add(1)
					}
				}
			})
		}
		for w := range 4 {
			workers.Go(func() {
				for i := range 12 {
					if err := live(gateways[(w+i)%2], id, fmt.Sprint(w, " ", i)); err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		workers.Wait()
		stop()
		publishers.Wait()
		for did := true; did; {
			var err error
			if did, err = b.Publish.Publish(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if e == storetest.Postgres {
			if n := column(t, storetest.Raw(t, b.Dir), `SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()`); n[0] != "0" {
				t.Errorf("%s deadlocks: locks are taken in different orders", n[0])
			}
		}
		if published.Load() < 3 {
			t.Errorf("only %d publications during the changes", published.Load())
		}
		err := b.DB.Publication(t.Context(), func(tx publish.Tx) error {
			count, err := tx.ShardCount(t.Context())
			if err != nil {
				return err
			}
			hashes, err := tx.ShardHashes(t.Context(), 0, count)
			if err != nil {
				return err
			}
			for number, hash := range hashes {
				entries, err := tx.ShardEntries(t.Context(), uint16(number))
				if err != nil {
					return err
				}
				if entries.Hash() != hash {
					t.Errorf("shard %d is not published as it is", number)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}

// live makes a stamp and moves it through all states.
func live(g *storetest.Bundle, id tenant.Identity, name string) error {
	ctx := context.Background()
	st, err := g.Stamps.Create(ctx, id, storetest.Request(name))
	if err != nil {
		return err
	}
	for _, a := range []stamp.Action{stamp.ActionSuspend, stamp.ActionReactivate} {
		if err := g.Stamps.Act(ctx, id, st.ID, a, ""); err != nil {
			return err
		}
	}
	next, err := g.Stamps.Replace(ctx, id, st.ID, stamp.Replacement{PDF: storetest.Request(name + " again").PDF})
	if err != nil {
		return err
	}
	if err := g.Stamps.Act(ctx, id, st.ID, stamp.ActionSuspend, ""); fault.As(err).Code != fault.CodeInvalidTransition {
		return fmt.Errorf("a replaced stamp is suspended: %w", err)
	}
	return g.Stamps.Act(ctx, id, next.ID, stamp.ActionRevoke, "")
}
