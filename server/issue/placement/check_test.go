package placement_test

import (
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tcode/offline/geometry"
	"tcode/server/fault"
	"tcode/server/issue/placement"
)

func ptr[T any](v T) *T { return &v }

// full is a template that says everything.
func full() placement.Spec {
	return placement.Spec{
		Name: "Diplomas", Description: "bottom right\nof the last page",
		XNorm: ptr(0.9), YNorm: ptr(0.95), WNorm: ptr(0.1), HNorm: ptr(1.0),
		Anchor: geometry.BottomRight, PageScope: geometry.CustomPages, CustomPages: "1,3-5,-1", Rotation: ptr(270),
		PageSizeMM:  &geometry.Size{Width: 210, Height: 297},
		SafeMargins: &geometry.Margins{Top: 1, Right: 2, Bottom: 3, Left: 0},
		WhiteBox:    &placement.WhiteBox{PaddingMM: 1.5, Opacity: 0.5},
		Caption:     &placement.Caption{Enabled: true, Text: "Scan me", Position: geometry.Above, FontSizePt: 7},
		ScanSafety: &placement.ScanSafety{
			MinModuleMM: ptr(0.3), QuietZoneModules: 4, Collision: placement.CollisionRelocate, TargetDPI: 200,
		},
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	if err := full().Check(); err != nil {
		t.Fatal(err)
	}
	if err := (placement.Spec{Name: "n"}).Check(); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name   string
		change func(s *placement.Spec)
		want   []string // fields
	}{
		{"no name", func(s *placement.Spec) { s.Name = "" }, []string{"name"}},
		{"blank name", func(s *placement.Spec) { s.Name = " \t" }, []string{"name"}},
		{"long name", func(s *placement.Spec) { s.Name = strings.Repeat("ж", 201) }, []string{"name"}},
		{"name with U+0000", func(s *placement.Spec) { s.Name = "a\x00" }, []string{"name"}},
		{"name not UTF-8", func(s *placement.Spec) { s.Name = "\xff" }, []string{"name"}},
		{"long description", func(s *placement.Spec) { s.Description = strings.Repeat("x", 501) }, []string{"description"}},
		{"x alone", func(s *placement.Spec) { s.YNorm = nil }, []string{"xNorm"}},
		{"y alone", func(s *placement.Spec) { s.XNorm = nil }, []string{"yNorm"}},
		{"point off the page", func(s *placement.Spec) { s.XNorm, s.YNorm = ptr(-0.1), ptr(1.1) }, []string{"xNorm", "yNorm"}},
		{"no number", func(s *placement.Spec) { s.XNorm, s.WNorm = ptr(math.NaN()), ptr(math.NaN()) }, []string{"wNorm", "xNorm"}},
		{"no size", func(s *placement.Spec) { s.WNorm, s.HNorm = ptr(0.0), ptr(1.01) }, []string{"hNorm", "wNorm"}},
		{"anchor", func(s *placement.Spec) { s.Anchor = "middle" }, []string{"anchor"}},
		{"anchor in upper case", func(s *placement.Spec) { s.Anchor = "Top" }, []string{"anchor"}},
		{"scope", func(s *placement.Spec) { s.PageScope, s.CustomPages = "some", "" }, []string{"pageScope"}},
		{"custom without pages", func(s *placement.Spec) { s.CustomPages = "" }, []string{"customPages"}},
		{"pages without custom", func(s *placement.Spec) { s.PageScope = geometry.AllPages }, []string{"customPages"}},
		{"pages without scope", func(s *placement.Spec) { s.PageScope = "" }, []string{"customPages"}},
		{"bad pages", func(s *placement.Spec) { s.CustomPages = "0" }, []string{"customPages"}},
		{"rotation", func(s *placement.Spec) { s.Rotation = ptr(45) }, []string{"rotation"}},
		{"rotation of a whole turn", func(s *placement.Spec) { s.Rotation = ptr(360) }, []string{"rotation"}},
		{"page size", func(s *placement.Spec) { s.PageSizeMM = &geometry.Size{Height: 6000} }, []string{"pageSizeMmHeight", "pageSizeMmWidth"}},
		{"margins", func(s *placement.Spec) {
			*s.SafeMargins = geometry.Margins{Top: -1, Right: 5001, Bottom: math.Inf(1), Left: math.NaN()}
		}, []string{"safeMargins.bottom", "safeMargins.left", "safeMargins.right", "safeMargins.top"}},
		{"white box", func(s *placement.Spec) { *s.WhiteBox = placement.WhiteBox{PaddingMM: 101, Opacity: 1.1} }, []string{"whiteBox.opacity", "whiteBox.paddingMm"}},
		{"caption", func(s *placement.Spec) {
			*s.Caption = placement.Caption{Text: strings.Repeat("x", 201), Position: "inside", FontSizePt: 0.5}
		}, []string{"caption.fontSizePt", "caption.position", "caption.text"}},
		{"caption in a script that the font lacks", func(s *placement.Spec) { s.Caption.Text = "ใบรับรอง" }, []string{"caption.text"}},
		{"caption of two lines", func(s *placement.Spec) { s.Caption.Text = "a\nb" }, []string{"caption.text"}},
		{"scan safety", func(s *placement.Spec) {
			*s.ScanSafety = placement.ScanSafety{MinModuleMM: ptr(0.0), QuietZoneModules: 0, Collision: "maybe", TargetDPI: 10, Rendering: "maybe"}
		}, []string{"scanSafety.collision", "scanSafety.minModuleMm", "scanSafety.quietZoneModules", "scanSafety.rendering", "scanSafety.targetDpi"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := full()
			tt.change(&s)
			f := fault.As(s.Check())
			if f == nil || f.Code != fault.CodeValidationFailed {
				t.Fatalf("err = %v", f)
			}
			if m := f.Texts()["caption.text"]; strings.Contains(tt.name, "lacks") && !slices.Contains(m, `the font has no character "ใ" (U+0E43)`) {
				t.Errorf("caption.text: %q", m)
			}
			if diff := cmp.Diff(tt.want, slices.Sorted(maps.Keys(f.Fields))); diff != "" {
				t.Errorf("fields (-want +got):\n%s", diff)
			}
		})
	}
}

