package device

import (
	"context"
	"time"

	"tcode/sync/devicetime"
)

// clock returns the clock of this device.
func (s *Device) clock() devicetime.Clock {
	return devicetime.Clock{Book: s.Cache.Book, History: s.Outbox, Policy: s.cfg.Policy, Now: s.Now, Boot: s.cfg.Boot}
}

// Time returns the time of this device, and where it comes from.
func (s *Device) Time(ctx context.Context) (devicetime.Report, error) { return s.clock().Report(ctx) }

// Confirm accepts an operator's statement of the time at ([devicetime.Clock.Confirm]).
func (s *Device) Confirm(ctx context.Context, at time.Time, despite bool) error {
	return s.clock().Confirm(ctx, at, despite)
}
