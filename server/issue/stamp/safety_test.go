package stamp_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tcode/offline/geometry"
	"tcode/scanner/readback"
	"tcode/server/fault"
	"tcode/server/issue/placement"
	"tcode/server/issue/stamp"
	"tcode/server/store/storetest"
	"tcode/server/tenant"
)

// safe is a placement template with that scan safety.
func safe(t *testing.T, b *storetest.Bundle, id tenant.Identity, s placement.ScanSafety) string {
	t.Helper()
	made, err := b.Placements.Create(t.Context(), id, placement.Spec{Name: "safe", ScanSafety: &s}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return made.ID
}

// sees is a reader that gives that reading for each page.
func sees(r readback.Reading) storetest.Readback {
	return storetest.Readback{Sees: func(_ readback.Request, at readback.Target) (readback.Reading, error) {
		r.Page = at.Page
		return r, nil
	}}
}

// The grade comes with the stamp and is read back with it; each figure's step is
// an ISO/IEC 15415 letter, and the worst of them is the stamp's.
func TestGrade(t *testing.T) {
	t.Parallel()
	b := storetest.New(t)
	id := b.Tenant(t, "Acme", "ACME01")
	good := readback.Reading{Read: true, DPI: 300, Contrast: 0.98, Correctable: 24, QuietModules: 4, ReadsAtDPI: 100}
	with := func(change func(*readback.Reading)) readback.Reading {
		r := good
		change(&r)
		return r
	}
	tests := []struct {
		name    string
		reading readback.Reading
		letter  stamp.Letter
		worst   stamp.CheckName
		warned  bool
	}{
		{"good", good, stamp.LetterA, "", false},
		{"quiet zone of 1.5", with(func(r *readback.Reading) { r.QuietModules = 1.5 }), stamp.LetterB, stamp.CheckQuiet, false},
		{"quiet zone of 1", with(func(r *readback.Reading) { r.QuietModules = 1 }), stamp.LetterC, stamp.CheckQuiet, true},
		{"no quiet zone", with(func(r *readback.Reading) { r.QuietModules = 0.2 }), stamp.LetterD, stamp.CheckQuiet, true},
		{"pale", with(func(r *readback.Reading) { r.Contrast = 0.6 }), stamp.LetterB, stamp.CheckContrast, false},
		{"very pale", with(func(r *readback.Reading) { r.Contrast = 0.3 }), stamp.LetterD, stamp.CheckContrast, true},
		{"half spoilt", with(func(r *readback.Reading) { r.Corrected = 12 }), stamp.LetterB, stamp.CheckCorrection, false},
		{"nearly spoilt", with(func(r *readback.Reading) { r.Corrected = 23 }), stamp.LetterD, stamp.CheckCorrection, true},
		{"from 200 dpi", with(func(r *readback.Reading) { r.ReadsAtDPI = 200 }), stamp.LetterB, stamp.CheckPoorScan, false},
		{"from 300 dpi", with(func(r *readback.Reading) { r.ReadsAtDPI = 300 }), stamp.LetterC, stamp.CheckPoorScan, true},
		{"from no scan", with(func(r *readback.Reading) { r.ReadsAtDPI = 0 }), stamp.LetterD, stamp.CheckPoorScan, true},
	}
	for i, tt := range tests {
		c := b.StampConfig
		c.Readback = sees(tt.reading)
		made, err := stamp.New(c).Create(t.Context(), id, storetest.Request(fmt.Sprint("n", i)))
		if err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		got, err := b.Stamps.Get(t.Context(), "ACME01", made.ID)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(made.Grade, got.Grade); diff != "" || got.Grade == nil {
			t.Fatalf("%s: stored grade (-made +got):\n%s", tt.name, diff)
		}
		if got.Grade.Letter != tt.letter || (len(got.Warnings) > 0) != tt.warned {
			t.Errorf("%s: grade %s, warnings %q; want %s", tt.name, got.Grade.Letter, got.Warnings, tt.letter)
		}
		for _, check := range got.Grade.Checks {
			if want := check.Name == tt.worst; want != (check.Letter > stamp.LetterA) {
				t.Errorf("%s: check %s is %s", tt.name, check.Name, check.Letter)
			}
		}
	}
}

// A stamp that is not read back is not delivered: no row, no file, no event,
// nothing in the month's count.
func TestUnreadable(t *testing.T) {
	t.Parallel()
	b := storetest.New(t)
	id := b.Tenant(t, "Acme", "ACME01")
	tests := []struct {
		name  string
		proof stamp.Readback
		code  string
	}{
		{"not read", sees(readback.Reading{Reason: "it is blurred"}), fault.CodeStampUnreadable},
		{"not drawn", storetest.Readback{Sees: func(readback.Request, readback.Target) (readback.Reading, error) {
			return readback.Reading{}, &readback.NotDrawnError{Reason: "is too large", Err: errors.New("too large")}
		}}, fault.CodeStampUnreadable},
		{"one engine", storetest.Readback{Sees: func(readback.Request, readback.Target) (readback.Reading, error) {
			return readback.Reading{}, readback.ErrOneEngine
		}}, fault.CodeServiceUnavailable},
		{"our fault", storetest.Readback{Sees: func(readback.Request, readback.Target) (readback.Reading, error) {
			return readback.Reading{}, errors.New("no more processes")
		}}, fault.CodeInternal},
		{"no reading", fewer{}, fault.CodeInternal},
		{"no reader", nil, fault.CodeInternal},
	}
	for _, tt := range tests {
		c := b.StampConfig
		c.Readback = tt.proof
		_, err := stamp.New(c).Create(t.Context(), id, storetest.Request("n"))
		if f := fault.As(err); f == nil || f.Code != tt.code {
			t.Errorf("%s: %v, want %s", tt.name, err, tt.code)
		}
	}
	for _, table := range []string{"stamps", "status_entries", "stamp_files", "stamp_events"} {
		if n := count(t, b, table); n != 0 {
			t.Errorf("%d rows in %s", n, table)
		}
	}
	usage, err := b.Tenants.Usage(t.Context(), "ACME01", 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, u := range usage {
		if u.Kind == tenant.KindStamps && u.Used != 0 {
			t.Errorf("%d stamps were counted", u.Used)
		}
	}
}

// fewer reads nothing at all, and says so of no page.
type fewer struct{ storetest.Readback }

func (fewer) Read(context.Context, *io.SectionReader, readback.Request) ([]readback.Reading, error) {
	return nil, nil
}

// The reader finds the stamp's own text, at the resolution of the template.
func TestWhatIsRead(t *testing.T) {
	t.Parallel()
	b := storetest.New(t)
	id := b.Tenant(t, "Acme", "ACME01")
	var asked readback.Request
	c := b.StampConfig
	c.Readback = storetest.Readback{Sees: func(q readback.Request, at readback.Target) (readback.Reading, error) {
		asked = q
		return readback.Reading{Page: at.Page, Read: true, ReadsAtDPI: 100, Contrast: 1, QuietModules: 4}, nil
	}}
	r := storetest.Request("n")
	r.PlacementTemplateID = safe(t, b, id, placement.ScanSafety{QuietZoneModules: 2, Collision: placement.CollisionWarn, TargetDPI: 240})
	made, err := stamp.New(c).Create(t.Context(), id, r)
	if err != nil {
		t.Fatal(err)
	}
	_, text, err := b.Stamps.Derived(t.Context(), made.Tenant, made.ID, "payload")
	if err != nil || asked.Text != string(text) || asked.DPI != 240 || made.Grade.TargetDPI != 240 {
		t.Errorf("asked for %.20q at %g dpi, %v; want %.20q at 240", asked.Text, asked.DPI, err, text)
	}
	if len(asked.Targets) != 1 || !asked.Targets[0].Degrade {
		t.Errorf("places %+v", asked.Targets)
	}
}

// The policies of a place that is not free. The stand-in's default place is at
// y 10, and its anchors lie from 20 mm downwards, 25 mm apart.
func TestCollisions(t *testing.T) {
	t.Parallel()
	b := storetest.New(t)
	id := b.Tenant(t, "Acme", "ACME01")
	above := func(y float64) func(geometry.Area) float64 {
		return func(a geometry.Area) float64 {
			if a.Rect.Y < y {
				return 0.12
			}
			return 0.0004 // a speck of dust
		}
	}
	tests := []struct {
		name     string
		policy   placement.Collision
		inked    func(geometry.Area) float64
		y        float64 // where the stamp is then; 0: refused
		warnings []string
	}{
		{"free", placement.CollisionReject, above(0), 10, nil},
		{"allow", placement.CollisionAllow, above(100), 10, nil},
		{"warn", placement.CollisionWarn, above(100), 10, []string{"page 1 is not empty under the stamp (12 % ink)"}},
		{"reject", placement.CollisionReject, above(100), 0, nil},
		{"relocate", placement.CollisionRelocate, above(60), 70, []string{"the stamp was moved to top-right: page 1 is not empty under the stamp (12 % ink)"}},
		{"relocate, free", placement.CollisionRelocate, above(0), 10, nil},
		{"relocate, full", placement.CollisionRelocate, above(1000), 0, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var job stamp.Job
			c := b.StampConfig
			c.Readback, c.Stamper = storetest.Readback{Inked: tt.inked}, asked{job: &job, pages: []int{1}}
			r := storetest.Request(tt.name)
			r.PlacementTemplateID = safe(t, b, id, placement.ScanSafety{QuietZoneModules: 2, Collision: tt.policy, TargetDPI: 300})
			before := count(t, b, "stamps")
			made, err := stamp.New(c).Create(t.Context(), id, r)
			if tt.y == 0 {
				f := fault.As(err)
				if f == nil || f.Code != fault.CodePDFNotStampable || !strings.Contains(f.Message, "12 % ink") || len(f.Fields["pdf"]) != 1 {
					t.Errorf("err = %v", err)
				}
				if job.Seal != nil || count(t, b, "stamps") != before {
					t.Error("something was stamped")
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(append([]string{}, tt.warnings...), made.Warnings); diff != "" {
				t.Errorf("warnings (-want +got):\n%s", diff)
			}
			moved := geometry.Anchor("")
			if tt.y != 10 {
				moved = geometry.TopRight
			}
			if job.Anchor != moved {
				t.Errorf("stamped at %q, want %q", job.Anchor, moved)
			}
			if ink := made.Grade.InkPercent; (ink > 1) != (tt.y == 10 && tt.policy != placement.CollisionReject && tt.policy != placement.CollisionRelocate) {
				t.Errorf("ink %g %%", ink)
			}
		})
	}
}

// covering is a stand-in whose pages have something in the way.
type covering struct {
	storetest.Stamper
	under []geometry.Obstacle
}

func (s covering) Survey(ctx context.Context, job stamp.Job) ([]stamp.Option, error) {
	out, err := s.Stamper.Survey(ctx, job)
	out[0].Places[0].Under = s.under
	return out, err
}

func (s covering) Stamp(ctx context.Context, job stamp.Job) (stamp.Drawn, error) {
	d, err := s.Stamper.Stamp(ctx, job)
	if job.Anchor == "" {
		d.Places[0].Under = s.under
	}
	return d, err
}

// Form fields and annotations are in the way as ink is, and are named.
func TestObstacles(t *testing.T) {
	t.Parallel()
	b := storetest.New(t)
	id := b.Tenant(t, "Acme", "ACME01")
	c := b.StampConfig
	c.Stamper = covering{under: []geometry.Obstacle{{Kind: "field", Name: "total"}, {Kind: "annotation"}}}
	create := func(policy placement.Collision, proof stamp.Readback) (stamp.Stamp, error) {
		c.Readback = proof
		r := storetest.Request("n")
		r.PlacementTemplateID = safe(t, b, id, placement.ScanSafety{QuietZoneModules: 2, Collision: policy, TargetDPI: 300})
		return stamp.New(c).Create(t.Context(), id, r)
	}
	warned, err := create(placement.CollisionWarn, storetest.Readback{})
	want := []string{`page 1 has the field "total" where the stamp lies`, "page 1 has an annotation where the stamp lies"}
	if diff := cmp.Diff(want, warned.Warnings); err != nil || diff != "" {
		t.Errorf("warn: %v, (-want +got):\n%s", err, diff)
	}
	warned, err = create(placement.CollisionWarn, storetest.Readback{Told: []string{"it runs scripts"}})
	if diff := cmp.Diff(append(want, "who scans the document is told: it runs scripts"), warned.Warnings); err != nil || diff != "" {
		t.Errorf("caveats: %v, (-want +got):\n%s", err, diff)
	}
	if _, err := create(placement.CollisionReject, storetest.Readback{}); fault.As(err).Code != fault.CodePDFNotStampable || !strings.Contains(err.Error(), "total") {
		t.Errorf("reject: %v", err)
	}
	if moved, err := create(placement.CollisionRelocate, storetest.Readback{}); err != nil || len(moved.Warnings) != 1 || !strings.HasPrefix(moved.Warnings[0], "the stamp was moved to top-left") {
		t.Errorf("relocate: %q, %v", moved.Warnings, err)
	}
	if _, err := create(placement.CollisionWarn, sees(readback.Reading{Reason: "x"})); fault.As(err).Code != fault.CodeStampUnreadable || !strings.Contains(err.Error(), `the field "total" covers it`) {
		t.Errorf("covered: %v", err)
	}
}

// minModuleMm is the narrowest module that is stamped.
func TestMinModule(t *testing.T) {
	t.Parallel()
	b := storetest.New(t)
	id := b.Tenant(t, "Acme", "ACME01")
	for least, ok := range map[float64]bool{0.3: true, 0.375: true, 0.4: false} {
		r := storetest.Request("n")
		r.PlacementTemplateID = safe(t, b, id, placement.ScanSafety{MinModuleMM: &least, QuietZoneModules: 2, Collision: placement.CollisionWarn, TargetDPI: 300})
		_, err := b.Stamps.Create(t.Context(), id, r)
		if ok != (err == nil) || !ok && fault.As(err).Code != fault.CodeConfigurationMismatch {
			t.Errorf("at least %g mm: %v", least, err)
		}
	}
}

// Some pages of many are read: the first and the last, one of each geometry,
// those with an obstacle, and others at even distances. Where a place must be free,
// all pages are read.
func TestManyPages(t *testing.T) {
	t.Parallel()
	b := storetest.New(t)
	id := b.Tenant(t, "Acme", "ACME01")
	const pages = 500
	var read, measured map[int]bool
	c := b.StampConfig
	c.Stamper = long{pages: pages, wide: 77, covered: 333}
	c.Readback = storetest.Readback{
		Inked: func(a geometry.Area) float64 { measured[a.Page] = true; return 0 },
		Sees: func(_ readback.Request, at readback.Target) (readback.Reading, error) {
			read[at.Page] = true
			return readback.Reading{Page: at.Page, Read: true, ReadsAtDPI: 100, Contrast: 1, QuietModules: 4}, nil
		},
	}
	svc := stamp.New(c)
	for _, policy := range []placement.Collision{placement.CollisionWarn, placement.CollisionRelocate} {
		read, measured = map[int]bool{}, map[int]bool{}
		r := storetest.Request(string(policy))
		r.PlacementTemplateID = safe(t, b, id, placement.ScanSafety{QuietZoneModules: 2, Collision: policy, TargetDPI: 300})
		made, err := svc.Create(t.Context(), id, r)
		if err != nil {
			t.Fatal(err)
		}
		for _, page := range []int{1, 77, 333, pages} {
			if !read[page] {
				t.Errorf("%s: page %d was not read", policy, page)
			}
		}
		if len(read) != 24 || len(made.Grade.Proved) != 24 || len(made.Pages) != pages {
			t.Errorf("%s: %d of %d pages read, %d said", policy, len(read), len(made.Pages), len(made.Grade.Proved))
		}
		want := 24
		if policy == placement.CollisionRelocate {
			want = pages
		}
		if len(measured) != want {
			t.Errorf("%s: %d pages measured, want %d", policy, len(measured), want)
		}
	}
}

// long is a stand-in for a file of many pages, one wider than the others, one
// with a field under the stamp's first place.
type long struct {
	storetest.Stamper
	pages, wide, covered int
}

func (l long) spread(first geometry.Place, moved bool) (out []geometry.Place) {
	for n := 1; n <= l.pages; n++ {
		p := first
		p.Page = n
		if n == l.wide {
			p.PageMM.Width = 420
		}
		if n == l.covered && !moved {
			p.Under = []geometry.Obstacle{{Kind: "field", Name: "total"}}
		}
		out = append(out, p)
	}
	return out
}

func (l long) Survey(ctx context.Context, job stamp.Job) ([]stamp.Option, error) {
	out, err := l.Stamper.Survey(ctx, job)
	for i := range out {
		out[i].Places = l.spread(out[i].Places[0], i > 0)
	}
	return out, err
}

func (l long) Stamp(ctx context.Context, job stamp.Job) (stamp.Drawn, error) {
	d, err := l.Stamper.Stamp(ctx, job)
	d.Places = l.spread(d.Places[0], false)
	return d, err
}
