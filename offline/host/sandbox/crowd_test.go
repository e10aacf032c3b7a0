//go:build linux

package sandbox_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"tcode/offline/host/sandbox"
)

// TestCrowd: twelve children need several times the memory of the limit. Each task is done in the end, or has its caller's
// error, and no child stands still afterwards.
func TestCrowd(t *testing.T) {
	limitTogether(t, 256<<20)
	var all errgroup.Group
	var pools []*sandbox.Pool
	for i := range 6 {
		p := newPool(t, sandbox.Config{Size: 2})
		pools = append(pools, p)
		for j := range 8 {
			all.Go(func() error {
				ctx, patience := t.Context(), time.Duration(rand.IntN(500))*time.Millisecond
				if j == 0 {
					var cancel context.CancelFunc
					ctx, cancel = context.WithTimeout(ctx, patience)
					defer cancel()
				}
				err := sandbox.Again(ctx, func(ctx context.Context) error {
					over := make(chan struct{})
					time.AfterFunc(50*time.Millisecond, func() { close(over) })
					return during(ctx, p, fmt.Sprintf("fill %d", 10+rand.IntN(140)), nil, over)
				})
				if j == 0 && (errors.Is(err, context.DeadlineExceeded) || errors.Is(err, sandbox.ErrCrowded)) {
					return nil
				}
				if err != nil {
					return fmt.Errorf("pool %d: %w", i, err)
				}
				return nil
			})
		}
	}
	if err := all.Wait(); err != nil {
		t.Error(err)
	}
	for _, p := range pools {
		alive(t, p)
	}
}
