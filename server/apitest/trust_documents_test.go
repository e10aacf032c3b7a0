package apitest

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/pem"
	"fmt"
	"io/fs"
	"math/big"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tcode/server/internal/harness"
	"tcode/server/store/storetest"
	"tcode/server/tenant"
)

// A notary sends requests about one gateway's Trust documents.
type notary struct{ *world }

func (n notary) post(path string, body any) harness.Answer {
	n.T.Helper()
	return n.Post(n.Key, path, body)
}

// verdict returns the verdict on a reference, requested without a key.
func (n notary) verdict(reference any) map[string]any {
	n.T.Helper()
	return n.Want(n.Post("", "/v1/trust/verify/by-reference", map[string]any{"reference": reference}), 200).Data()
}

// says fails the test unless the document has that verdict.
func (n notary) says(reference any, want string) {
	n.T.Helper()
	if got := n.verdict(reference); got["verdict"] != want {
		n.T.Errorf("verdict %v, want %s: %v", got["verdict"], want, got)
	}
}

// act does a lifecycle action.
func (n notary) act(id any, action string, status int) harness.Answer {
	n.T.Helper()
	return n.Want(n.post(fmt.Sprint(harness.DocumentsPath, "/", id, "/lifecycle"), map[string]any{"action": action, "reason": "because"}), status)
}

// TestTrustDocuments follows a digital document, one on paper and a replaced one
// through their lives, and checks all answers about them.
func TestTrustDocuments(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, e storetest.Engine) {
		n := notary{newWorldOn(t, e)}
		doc := n.Want(n.Get(n.Key, harness.DocumentsPath+"/"+n.Document.Id.String()), 200).Data()
		n.checkSignature(doc)
		if file := n.Want(n.Get(n.Key, fmt.Sprint(harness.DocumentsPath, "/", doc["id"], "/download")), 200).Data(); file["sha256"] != doc["pdfSha256"] {
			t.Errorf("download %v of %v", file, doc)
		}
		n.says(doc["reference"], "valid")
		n.says(strings.ToLower(strings.ReplaceAll(doc["reference"].(string), "-", "")), "valid")
		n.says("TRF-0000000000000000", "not_found")
		for _, hash := range []any{doc["contentSha256"], doc["pdfSha256"]} {
			if got := n.Want(n.Post("", "/v1/trust/verify/by-hash", map[string]any{"hash": hash}), 200).Data(); got["reference"] != doc["reference"] || got["matchedOn"] == nil {
				t.Errorf("by hash: %v", got)
			}
		}

		n.act(doc["id"], "suspend", 204)
		n.says(doc["reference"], "suspended")
		n.act(doc["id"], "reactivate", 204)
		n.act(doc["id"], "reinstate", 204) // again, which is no error
		n.says(doc["reference"], "valid")
		n.act(doc["id"], "expire", 204)
		n.says(doc["reference"], "expired")
		n.WantCode(n.act(doc["id"], "reinstate", 409), 409, "INVALID_TRANSITION")

		b := n.IssuanceBody()
		b["issuancePath"] = "both"
		paper := n.Issued(b)
		stamp := paper["stamp"].(map[string]any)
		n.checkSignature(paper)
		text := string(n.Download(n.Key, stamp["id"].(string), "payload"))
		scan := n.Want(n.Post("", "/v1/tcode/verify", map[string]any{"payload": text}), 200).Data()
		if scan["verdict"] != "valid" || scan["reference"] != stamp["reference"] || scan["trustDocument"] != paper["reference"] {
			t.Errorf("the symbol: %v", scan)
		}
		c := n.replacementBody()
		delete(c, "externalId")
		next := n.Want(n.post(fmt.Sprint(harness.DocumentsPath, "/", paper["id"], "/replace"), c), 200).Data()
		if next["replaces"] != paper["reference"] || next["externalId"] != paper["externalId"] {
			t.Errorf("successor %v", next)
		}
		if got := n.verdict(paper["reference"]); got["verdict"] != "revoked" || got["replacedBy"] != next["reference"] {
			t.Errorf("replaced: %v", got)
		}
		scan = n.Want(n.Post("", "/v1/tcode/verify", map[string]any{"payload": text}), 200).Data()
		if scan["verdict"] != "revoked" || scan["replacedBy"] != next["reference"] {
			t.Errorf("the replaced symbol: %v", scan)
		}
		for _, ref := range []any{paper["reference"], stamp["reference"], next["reference"]} {
			page := n.Want(n.Get("", fmt.Sprint("/d/", ref)), 200)
			if !strings.Contains(string(page.Raw), ref.(string)) || !strings.Contains(string(page.Raw), "recipient") {
				t.Errorf("page of %s:\n%s", ref, page.Raw)
			}
		}
		n.listed(map[string]int{"": 3, "Status=Expired": 1, "Status=revoked,active": 2, "Search=" + next["reference"].(string): 1, "FieldName=holder": 3, "TemplateId=" + n.Trust: 3})
		n.inHistory()
	})
}

