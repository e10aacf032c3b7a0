package gateway_test

import (
	"fmt"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"tcode/cmd/internal/world"
)

// TestNoStampOverAnother: nine stamps at the default place fill the nine
// anchors, each from the second on with a warning; all nine read back. The
// gateway refuses the tenth, and a preview shows both.
func TestNoStampOverAnother(t *testing.T) {
	w := world.New(t, 1)
	home := filepath.Join(w.Dir, "home")
	w.Scanner("home").Close()
	by, pdf := w.Issuers[0], world.Sheet{}.PDF()
	stamp := func() (int, map[string]any) {
		return w.Try(by, "/v1/tcode/stamps",
			map[string]any{"name": "n", "documentTypeCode": "DIP", "pdf": world.Base64(pdf)})
	}
	preview := func() (moved bool, refusal map[string]any) {
		t.Helper()
		var seen struct {
			Data struct {
				Warnings   []string
				Refusal    map[string]any
				Collisions []struct{ Kind string }
			}
		}
		w.Call(by, http.MethodPost, "/v1/tcode/templates/placement/preview",
			map[string]any{"pdf": world.Base64(pdf), "placement": map[string]any{"name": "p"}},
			&seen)
		if seen.Data.Refusal != nil && !strings.Contains(fmt.Sprint(seen.Data.Collisions), "{stamp}") {
			t.Errorf("collisions in a preview of a refused stamp: %v", seen.Data.Collisions)
		}
		return strings.Contains(fmt.Sprint(seen.Data.Warnings), "the stamp was moved to"), seen.Data.Refusal
	}
	var references []string
	for n := 1; n <= 9; n++ {
		if moved, refusal := preview(); moved != (n > 1) || refusal != nil {
			t.Errorf("preview %d: moved %v, refused %v", n, moved, refusal)
		}
		status, answer := stamp()
		if status != http.StatusCreated {
			t.Fatalf("stamp %d: %d %v", n, status, answer)
		}
		made := answer["data"].(map[string]any)
		if warned := strings.Contains(fmt.Sprint(made["warnings"]), "where the stamp lies"); warned != (n > 1) {
			t.Errorf("stamp %d: warnings %v", n, made["warnings"])
		}
		references = append(references, made["reference"].(string))
		pdf = w.Download(by, made["id"].(string), "stamped")
	}
	status, answer := stamp()
	if status != 422 || answer["code"] != "PDF_NOT_STAMPABLE" || !strings.Contains(fmt.Sprint(answer["message"]), "none of the nine anchors is free") || !strings.Contains(fmt.Sprint(answer["message"]), "has the stamp") {
		t.Errorf("the tenth: %d %v", status, answer)
	}
	if _, refusal := preview(); refusal["code"] != "PDF_NOT_STAMPABLE" {
		t.Errorf("preview of the tenth: %v", refusal)
	}
	for _, policy := range []string{"allow", "warn", "relocate", "reject"} {
		placement := newTemplate(w, map[string]any{
			"name":       policy,
			"scanSafety": map[string]any{"collision": policy},
		})
		status, answer := w.Try(by, "/v1/tcode/stamps",
			map[string]any{
				"name": "n", "documentTypeCode": "DIP", "pdf": world.Base64(pdf),
				"placementTemplateId": placement,
			})
		if status != 422 || answer["code"] != "PDF_NOT_STAMPABLE" {
			t.Errorf("the tenth, %s: %d %v", policy, status, answer)
		}
	}
	out, _ := exec.Command(world.Program(t, "tcode-scan"), "--home", home, "verify",
		w.File("nine.pdf", pdf)).CombinedOutput()
	for i, r := range references {
		if !strings.Contains(string(out), r) {
			t.Errorf("stamp %d, %s, is not read:\n%s", i+1, r, out)
		}
	}
}
