package httpapi

import (
	"tcode/server/issue/stamp"

	"tcode/server/httpapi/api"
)

// renderingRecord returns a rendering as the contract shows it, nil if there is
// none.
func renderingRecord(r *stamp.Rendering) *api.TCodeRendering {
	if r == nil {
		return nil
	}
	out := &api.TCodeRendering{
		Plain: r.Plain, Engines: append([]string{}, r.Engines...), Pages: int32(r.Pages), PagesCompared: int32(r.Compared),
		NotCompared: optional(r.NotCompared), Differences: make([]api.TCodeRenderingDifference, 0, len(r.Differences)), MoreDifferences: int32(r.More),
	}
	for _, d := range r.Differences {
		out.Differences = append(out.Differences, api.TCodeRenderingDifference{Page: int32(d.Page), Area: rectRecord(d.Area), Detail: d.Detail})
	}
	return out
}
