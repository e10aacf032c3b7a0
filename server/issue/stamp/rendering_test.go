package stamp_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tcode/offline/geometry"
	"tcode/offline/payload"
	"tcode/scanner/readback"
	"tcode/server/fault"
	"tcode/server/issue/placement"
	"tcode/server/issue/stamp"
	"tcode/server/store/storetest"
)

// attempts is a stand-in that notes the jobs.
type attempts struct {
	storetest.Stamper
	jobs    *[]stamp.Job
	damaged bool // the contents of the page are
	filled  []int
}

func (a attempts) Stamp(ctx context.Context, job stamp.Job) (stamp.Drawn, error) {
	*a.jobs = append(*a.jobs, job)
	drawn, err := a.Stamper.Stamp(ctx, job)
	drawn.Filled = a.filled
	if a.damaged {
		drawn.Damaged, drawn.Beneath = true, !job.Over
	}
	return drawn, err
}

// The appearance of the pages decides the layout of the stamp and the claims of its
// payload.
func TestRendering(t *testing.T) {
	t.Parallel()
	b := storetest.New(t)
	id := b.Tenant(t, "Acme", "ACME01")
	differs := readback.Difference{Page: 2, Area: geometry.Rect{X: 10, Y: 20, Width: 5, Height: 5}, Detail: "ink in PDFium only"}
	const told = "page 2, 10 mm from the left and 20 mm from the top: ink in PDFium only"
	rendering := func(pages, compared int, list ...readback.Difference) readback.Rendering {
		r := readback.Rendering{Engines: []string{"MuPDF", "PDFium"}, Pages: pages, Compared: compared, Differences: append([]readback.Difference{}, list...)}
		if compared < pages {
			r.NotCompared = "it took too long"
		}
		return r
	}
	always := func(c readback.Compared) func(readback.Comparison) (readback.Compared, error) {
		return func(readback.Comparison) (readback.Compared, error) { return c, nil }
	}
	first := func(c readback.Compared) func(readback.Comparison) (readback.Compared, error) {
		n := 0
		return func(readback.Comparison) (readback.Compared, error) {
			if n++; n == 1 {
				return c, nil
			}
			return readback.Compared{Rendering: rendering(2, 2)}, nil
		}
	}
	changed := readback.Compared{Rendering: rendering(2, 2), Changed: []readback.Difference{differs}}
	few := "1 of 2 pages were compared as MuPDF and PDFium draw them: it took too long"
	blank := rendering(3, 3)
	blank.Blank = []int{2, 3}
	tests := []struct {
		name     string
		policy   placement.Rendering
		compares func(readback.Comparison) (readback.Compared, error)
		told     []string // caveats
		layouts  string   // of the attempts: a after, b beneath the contents
		plain    bool
		code     string
		warnings []string
	}{
		{"alike", placement.RenderingWarn, always(readback.Compared{Rendering: rendering(2, 2)}), nil, "a", true, "", nil},
		{"by default", "", always(readback.Compared{Rendering: rendering(2, 2)}), nil, "a", true, "", nil},
		{"differs", placement.RenderingWarn, always(readback.Compared{Rendering: rendering(2, 2, differs)}), nil, "aa", false, "", []string{told}},
		{"shows nothing of its contents", placement.RenderingWarn, always(readback.Compared{Rendering: blank}), nil, "a", true, "", []string{"page 2 has contents and shows nothing of them"}},
		{"differs, refused", placement.RenderingReject, always(readback.Compared{Rendering: rendering(2, 2, differs)}), nil, "a", false, fault.CodeRenderingDiffers, nil},
		{"differs, not asked", placement.RenderingOff, always(readback.Compared{}), nil, "a", false, "", nil},
		{"alike with a caveat", placement.RenderingReject, always(readback.Compared{Rendering: rendering(2, 2)}), []string{"it runs scripts"}, "aa", false, "", []string{"who scans the document is told: it runs scripts"}},
		{"not all", placement.RenderingWarn, always(readback.Compared{Rendering: rendering(2, 1)}), nil, "aa", false, "", []string{few}},
		{"not all, refused", placement.RenderingReject, always(readback.Compared{Rendering: rendering(2, 1)}), nil, "a", false, fault.CodeRenderingDiffers, nil},
		{"no page at all", placement.RenderingWarn, always(readback.Compared{}), nil, "aa", false, "", nil},
		{"changed", placement.RenderingWarn, always(changed), nil, "ab", false, fault.CodeRenderingChanged, nil},
		{"changed, not asked", placement.RenderingOff, always(changed), nil, "ab", false, fault.CodeRenderingChanged, nil},
		{"changed after the contents only", placement.RenderingWarn, first(changed), nil, "ab", true, "", nil},
		{"changed after, differs beneath", placement.RenderingWarn, first(changed), []string{"it has layers"}, "abb", false, "", []string{"who scans the document is told: it has layers"}},
		{"not drawn", placement.RenderingWarn, func(readback.Comparison) (readback.Compared, error) {
			return readback.Compared{}, &readback.NotDrawnError{Reason: "is damaged", Err: errors.New("damaged")}
		}, nil, "a", false, fault.CodeStampUnreadable, nil},
		{"our fault", placement.RenderingWarn, func(readback.Comparison) (readback.Compared, error) {
			return readback.Compared{}, errors.New("no more processes")
		}, nil, "a", false, fault.CodeInternal, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var jobs []stamp.Job
			c := b.StampConfig
			c.Readback, c.Stamper = storetest.Readback{Compares: tt.compares, Told: tt.told}, attempts{jobs: &jobs, filled: []int{1, 2}}
			r := storetest.Request(tt.name)
			r.PlacementTemplateID = safe(t, b, id, placement.ScanSafety{QuietZoneModules: 2, Collision: placement.CollisionAllow, TargetDPI: 300, Rendering: tt.policy})
			before := count(t, b, "stamps")
			made, err := stamp.New(c).Create(t.Context(), id, r)
			layouts := ""
			for _, job := range jobs {
				layouts += map[bool]string{false: "a", true: "b"}[job.Beneath]
			}
			if layouts != tt.layouts {
				t.Errorf("layouts %q, want %q", layouts, tt.layouts)
			}
			if tt.code != "" {
				if f := fault.As(err); f.Code != tt.code || count(t, b, "stamps") != before {
					t.Errorf("err = %v, want %s and no row", err, tt.code)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			got, err := b.Stamps.Get(t.Context(), "ACME01", made.ID)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(made.Rendering, got.Rendering); diff != "" {
				t.Errorf("stored rendering (-made +got):\n%s", diff)
			}
			p, err := payload.Parse(got.Payload)
			if err != nil || p.Plain != tt.plain || got.Rendering != nil && got.Rendering.Plain != tt.plain {
				t.Errorf("the payload says plain: %t, the record %+v, want %t, %v", p.Plain, got.Rendering, tt.plain, err)
			}
			if (got.Rendering == nil) != (tt.policy == placement.RenderingOff) {
				t.Errorf("rendering %+v", got.Rendering)
			}
			if diff := cmp.Diff(append([]string{}, tt.warnings...), got.Warnings); diff != "" {
				t.Errorf("warnings (-want +got):\n%s", diff)
			}
		})
	}
}

// A stamp that no layout delivers is refused for the reason of the first one.
func TestFirstRefusalCounts(t *testing.T) {
	t.Parallel()
	b := storetest.New(t)
	id := b.Tenant(t, "Acme", "ACME01")
	c := b.StampConfig
	n := 0
	c.Readback = storetest.Readback{Sees: func(_ readback.Request, at readback.Target) (readback.Reading, error) {
		n++
		return readback.Reading{Page: at.Page, Reason: []string{"", "it is crossed out", "it is covered"}[n]}, nil
	}}
	_, err := stamp.New(c).Create(t.Context(), id, storetest.Request("n"))
	if f := fault.As(err); f.Code != fault.CodeStampUnreadable || !strings.Contains(f.Message, "crossed out") || n != 2 {
		t.Errorf("after %d looks: %v", n, err)
	}
}

// Damaged contents that cover the stamp get it drawn over them. Such a document is not plain.
func TestOverDamagedContents(t *testing.T) {
	t.Parallel()
	b := storetest.New(t)
	id := b.Tenant(t, "Acme", "ACME01")
	for layouts, readable := range map[string]int{"b": 1, "bo": 2, "bo refused": 3} {
		var jobs []stamp.Job
		c := b.StampConfig
		c.Stamper = attempts{jobs: &jobs, damaged: true}
		c.Readback = storetest.Readback{Sees: func(_ readback.Request, at readback.Target) (readback.Reading, error) {
			return readback.Reading{Page: at.Page, Read: len(jobs) >= readable, Reason: "it is covered"}, nil
		}}
		r := storetest.Request(layouts)
		r.PlacementTemplateID = safe(t, b, id, placement.ScanSafety{QuietZoneModules: 2, Collision: placement.CollisionAllow, TargetDPI: 300, Rendering: placement.RenderingOff})
		made, err := stamp.New(c).Create(t.Context(), id, r)
		got := ""
		for _, job := range jobs {
			got += map[bool]string{false: "b", true: "o"}[job.Over]
		}
		if refused := strings.HasSuffix(layouts, " refused"); got != strings.TrimSuffix(layouts, " refused") || refused != (err != nil) {
			t.Errorf("%s: layouts %q, %v", layouts, got, err)
		}
		if f := fault.As(err); err != nil && (f.Code != fault.CodeStampUnreadable || !strings.Contains(f.Message, "contents of the page are damaged")) {
			t.Errorf("%s: %v", layouts, err)
		}
		if err != nil {
			continue
		}
		if p, err := payload.Parse(made.Payload); err != nil || p.Plain {
			t.Errorf("%s: plain %t, %v", layouts, p.Plain, err)
		}
	}
}
