package stamp_test

import (
	"context"
	"database/sql"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"

	"tcode/offline/payload"
	"tcode/server/fault"
	"tcode/server/issue/stamp"
	"tcode/server/store/storetest"
	"tcode/server/tenant"
)

// rounds is the number of races of the lifecycle.
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

func (g *gate) PutNamed(ctx context.Context, sha256 string, r *io.SectionReader) error {
	err := g.Blobs.PutNamed(ctx, sha256, r)
	g.wait()
	return err
}

func (g *gate) wait() {
	g.written.Done()
	<-g.open
}

// TestConcurrentChanges replaces one stamp twice, and revokes, suspends and
// reactivates it, all concurrently and many times: the stored state is the result of
// some order of the changes. At most one of two replacements makes a successor.
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

// race runs two replacements of a stamp and actions concurrently. It returns the
// number of successful replacements and the errors of all calls.
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

// serial checks that a stamp's history is a path through the state machine, one
// row for each change, and that all other records agree with its end. It returns the
// action before the last change.
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