// checkSignature checks a document as a stranger does: only with its record and
// the reference data.
func (n notary) checkSignature(doc map[string]any) {
	n.T.Helper()
	s := doc["signature"].(map[string]any)
	keys := n.Want(n.Get("", "/v1/reference-data/public-keys"), 200).Body["items"].([]any)
	signature, err := base64.RawURLEncoding.DecodeString(s["value"].(string))
	if err != nil {
		n.T.Fatal(err)
	}
	message, good := []byte("TCode-Trust/1\n"+s["canonical"].(string)), false
	for _, k := range keys {
		k := k.(map[string]any)
		block, _ := pem.Decode([]byte(k["publicKeyPem"].(string)))
		public, err := x509.ParsePKIXPublicKey(block.Bytes)
		if err != nil {
			n.T.Fatal(err)
		}
		sum := sha256.Sum256(message)
		switch public := public.(type) {
		case ed25519.PublicKey:
			good = good || k["keyId"] == s["keyId"] && ed25519.Verify(public, message, signature)
		case *ecdsa.PublicKey:
			good = good || k["keyId"] == s["keyId"] && ecdsa.Verify(public, sum[:], new(big.Int).SetBytes(signature[:32]), new(big.Int).SetBytes(signature[32:]))
		}
	}
	sum := sha256.Sum256([]byte(s["canonical"].(string)))
	if !good || hex.EncodeToString(sum[:]) != doc["contentSha256"] || !strings.Contains(s["canonical"].(string), doc["recipientName"].(string)) {
		n.T.Errorf("the record does not prove itself: %v", doc)
	}
}

// listed counts lists by their filters.
func (n notary) listed(want map[string]int) {
	n.T.Helper()
	for filter, count := range want {
		if got := n.Want(n.Get(n.Key, harness.DocumentsPath+"?"+filter), 200).Body["totalCount"]; got != float64(count) {
			n.T.Errorf("%q lists %v documents, want %d", filter, got, count)
		}
	}
}

// inHistory waits for the history of documents, which only their tenant can read.
func (n notary) inHistory() {
	n.T.Helper()
	list := func(key string) map[string]any {
		return n.Want(n.Get(key, "/v1/trust/verify/history?pageSize=100"), 200).Body
	}
	got := map[string]any{}
	for late := time.Now().Add(time.Minute); got["totalCount"] != 11.0; { // within a second
		if got = list(n.Key); time.Now().After(late) {
			n.T.Fatalf("the history does not fill: %v", got["totalCount"])
		}
	}
	for _, item := range got["items"].([]any) {
		if ref := item.(map[string]any)["reference"].(string); !strings.HasPrefix(ref, "TRF-") {
			n.T.Errorf("%s in the history of documents", ref)
		}
	}
	for _, key := range []string{"", n.Tenant("OTHER1")} {
		if other := list(key); other["totalCount"] != 0.0 {
			n.T.Errorf("a stranger sees %v", other)
		}
	}
}

