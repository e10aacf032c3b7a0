package uplink_test

import (
	"fmt"
	"testing"

	"tcode/sync/outbox"
)

// confirm makes a clock event for the gateway.
func (w *world) confirm(t *testing.T) {
	w.heal()
	e, ok, err := w.o.Correct(t.Context(), outbox.ClockEvent{Kind: outbox.ClockConfirmed, At: w.clock.now()})
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	w.events[e.ID] = true
}

// judgeClock checks that each clock event had one effect and is marked as told.
func (w *world) judgeClock(t *testing.T) string {
	events, err := w.o.ClockEvents(t.Context(), 1<<20)
	if err != nil || len(events) != len(w.events) {
		return fmt.Sprintf("%d clock events of %d (%v)", len(events), len(w.events), err)
	}
	for _, e := range events {
		if n := w.net.g.heard[e.ID]; n != 1 || !e.Told {
			return fmt.Sprintf("clock event %s has %d effects, told %v", e.ID, n, e.Told)
		}
	}
	return ""
}
