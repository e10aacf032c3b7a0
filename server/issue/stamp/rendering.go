package stamp

import (
	"context"
	"fmt"
	"strings"

	"tcode/offline/geometry"
	"tcode/scanner/readback"
	"tcode/server/fault"
	"tcode/server/issue/placement"
	"tcode/server/platform/spool"
)

// A Rendering holds the differences between two PDF engines on the pages of a stamped
// file, the first maxDifferences of them. The store keeps it in its JSON form.
type Rendering struct {
	readback.Rendering
	More int `json:"more,omitempty"` // differences beyond those
	// Plain is the claim of the payload: the engines drew all pages alike, and
	// there is no other known reason for the file to show different things.
	Plain bool `json:"plain"`
}

// maxDifferences limits the stored differences of a file.
const maxDifferences = 20

// compare draws the file before and after it was stamped. The fault is
// RENDERING_CHANGED where the stamp changed what a page shows outside of its
// box, and RENDERING_DIFFERS where the engines disagree and the template
// refuses that.
func (s *Service) compare(ctx context.Context, before, after *spool.File, places []geometry.Place, policy placement.Rendering) (*Rendering, error) {
	ask := readback.Comparison{All: policy != placement.RenderingOff}
	first := map[int]bool{}
	for _, p := range proved(places) {
		first[p.Page] = true
		ask.Boxes = append(ask.Boxes, geometry.Area{Page: p.Page, Rect: p.Box})
	}
	ask.Least = len(ask.Boxes)
	for _, p := range places {
		if !first[p.Page] {
			ask.Boxes = append(ask.Boxes, geometry.Area{Page: p.Page, Rect: p.Box})
		}
	}
	c, err := s.c.Readback.Compare(ctx, before.Section(), after.Section(), ask)
	if err != nil {
		return nil, notDrawn(err)
	}
	if len(c.Changed) > 0 {
		return nil, changedFault(c.Changed)
	}
	if policy == placement.RenderingOff {
		return nil, nil
	}
	r := Rendering{Rendering: c.Rendering}
	if more := len(r.Differences) - maxDifferences; more > 0 {
		r.Differences, r.More = r.Differences[:maxDifferences], more
	}
	if policy == placement.RenderingReject && !r.Alike() {
		return &r, r.fault()
	}
	return &r, nil
}

// changedFault is the fault of a page that shows something else once it is stamped.
func changedFault(changed []readback.Difference) *fault.Fault {
	f := fault.New(fault.Rejected, fault.CodeRenderingChanged, "the stamp would change what the document shows: %s", changed[0])
	for _, d := range changed[:min(len(changed), maxDifferences)] {
		f = f.WithField("pdf", "would look different once it is stamped: %s", d)
	}
	return f
}

// fault is that of a file on which engines disagree.
func (r Rendering) fault() *fault.Fault {
	words := r.warnings()
	f := fault.New(fault.Rejected, fault.CodeRenderingDiffers, "%s", words[0])
	for _, w := range words {
		f = f.WithField("pdf", "%s", w)
	}
	return f
}

// maxRenderingWarnings bounds how many pages with differences are told one by one.
const maxRenderingWarnings = 5

// warnings returns the disagreements of the engines, the first place of each page,
// and the pages that were not compared.
func (r Rendering) warnings() []string {
	var out []string
	places, first := map[int]int{}, []readback.Difference{}
	for _, d := range r.Differences {
		if places[d.Page]++; places[d.Page] == 1 {
			first = append(first, d)
		}
	}
	for i, d := range first {
		if i == maxRenderingWarnings {
			out = append(out, fmt.Sprintf("%d more pages are drawn differently", len(first)-i))
			break
		}
		text := d.String()
		if more := places[d.Page] - 1; more > 0 {
			text += fmt.Sprintf(", and in %d more places", more)
		}
		out = append(out, text)
	}
	if r.More > 0 {
		out = append(out, fmt.Sprintf("%d more differences are not listed", r.More))
	}
	if r.Compared < r.Pages || r.NotCompared != "" {
		out = append(out, fmt.Sprintf("%d of %d pages were compared as %s draw them: %s", r.Compared, r.Pages, strings.Join(r.Engines, " and "), r.NotCompared))
	}
	return out
}
