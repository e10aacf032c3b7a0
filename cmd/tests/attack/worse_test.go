package attack_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"tcode/cmd/internal/world"
)

// TestTamperedFileLeads: a genuine stamp on a changed file is not found, on the
// device and at the gateway, whatever the gateway answers about the payload alone.
func TestTamperedFileLeads(t *testing.T) {
	w := world.New(t, 1)
	w.Scanner("home").Close()
	p := w.Stamp(w.Issuers[0], "paper", world.SmallPDF(1))
	tampered := bytes.Replace(p.PDF, []byte("Paper number 1"), []byte("Paper number 9"), 1)
	if bytes.Equal(tampered, p.PDF) {
		t.Fatal("the file was not changed")
	}
	scan := w.Scan("home")
	if out, code := scan("verify", w.File("tampered.pdf", tampered)); code != 1 ||
		!strings.Contains(out, `"verdict":"not_found"`) {
		t.Fatalf("verify: exit code %d\n%s", code, out)
	}
	if out, code := scan("sync"); code != 0 {
		t.Fatalf("sync: exit code %d\n%s", code, out)
	}
	out, _ := scan("history")
	var row map[string]any
	if err := json.Unmarshal([]byte(out), &row); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]any{
		"verdict": "not_found", "offlineVerdict": "not_found", "gatewayVerdict": "valid", "binding": "mismatch", "finding": "payload_on_other_file",
	} {
		if row[name] != want {
			t.Errorf("history: %s is %v, want %v", name, row[name], want)
		}
	}
	var page struct{ Items []map[string]any }
	w.Call(w.Issuers[0], http.MethodGet, "/v1/tcode/verify/document/"+p.Reference+
		"/scans?Finding=any", nil, &page)
	if len(page.Items) != 1 {
		t.Fatalf("scans: %v", page.Items)
	}
	for name, want := range map[string]any{
		"verdict": "not_found", "offlineVerdict": "not_found", "gatewayVerdict": "valid", "binding": "mismatch", "assurance": "none", "finding": "payload_on_other_file",
	} {
		if page.Items[0][name] != want {
			t.Errorf("gateway: %s is %v, want %v", name, page.Items[0][name], want)
		}
	}
}
