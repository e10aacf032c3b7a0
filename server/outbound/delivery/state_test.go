package delivery_test

import (
	"testing"

	"tcode/server/fault"
	"tcode/server/outbound/delivery"
)

func TestNext(t *testing.T) {
	t.Parallel()
	actions := []delivery.Action{delivery.Take, delivery.Confirm, delivery.Refuse, delivery.Postpone, delivery.GiveUp, delivery.Drop, delivery.Resend, delivery.Hold}
	type pair struct {
		from   delivery.State
		action delivery.Action
	}
	allowed := map[pair]delivery.State{
		{delivery.Waiting, delivery.Take}:         delivery.Sending,
		{delivery.Waiting, delivery.Hold}:         delivery.Failed,
		{delivery.Sending, delivery.Hold}:         delivery.Failed,
		{delivery.Sending, delivery.Take}:         delivery.Sending,
		{delivery.Sending, delivery.Confirm}:      delivery.Sent,
		{delivery.Sending, delivery.Refuse}:       delivery.Refused,
		{delivery.Sending, delivery.Postpone}:     delivery.Waiting,
		{delivery.Sending, delivery.GiveUp}:       delivery.Failed,
		{delivery.Sending, delivery.Drop}:         delivery.Dropped,
		{delivery.NotConfigured, delivery.Resend}: delivery.Waiting,
		{delivery.Waiting, delivery.Resend}:       delivery.Waiting,
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

// TestWords: each state and reason has its own words.
func TestWords(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	note := func(what string, m delivery.Message) {
		words := m.Words()
		if words == "" || seen[words] != "" {
			t.Errorf("%s says %q, as does %s", what, words, seen[words])
		}
		seen[words] = what
	}
	for _, s := range delivery.States() {
		note(string(s), delivery.Message{State: s})
	}
	for _, r := range []delivery.Reason{
		delivery.Suspended, delivery.Unreachable, delivery.Insecure, delivery.NoLogin, delivery.Unanswered, delivery.Answered,
		delivery.FileUnavailable, delivery.Unwritable, delivery.Interrupted,
	} {
		note(string(r), delivery.Message{State: delivery.Waiting, Reason: r, Code: 451})
	}
	for _, r := range []delivery.Reason{delivery.Revoked, delivery.Replaced, delivery.Expired} {
		note(string(r), delivery.Message{State: delivery.Dropped, Reason: r})
	}
	note("restored", delivery.Message{State: delivery.Failed, Reason: delivery.Restored})
	got := delivery.Message{State: delivery.Refused, Reason: delivery.Answered, Code: 550}.Words()
	if want := "The mail server refused the message permanently: it answered 550."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
