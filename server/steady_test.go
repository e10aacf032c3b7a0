package server_test

import (
	"context"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"tcode/server"
)

// TestSteady: a service that panics in a round starts again after a rest, and ends by an error or with
// the gateway.
func TestSteady(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		starts := 0
		err := server.Steady(t.Context(), func(context.Context) error {
			if starts++; starts < 3 {
				panic("seeded")
			}
			return io.EOF
		})
		if err != io.EOF || starts != 3 {
			t.Errorf("%v after %d starts", err, starts)
		}
		const limit = time.Hour + time.Second // when no rest ends
		ctx, cancel := context.WithTimeout(t.Context(), limit)
		defer cancel()
		begun := time.Now()
		if err := server.Steady(ctx, func(context.Context) error { panic("always") }); err != nil || time.Since(begun) != limit {
			t.Errorf("%v after %v", err, time.Since(begun))
		}
	})
}
