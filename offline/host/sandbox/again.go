package sandbox

import (
	"context"
	"errors"
)

// preferred marks a context whose tasks are tried again.
type preferred struct{}

// lane has room for the one call of [Again] whose children are killed last. It is process-wide as the account is.
var lane = make(chan struct{}, 1)

// tries is how often Again calls do again. Children that start, which are not killed, may take the room of one more call.
const tries = 3

// Again calls do, and again if the pool killed a child of it with [ErrCrowded]. The next call waits until no other call is made
// again, and then other children are killed for their memory first. So tasks that have no room at the same time are done
// one after the other. do passes its context to [Pool.Do] and keeps nothing of an earlier call.
func Again(ctx context.Context, do func(ctx context.Context) error) error {
	err := do(ctx)
	if !errors.Is(err, ErrCrowded) || isPreferred(ctx) {
		return err
	}
	select {
	case <-ctx.Done():
		return err
	case lane <- struct{}{}:
	}
	defer func() { <-lane }()
	ctx = context.WithValue(ctx, preferred{}, true)
	for i := 0; i < tries && errors.Is(err, ErrCrowded); i++ {
		err = do(ctx)
	}
	return err
}

func isPreferred(ctx context.Context) bool { return ctx.Value(preferred{}) != nil }
