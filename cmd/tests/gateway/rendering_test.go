package gateway_test

import (
	"net/http"
	"strings"
	"testing"

	"tcode/cmd/internal/world"
)

// rendered is the part of a stamp's record about the drawing of the pages.
type rendered struct {
	ID        string
	Warnings  []string
	Rendering *struct {
		Plain         bool
		Engines       []string
		Pages         int
		PagesCompared int
		Differences   []struct {
			Page   int
			Area   *struct{ X, Y, Width, Height float64 }
			Detail string
		}
	}
}

// TestRenderingOfStamps draws real files with both engines: files that they draw alike are plain, and offline answers
// say so; differences come with page and place, and a template may refuse them.
func TestRenderingOfStamps(t *testing.T) {
	w := world.New(t, 1)
	shown := world.Stream("/Subtype/Form/BBox[0 0 300 60]/Resources<</Font<</F 5 0 R>>>>",
		"1 g 0 0 300 60 re f 0 g BT /F 24 Tf 12 20 Td (Pay 900 EUR) Tj ET")
	link := world.Sheet{
		Page: "/Annots[10 0 R]",
		More: world.Objects{10: "<</Type/Annot/Subtype/Link/Rect[60 700 360 760]/F 4/AP<</N 11 0 R>>>>", 11: shown},
	}.PDF()
	stamp := func(pdf []byte, rendering string) (int, map[string]any) {
		body := map[string]any{"name": "n", "documentTypeCode": "DIP", "pdf": world.Base64(pdf)}
		if rendering != "" {
			body["placementTemplateId"] = newTemplate(w,
				map[string]any{
					"name":       rendering,
					"scanSafety": map[string]any{"rendering": rendering},
				})
		}
		return w.Try(w.Issuers[0], "/v1/tcode/stamps", body)
	}
	record := func(answer map[string]any) (r struct{ Data rendered }) {
		id, _ := answer["data"].(map[string]any)["id"].(string)
		w.Call(w.Issuers[0], http.MethodGet, "/v1/tcode/stamps/"+id, nil, &r)
		return r
	}

	status, answer := stamp(world.Document(t, "letter.pdf"), "reject")
	if status != http.StatusCreated {
		t.Fatalf("letter: %d %v", status, answer)
	}
	plain := record(answer).Data
	if r := plain.Rendering; r == nil || !r.Plain || len(r.Engines) != 2 || r.Pages != 1 || r.PagesCompared != 1 || len(r.Differences) != 0 || len(plain.Warnings) != 0 {
		t.Errorf("letter: %+v", plain)
	}
	w.Republish()
	scan := w.ScanFiles("phone")
	if got := scan("letter.pdf", w.Download(w.Issuers[0], plain.ID, "stamped"),
		"--require-plain"); got.Exit != 0 || !strings.Contains(got.Out, "✓ VALID") {
		t.Errorf("letter, verified: %+v", got)
	}
	status, answer = stamp(world.Document(t, "letter.pdf"), "off")
	if off := record(answer).Data; status != http.StatusCreated || off.Rendering != nil {
		t.Errorf("letter, not compared: %d %+v", status, off)
	}

	status, answer = stamp(link, "")
	if status != http.StatusCreated {
		t.Fatalf("link: %d %v", status, answer)
	}
	seen := record(answer).Data
	if r := seen.Rendering; r == nil || r.Plain || len(r.Differences) == 0 || r.Differences[0].Page != 1 || r.Differences[0].Area == nil || r.Differences[0].Area.Y > 60 {
		t.Errorf("link: %+v", seen)
	}
	if all := strings.Join(seen.Warnings, "; "); !strings.Contains(all, "page 1") || !strings.Contains(all, "MuPDF and PDFium draw it differently") {
		t.Errorf("link: warnings %q", all)
	}
	if status, answer = stamp(link, "reject"); status != http.StatusUnprocessableEntity || answer["code"] != "RENDERING_DIFFERS" {
		t.Errorf("link, refused: %d %v", status, answer)
	}

	if got := scan("link.pdf", w.Download(w.Issuers[0], seen.ID, "stamped"),
		"--require-plain"); got.Exit != 1 || strings.Contains(got.Out, "✓ VALID") ||
		!strings.Contains(got.Out, "page 1") {
		t.Errorf("link, verified: %+v", got)
	}
}
