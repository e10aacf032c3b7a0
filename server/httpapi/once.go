package httpapi

import (
	"context"
	"net/http"

	"tcode/server/httpapi/gate"
)

// An attempt runs a creating request once.
type attempt struct{ gate.Attempt }

// A replay is the stored answer to a creating request. The file of each such
// handler has the method that writes it.
type replay gate.Replay

// attempt begins a creating request, see [gate.Gate.Attempt].
func (h *handlers) attempt(ctx context.Context, key *string) (_ attempt, answered *replay, end func(), err error) {
	a, kept, end, err := h.gate.Attempt(ctx, key)
	return attempt{a}, (*replay)(kept), end, err
}

// failed returns the result of a failed attempt, see [gate.Attempt.Failed].
func (a attempt) failed(ctx context.Context, cause error) (*replay, error) {
	kept, err := a.Failed(ctx, cause)
	return (*replay)(kept), err
}

func (r *replay) write(w http.ResponseWriter, headers func(body []byte, h http.Header)) error {
	return (*gate.Replay)(r).Write(w, headers)
}
