package server_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"tcode/offline/geometry"
	"tcode/server"
	"tcode/server/issue/placement"
	"tcode/server/pdfstamp"
)

// TestPlaced: every member of a template that is geometry reaches the stamp.
func TestPlaced(t *testing.T) {
	t.Parallel()
	number := func(v float64) *float64 { return &v }
	degrees := func(v int) *int { return &v }
	for _, tt := range []struct {
		name string
		spec *placement.Spec
		want pdfstamp.Placement
	}{
		{"no template", nil, pdfstamp.Placement{}},
		{"nothing said", &placement.Spec{}, pdfstamp.Placement{}},
		{"point", &placement.Spec{XNorm: number(0.1), YNorm: number(0.2)}, pdfstamp.Placement{Anchor: geometry.TopLeft, At: &geometry.Point{X: 0.1, Y: 0.2}}},
		{
			"point of an anchor", &placement.Spec{XNorm: number(1), YNorm: number(0), Anchor: geometry.TopRight},
			pdfstamp.Placement{Anchor: geometry.TopRight, At: &geometry.Point{X: 1}},
		},
		{"bounds", &placement.Spec{WNorm: number(0.3), HNorm: number(0.4)}, pdfstamp.Placement{MaxWNorm: 0.3, MaxHNorm: 0.4}},
		{"anchor", &placement.Spec{Anchor: geometry.Left}, pdfstamp.Placement{Anchor: geometry.Left}},
		{"scope", &placement.Spec{PageScope: geometry.OddPages}, pdfstamp.Placement{Scope: geometry.OddPages}},
		{
			"pages", &placement.Spec{PageScope: geometry.CustomPages, CustomPages: "1,3-4,-1"},
			pdfstamp.Placement{Scope: geometry.CustomPages, Pages: []int{1, 3, 4, -1}},
		},
		{"rotation", &placement.Spec{Rotation: degrees(270)}, pdfstamp.Placement{Rotation: 270}},
		{"page size", &placement.Spec{PageSizeMM: &geometry.Size{Width: 210, Height: 297}}, pdfstamp.Placement{DesignedMM: &geometry.Size{Width: 210, Height: 297}}},
		{
			"margins", &placement.Spec{SafeMargins: &geometry.Margins{Top: 1, Right: 2, Bottom: 3, Left: 4}},
			pdfstamp.Placement{MarginsMM: &geometry.Margins{Top: 1, Right: 2, Bottom: 3, Left: 4}},
		},
		{"white box", &placement.Spec{WhiteBox: &placement.WhiteBox{Enabled: true, PaddingMM: 2, Opacity: 0.5}}, pdfstamp.Placement{PaddingMM: 2, Opacity: 0.5}},
		{"no white box", &placement.Spec{WhiteBox: &placement.WhiteBox{PaddingMM: 2, Opacity: 0.5}}, pdfstamp.Placement{NoWhiteBox: true}},
		{"clear white box", &placement.Spec{WhiteBox: &placement.WhiteBox{Enabled: true}}, pdfstamp.Placement{NoWhiteBox: true}},
		{
			"caption", &placement.Spec{Caption: &placement.Caption{Enabled: true, Text: "x", Position: geometry.LeftOf, FontSizePt: 9}},
			pdfstamp.Placement{Caption: &pdfstamp.Caption{Text: "x", Side: geometry.LeftOf, FontSizePt: 9}},
		},
		{
			"reference", &placement.Spec{Caption: &placement.Caption{Enabled: true, Position: geometry.Above, FontSizePt: 9, ShowReference: true}},
			pdfstamp.Placement{Caption: &pdfstamp.Caption{Reference: true, Side: geometry.Above, FontSizePt: 9}},
		},
		{"caption off", &placement.Spec{Caption: &placement.Caption{Text: "x", Position: geometry.Below, FontSizePt: 9}}, pdfstamp.Placement{}},
		{"caption of nothing", &placement.Spec{Caption: &placement.Caption{Enabled: true, Position: geometry.Below, FontSizePt: 9}}, pdfstamp.Placement{}},
		{"quiet zone", &placement.Spec{ScanSafety: &placement.ScanSafety{QuietZoneModules: 4}}, pdfstamp.Placement{QuietModules: 4}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := server.PlacedForTest(tt.spec)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("placement (-want +got):\n%s", diff)
			}
		})
	}
}
