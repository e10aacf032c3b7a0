package gateway_test

import (
	"encoding/json"
	"net/http"
	"os/exec"
	"strings"
	"testing"

	"tcode/cmd/internal/world"
	"tcode/offline/payload"
)

// strangerSteps are the steps of testdata/readers/live.mjs, so that none is left out.
const strangerSteps = 16

// TestStranger: a device in Node, written from the format documents alone, enrols at a
// gateway, proves the time, judges papers that the gateway stamped, sends scans, and checks
// receipts and Trust documents. It shares no code with ours.
func TestStranger(t *testing.T) {
	node := world.Need(t, "node")
	w := world.New(t, 1)
	by := w.Issuers[0]
	type stranger struct {
		Reference string `json:"reference"`
		Text      string `json:"text"`
		File      string `json:"file"`
		Verdict   string `json:"verdict"`
	}
	var papers []stranger
	for _, verdict := range []string{"valid", "revoked", "suspended"} {
		p := w.Stamp(by, verdict, world.Document(t, "letter.pdf"))
		if change := map[string]string{"revoked": "revoke", "suspended": "suspend"}[verdict]; change != "" {
			w.Call(by, http.MethodPost, "/v1/tcode/stamps/"+p.ID+"/"+change,
				map[string]any{"reason": "test"}, nil)
		}
		papers = append(papers, stranger{
			p.Reference, payload.EncodeText(p.Raw),
			w.File(verdict+".pdf", p.PDF), verdict,
		})
	}
	var template, issued struct{ Data json.RawMessage }
	var id struct{ ID string }
	w.Call(by, http.MethodPost, "/v1/trust/templates", map[string]any{
		"name": "diploma", "documentTypeCode": "DIP",
		"fields": []any{map[string]any{"key": "holder", "label": "Holder", "type": "text", "required": false}},
	}, &template)
	if err := json.Unmarshal(template.Data, &id); err != nil {
		t.Fatal(err)
	}
	w.Call(by, http.MethodPost, "/v1/trust/issuances", map[string]any{
		"templateId": id.ID, "recipientName": "Ada Lovelace", "recipientEmail": "ada@example.org", "documentTitle": "Diploma",
		"pdf":          world.Base64(world.Document(t, "letter.pdf")),
		"issuancePath": "digital", "modeType": "standard",
		"fields": []any{map[string]any{"key": "holder", "value": "Ada \u200c Lovelace"}},
	}, &issued)
	w.Republish()
	given, err := json.Marshal(map[string]any{
		"gateway": w.URL(), "papers": papers,
		"records": []json.RawMessage{issued.Data},
	})
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), node, world.Path("testdata/readers/live.mjs"),
		w.File("case.json", given)).CombinedOutput()
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if err != nil || len(lines) != strangerSteps {
		t.Errorf("%v, %d lines:\n%s", err, len(lines), out)
	}
	for _, line := range lines {
		if !strings.HasSuffix(line, " ok") {
			t.Error(line)
		}
	}
}
