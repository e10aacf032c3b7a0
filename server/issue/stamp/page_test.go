package stamp_test

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"image/png"
	"io"
	"testing"

	"tcode/offline/geometry"
	"tcode/scanner/readback"
	"tcode/server/fault"
	"tcode/server/issue/placement"
	"tcode/server/issue/stamp"
	"tcode/server/store/storetest"
)

// A mover stamps where the placement's point is.
type mover struct{ storetest.Stamper }

func (m mover) Stamp(ctx context.Context, job stamp.Job) (stamp.Drawn, error) {
	out, err := m.Stamper.Stamp(ctx, job)
	if s := job.Placement; err == nil && s != nil && s.XNorm != nil {
		p := &out.Places[0]
		x, y := s.Point(p.PageMM)
		dx, dy := x-p.Box.Width-p.Box.X, y-p.Box.Height-p.Box.Y // bottom right is the anchor
		for _, r := range []*geometry.Rect{&p.Box, &p.Quiet, &p.Symbol} {
			r.X, r.Y = r.X+dx, r.Y+dy
		}
	}
	return out, err
}

// drawn is a reader of A4 pages with ink in some areas.
type drawn struct {
	storetest.Readback
	ink []geometry.Rect
}

func newDrawn(ink ...geometry.Rect) drawn {
	d := drawn{ink: ink}
	d.Inked = func(a geometry.Area) float64 {
		for _, r := range ink {
			if r.Meets(a.Rect) {
				return 0.1
			}
		}
		return 0
	}
	return d
}

// Picture draws the page at 50.8 dpi: 2 px a mm.
func (d drawn) Picture(context.Context, *io.SectionReader, int) (readback.Picture, error) {
	img := image.NewRGBA(image.Rect(0, 0, 420, 594))
	for i := range img.Pix {
		img.Pix[i] = 255
	}
	for _, r := range d.ink {
		for y := int(2 * r.Y); y < int(2*(r.Y+r.Height)); y++ {
			for x := int(2 * r.X); x < int(2*(r.X+r.Width)); x++ {
				img.Set(x, y, color.Black)
			}
		}
	}
	var b bytes.Buffer
	err := png.Encode(&b, img)
	return readback.Picture{PNG: b.Bytes(), Width: 420, Height: 594, DPI: 50.8}, err
}

// TestNearest: the nearest place has the size of the first, is empty and within the margins.
func TestNearest(t *testing.T) {
	t.Parallel()
	b := storetest.New(t)
	id := b.Tenant(t, "Acme", "ACME01")
	nearest := func(ink ...geometry.Rect) (placement.Spec, bool) {
		t.Helper()
		c := b.StampConfig
		c.Stamper, c.Readback = mover{}, newDrawn(ink...)
		half := 0.5
		spec := placement.Spec{Anchor: geometry.BottomRight, XNorm: &half, YNorm: &half}
		out, ok, err := stamp.New(c).Nearest(t.Context(), id, stamp.PreviewRequest{PDF: storetest.PDF("x"), Placement: &spec})
		if err != nil {
			t.Fatal(err)
		}
		return out, ok
	}
	page := geometry.Size{Width: 210, Height: 297}
	line := geometry.Rect{X: 10, Y: 146, Width: 190, Height: 1}
	got, ok := nearest(line)
	if x, y := got.Point(page); !ok || x < 104.9 || x > 105.1 || y < 144 || y > 145.6 {
		t.Errorf("above the line: %v, %v, %v", x, y, ok)
	}
	if _, ok := nearest(geometry.Rect{X: 0, Y: 0, Width: 210, Height: 297}); ok {
		t.Error("a place on a full page")
	}
	got, ok = nearest(geometry.Rect{X: 0, Y: 12, Width: 210, Height: 270}, geometry.Rect{X: 0, Y: 0, Width: 10, Height: 297})
	if ok {
		x, y := got.Point(page)
		t.Errorf("a place that is lower than the stamp: %v, %v", x, y)
	}
}

// TestPages: a file tells the sizes of its pages, and is refused for its size.
func TestPages(t *testing.T) {
	t.Parallel()
	b := storetest.New(t)
	c := b.StampConfig
	c.MaxPDF = 100
	s := stamp.New(c)
	pages, err := s.Pages(t.Context(), storetest.PDF("x"))
	if err != nil || len(pages) != 1 || pages[0] != (geometry.Size{Width: 210, Height: 297}) {
		t.Errorf("%v, %v", pages, err)
	}
	if p, err := s.Page(t.Context(), storetest.PDF("x"), 1); err != nil || len(p.PNG) == 0 {
		t.Errorf("page: %v", err)
	}
	_, err = s.Pages(t.Context(), storetest.PDF(string(make([]byte, 200))))
	if !fault.Is(err, fault.TooLarge) {
		t.Errorf("a large file: %v", err)
	}
}

// TestUnstoredPlacement: a stamp takes a placement that is not stored, and names no
// template.
func TestUnstoredPlacement(t *testing.T) {
	t.Parallel()
	b := storetest.New(t)
	id := b.Tenant(t, "Acme", "ACME01")
	c := b.StampConfig
	c.Readback = newDrawn(geometry.Rect{Width: 210, Height: 297})
	r := storetest.Request("n")
	r.Placement = &placement.Spec{ScanSafety: &placement.ScanSafety{QuietZoneModules: 2, Collision: placement.CollisionReject, TargetDPI: 300}}
	if _, err := stamp.New(c).Create(t.Context(), id, r); fault.As(err) == nil || fault.As(err).Code != fault.CodePDFNotStampable {
		t.Errorf("its policy is not kept: %v", err)
	}
	r = storetest.Request("n")
	r.Placement = &placement.Spec{Anchor: geometry.Top}
	st, err := b.Stamps.Create(t.Context(), id, r)
	if err != nil || st.PlacementTemplateID != "" {
		t.Errorf("%+v, %v", st.PlacementTemplateID, err)
	}
	r.PlacementTemplateID = "01999999-9999-7999-8999-999999999999"
	if _, err := b.Stamps.Create(t.Context(), id, r); !fault.Is(err, fault.Invalid) {
		t.Errorf("both: %v", err)
	}
}
