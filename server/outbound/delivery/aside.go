package delivery

import (
	"context"

	"tcode/server/fault"
	"tcode/server/platform/hold"
	"tcode/server/tenant"
)

// SetAside fails a message that ended its process twice. A message has no items.
func (s *Service) SetAside(ctx context.Context, id, _, cause string) error {
	now := s.now()
	audit := tenant.NewEntry(ctx, "", hold.ActionSetAside, id, now).With("cause", cause)
	err := s.c.Store.FailMessage(ctx, id, Interrupted, now, audit)
	if fault.Is(err, fault.Conflict) || fault.Is(err, fault.NotFound) {
		return nil // it is over
	}
	return err
}

// Cancel ends a message that is Waiting or Sending. A server may have it already. Faults:
// NOT_FOUND, INVALID_TRANSITION.
func (s *Service) Cancel(ctx context.Context, id string) error {
	now := s.now()
	return s.c.Store.FailMessage(ctx, id, "", now, tenant.NewEntry(ctx, "", "mail.cancel", id, now))
}
