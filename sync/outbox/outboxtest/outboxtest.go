// Package outboxtest holds tests that every store of the outbox must pass: each transition of a scan, the refusals, and
// after each step the same rows in a store that is opened again. Call [Run] with a [Place] where a store lies.
package outboxtest

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"testing"
	"time"

	"tcode/sync/outbox"
	"tcode/sync/wire"
)

// A Store is an outbox of any kind: [*outbox.Outbox] or [*outbox.Book].
type Store interface {
	Record(ctx context.Context, scans ...*outbox.Scan) error
	StartSync(ctx context.Context, scannerID string) (stop func() error, err error)
	Lease(ctx context.Context, batchID string, now time.Time, l outbox.Limits) (outbox.Leased, error)
	Settle(ctx context.Context, s outbox.Settlement) error
	Requeue(ctx context.Context, scanIDs ...string) error
	History(ctx context.Context, f outbox.Filter) ([]outbox.Entry, error)
	Receipts(ctx context.Context, after int64, limit int) ([]outbox.ReceiptRow, error)
	Close() error
}

// A Place is where a store lies. Open opens it, as a new process does.
type Place interface {
	Open(ctx context.Context) (Store, error)
}

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// Scan returns scan i of the tests, i from 1; its id and its members are always the same.
func Scan(i int) *outbox.Scan {
	return &outbox.Scan{
		ScanID: fmt.Sprintf("%08x-0190-7000-8000-000000000000", i), Payload: fmt.Appendf(nil, "\xd7\x11payload %d", i),
		ScannedAt: noon.Add(time.Duration(i) * time.Second), Verdict: "valid", Assurance: "signature_and_status", Binding: "match",
		TrustVersion: 1795548000, StatusAsOf: noon.Add(-time.Hour), Source: "a.pdf", Page: 1,
	}
}

// Run runs the tests; each calls place for an empty place.
func Run(t *testing.T, place func(t *testing.T) Place) {
	t.Run("transitions", func(t *testing.T) { transitions(t, place(t)) })
	t.Run("refusals", func(t *testing.T) { refusals(t, place(t)) })
}

// transitions plays Steps. After each one, the store that is opened again shows the same.
func transitions(t *testing.T, p Place) {
	s := open(t, p)
	for _, step := range Steps() {
		if err := step.Do(t.Context(), s); err != nil {
			t.Fatalf("%s: %v", step.Name, err)
		}
		before := show(t, s)
		for i, want := range step.States {
			if e := before.rows[len(before.rows)-1-i]; e.State != want {
				t.Errorf("%s: scan %d is %s, not %s", step.Name, i+1, e.State, want)
			}
		}
		shut(t, s)
		s = open(t, p)
		if after := show(t, s); !reflect.DeepEqual(before, after) {
			t.Fatalf("%s, opened again: %+v\nbefore: %+v", step.Name, after, before)
		}
	}
	shut(t, s)
}

// A Step is one change of a store, and the states of the scans after it, by number.
type Step struct {
	Name   string
	States []outbox.State
	Do     func(ctx context.Context, s Store) error
}

// Steps returns changes of an empty store that use each transition of package outbox. Each may be done again when its
// outcome is not known: the states after it are the same.
func Steps() []Step {
	const q, in, done, dead = outbox.Queued, outbox.Inflight, outbox.Done, outbox.Dead
	lease := func(batch string, hours int) func(context.Context, Store) error {
		return func(ctx context.Context, s Store) error {
			_, err := s.Lease(ctx, batch, noon.Add(time.Duration(hours)*time.Hour), outbox.Limits{Lease: time.Minute})
			return err
		}
	}
	return []Step{
		{"record", []outbox.State{q, q, q, q}, func(ctx context.Context, s Store) error {
			return s.Record(ctx, Scan(1), Scan(2), Scan(3), Scan(4))
		}},
		{"record again", []outbox.State{q, q, q, q}, func(ctx context.Context, s Store) error { return s.Record(ctx, Scan(2), Scan(1)) }},
		{"lease", []outbox.State{in, in, in, in}, lease("b1", 0)},
		{"expired", []outbox.State{q, q, q, q}, start},
		{"lease after it", []outbox.State{in, in, in, in}, lease("b2", 1)},
		{"retry and release", []outbox.State{q, q, in, in}, settle("b2", map[int]outbox.Event{1: outbox.Retry, 2: outbox.Release})},
		{"accepted and rejected", []outbox.State{q, q, done, dead}, settle("b2", map[int]outbox.Event{3: outbox.Accepted, 4: outbox.Rejected})},
		{"requeue", []outbox.State{q, q, done, q}, requeue(4)},
		{"lease the rest", []outbox.State{in, in, done, in}, lease("b3", 2)},
		{"an answer for another batch", []outbox.State{in, in, done, in}, settle("b1", map[int]outbox.Event{1: outbox.Accepted})},
		{"duplicate and conflict", []outbox.State{done, done, done, in}, settle("b3", map[int]outbox.Event{1: outbox.Duplicate, 2: outbox.Conflict})},
		{"lease after a lease", []outbox.State{done, done, done, in}, lease("b4", 3)},
		{"accepted", []outbox.State{done, done, done, done}, settle("b4", map[int]outbox.Event{4: outbox.Accepted})},
	}
}

