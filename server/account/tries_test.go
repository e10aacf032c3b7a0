package account_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"tcode/server/account"
)

// TestTries: an attacker who tries each minute of a day gets few guesses, and a clock that
// was ahead locks nothing.
func TestTries(t *testing.T) {
	t.Parallel()
	for kind, most := range map[account.TryKind]int{account.TryAccount: 110, account.TryCode: 34, account.TryClient: 50} {
		k := account.TryKey{Kind: kind}
		var tries account.Tries
		start := time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)
		n := 0
		for now := start; now.Before(start.AddDate(0, 0, 1)); now = now.Add(time.Minute) {
			for {
				next, ok := k.Next(tries, now)
				if tries = next; !ok {
					break
				}
				n++
			}
		}
		if n > most || n < 20 {
			t.Errorf("%s: %d guesses in a day", kind, n)
		}
		if _, ok := k.Next(account.Tries{Count: 30, Until: start.AddDate(1, 0, 0), Last: start}, start); !ok {
			t.Errorf("%s: a lock of a year", kind)
		}
		if next, ok := k.Next(account.Tries{Count: 30, Last: start}, start.Add(account.Forget+1)); !ok || next.Count != 1 {
			t.Errorf("%s: never forgotten: %+v", kind, next)
		}
	}
}

// TestHashing: few hashes are computed concurrently, and few callers wait; the others are
// refused. Hashes differ, and hold their parameters.
func TestHashing(t *testing.T) {
	t.Parallel()
	if account.Memory != 46<<10 {
		t.Errorf("a hash takes %d KiB", account.Memory)
	}
	h := account.NewHasher()
	one, err := h.Hash(t.Context(), "e\u0301 of two characters")
	if err != nil {
		t.Fatal(err)
	}
	for password, want := range map[string]bool{"é of two characters": true, "e of two characters": false, "": false} {
		if got, err := h.Check(t.Context(), one, password); err != nil || got != want {
			t.Errorf("%q: %v, %v", password, got, err)
		}
	}
	for _, bad := range []string{"x", "$argon2id$v=19$m=4000000,t=1,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "$argon2id$v=19$m=1,t=1,p=1$$"} {
		if got, err := h.Check(t.Context(), bad, ""); err == nil || got {
			t.Errorf("the stored hash %q is checked: %v", bad, got)
		}
	}
	if got, err := h.Check(t.Context(), "", ""); err != nil || got {
		t.Errorf("no hash: %v, %v", got, err)
	}
	// While all hashes that may run do run, as many callers wait as may, and the others are refused.
	free := h.Occupy()
	ctx, cancel := context.WithCancel(t.Context())
	results := make(chan error)
	for range 200 {
		go func() {
			_, err := h.Check(ctx, "", "x")
			results <- err
		}()
	}
	for range 200 - account.MaxWaiting {
		if err := <-results; !errors.Is(err, account.ErrBusy) {
			t.Errorf("a caller beyond the maximum: %v", err)
		}
	}
	cancel()
	for range account.MaxWaiting {
		if err := <-results; !errors.Is(err, context.Canceled) {
			t.Errorf("a caller that waits: %v", err)
		}
	}
	free()
	if got, err := h.Check(t.Context(), one, "\u00e9 of two characters"); err != nil || !got {
		t.Errorf("after all: %v, %v", got, err)
	}
}
