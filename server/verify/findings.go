package verify

import (
	"context"
	"time"

	"tcode/offline/payload"
	"tcode/server/tenant"
	"tcode/sync/wire"
)

// TwoScans stands in counts of findings for a second scan under the id of a first one.
const TwoScans wire.Finding = "two_scans"

// A FindingCount is the number of signed scans of a tenant's live stamps with a finding,
// and the last of them.
type FindingCount struct {
	Finding   wire.Finding
	Seen      int64
	LastAt    time.Time // gateway clock
	Reference payload.Reference
	ScannerID string
}

// FindingStore counts findings. Package store implements it.
type FindingStore interface {
	// Findings returns the counts of a tenant since a day, in the order of the findings' names.
	Findings(ctx context.Context, tenant string, since tenant.Day) ([]FindingCount, error)
}

// Findings counts the findings of a tenant since the UTC day of a time.
func (s *Service) Findings(ctx context.Context, tenantRef string, since time.Time) ([]FindingCount, error) {
	return s.c.Store.Findings(ctx, tenantRef, tenant.DayOf(since))
}
