package apitest

import (
	"bytes"
	"encoding/base64"
	"os"
	"path/filepath"
	"testing"

	"tcode/offline/binding"
	"tcode/offline/payload"
	"tcode/server/internal/harness"
	"tcode/server/pdfstamp"
	"tcode/sync/wire"
)

// leastDocuments is the least number of documents; fewer mean that the folder moved.
const leastDocuments = 7

// TestDocuments stamps the project's own documents over HTTP and checks the
// stamped files as a device does: the stamp is bound to the bytes of its file,
// and the contents of the original have not changed.
func TestDocuments(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../testdata/documents/*.pdf")
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < leastDocuments {
		t.Fatalf("found %d documents, want at least %d", len(files), leastDocuments)
	}
	r := harness.Start(t)
	key := r.Tenant("ACME01")
	for _, file := range files {
		original, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		a := r.Post(key, "/v1/tcode/stamps", map[string]any{
			"name": filepath.Base(file), "documentTypeCode": "DIP", "pdf": base64.StdEncoding.EncodeToString(original),
		})
		if a.StatusCode != 201 {
			t.Errorf("%s: %d %s", file, a.StatusCode, a.Raw)
			continue
		}
		st := a.Data()
		if modules := st["barcode"].(map[string]any)["modules"]; modules != 40.0 {
			t.Errorf("%s: %v modules, want 40", file, modules)
		}
		stamped := r.Download(key, st["id"].(string), "stamped")
		if added := len(stamped) - len(original); !bytes.HasPrefix(stamped, original) || added > 8<<10 {
			t.Errorf("%s: %d bytes added, original kept: %v", file, added, bytes.HasPrefix(stamped, original))
		}
		text := string(r.Download(key, st["id"].(string), "payload"))
		raw, err := wire.PayloadBytes(text)
		if err != nil {
			t.Fatal(err)
		}
		p, err := payload.Parse(raw)
		if err != nil {
			t.Fatal(err)
		}
		symbol, err := pdfstamp.Symbol(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := binding.Check(stamped, p, symbol); got.State != binding.Match {
			t.Errorf("%s: %+v, want a match", file, got)
		}
		for _, hash := range []string{"stampedSha256", "originalSha256"} {
			v := r.Want(r.Get("", "/v1/tcode/verify/hash/"+st[hash].(string)), 200).Data()
			if v["verdict"] != "valid" || v["reference"] != st["reference"] {
				t.Errorf("%s by its %s: %v", file, hash, v)
			}
		}
	}
}
