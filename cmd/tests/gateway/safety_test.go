package gateway_test

import (
	"bytes"
	"fmt"
	"image/png"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"tcode/cmd/internal/world"
)

// painted returns an A4 page with ink in a rectangle, in points from the bottom left.
func painted(x, y, width, height float64) []byte {
	return world.Sheet{More: world.Objects{4: world.Stream("",
		fmt.Sprintf("%s 0.2 g %g %g %g %g re f", world.SheetText, x, y, width, height))}}.PDF()
}

// TestUnreadableStampsStay: a covered stamp is not delivered, and nothing of it
// is stored.
func TestUnreadableStampsStay(t *testing.T) {
	w := world.New(t, 1)
	covered := world.Sheet{Page: "/Annots[<</Type/Annot/Subtype/Square/T(Approved)/F 4/Rect[500 10 595 100]/IC[1 1 1]/C[1 1 1]>>]"}.PDF()
	status, answer := w.Try(w.Issuers[0], "/v1/tcode/stamps",
		map[string]any{"name": "n", "documentTypeCode": "DIP", "pdf": world.Base64(covered)})
	if status != 422 || answer["code"] != "STAMP_UNREADABLE" || !strings.Contains(fmt.Sprint(answer["message"]), `"Approved" covers it`) {
		t.Errorf("%d %v", status, answer)
	}
	var list struct{ TotalCount int }
	if w.Call(w.Issuers[0], http.MethodGet, "/v1/tcode/stamps", nil, &list); list.TotalCount != 0 {
		t.Errorf("%d stamps are kept", list.TotalCount)
	}
	// There is room elsewhere on the page.
	p, _ := w.StampAt(covered, map[string]any{
		"name":       "n",
		"scanSafety": map[string]any{"collision": "relocate"},
	})
	w.Scanner("home").Close()
	out, err := exec.Command(world.Program(t, "tcode-scan"), "--home", filepath.Join(w.Dir, "home"),
		"verify", w.File("moved.pdf", p.PDF)).CombinedOutput()
	if world.ExitCode(t, err) != 0 || !strings.Contains(string(out), "VALID") {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestCollisionPolicies: a page whose bottom right is full of ink.
func TestCollisionPolicies(t *testing.T) {
	w := world.New(t, 1)
	full := painted(400, 0, 195, 300)
	tests := []struct {
		policy   string
		refusal  any
		x, y     float64 // of the box, mm, approximately
		warnings string
	}{
		{"allow", nil, 183.4, 270.4, ""},
		{"warn", nil, 183.4, 270.4, "page 1 is not empty under the stamp (100 % ink)"},
		{"reject", "PDF_NOT_STAMPABLE", 183.4, 270.4, "page 1 is not empty under the stamp (100 % ink)"},
		{"relocate", nil, 96.7, 270.4, "the stamp was moved to bottom: page 1 is not empty under the stamp (100 % ink)"},
	}
	for _, tt := range tests {
		t.Run(tt.policy, func(t *testing.T) {
			placement := map[string]any{"name": tt.policy, "scanSafety": map[string]any{"collision": tt.policy, "rendering": "off"}}
			var seen struct {
				Data struct {
					PNG      []byte
					DPI      float64
					Refusal  *struct{ Code string }
					Warnings []string
					Places   []struct{ Box struct{ X, Y float64 } }
				}
			}
			w.Call(w.Issuers[0], http.MethodPost, "/v1/tcode/templates/placement/preview",
				map[string]any{"pdf": world.Base64(full), "placement": placement}, &seen)
			d := seen.Data
			if got := strings.Join(d.Warnings, "; "); got != tt.warnings {
				t.Errorf("warnings %q, want %q", got, tt.warnings)
			}
			if (d.Refusal == nil) != (tt.refusal == nil) || d.Refusal != nil && d.Refusal.Code != tt.refusal {
				t.Errorf("refusal %v, want %v", d.Refusal, tt.refusal)
			}
			at := d.Places[0].Box
			if at.X < tt.x-0.5 || at.X > tt.x+0.5 || at.Y < tt.y-0.5 || at.Y > tt.y+0.5 {
				t.Errorf("box at %.1f, %.1f mm, want %.1f, %.1f", at.X, at.Y, tt.x, tt.y)
			}
			img, err := png.Decode(bytes.NewReader(d.PNG))
			if err != nil {
				t.Fatal(err)
			}
			// This is the solid lower side of the symbol, half a module from its edge.
			px := d.DPI / 25.4
			if r, _, _, _ := img.At(int((at.X+8)*px), int((at.Y+15.55)*px)).RGBA(); r > 0x4000 {
				t.Errorf("no symbol in the picture: %x", r)
			}
			status, answer := w.Try(w.Issuers[0], "/v1/tcode/stamps", map[string]any{
				"name": "n", "documentTypeCode": "DIP", "pdf": world.Base64(full), "placementTemplateId": newTemplate(w, placement),
			})
			if want := map[bool]int{true: 201, false: 422}[tt.refusal == nil]; status != want || answer["code"] != tt.refusal {
				t.Errorf("stamping: %d %v, want %d", status, answer, want)
			}
		})
	}
}

// newTemplate stores a placement template and returns its id.
func newTemplate(w *world.World, placement map[string]any) string {
	w.T.Helper()
	var made struct{ Data struct{ ID string } }
	w.Call(w.Issuers[0], http.MethodPost, "/v1/tcode/templates/placement", placement, &made)
	return made.Data.ID
}

// TestSignedFields: fields that a TDoc template signs are in the symbol, which
// grows, and a scanner without a network shows them with the labels from the
// trust documents.
func TestSignedFields(t *testing.T) {
	w := world.New(t, 1)
	home := filepath.Join(w.Dir, "home")
	w.Down() // changes are published before the first answer
	labels := exec.Command(world.Program(t, "tcode-gateway"), "--data", w.Data, "document-type",
		"add", "DIP", "--name", "en=Diploma", "--name", "de=Diplom",
		"--label", "holder.en=Holder", "--label", "holder.de=Inhaberin")
	if out, err := labels.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	w.Start()
	var tdoc struct{ Data struct{ ID string } }
	w.Call(w.Issuers[0], http.MethodPost, "/v1/tcode/templates/tdoc",
		map[string]any{"name": "diplomas", "customFields": []any{
			map[string]any{"key": "holder", "label": "Holder", "type": "text", "required": true, "inPayload": true},
			map[string]any{"key": "degree", "label": "Degree", "type": "text", "inPayload": true},
			map[string]any{"key": "note", "label": "Note", "type": "text"},
		}}, &tdoc)
	body := map[string]any{
		"name": "n", "documentTypeCode": "DIP", "tdocTemplateId": tdoc.Data.ID,
		"pdf": world.Base64(world.Document(t, "letter.pdf")),
		"fields": []any{
			map[string]any{"key": "holder", "value": "Ada Lovelace"},
			map[string]any{"key": "degree", "value": "Master of Science in Mathematics"},
			map[string]any{"key": "note", "value": "not for scanners"},
		},
	}
	var made struct {
		Data struct {
			ID      string
			Barcode struct{ Modules, ModuleMM, SizeMM float64 }
			Grade   struct{ Letter string }
		}
	}
	w.Call(w.Issuers[0], http.MethodPost, "/v1/tcode/stamps", body, &made)
	if b := made.Data.Barcode; b.Modules != 52 || b.ModuleMM != 0.375 || b.SizeMM != 19.5 || made.Data.Grade.Letter != "A" {
		t.Errorf("barcode %+v, grade %s; want 52 modules of 0.375 mm, A", b, made.Data.Grade.Letter)
	}
	w.Scanner("home").Close()
	file := w.File("fields.pdf", w.Download(w.Issuers[0], made.Data.ID, "stamped"))
	body["externalId"] = "another" // the same values would be a duplicate
	// These bounds leave less than the template's narrowest module.
	body["placementTemplateId"] = newTemplate(w,
		map[string]any{
			"name": "small", "wNorm": 0.07,
			"scanSafety": map[string]any{"minModuleMm": 0.3},
		})
	status, answer := w.Try(w.Issuers[0], "/v1/tcode/stamps", body)
	if status != 422 || answer["code"] != "CONFIGURATION_MISMATCH" || answer["errors"].(map[string]any)["fields"] == nil {
		t.Errorf("too many fields for the space: %d %v", status, answer)
	}
	w.Down()

	for _, tt := range []struct{ lang, label string }{{"en", "Holder"}, {"de", "Inhaberin"}} {
		out, err := exec.Command(world.Program(t, "tcode-scan"), "--home", home, "verify", "--lang",
			tt.lang, file).CombinedOutput()
		if text := string(out); world.ExitCode(t, err) != 0 ||
			!strings.Contains(text, tt.label+" ") || !strings.Contains(text, "Ada Lovelace") ||
			!strings.Contains(text, "Master of Science in Mathematics") || strings.Contains(text, "not for scanners") {
			t.Errorf("verify --lang %s:\n%s", tt.lang, text)
		}
		out, err = exec.Command(world.Program(t, "tcode-scan"), "--home", home, "--json", "verify",
			"--lang", tt.lang, file).Output()
		want := `{"key":"holder","label":"` + tt.label + `","value":"Ada Lovelace"}`
		if world.ExitCode(t, err) != 0 || !strings.Contains(string(out), want) {
			t.Errorf("verify --json --lang %s lacks %s:\n%s", tt.lang, want, out)
		}
	}
}
