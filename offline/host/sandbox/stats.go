package sandbox

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// ErrStuck means that all children work, and that no task ended for a long time.
var ErrStuck = errors.New("no task ends")

// Usable returns nil if the pool can do a task: a child is idle or starts, or all work and one of
// them ended a task within the time longest. The error wraps [ErrStuck] if none did, and is a
// [*WorkerError] if no child starts.
func (p *Pool) Usable(ctx context.Context, longest time.Duration) error {
	if since := p.full.Load(); since != 0 && len(p.slots) == 0 {
		if took := time.Since(time.Unix(0, since)); took > longest {
			return fmt.Errorf("sandbox %s: %w for %v", p.cfg.Role, ErrStuck, took.Round(time.Second))
		}
		return nil
	}
	_, err := p.Protections(ctx)
	return err
}

// Replaced returns the number of children that a pool ended after an error of a task, or that died, since its start.
func (p *Pool) Replaced() uint64 { return p.replaced.Load() }

// Stats returns the largest number of children and the number that work now.
func (p *Pool) Stats() (size, busy int) { return p.cfg.Size, p.cfg.Size - len(p.slots) }
