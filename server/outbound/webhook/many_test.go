//go:build !race

package webhook_test

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"testing"
	"time"

	"tcode/server/outbound/webhook"
	"tcode/server/platform/jobs"
	"tcode/server/store/storetest"
)

// The tests in this file make many deliveries, or run this program repeatedly: they would
// take a minute under the race detector.

// childEnv makes the test binary a gateway that delivers until it is killed.
const childEnv = "TCODE_TEST_WEBHOOK_CHILD"

// TestKilled kills a gateway in the middle of delivering, repeatedly: no delivery is
// lost.
func TestKilled(t *testing.T) {
	if dir := os.Getenv(childEnv); dir != "" {
		deliverForEver(t, dir)
		return
	}
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, engine storetest.Engine) {
		dir := t.TempDir()
		storetest.Begin(t, engine, dir)
		b := storetest.Open(t, dir, storetest.NewClock(time.Now()))
		w := &world{b, b.Tenant(t, "Acme", acme), service(t, b, webhook.Config{Hold: killedHold})}
		r := newReceiver(t, http.StatusOK)
		e, _ := w.create(t, r.URL)
		const n, rounds = 200, 8
		for i := range n {
			w.Stamp(t, w.id, fmt.Sprint("paper ", i))
		}
		kills := 0
		for round := range rounds {
			var children []*exec.Cmd
			for range gateways[engine] {
				cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestKilled$")
				cmd.Env = append(os.Environ(), childEnv+"="+dir)
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				children = append(children, cmd)
			}
			until(t, "some more came", func() bool { return len(r.all()) > (round+1)*n/(rounds+2) })
			for _, cmd := range children {
				if err := cmd.Process.Kill(); err != nil {
					t.Fatal(err)
				}
				_ = cmd.Wait() // it was killed: that is an error
			}
			if ds := w.deliveries(t, e); ds[len(ds)-1].State == webhook.Waiting {
				kills++
			}
		}
		if kills < rounds/2 {
			t.Errorf("only %d of %d kills came before the end", kills, rounds)
		}
		runner(t, b.DB, w.hooks, 2)
		until(t, "all came", func() bool { got, _ := r.count(); return got == n })
		until(t, "all are marked", func() bool {
			for _, d := range w.deliveries(t, e) {
				if d.State != webhook.Delivered {
					return false
				}
			}
			return true
		})
		_, again := r.count()
		t.Logf("%d deliveries, %d kills, %d came more than once", n, kills, again)
		if again > rounds*4 {
			t.Errorf("%d came more than once after %d kills of 4 posts at most", again, rounds)
		}
	})
}

// gateways is the number of gateways that are killed together.
var gateways = map[storetest.Engine]int{storetest.SQLite: 1, storetest.Postgres: 2}

// killedHold is short, so that the endpoints of a killed gateway are soon free.
const killedHold = 2 * time.Second

// deliverForEver is the child process.
func deliverForEver(t *testing.T, dir string) {
	b := storetest.Open(t, dir, storetest.NewClock(time.Now()))
	s := service(t, b, webhook.Config{Hold: killedHold})
	pool, engine := b.DB.Background()
	r, err := jobs.NewRunner(jobs.Config{DB: pool, Engine: engine, Poll: 20 * time.Millisecond, Handlers: []jobs.Handler{
		{Kind: jobs.Webhook, AtOnce: 2, Timeout: -1, Work: s.Run, Due: s.Wake, Every: 20 * time.Millisecond},
	}})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	select {} // until it is killed
}

// TestCrowded: an endpoint that accepts nothing is disabled when too many deliveries wait,
// but not while it accepts some.
func TestCrowded(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, engine storetest.Engine) {
		w := newWorld(t, engine)
		r := newReceiver(t, http.StatusInternalServerError)
		e, _ := w.create(t, r.URL)
		tell := func(n int) {
			t.Helper()
			for range n {
				w.Stamp(t, w.id, "paper")
			}
			w.run(t, e)
		}
		tell(webhook.MaxTries) // from here on the backlog is checked
		w.fill(t, engine, e, webhook.MaxWaiting)
		r.set(http.StatusOK)
		tell(1)
		r.set(http.StatusInternalServerError)
		tell(webhook.MaxTries - 1)
		if got := w.state(t, e); got.State != webhook.Enabled || got.Failures != webhook.MaxTries-1 {
			t.Fatalf("after %d failures: %s, %q", got.Failures, got.State, got.Reason)
		}
		tell(1)
		if got := w.state(t, e); got.State != webhook.Disabled || got.Reason != webhook.ReasonBacklog {
			t.Errorf("%s, %q", got.State, got.Reason)
		}
		if use, err := w.DB.WebhookUse(t.Context()); err != nil || use.Waiting != 0 {
			t.Errorf("%d still wait, %v", use.Waiting, err)
		}
	})
}

// fill makes n more deliveries wait for an endpoint, for a long time.
func (w *world) fill(t *testing.T, engine storetest.Engine, e webhook.Endpoint, n int) {
	t.Helper()
	series := `(WITH RECURSIVE s(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM s WHERE i < %d) SELECT i FROM s) AS s`
	if engine == storetest.Postgres {
		series = `generate_series(1, %d) AS s(i)`
	}
	_, err := storetest.Raw(t, w.Dir).Exec(fmt.Sprintf(`
		INSERT INTO webhook_deliveries (tenant, id, endpoint, type, body, state, due_at, created_at)
		SELECT d.tenant, substr(d.id, 1, 28) || CAST(10000000 + s.i AS TEXT), d.endpoint, d.type, d.body, 'Waiting', d.due_at + 3600000, d.created_at
		FROM `+series+`, webhook_deliveries d WHERE d.id = $1`, n), w.deliveries(t, e)[0].ID)
	must(t, err)
}
