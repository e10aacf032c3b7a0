package server_test

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

	"tcode/server/store/storetest"
	"tcode/server/tenant"
)

// A notary asks about one gateway's Trust documents.
type notary struct{ *world }

func (n notary) post(path string, body any) answer {
	n.t.Helper()
	return n.do(request{method: "POST", path: path, key: n.key, body: body})
}

// verdict asks by reference, without a key.
func (n notary) verdict(reference any) map[string]any {
	n.t.Helper()
	return n.want(n.do(request{method: "POST", path: "/v1/trust/verify/by-reference", body: map[string]any{"reference": reference}}), 200).data()
}

// says fails the test unless the document has that verdict.
func (n notary) says(reference any, want string) {
	n.t.Helper()
	if got := n.verdict(reference); got["verdict"] != want {
		n.t.Errorf("verdict %v, want %s: %v", got["verdict"], want, got)
	}
}

// act does a lifecycle action.
func (n notary) act(id any, action string, status int) answer {
	n.t.Helper()
	return n.want(n.post(fmt.Sprint(documentsPath, "/", id, "/lifecycle"), map[string]any{"action": action, "reason": "because"}), status)
}

// The story of a document that is digital, of one on paper, and of one that is
// replaced, with all that anyone can learn of them.
func TestTrustDocuments(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, e storetest.Engine) {
		n := notary{newWorldOn(t, e)}
		doc := n.document
		n.checkSignature(doc)
		if file := n.want(n.do(request{method: "GET", path: fmt.Sprint(documentsPath, "/", doc["id"], "/download"), key: n.key}), 200).data(); file["sha256"] != doc["pdfSha256"] {
			t.Errorf("download %v of %v", file, doc)
		}
		n.says(doc["reference"], "valid")
		n.says(strings.ToLower(strings.ReplaceAll(doc["reference"].(string), "-", "")), "valid")
		n.says("TRF-0000000000000000", "not_found")
		for _, hash := range []any{doc["contentSha256"], doc["pdfSha256"]} {
			if got := n.want(n.do(request{method: "POST", path: "/v1/trust/verify/by-hash", body: map[string]any{"hash": hash}}), 200).data(); got["reference"] != doc["reference"] || got["matchedOn"] == nil {
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
		n.wantCode(n.act(doc["id"], "reinstate", 409), 409, "INVALID_TRANSITION")

		b := n.issuanceBody()
		b["issuancePath"] = "both"
		paper := n.issued(b)
		stamp := paper["stamp"].(map[string]any)
		n.checkSignature(paper)
		text := string(n.download(n.key, stamp["id"].(string), "payload"))
		scan := n.want(n.do(request{method: "POST", path: "/v1/tcode/verify", body: map[string]any{"payload": text}}), 200).data()
		if scan["verdict"] != "valid" || scan["reference"] != stamp["reference"] || scan["trustDocument"] != paper["reference"] {
			t.Errorf("the symbol: %v", scan)
		}
		c := n.replacementBody()
		delete(c, "externalId")
		next := n.want(n.post(fmt.Sprint(documentsPath, "/", paper["id"], "/replace"), c), 200).data()
		if next["replaces"] != paper["reference"] || next["externalId"] != paper["externalId"] {
			t.Errorf("successor %v", next)
		}
		if got := n.verdict(paper["reference"]); got["verdict"] != "revoked" || got["replacedBy"] != next["reference"] {
			t.Errorf("replaced: %v", got)
		}
		scan = n.want(n.do(request{method: "POST", path: "/v1/tcode/verify", body: map[string]any{"payload": text}}), 200).data()
		if scan["verdict"] != "revoked" || scan["replacedBy"] != next["reference"] {
			t.Errorf("the replaced symbol: %v", scan)
		}
		for _, ref := range []any{paper["reference"], stamp["reference"], next["reference"]} {
			page := n.want(n.do(request{method: "GET", path: fmt.Sprint("/d/", ref)}), 200)
			if !strings.Contains(string(page.raw), ref.(string)) || !strings.Contains(string(page.raw), "recipient") {
				t.Errorf("page of %s:\n%s", ref, page.raw)
			}
		}
		n.listed(map[string]int{"": 3, "Status=Expired": 1, "Status=revoked,active": 2, "Search=" + next["reference"].(string): 1, "FieldName=holder": 3, "TemplateId=" + n.trust: 3})
		n.inHistory()
	})
}

