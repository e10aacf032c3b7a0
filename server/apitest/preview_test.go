package apitest

import (
	"bytes"
	"math"
	"net/http"
	"testing"

	"tcode/offline/geometry"
	"tcode/scanner/readback"
	"tcode/server"
	"tcode/server/internal/harness"
	"tcode/server/issue/stamp"
	"tcode/server/store/storetest"
	"tcode/server/tenant"
)

const previewPath = "/v1/tcode/templates/placement/preview"

// preview requests a preview of a page with the placement, which has a name.
func preview(r *harness.Rig, key string, placement map[string]any, header http.Header) harness.Answer {
	r.T.Helper()
	body := map[string]any{"pdf": harness.PDFBase64("preview")}
	if placement != nil {
		placement["name"] = "preview"
		body["placement"] = placement
	}
	return r.Do(harness.Request{Method: "POST", Path: previewPath, Key: key, Body: body, Header: header})
}

// TestPreview: a preview shows the place of the stamp and its grade. It stores no
// stamp and no file, and the month's count does not change.
//
//engine:sqlite the drawn page decides, not rows
func TestPreview(t *testing.T) {
	t.Parallel()
	r := harness.Start(t)
	key := r.Tenant("ACME01")
	got := r.Want(preview(r, key, map[string]any{"anchor": "top-left"}, nil), http.StatusOK).Data()
	place := got["places"].([]any)[0].(map[string]any)
	box, symbol := place["box"].(map[string]any), place["symbol"].(map[string]any)
	if box["x"] != 10.0 || box["y"] != 10.0 || symbol["width"] != 15.0 || place["page"] != 1.0 || place["caption"] != nil || got["modules"] != 40.0 {
		t.Errorf("place %v of %v modules", place, got["modules"])
	}
	if grade := got["grade"].(map[string]any); grade["letter"] != "A" || got["refusal"] != nil || got["page"] != 1.0 {
		t.Errorf("grade %v, refusal %v, page %v", grade, got["refusal"], got["page"])
	}
	png := r.Want(preview(r, key, nil, http.Header{"Accept": {"image/png"}}), http.StatusOK)
	if png.Header.Get("Content-Type") != "image/png" || !bytes.HasPrefix(png.Raw, []byte("\x89PNG")) {
		t.Errorf("as a picture: %s %.20q", png.Header.Get("Content-Type"), png.Raw)
	}
	list := r.Want(r.Get(key, "/v1/tcode/stamps"), http.StatusOK)
	if list.Body["totalCount"] != 0.0 {
		t.Errorf("%v stamps after previews", list.Body["totalCount"])
	}
	usage, err := r.Admin.Tenants.Usage(t.Context(), "ACME01", 0)
	must(t, err)
	for _, u := range usage {
		if u.Kind == tenant.KindStamps && u.Used != 0 {
			t.Errorf("previews were counted as %d stamps", u.Used)
		}
	}
}

//engine:sqlite the drawn page decides, not rows
func TestPreviewProblems(t *testing.T) {
	t.Parallel()
	r := harness.Start(t)
	key := r.Tenant("ACME01")
	tests := []struct {
		name, field string
		body        map[string]any
		status      int
		code        string
	}{
		{"no file", "pdf", map[string]any{}, 400, "VALIDATION_FAILED"},
		{"an empty file", "pdf", map[string]any{"pdf": ""}, 400, "VALIDATION_FAILED"},
		{"no PDF", "", map[string]any{"pdf": "AAAA"}, 400, "INVALID_PDF"},
		{"placement", "placement.xNorm", map[string]any{"pdf": harness.PDFBase64("x"), "placement": map[string]any{"name": "n", "xNorm": 0.5}}, 400, "VALIDATION_FAILED"},
		{"alias", "placement.width", map[string]any{"pdf": harness.PDFBase64("x"), "placement": map[string]any{"name": "n", "width": 0.5, "wNorm": 0.5}}, 400, "VALIDATION_FAILED"},
		{"two placements", "placement", map[string]any{"pdf": harness.PDFBase64("x"), "placement": map[string]any{"name": "n"}, "placementTemplateId": anonymous}, 400, "VALIDATION_FAILED"},
		{"page not stamped", "page", map[string]any{"pdf": harness.PDFBase64("x"), "page": 2}, 400, "VALIDATION_FAILED"},
		{"no such page", "", map[string]any{"pdf": harness.PDFBase64("x"), "placement": map[string]any{"name": "n", "page": "3"}}, 422, "PDF_NOT_STAMPABLE"},
		{"unknown template", "placementTemplateId", map[string]any{"pdf": harness.PDFBase64("x"), "placementTemplateId": anonymous}, 404, "NOT_FOUND"},
	}
	for _, tt := range tests {
		a := r.WantCode(r.Post(key, previewPath, tt.body), tt.status, tt.code)
		if errors, _ := a.Body["errors"].(map[string]any); tt.field != "" && errors[tt.field] == nil {
			t.Errorf("%s: errors %v, want one at %s", tt.name, errors, tt.field)
		}
	}
}