// TestPossible: bounds that leave too little for a symbol on every page are refused, by the side that
// does.
func TestPossible(t *testing.T) {
	t.Parallel()
	page := &geometry.Size{Width: 100, Height: 50}
	padded := &placement.WhiteBox{Enabled: true, Opacity: 1, PaddingMM: 20}
	for _, tt := range []struct {
		name string
		s    placement.Spec
		want []string
	}{
		{"a share of any page", placement.Spec{WNorm: ptr(0.001)}, nil},
		{"next to nothing", placement.Spec{WNorm: ptr(1e-9), HNorm: ptr(0.5)}, []string{"wNorm"}},
		{"nothing", placement.Spec{WNorm: ptr(1e-300), HNorm: ptr(1e-308)}, []string{"hNorm", "wNorm"}},
		{"just enough", placement.Spec{WNorm: ptr(0.0881), PageSizeMM: page}, nil},
		{"a hair less", placement.Spec{WNorm: ptr(0.0879), PageSizeMM: page}, []string{"wNorm"}},
		{"the other side", placement.Spec{HNorm: ptr(0.14), PageSizeMM: page}, []string{"hNorm"}},
		{"padding", placement.Spec{WNorm: ptr(0.4), PageSizeMM: page, WhiteBox: padded}, []string{"wNorm"}},
		{"padding of a box that is not drawn", placement.Spec{WNorm: ptr(0.4), PageSizeMM: page, WhiteBox: &placement.WhiteBox{PaddingMM: 20}}, nil},
		{"wide modules", placement.Spec{WNorm: ptr(0.4), PageSizeMM: page, ScanSafety: &placement.ScanSafety{
			MinModuleMM: ptr(1.0), QuietZoneModules: 2, Collision: placement.CollisionWarn, TargetDPI: 300,
		}}, []string{"wNorm"}},
		{"few pixels", placement.Spec{WNorm: ptr(0.15), PageSizeMM: page, ScanSafety: &placement.ScanSafety{
			QuietZoneModules: 2, Collision: placement.CollisionWarn, TargetDPI: 72,
		}}, []string{"wNorm"}},
		{"a QR code beside it", placement.Spec{WNorm: ptr(0.1), PageSizeMM: page, Link: placement.LinkQR}, []string{"wNorm"}},
		{"a QR code above it", placement.Spec{WNorm: ptr(0.1), PageSizeMM: page, Link: placement.LinkQR, Rotation: ptr(90)}, nil},
	} {
		tt.s.Name = "n"
		var got []string
		if f := fault.As(tt.s.Check()); f != nil {
			got = slices.Sorted(maps.Keys(f.Fields))
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}
