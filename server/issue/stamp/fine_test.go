package stamp_test

import (
	"strings"
	"testing"

	"tcode/server/fault"
	"tcode/server/issue/placement"
	"tcode/server/store/storetest"
)

// TestTooFine: modules that are too narrow for the scans that a template wants are refused, also where
// this one symbol is read: the next one may not be.
func TestTooFine(t *testing.T) {
	t.Parallel()
	b := storetest.New(t)
	id := b.Tenant(t, "Acme", "ACME01")
	for dpi, ok := range map[int]bool{72: false, 79: false, 80: true, 300: true} { // modules have 0.375 mm
		r := storetest.Request("n")
		r.PlacementTemplateID = safe(t, b, id, placement.ScanSafety{
			QuietZoneModules: 2, Collision: placement.CollisionWarn, TargetDPI: dpi,
		})
		_, err := b.Stamps.Create(t.Context(), id, r)
		f := fault.As(err)
		if ok != (err == nil) || !ok && (f.Code != fault.CodeStampUnreadable || !strings.Contains(f.Message, "for certain")) {
			t.Errorf("scans at %d dpi: %v", dpi, err)
		}
	}
}