// TestTrustTemplates: a change of a template affects only new documents, and an
// archived template issues none.
func TestTrustTemplates(t *testing.T) {
	t.Parallel()
	n := notary{newWorld(t)}
	id := n.FreshTrustTemplate()
	path := harness.TrustTemplatesPath + "/" + id
	b := n.IssuanceBody()
	b["templateId"] = id
	before := n.Issued(b)
	put := func(body map[string]any, header http.Header) harness.Answer {
		return n.Do(harness.Request{Method: "PUT", Path: path, Key: n.Key, Body: body, Header: header})
	}
	change := map[string]any{"name": "Diploma", "fields": []any{map[string]any{"key": "degree", "type": "date", "required": true}}}
	n.WantCode(put(change, http.Header{"If-Match": {`"7"`}}), 412, "PRECONDITION_FAILED")
	updated := n.Want(put(change, http.Header{"If-Match": {`"1"`}}), 200)
	if updated.Data()["version"] != 2.0 || updated.Header.Get("ETag") != `"2"` || updated.Data()["documentTypeCode"] != "DIP" || updated.Data()["description"] != nil {
		t.Errorf("updated %s", updated.Raw)
	}
	change["documentTypeCode"] = "INV"
	n.WantCode(put(change, nil), 400, "VALIDATION_FAILED")
	b = n.IssuanceBody()
	b["templateId"] = id
	mismatch := n.WantCode(n.post(harness.DocumentsPath, b), 422, "FIELD_SCHEMA_MISMATCH")
	if errors := mismatch.Body["errors"].(map[string]any); errors["fields[0].key"] == nil || errors["fields"] == nil {
		t.Errorf("errors %v", errors)
	}
	if after := n.Want(n.Get(n.Key, harness.DocumentsPath+"/"+before["id"].(string)), 200); fmt.Sprint(after.Data()) != fmt.Sprint(before) {
		t.Errorf("the earlier document has changed:\n%v\n%v", after.Data(), before)
	}
	n.WantCode(n.post(path+"/archive", map[string]any{}), 400, "VALIDATION_FAILED")
	n.Want(n.post(path+"/archive", map[string]any{"reason": "superseded"}), 204)
	b["fields"] = []any{map[string]any{"key": "degree", "value": "2026-01-31"}}
	n.WantCode(n.post(harness.DocumentsPath, b), 422, "TEMPLATE_ARCHIVED")
	n.says(before["reference"], "valid")
	n.Want(n.post(path+"/unarchive", nil), 204)
	n.Want(n.post(harness.DocumentsPath, b), 201)

	placement := n.Made(placementPath, placementBody())
	placed := n.Want(n.Do(harness.Request{Method: "PUT", Path: path + "/placement", Key: n.Key, Body: map[string]any{"placementTemplateId": placement}}), 200).Data()
	copied := n.Want(n.post(path+"/duplicate", nil), 200).Data()
	if placed["placementTemplateId"] != placement || copied["placementTemplateId"] != placement || copied["name"] != "Diploma (copy)" || copied["version"] != 1.0 {
		t.Errorf("placed %v, copied %v", placed, copied)
	}
	n.WantCode(n.Do(harness.Request{Method: "PUT", Path: path + "/placement", Key: n.Key, Body: map[string]any{"placementTemplateId": anonymous}}), 404, "NOT_FOUND")
	n.Want(n.Do(harness.Request{Method: "PUT", Path: path + "/placement", Key: n.Key, Body: map[string]any{"placementTemplateId": nil}}), 200)
	columns := n.Want(n.Get(n.Key, path+"/csv-fields"), 200)
	csv := n.Want(n.Do(harness.Request{Method: "GET", Path: path + "/csv-fields", Key: n.Key, Header: http.Header{"Accept": {"text/csv"}}}), 200)
	if list := columns.Body["data"].([]any); len(list) != 8 || !strings.HasPrefix(string(csv.Raw), mark+"recipientName,recipientEmail,") || !strings.Contains(string(csv.Raw), ",degree\r\n") {
		t.Errorf("columns %v, %s", list, csv.Raw)
	}
	n.Want(n.Do(harness.Request{Method: "DELETE", Path: path, Key: n.Key}), 204)
	n.WantCode(n.Get(n.Key, path), 404, "NOT_FOUND")
	n.says(before["reference"], "valid")
}

