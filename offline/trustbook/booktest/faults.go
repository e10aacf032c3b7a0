package booktest

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"tcode/offline/digest"
	"tcode/offline/statuslist"
	"tcode/offline/trust"
	"tcode/offline/trust/trusttest"
	"tcode/offline/trustbook"
)

// errFault is the error of a commit that the suite lets fail.
var errFault = errors.New("the disk failed")

// A faulty store lets one call of Update fail, before or after its effect.
type faulty struct {
	trustbook.Store
	arm    int  // calls before it; negative: never
	effect bool // it has its effect
}

// Update implements [trustbook.Store].
func (f *faulty) Update(ctx context.Context, change func(trustbook.Reader) (trustbook.Change, error)) error {
	fails := f.arm == 0
	f.arm--
	err := f.Store.Update(ctx, func(r trustbook.Reader) (trustbook.Change, error) {
		c, err := change(r)
		if err == nil && fails && !f.effect {
			err = errFault
		}
		return c, err
	})
	if err == nil && fails {
		err = errFault
	}
	return err
}

// A step is one call of a program; commits is the number of commits that it makes.
type step struct {
	name    string
	run     func(ctx context.Context, d *device) error
	commits int
}

// script returns steps that use every rule, each with the same result when it is
// repeated.
func script(t *testing.T) []step {
	a := trusttest.New(t, "a")
	a.List = statuslist.NewSurvivors([]statuslist.Mark{{1}})
	a.Shards[1] = &statuslist.Shard{}
	root, err := trust.Pin(a.Roots, nil)
	if err != nil {
		t.Fatal(err)
	}
	apply := func(u trust.Update, lists ...[]byte) func(context.Context, *device) error {
		return func(ctx context.Context, d *device) error {
			_, err := d.Apply(ctx, u, lists...)
			return err
		}
	}
	by := root.Root.Online
	ten, list := a.Set(10, 0), a.List.Bytes()
	a.Shards[1].Set(3, statuslist.Revoked)
	eleven := a.Set(11, 1)
	a.Rotate("new-online")
	a.List = nil
	roots, five := a.Roots, a.Set(5, 2)
	export := exportOf(t, roots, five)
	return []step{
		{"pin", func(ctx context.Context, d *device) error { return d.Pin(ctx, root) }, 1},
		{"gateway", func(ctx context.Context, d *device) error { return d.SetGateway(ctx, "https://gate.example") }, 1},
		{"set 10", apply(ten), 1},
		{"survivors", apply(trust.Update{}, list), 1},
		{"attempt", func(ctx context.Context, d *device) error { return d.NoteAttempt(ctx, trusttest.Day0, nil) }, 1},
		{"remember", func(ctx context.Context, d *device) error { return d.Remember(ctx, digest.SHA256{1}, digest.SHA256{2}) }, 1},
		{"proof", func(ctx context.Context, d *device) error {
			_, err := d.Prove(ctx, by, proofAt(trusttest.Day0.Add(-48*time.Hour), 1))
			return err
		}, 1},
		{"set 11", apply(eleven), 1},
		{"confirm", func(ctx context.Context, d *device) error {
			_, err := d.Confirm(ctx, trusttest.Day0.Add(-72*time.Hour), true)
			return err
		}, 1},
		{"import with a new key", func(ctx context.Context, d *device) error { _, err := d.Import(ctx, file(export), nil); return err }, 2},
		{"failed attempt", func(ctx context.Context, d *device) error { return d.NoteAttempt(ctx, trusttest.Day0, errFault) }, 1},
		{"remember", func(ctx context.Context, d *device) error { return d.Remember(ctx, digest.SHA256{4}) }, 1},
		{"unpin", func(ctx context.Context, d *device) error { return d.Unpin(ctx) }, 1},
		{"pin again", func(ctx context.Context, d *device) error { return d.Pin(ctx, root) }, 1},
	}
}

// exportOf returns the export file of a device that holds these documents.
func exportOf(t *testing.T, roots [][]byte, u trust.Update) []byte {
	text := "tcode-trust-export/1\n"
	add := func(kind, name string, data []byte) {
		text += fmt.Sprintf("%s %s %d\n%s\n", kind, name, len(data), data)
	}
	for i, raw := range roots {
		add("root", fmt.Sprint(i+1), raw)
	}
	add("timestamp", "-", u.Timestamp)
	add("bundle", "-", u.Bundle)
	add("status", "-", u.Status)
	shards := make([]*statuslist.Shard, len(u.Shards))
	for number, raw := range u.Shards {
		var err error
		if shards[number], err = statuslist.Inflate(raw); err != nil {
			t.Fatal(err)
		}
	}
	add("pack", "0", statuslist.DeflateAll(shards))
	return []byte(text + "end\n")
}

// faults lets each commit of the script fail in each way. Before and after a restart
// the device then holds the state before the step or the one after it, and the rest
// of the script ends in the same state.
func faults(t *testing.T, empty func(t *testing.T) Place) {
	steps := script(t)
	d := at(t, empty)
	states := []string{d.look(t)}
	for _, s := range steps {
		if err := s.run(t.Context(), d); err != nil {
			t.Fatalf("%s: %v", s.name, err)
		}
		states = append(states, d.look(t))
	}
	modes := len(d.place.Faults)
	if modes == 0 {
		modes = 2
	}
	for broken, s := range steps {
		for commit := range s.commits {
			for mode := range modes {
				for _, restart := range []bool{false, true} {
					t.Run(fmt.Sprintf("%s/%d/%d/%t", s.name, commit, mode, restart), func(t *testing.T) {
						fail(t, empty, steps, states, fault{broken, commit, mode, restart})
					})
				}
			}
		}
	}
}

// A fault is the place of one in the script.
type fault struct {
	step, commit, mode int
	restart            bool // the program restarts before it tries again
}

// fail runs the script with one fault.
func fail(t *testing.T, empty func(t *testing.T) Place, steps []step, states []string, f fault) {
	d := &device{place: empty(t), empty: empty}
	store := &faulty{Store: d.place.Open(t), arm: -1}
	d.Book = trustbook.New(store, now)
	defer func() { d.Close() }()
	for i, s := range steps {
		if i == f.step {
			if len(d.place.Faults) > 0 {
				d.place.Faults[f.mode].Arm(f.commit)
			} else {
				store.arm, store.effect = f.commit, f.mode == 1
			}
			if err := s.run(t.Context(), d); err == nil {
				t.Fatalf("%s succeeded on a disk that failed", s.name)
			}
			got := d.look(t)
			if s.commits == 1 && got != states[i] && got != states[i+1] {
				t.Fatalf("after a fault in %s:\n%s\nbefore:\n%s", s.name, got, states[i])
			}
			if f.restart {
				d.restart(t)
				if kept := d.look(t); kept != got {
					t.Fatalf("after a fault in %s the device said:\n%s\nand had kept:\n%s", s.name, got, kept)
				}
			}
		}
		if err := s.run(t.Context(), d); err != nil {
			t.Fatalf("%s: %v", s.name, err)
		}
		if got := d.look(t); got != states[i+1] {
			t.Fatalf("after %s:\n%s\nwant:\n%s", s.name, got, states[i+1])
		}
	}
	d.restart(t)
	if got := d.look(t); got != states[len(steps)] {
		t.Fatalf("after the last restart:\n%s\nwant:\n%s", got, states[len(steps)])
	}
}
