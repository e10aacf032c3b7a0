package delivery_test

import (
	"testing"

	"tcode/server/delivery"
	"tcode/server/fault"
)

func TestNext(t *testing.T) {
	t.Parallel()
	actions := []delivery.Action{delivery.Take, delivery.Confirm, delivery.Refuse, delivery.Postpone, delivery.GiveUp, delivery.Drop, delivery.Resend}
	type pair struct {
		from   delivery.State
		action delivery.Action
	}
	allowed := map[pair]delivery.State{
		{delivery.Waiting, delivery.Take}:         delivery.Sending,
		{delivery.Sending, delivery.Take}:         delivery.Sending,
		{delivery.Sending, delivery.Confirm}:      delivery.Sent,
		{delivery.Sending, delivery.Refuse}:       delivery.Refused,
		{delivery.Sending, delivery.Postpone}:     delivery.Waiting,
		{delivery.Sending, delivery.GiveUp}:       delivery.Failed,
		{delivery.Sending, delivery.Drop}:         delivery.Dropped,
		{delivery.NotConfigured, delivery.Resend}: delivery.Waiting,
		{delivery.Sent, delivery.Resend}:          delivery.Waiting,
		{delivery.Refused, delivery.Resend}:       delivery.Waiting,
		{delivery.Failed, delivery.Resend}:        delivery.Waiting,
		{delivery.Dropped, delivery.Resend}:       delivery.Waiting,
	}
	seen := 0
	for _, from := range delivery.States() {
		for _, a := range actions {
			got, err := from.Next(a)
			want := allowed[pair{from, a}]
			if want != "" {
				seen++
			}
			if got != want || (err == nil) != (want != "") || err != nil && !fault.Is(err, fault.Conflict) {
				t.Errorf("%s %s: %q, %v, want %q", from, a, got, err, want)
			}
		}
	}
	if seen != len(allowed) {
		t.Errorf("%d of %d moves seen", seen, len(allowed))
	}
}