// TestTrustDuplicates: a gateway refuses a second document with the same external
// id, or with the values of a document that stands, and names the reference of
// the first.
func TestTrustDuplicates(t *testing.T) {
	t.Parallel()
	n := notary{newWorld(t)}
	duplicate := func(a harness.Answer, of any) {
		t.Helper()
		if n.WantCode(a, 409, "DUPLICATE"); a.Body["reference"] != of {
			t.Errorf("reference %v, want %v", a.Body["reference"], of)
		}
	}
	plain := map[string]any{"templateId": n.Trust, "recipientName": "Ada", "fields": []any{map[string]any{"key": "holder", "value": "Ada"}}}
	first := n.Want(n.post(harness.DocumentsPath, plain), 201).Data()
	files := filesIn(t, filepath.Join(n.Dir, "files"))
	plain["pdf"], plain["issuancePath"] = harness.PDFBase64("a diploma"), "both"
	duplicate(n.post(harness.DocumentsPath, plain), first["reference"])
	if after := filesIn(t, filepath.Join(n.Dir, "files")); after != files {
		t.Errorf("the refused request left %d files", after-files)
	}
	delete(plain, "pdf")
	delete(plain, "issuancePath")
	duplicate(n.post(harness.DocumentsPath+"/duplicate-check", map[string]any{"templateId": n.Trust, "fields": plain["fields"]}), first["reference"])
	n.Want(n.post(harness.DocumentsPath+"/duplicate-check", map[string]any{"templateId": n.Trust, "fields": plain["fields"], "recipientName": "Grace"}), 200)
	plain["externalId"] = "another"
	other := n.Want(n.post(harness.DocumentsPath, plain), 201).Data()
	plain["recipientName"] = "Grace"
	duplicate(n.post(harness.DocumentsPath, plain), other["reference"])
	duplicate(n.post(harness.DocumentsPath+"/duplicate-check", map[string]any{"templateId": n.Trust, "externalId": "another"}), other["reference"])
	n.act(other["id"], "revoke", 204)
	n.act(first["id"], "revoke", 204)
	n.Want(n.post(harness.DocumentsPath+"/duplicate-check", map[string]any{"templateId": n.Trust, "fields": plain["fields"]}), 200)
	delete(plain, "externalId")
	plain["recipientName"] = "Ada"
	ends := time.Now().Add(3 * time.Second)
	plain["expiresAt"] = ends.UTC().Format(time.RFC3339)
	short := n.Want(n.post(harness.DocumentsPath, plain), 201).Data()
	delete(plain, "expiresAt")
	duplicate(n.post(harness.DocumentsPath, plain), short["reference"])
	for a := n.post(harness.DocumentsPath, plain); a.StatusCode != 201; a = n.post(harness.DocumentsPath, plain) { // once the first has expired
		if duplicate(a, short["reference"]); time.Now().After(ends.Add(time.Minute)) {
			t.Fatal("it never expires")
		}
	}
	n.says(short["reference"], "expired")
}

// filesIn counts the files in a folder and below.
func filesIn(t *testing.T, dir string) (n int) {
	t.Helper()
	err := filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			n++
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestTrustPlans: Trust documents and TCodes on them need separate entitlements. A
// plan counts both, and never refuses a revocation. A request that is repeated
// with its Idempotency-Key issues one document.
func TestTrustPlans(t *testing.T) {
	t.Parallel()
	n := notary{newWorld(t)}
	q := n.ask("issueDocument")
	q.Header = http.Header{"Idempotency-Key": {"once"}}
	first, again := n.Want(n.Do(q), 201), n.Want(n.Do(q), 201)
	if string(first.Raw) != string(again.Raw) || again.Header.Get("Idempotent-Replayed") != "true" || again.Header.Get("Location") != first.Header.Get("Location") {
		t.Errorf("issued twice: %s\n%s", first.Raw, again.Raw)
	}
	paper := n.IssuanceBody()
	paper["issuancePath"] = "tcode"
	plan(n.Rig, "ACME01", func(p *tenant.Plan) { p.All, p.Entitled = false, []tenant.Entitlement{tenant.EntitledTrust} })
	if a := n.WantCode(n.post(harness.DocumentsPath, paper), 403, "FORBIDDEN"); a.Body["reason"] != "not_entitled" {
		t.Errorf("a TCode without its entitlement: %s", a.Raw)
	}
	n.Want(n.post(harness.TrustTemplatesPath, harness.TrustTemplateBody()), 201)
	plan(n.Rig, "ACME01", func(p *tenant.Plan) {
		p.Entitled, p.Quotas = append(p.Entitled, tenant.EntitledStamps), map[tenant.Kind]int64{tenant.KindDocuments: 3}
	})
	doc := n.Issued(paper) // the third, after the world's and the first
	if a := n.WantCode(n.post(harness.DocumentsPath, n.IssuanceBody()), 403, "FORBIDDEN"); a.Body["reason"] != "quota_exceeded" {
		t.Errorf("a fourth document: %s", a.Raw)
	}
	plan(n.Rig, "ACME01", func(p *tenant.Plan) { p.Entitled = nil })
	n.WantCode(n.post(harness.TrustTemplatesPath, harness.TrustTemplateBody()), 403, "FORBIDDEN")
	n.act(doc["id"], "revoke", 204)
	n.says(doc["reference"], "revoked")
	rows, err := n.Admin.Tenants.Audit(t.Context(), tenant.AuditFilter{Tenant: "ACME01", Action: "document."})
	if err != nil || len(rows) != 4 || rows[0].Action != "document.revoke" || rows[1].Detail["reference"] != doc["reference"] {
		t.Errorf("audit %+v, %v", rows, err)
	}
}
