package stamp_test

import (
	"fmt"
	"testing"

	"tcode/offline/geometry"
	"tcode/offline/payload"
	"tcode/server/fault"
	"tcode/server/issue/placement"
	"tcode/server/issue/stamp"
	"tcode/server/store/storetest"
)

// A stamp that came to the page as a picture is not hidden by another one, whatever
// the policy: that one is moved, or refused.
func TestFlattenedStamp(t *testing.T) {
	t.Parallel()
	b := storetest.New(t)
	id := b.Tenant(t, "Acme", "ACME01")
	old := b.Stamp(t, id, "old")
	text := payload.EncodeText(old.Payload)
	create := func(policy placement.Collision, below float64) (stamp.Stamp, error) {
		c := b.StampConfig
		c.Readback = storetest.Readback{Inked: func(a geometry.Area) float64 { return 0.2 }, Shows: func(a geometry.Area) []string {
			if a.Rect.Y < below {
				return []string{"0123456789", text}
			}
			return []string{"ABC"}
		}}
		r := storetest.Request("n")
		r.PlacementTemplateID = safe(t, b, id, placement.ScanSafety{QuietZoneModules: 2, Collision: policy, TargetDPI: 300})
		return stamp.New(c).Create(t.Context(), id, r)
	}
	moved := fmt.Sprintf("the stamp was moved to top-right: page 1 has the stamp %q where the stamp lies", old.Reference)
	for _, policy := range []placement.Collision{placement.CollisionAllow, placement.CollisionWarn} {
		if made, err := create(policy, 60); err != nil || len(made.Warnings) == 0 || made.Warnings[0] != moved {
			t.Errorf("%s: %q, %v; want it moved", policy, made.Warnings, err)
		}
	}
	for _, policy := range []placement.Collision{placement.CollisionAllow, placement.CollisionWarn, placement.CollisionReject, placement.CollisionRelocate} {
		if _, err := create(policy, 1000); fault.As(err).Code != fault.CodePDFNotStampable {
			t.Errorf("%s, no place left: %v", policy, err)
		}
	}
	if made, err := create(placement.CollisionAllow, 0); err != nil || len(made.Warnings) != 0 {
		t.Errorf("another symbol: %q, %v", made.Warnings, err)
	}
}
