package round_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"tcode/server/platform/round"
)

// TestRepeated: an error that stays is logged once; another one, and one after a success, immediately.
func TestRepeated(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	r := round.Repeated{Log: slog.New(slog.NewTextHandler(&out, nil)), What: "write history"}
	full, gone := errors.New("disk is full"), errors.New("disk is gone")
	ended, end := context.WithCancel(t.Context())
	end()
	for range 100 {
		r.Tell(t.Context(), full)
	}
	for _, err := range []error{gone, nil, gone} {
		r.Tell(t.Context(), err)
	}
	r.Tell(ended, full)
	if got := out.String(); strings.Count(got, "write history") != 3 || strings.Count(got, "full") != 1 || strings.Count(got, "gone") != 2 {
		t.Errorf("logged:\n%s", got)
	}
}
