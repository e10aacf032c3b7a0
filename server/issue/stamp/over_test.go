package stamp_test

import (
	"context"
	"strings"
	"testing"

	"tcode/offline/geometry"
	"tcode/server/fault"
	"tcode/server/issue/placement"
	"tcode/server/issue/stamp"
	"tcode/server/store/storetest"
)

// stampedFile is a stand-in for a file with stamps at some anchors, "" the
// template's own place.
type stampedFile struct {
	storetest.Stamper
	at map[geometry.Anchor]bool
}

func (s stampedFile) Survey(ctx context.Context, job stamp.Job) ([]stamp.Option, error) {
	out, err := s.Stamper.Survey(ctx, job)
	for i := range out {
		if s.at[out[i].Anchor] {
			out[i].Places[0].Under = []geometry.Obstacle{{Kind: geometry.KindStamp, Name: "TCR-1"}}
		}
	}
	return out, err
}

// No policy puts a stamp on another one: it is moved, with a warning, or refused.
func TestOverStamps(t *testing.T) {
	t.Parallel()
	b := storetest.New(t)
	id := b.Tenant(t, "Acme", "ACME01")
	const there = `page 1 has the stamp "TCR-1" where the stamp lies`
	everywhere := append(geometry.Anchors(), "")
	for _, tt := range []struct {
		policy  placement.Collision
		at      []geometry.Anchor
		refused bool
	}{
		{placement.CollisionWarn, []geometry.Anchor{""}, false},
		{placement.CollisionAllow, []geometry.Anchor{""}, false},
		{placement.CollisionRelocate, []geometry.Anchor{""}, false},
		{placement.CollisionReject, []geometry.Anchor{""}, true},
		{placement.CollisionWarn, everywhere, true},
		{placement.CollisionAllow, everywhere, true},
		{placement.CollisionRelocate, everywhere, true},
	} {
		c := b.StampConfig
		at := map[geometry.Anchor]bool{}
		for _, a := range tt.at {
			at[a] = true
		}
		c.Stamper, c.Readback = stampedFile{at: at}, storetest.Readback{}
		r := storetest.Request("n")
		r.PDF = storetest.PDF("/TCode<<>>")
		r.PlacementTemplateID = safe(t, b, id, placement.ScanSafety{QuietZoneModules: 2, Collision: tt.policy, TargetDPI: 300})
		made, err := stamp.New(c).Create(t.Context(), id, r)
		if tt.refused {
			if fault.As(err).Code != fault.CodePDFNotStampable || !strings.Contains(err.Error(), there) {
				t.Errorf("%s, stamps at %q: %v", tt.policy, tt.at, err)
			}
		} else if err != nil || len(made.Warnings) != 1 || made.Warnings[0] != "the stamp was moved to top-left: "+there {
			t.Errorf("%s, stamps at %q: %q, %v", tt.policy, tt.at, made.Warnings, err)
		}
	}
}