// start takes the lock to send and gives it back.
func start(ctx context.Context, s Store) error {
	stop, err := s.StartSync(ctx, "dev")
	if err != nil {
		return err
	}
	return stop()
}

// requeue puts scan i back, unless an earlier attempt has.
func requeue(i int) func(ctx context.Context, s Store) error {
	return func(ctx context.Context, s Store) error {
		dead, err := s.History(ctx, outbox.Filter{State: outbox.Dead})
		if err != nil || len(dead) == 0 {
			return err
		}
		return s.Requeue(ctx, Scan(i).ScanID)
	}
}

// settle settles scans of a batch, with a receipt if one of the answers needs it.
func settle(batch string, answers map[int]outbox.Event) func(ctx context.Context, s Store) error {
	return func(ctx context.Context, s Store) error {
		b := outbox.Settlement{BatchID: batch, At: noon, ReceivedAt: noon}
		for i, e := range answers {
			if e != outbox.Retry && e != outbox.Release {
				b.Receipt = receipt(batch)
			}
			b.Answers = append(b.Answers, outbox.Answer{ScanID: Scan(i).ScanID, Event: e, Code: string(e), Result: wire.ItemResult{
				Result: wire.ItemOutcome(e), Verdict: "revoked", VerdictAtScan: "valid", Changed: true,
			}})
		}
		return s.Settle(ctx, b)
	}
}

func receipt(batch string) *outbox.Receipt {
	return &outbox.Receipt{Receipt: wire.Receipt{ScannerID: "dev", Count: 1, LastSeq: 1, Time: noon}, Note: "note " + batch, Answers: []byte("answers")}
}

// refusals tries changes that are not allowed: each has its error, and changes nothing.
func refusals(t *testing.T, p Place) {
	s := open(t, p)
	defer shut(t, s)
	if err := errors.Join(s.Record(t.Context(), Scan(1), Scan(2)), start(t.Context(), s)); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Lease(t.Context(), "b", noon, outbox.Limits{Items: 1}); err != nil {
		t.Fatal(err)
	}
	other, empty := Scan(1), Scan(3)
	other.Verdict, empty.Payload = "revoked", nil
	before := show(t, s)
	bare := func(e outbox.Event) error {
		return s.Settle(t.Context(), outbox.Settlement{BatchID: "b", At: noon, Answers: []outbox.Answer{{ScanID: Scan(1).ScanID, Event: e}}})
	}
	for _, x := range []struct {
		name string
		want error
		do   func() error
	}{
		{"another scan of an id, after a new one", outbox.ErrConflict, func() error { return s.Record(t.Context(), Scan(4), other) }},
		{"a scan of nothing", outbox.ErrScan, func() error { return s.Record(t.Context(), Scan(4), empty) }},
		{"accepted without a receipt", outbox.ErrReceipt, func() error { return bare(outbox.Accepted) }},
		{"rejected without a receipt", outbox.ErrReceipt, func() error { return bare(outbox.Rejected) }},
		{"told without a receipt", outbox.ErrReceipt, func() error { return s.Settle(t.Context(), outbox.Settlement{BatchID: "b", Told: []string{"e"}}) }},
		{"an event that is no answer", outbox.ErrTransition, func() error { return bare(outbox.Requeue) }},
		{"requeue of a queued scan", outbox.ErrTransition, func() error { return s.Requeue(t.Context(), Scan(2).ScanID) }},
		{"requeue of a scan in transit", outbox.ErrTransition, func() error { return s.Requeue(t.Context(), Scan(1).ScanID) }},
		{"requeue of nothing", outbox.ErrNoScan, func() error { return s.Requeue(t.Context(), "none") }},
		{"another device", outbox.ErrOtherDevice, func() error { _, err := s.StartSync(t.Context(), "other"); return err }},
	} {
		if err := x.do(); !errors.Is(err, x.want) {
			t.Errorf("%s: %v", x.name, err)
		}
		if after := show(t, s); !reflect.DeepEqual(before, after) {
			t.Errorf("%s: %+v\nbefore: %+v", x.name, after, before)
		}
	}
}

// A view is all that a store shows of its scans.
type view struct {
	rows     []outbox.Entry
	receipts []outbox.ReceiptRow
}

func show(t *testing.T, s Store) (v view) {
	t.Helper()
	rows, err := s.History(t.Context(), outbox.Filter{Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	receipts, err := s.Receipts(t.Context(), 0, 100)
	if err != nil {
		t.Fatal(err)
	}
	return view{rows, receipts}
}

func open(t *testing.T, p Place) Store {
	t.Helper()
	s, err := p.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func shut(t *testing.T, s Store) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}