// checkSignature checks a document as a stranger would: with its record and the
// reference data alone.
func (n notary) checkSignature(doc map[string]any) {
	n.t.Helper()
	s := doc["signature"].(map[string]any)
	keys := n.want(n.do(request{method: "GET", path: "/v1/reference-data/public-keys"}), 200).body["items"].([]any)
	signature, err := base64.RawURLEncoding.DecodeString(s["value"].(string))
	if err != nil {
		n.t.Fatal(err)
	}
	message, good := []byte("TCode-Trust/1\n"+s["canonical"].(string)), false
	for _, k := range keys {
		k := k.(map[string]any)
		block, _ := pem.Decode([]byte(k["publicKeyPem"].(string)))
		public, err := x509.ParsePKIXPublicKey(block.Bytes)
		if err != nil {
			n.t.Fatal(err)
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
		n.t.Errorf("the record does not prove itself: %v", doc)
	}
}

// listed counts lists by their filters.
func (n notary) listed(want map[string]int) {
	n.t.Helper()
	for filter, count := range want {
		if got := n.want(n.do(request{method: "GET", path: documentsPath + "?" + filter, key: n.key}), 200).body["totalCount"]; got != float64(count) {
			n.t.Errorf("%q lists %v documents, want %d", filter, got, count)
		}
	}
}

// inHistory waits for the history of documents, which is its tenant's alone.
func (n notary) inHistory() {
	n.t.Helper()
	list := func(key string) map[string]any {
		return n.want(n.do(request{method: "GET", path: "/v1/trust/verify/history?pageSize=100", key: key}), 200).body
	}
	got := map[string]any{}
	for late := time.Now().Add(time.Minute); got["totalCount"] != 11.0; { // within a second
		if got = list(n.key); time.Now().After(late) {
			n.t.Fatalf("the history does not fill: %v", got["totalCount"])
		}
	}
	for _, item := range got["items"].([]any) {
		if ref := item.(map[string]any)["reference"].(string); !strings.HasPrefix(ref, "TRF-") {
			n.t.Errorf("%s in the history of documents", ref)
		}
	}
	for _, key := range []string{"", n.tenant("OTHER1")} {
		if other := list(key); other["totalCount"] != 0.0 {
			n.t.Errorf("a stranger sees %v", other)
		}
	}
}

// A template is changed for new documents only, and an archived one issues none.
func TestTrustTemplates(t *testing.T) {
	t.Parallel()
	n := notary{newWorld(t)}
	id := n.freshTrustTemplate()
	path := trustTemplatesPath + "/" + id
	b := n.issuanceBody()
	b["templateId"] = id
	before := n.issued(b)
	put := func(body map[string]any, header http.Header) answer {
		return n.do(request{method: "PUT", path: path, key: n.key, body: body, header: header})
	}
	change := map[string]any{"name": "Diploma", "fields": []any{map[string]any{"key": "degree", "type": "date", "required": true}}}
	n.wantCode(put(change, http.Header{"If-Match": {`"7"`}}), 412, "PRECONDITION_FAILED")
	updated := n.want(put(change, http.Header{"If-Match": {`"1"`}}), 200)
	if updated.data()["version"] != 2.0 || updated.Header.Get("ETag") != `"2"` || updated.data()["documentTypeCode"] != "DIP" || updated.data()["description"] != nil {
		t.Errorf("updated %s", updated.raw)
	}
	change["documentTypeCode"] = "INV"
	n.wantCode(put(change, nil), 400, "VALIDATION_FAILED")
	b = n.issuanceBody()
	b["templateId"] = id
	mismatch := n.wantCode(n.post(documentsPath, b), 422, "FIELD_SCHEMA_MISMATCH")
	if errors := mismatch.body["errors"].(map[string]any); errors["fields[0].key"] == nil || errors["fields"] == nil {
		t.Errorf("errors %v", errors)
	}
	if after := n.want(n.do(request{method: "GET", path: documentsPath + "/" + before["id"].(string), key: n.key}), 200); fmt.Sprint(after.data()) != fmt.Sprint(before) {
		t.Errorf("the document that was there has changed:\n%v\n%v", after.data(), before)
	}
	n.wantCode(n.post(path+"/archive", map[string]any{}), 400, "VALIDATION_FAILED")
	n.want(n.post(path+"/archive", map[string]any{"reason": "superseded"}), 204)
	b["fields"] = []any{map[string]any{"key": "degree", "value": "2026-01-31"}}
	n.wantCode(n.post(documentsPath, b), 422, "TEMPLATE_ARCHIVED")
	n.says(before["reference"], "valid")
	n.want(n.post(path+"/unarchive", nil), 204)
	n.want(n.post(documentsPath, b), 201)

	placement := n.made(placementPath, placementBody())
	placed := n.want(n.do(request{method: "PUT", path: path + "/placement", key: n.key, body: map[string]any{"placementTemplateId": placement}}), 200).data()
	copied := n.want(n.post(path+"/duplicate", nil), 200).data()
	if placed["placementTemplateId"] != placement || copied["placementTemplateId"] != placement || copied["name"] != "Diploma (copy)" || copied["version"] != 1.0 {
		t.Errorf("placed %v, copied %v", placed, copied)
	}
	n.wantCode(n.do(request{method: "PUT", path: path + "/placement", key: n.key, body: map[string]any{"placementTemplateId": nobody}}), 404, "NOT_FOUND")
	n.want(n.do(request{method: "PUT", path: path + "/placement", key: n.key, body: map[string]any{"placementTemplateId": nil}}), 200)
	columns := n.want(n.do(request{method: "GET", path: path + "/csv-fields", key: n.key}), 200)
	csv := n.want(n.do(request{method: "GET", path: path + "/csv-fields", key: n.key, header: http.Header{"Accept": {"text/csv"}}}), 200)
	if list := columns.body["data"].([]any); len(list) != 7 || !strings.HasPrefix(string(csv.raw), "recipientName,recipientEmail,") || !strings.Contains(string(csv.raw), ",degree\r\n") {
		t.Errorf("columns %v, %s", list, csv.raw)
	}
	n.want(n.do(request{method: "DELETE", path: path, key: n.key}), 204)
	n.wantCode(n.do(request{method: "GET", path: path, key: n.key}), 404, "NOT_FOUND")
	n.says(before["reference"], "valid")
}

// What is there already is told by its reference: by external id, and by its
// values while it stands.
func TestTrustDuplicates(t *testing.T) {
	t.Parallel()
	n := notary{newWorld(t)}
	duplicate := func(a answer, of any) {
		t.Helper()
		if n.wantCode(a, 409, "DUPLICATE"); a.body["reference"] != of {
			t.Errorf("reference %v, want %v", a.body["reference"], of)
		}
	}
	plain := map[string]any{"templateId": n.trust, "recipientName": "Ada", "fields": []any{map[string]any{"key": "holder", "value": "Ada"}}}
	first := n.want(n.post(documentsPath, plain), 201).data()
	files := filesIn(t, filepath.Join(n.dir, "files"))
	plain["pdf"], plain["issuancePath"] = pdfOf("a diploma"), "both"
	duplicate(n.post(documentsPath, plain), first["reference"])
	if after := filesIn(t, filepath.Join(n.dir, "files")); after != files {
		t.Errorf("what was refused left %d files", after-files)
	}
	delete(plain, "pdf")
	delete(plain, "issuancePath")
	duplicate(n.post(documentsPath+"/duplicate-check", map[string]any{"templateId": n.trust, "fields": plain["fields"]}), first["reference"])
	n.want(n.post(documentsPath+"/duplicate-check", map[string]any{"templateId": n.trust, "fields": plain["fields"], "recipientName": "Grace"}), 200)
	plain["externalId"] = "another"
	other := n.want(n.post(documentsPath, plain), 201).data()
	plain["recipientName"] = "Grace"
	duplicate(n.post(documentsPath, plain), other["reference"])
	duplicate(n.post(documentsPath+"/duplicate-check", map[string]any{"templateId": n.trust, "externalId": "another"}), other["reference"])
	n.act(other["id"], "revoke", 204)
	n.act(first["id"], "revoke", 204)
	n.want(n.post(documentsPath+"/duplicate-check", map[string]any{"templateId": n.trust, "fields": plain["fields"]}), 200)
	delete(plain, "externalId")
	plain["recipientName"] = "Ada"
	ends := time.Now().Add(3 * time.Second)
	plain["expiresAt"] = ends.UTC().Format(time.RFC3339)
	short := n.want(n.post(documentsPath, plain), 201).data()
	delete(plain, "expiresAt")
	duplicate(n.post(documentsPath, plain), short["reference"])
	for a := n.post(documentsPath, plain); a.StatusCode != 201; a = n.post(documentsPath, plain) { // once the first has expired
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

// A plan opens Trust documents and TCodes on them apart, counts both, and never
// stands in the way of a revocation. An Idempotency-Key issues once.
func TestTrustPlans(t *testing.T) {
	t.Parallel()
	n := notary{newWorld(t)}
	q := n.ask("issueDocument")
	q.header = http.Header{"Idempotency-Key": {"once"}}
	first, again := n.want(n.do(q), 201), n.want(n.do(q), 201)
	if string(first.raw) != string(again.raw) || again.Header.Get("Idempotent-Replayed") != "true" || again.Header.Get("Location") != first.Header.Get("Location") {
		t.Errorf("issued twice: %s\n%s", first.raw, again.raw)
	}
	paper := n.issuanceBody()
	paper["issuancePath"] = "tcode"
	n.plan("ACME01", func(p *tenant.Plan) { p.All, p.Entitled = false, []tenant.Entitlement{tenant.EntitledTrust} })
	if a := n.wantCode(n.post(documentsPath, paper), 403, "FORBIDDEN"); a.body["reason"] != "not_entitled" {
		t.Errorf("a TCode without its entitlement: %s", a.raw)
	}
	n.want(n.post(trustTemplatesPath, trustTemplateBody()), 201)
	n.plan("ACME01", func(p *tenant.Plan) {
		p.Entitled, p.Quotas = append(p.Entitled, tenant.EntitledStamps), map[tenant.Kind]int64{tenant.KindDocuments: 3}
	})
	doc := n.issued(paper) // the third, after the world's and the first
	if a := n.wantCode(n.post(documentsPath, n.issuanceBody()), 403, "FORBIDDEN"); a.body["reason"] != "quota_exceeded" {
		t.Errorf("a fourth document: %s", a.raw)
	}
	n.plan("ACME01", func(p *tenant.Plan) { p.Entitled = nil })
	n.wantCode(n.post(trustTemplatesPath, trustTemplateBody()), 403, "FORBIDDEN")
	n.act(doc["id"], "revoke", 204)
	n.says(doc["reference"], "revoked")
	rows, err := n.admin.Tenants.Audit(t.Context(), tenant.AuditFilter{Tenant: "ACME01", Action: "document."})
	if err != nil || len(rows) != 4 || rows[0].Action != "document.revoke" || rows[1].Detail["reference"] != doc["reference"] {
		t.Errorf("audit %+v, %v", rows, err)
	}
}