// TestPreviewRefusal: a preview shows a placement that a stamp request would
// refuse, with the words of the refusal.
//
//engine:sqlite the drawn page decides, not rows
func TestPreviewRefusal(t *testing.T) {
	t.Parallel()
	full, blind := storetest.Readback{Inked: func(geometry.Area) float64 { return 0.25 }}, storetest.Readback{
		Sees: func(_ readback.Request, at readback.Target) (readback.Reading, error) {
			return readback.Reading{Page: at.Page, Reason: "it is blurred"}, nil
		},
	}
	small := map[string]any{"wNorm": 0.05, "scanSafety": map[string]any{"minModuleMm": 0.3}}
	policy := func(word string) map[string]any {
		return map[string]any{"scanSafety": map[string]any{"collision": word}}
	}
	tests := []struct {
		name       string
		proof      stamp.Readback
		placement  map[string]any
		refusal    any
		letter     string
		collisions int
		warnings   int
	}{
		{"warn", full, policy("warn"), nil, "A", 1, 1},
		{"allow", full, policy("allow"), nil, "A", 1, 0},
		{"reject", full, policy("reject"), "PDF_NOT_STAMPABLE", "A", 1, 1},
		{"relocate", full, policy("relocate"), "PDF_NOT_STAMPABLE", "A", 1, 1},
		{"unreadable", blind, nil, "STAMP_UNREADABLE", "F", 0, 0},
		{"modules too small", storetest.Readback{}, small, "CONFIGURATION_MISMATCH", "D", 0, 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := harness.Start(t, func(c *server.Config) { c.Readback = tt.proof })
			key := r.Tenant("ACME01")
			got := r.Want(preview(r, key, tt.placement, nil), http.StatusOK).Data()
			var code any
			if refusal, ok := got["refusal"].(map[string]any); ok {
				code = refusal["code"]
			}
			if code != tt.refusal || got["grade"].(map[string]any)["letter"] != tt.letter {
				t.Errorf("refusal %v, grade %v", got["refusal"], got["grade"])
			}
			if len(got["collisions"].([]any)) != tt.collisions || len(got["warnings"].([]any)) != tt.warnings {
				t.Errorf("collisions %v, warnings %v", got["collisions"], got["warnings"])
			}
		})
	}
}

// TestPreviewHonoursScanSafety: a preview draws the narrowest module and the quiet
// zone of the placement.
//
//engine:sqlite the drawn page decides, not rows
func TestPreviewHonoursScanSafety(t *testing.T) {
	t.Parallel()
	r := harness.Start(t)
	key := r.Tenant("ACME01")
	for _, tt := range []struct {
		least, quiet        float64
		module, side, outer float64 // mm
	}{{0.5, 4, 0.5, 20, 24}, {0.2, 1, 0.375, 15, 15.75}} {
		got := r.Want(preview(r, key, map[string]any{"scanSafety": map[string]any{"minModuleMm": tt.least, "quietZoneModules": tt.quiet}}, nil), http.StatusOK).Data()
		place := got["places"].([]any)[0].(map[string]any)
		side, outer := place["symbol"].(map[string]any)["width"].(float64), place["quietZone"].(map[string]any)["width"].(float64)
		if module := place["moduleMm"].(float64); math.Abs(module-tt.module) > 1e-9 || math.Abs(side-tt.side) > 1e-9 || math.Abs(outer-tt.outer) > 1e-9 {
			t.Errorf("%+v: modules of %g mm, symbol %g mm, with quiet zone %g mm", tt, module, side, outer)
		}
	}
}
