package apitest

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"tcode/offline/payload"
	"tcode/server"
	"tcode/server/internal/harness"
	"tcode/server/outbound/webhook"
	"tcode/server/privacy"
	"tcode/server/store"
	"tcode/server/store/storetest"
	"tcode/server/tenant"
)

// The words of a person that nothing else in a gateway has.
const (
	personName   = "Zéphyrine Quatremère"
	personEmail  = "zephyrine.quatremere@example.org"
	personTitle  = "Diplôme Xylographie"
	personHolder = "Qzx-4711-Wärterin"
	personID     = "MATRIKEL-88431-Q"
	personReason = "Quatremère asked for it"
	personPaper  = "Vlaamse-Oorkonde-73"
)

// forms returns the forms in which a text may lie in a file.
func forms(text string) map[string][]byte {
	out := map[string][]byte{
		"plain": []byte(text), "lower": []byte(strings.ToLower(text)), "hex": []byte(hex.EncodeToString([]byte(text))), "HEX": []byte(strings.ToUpper(hex.EncodeToString([]byte(text)))),
	}
	var le, be []byte
	for _, u := range utf16.Encode([]rune(text)) {
		le, be = append(le, byte(u), byte(u>>8)), append(be, byte(u>>8), byte(u))
	}
	out["UTF-16LE"], out["UTF-16BE"] = le, be
	for _, enc := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		for shift := range 3 { // whatever comes before it
			all := enc.EncodeToString(append(make([]byte, shift), text...))
			from := (shift*8 + 5) / 6 // characters that the text alone decides
			out[fmt.Sprint("base64 ", shift, enc == base64.RawURLEncoding)] = []byte(all[from : len(all)-2])
		}
	}
	if raw, _ := json.Marshal(text); string(raw) != `"`+text+`"` {
		out["JSON"] = raw[1 : len(raw)-1]
	}
	var escaped strings.Builder
	for _, r := range text {
		if r < 0x80 {
			escaped.WriteRune(r)
		} else {
			fmt.Fprintf(&escaped, `\u%04x`, r)
		}
	}
	out["escaped"] = []byte(escaped.String())
	return out
}

// A traces search finds texts in all files of a gateway.
type traces struct {
	t       *testing.T
	folders []string
	needles map[string][]byte
}

// tracesOf searches the data folder, and on PostgreSQL the folder of its database.
func tracesOf(w *world, texts ...string) *traces {
	s := &traces{t: w.T, folders: []string{w.Dir}, needles: map[string][]byte{}}
	if w.Engine == storetest.Postgres {
		db := storetest.Raw(w.T, w.Dir)
		var folder string
		must(w.T, db.QueryRow(`SELECT current_setting('data_directory') || '/base/' || (SELECT oid FROM pg_database WHERE datname = current_database())`).Scan(&folder))
		s.folders = append(s.folders, folder)
		_, err := db.Exec("CHECKPOINT") // rows that are in memory only would not be found
		must(w.T, err)
	}
	for _, text := range texts {
		for form, bytes := range forms(text) {
			s.needles[text+" as "+form] = bytes
		}
	}
	return s
}

// found returns what is found, with the file.
func (s *traces) found() (hits []string) {
	s.t.Helper()
	for _, folder := range s.folders {
		err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() || d.Name() == "ballast" {
				return nil //nolint:nilerr // a file that is gone holds nothing
			}
			raw, err := os.ReadFile(path)
			if err != nil {
				return nil //nolint:nilerr // the same
			}
			for what, needle := range s.needles {
				if bytes.Contains(raw, needle) {
					hits = append(hits, strings.TrimPrefix(path, folder)+": "+what)
				}
			}
			return nil
		})
		must(s.t, err)
	}
	return hits
}

// age makes all stored files old enough to be removed.
func age(w *world) {
	w.T.Helper()
	hourAgo := time.Now().Add(-time.Hour)
	must(w.T, filepath.WalkDir(filepath.Join(w.Dir, "files"), func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			err = os.Chtimes(path, hourAgo, hourAgo)
		}
		return err
	}))
}

// awaitErased waits until the erasures of records are done.
func awaitErased(w *world, ids ...string) {
	w.T.Helper()
	for _, id := range ids {
		var e privacy.Erasure
		for deadline := time.Now().Add(time.Minute); e.Step != privacy.StepDone; time.Sleep(20 * time.Millisecond) {
			var err error
			e, err = w.Admin.Privacy.Erasure(w.T.Context(), "ACME01", id)
			must(w.T, err)
			if time.Now().After(deadline) {
				w.T.Fatalf("the erasure is not done: %+v", e)
			}
		}
	}
}

// A person has records of each kind.
type person struct {
	document, stamp, bulk, row string         // ids: a document with a stamp, a stamp, a job, what its row made
	shared                     [2]string      // stamps of one original
	record                     map[string]any // of the document
	payload                    []byte         // of the stamp
	hashes                     []string       // of files that must go
	issue                      harness.Request
}

// meet makes all records of a person, with all copies that a gateway makes of them.
func meet(w *world) (p person) {
	w.T.Helper()
	tdoc := harness.TdocBody()
	field := tdoc["customFields"].([]any)[0].(map[string]any)
	field["inPayload"], field["maxLength"] = true, 100
	holder := []any{map[string]any{"key": "holder", "value": personHolder}}
	template := w.Made(harness.TdocPath, tdoc)

	body := w.IssuanceBody()
	body["recipientName"], body["recipientEmail"], body["documentTitle"], body["externalId"] = personName, personEmail, personTitle, personID
	body["fields"], body["issuancePath"], body["pdf"] = holder, "both", harness.PDFBase64(personPaper+" document")
	p.issue = harness.Request{Method: "POST", Path: harness.DocumentsPath, Key: w.Key, Body: body, Header: http.Header{"Idempotency-Key": {"first"}}}
	p.record = w.Want(w.Do(p.issue), http.StatusCreated).Data()
	p.document = p.record["id"].(string)
	lifecycle := harness.DocumentsPath + "/" + p.document + "/lifecycle"
	w.Want(w.Post(w.Key, lifecycle, map[string]any{"action": "suspend", "reason": personReason}), http.StatusNoContent)
	w.Want(w.Post(w.Key, lifecycle, map[string]any{"action": "reinstate", "reason": personReason}), http.StatusNoContent)
	p.hashes = append(p.hashes, p.record["pdfSha256"].(string), p.record["stamp"].(map[string]any)["stampedSha256"].(string))

	made := w.Want(w.Post(w.Key, "/v1/tcode/stamps", map[string]any{
		"name": personTitle, "documentTypeCode": "DIP", "pdf": harness.PDFBase64(personPaper + " stamp"), "tdocTemplateId": template, "externalId": personID, "fields": holder,
	}), http.StatusCreated).Data()
	p.stamp = made["id"].(string)
	text := string(w.Download(w.Key, p.stamp, "payload"))
	raw, err := payload.DecodeText(text)
	must(w.T, err)
	p.payload = raw
	p.hashes = append(p.hashes, made["originalSha256"].(string), made["stampedSha256"].(string))
	scan := harness.ScanBody()
	item := scan["items"].([]any)[0].(map[string]any)
	delete(item, "reference")
	item["payload"], item["context"] = text, map[string]any{"note": personName, "location": "gate"}
	w.Want(w.Post(w.Key, "/v1/tcode/verify/sync", scan), http.StatusOK)
	item["context"] = map[string]any{"note": personName + " again", "location": "gate"}
	scan["batchId"] = "second"
	w.Want(w.Post(w.Key, "/v1/tcode/verify/sync", scan), http.StatusOK)

	for i := range p.shared {
		p.shared[i] = w.Made("/v1/tcode/stamps", map[string]any{"name": fmt.Sprint("shared ", i), "documentTypeCode": "DIP", "pdf": harness.PDFBase64("shared original")})
	}

	job := w.stampJobBody()
	job["csvFileBase64"] = base64Of("fileName,name,documentTypeCode,externalId,holder\n" + personTitle + ".pdf," + personTitle + ",DIP," + personID + "-b," + personHolder + "\nb.pdf,Other,DIP,B-other,Bob\n")
	job["zipFileBase64"] = zipBase64(w.T, map[string][]byte{personTitle + ".pdf": harness.PDF(personPaper + " row"), "b.pdf": harness.PDF("other row")})
	done := w.ended(stampJobsPath, job)
	p.bulk = done["id"].(string)
	for _, f := range []string{"csv", "zip"} {
		p.hashes = append(p.hashes, done[f].(map[string]any)["sha256"].(string))
	}
	rows := w.Want(w.Get(w.Key, stampJobsPath+"/"+p.bulk+"/rows"), http.StatusOK).Body["items"].([]any)
	p.row = rows[0].(map[string]any)["id"].(string)
	return p
}

// TestErase: after records of a person were erased, no byte of the person's data is left in
// any file of the gateway, on either engine; references, hashes and payloads are verified
// as before.
func TestErase(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, e storetest.Engine) {
		var log harness.LockedBuffer
		w := newWorldOn(t, e, func(c *server.Config) {
			c.Log = slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
			c.WebhooksAllowPrivate = true
		})
		_, _, err := w.Admin.Webhooks.Create(t.Context(), "ACME01", "http://127.0.0.1:9/", webhook.Filter{"*"})
		must(t, err)
		p := meet(w)
		ref := p.record["reference"].(string)
		before := map[string]string{}
		for name, ask := range p.questions(w) {
			before[name] = verdictOf(w.Do(ask))
		}
		texts := []string{personName, personEmail, personTitle, personHolder, personID, "Quatremère", personReason, personPaper}
		if e == storetest.Postgres {
			must(t, w.Admin.Verify.Flush(t.Context()))
		}
		if hits := tracesOf(w, texts...).found(); len(hits) < 2*len(texts) {
			t.Fatalf("the search finds only %q", hits)
		}
		age(w)
		for _, path := range []string{
			harness.DocumentsPath + "/" + p.document, stampsPath + "/" + p.stamp, stampsPath + "/" + p.row, stampsPath + "/" + p.shared[0], stampsPath + "/" + p.stamp,
		} {
			w.WantCode(w.Post(w.Key, path+"/erase", map[string]any{"reason": "because"}), http.StatusBadRequest, "VALIDATION_FAILED")
			w.Want(w.Post(w.Key, path+"/erase", map[string]any{"reason": "Withdrawn"}), http.StatusNoContent)
		}
		awaitErased(w, p.document, p.stamp, p.row, p.shared[0])

		search := tracesOf(w, texts...)
		search.needles["the payload"] = p.payload[len(p.payload)-payload.SignatureLen:]
		search.needles["the payload's text"] = []byte(payload.EncodeText(p.payload))[:40]
		for _, hit := range search.found() {
			t.Errorf("left in %s", hit)
		}
		for _, sum := range p.hashes {
			if _, err := os.Stat(filepath.Join(w.Dir, "files", sum[:2], sum)); !os.IsNotExist(err) {
				t.Errorf("the file %s is left: %v", sum, err)
			}
		}
		for _, text := range texts {
			if strings.Contains(log.String(), text) {
				t.Errorf("the log has %q", text)
			}
		}
		for name, ask := range p.questions(w) {
			if got := verdictOf(w.Do(ask)); got != before[name] {
				t.Errorf("%s: %s after the erasure, %s before it", name, got, before[name])
			}
		}
		p.scannedLate(w)
		search = tracesOf(w, texts...)
		search.needles["the payload"] = p.payload[len(p.payload)-payload.SignatureLen:]
		search.needles["the payload's text"] = []byte(payload.EncodeText(p.payload))[:40]
		for _, hit := range search.found() {
			t.Errorf("stored again in %s", hit)
		}
		p.erasedAgain(w)
		w.erasedRecords(p, ref)
		w.erasedPages(ref)
		if problems := fsck(t, w.Admin); len(problems) > 0 {
			t.Errorf("fsck: %v", problems)
		}
		// The status still changes, and is verified.
		w.Want(w.Post(w.Key, stampsPath+"/"+p.stamp+"/revoke", nil), http.StatusNoContent)
		if got := verdictOf(w.Do(p.questions(w)["stamp by reference"])); got != "revoked" {
			t.Errorf("revoked after the erasure, the stamp is %s", got)
		}
	})
}

// questions are requests about records of p whose verdict stays.
func (p person) questions(w *world) map[string]harness.Request {
	stamp := w.Want(w.Get(w.Key, stampsPath+"/"+p.stamp), http.StatusOK).Data()
	row := w.Want(w.Get(w.Key, stampsPath+"/"+p.row), http.StatusOK).Data()
	post := func(path string, body map[string]any) harness.Request {
		return harness.Request{Method: "POST", Path: path, Body: body}
	}
	get := func(path string) harness.Request { return harness.Request{Method: "GET", Path: path} }
	changed := append(bytes.Clone(p.payload[:len(p.payload)-1]), p.payload[len(p.payload)-1]^1)
	return map[string]harness.Request{
		"document by reference": post("/v1/trust/verify/by-reference", map[string]any{"reference": p.record["reference"]}),
		"document by content":   post("/v1/trust/verify/by-hash", map[string]any{"hash": p.record["contentSha256"]}),
		"document by original":  post("/v1/trust/verify/by-hash", map[string]any{"hash": p.record["pdfSha256"]}),
		"its stamp":             get("/v1/tcode/verify/reference/" + p.record["stamp"].(map[string]any)["reference"].(string)),
		"stamp by reference":    get("/v1/tcode/verify/reference/" + stamp["reference"].(string)),
		"stamp by hash":         get("/v1/tcode/verify/hash/" + stamp["stampedSha256"].(string)),
		"stamp by payload":      post("/v1/tcode/verify", map[string]any{"payload": payload.EncodeText(p.payload)}),
		"changed payload":       post("/v1/tcode/verify", map[string]any{"payload": payload.EncodeText(changed)}),
		"row by hash":           get("/v1/tcode/verify/hash/" + row["stampedSha256"].(string)),
	}
}

func verdictOf(a harness.Answer) string {
	v, _ := a.Data()["verdict"].(string)
	return v
}

// erasedRecords checks the answers about erased records.
func (w *world) erasedRecords(p person, ref string) {
	w.T.Helper()
	d := w.Want(w.Get(w.Key, harness.DocumentsPath+"/"+p.document), http.StatusOK).Data()
	if d["erasedAt"] == nil || d["recipientName"] != "" || d["recipientEmail"] != nil || len(d["fields"].([]any)) != 0 || d["reference"] != ref || d["contentSha256"] != p.record["contentSha256"] {
		w.T.Errorf("the erased document: %v", d)
	}
	st := w.Want(w.Get(w.Key, stampsPath+"/"+p.stamp), http.StatusOK).Data()
	if st["erasedAt"] == nil || st["name"] != "" || st["externalId"] != nil || len(st["fields"].([]any)) != 0 {
		w.T.Errorf("the erased stamp: %v", st)
	}
	for _, path := range []string{harness.DocumentsPath + "/" + p.document, stampsPath + "/" + p.stamp} {
		w.WantCode(w.Get(w.Key, path+"/download"), http.StatusNotFound, "NOT_FOUND")
	}
	if n := len(w.Want(w.Get(w.Key, harness.DocumentsPath+"?search=Quatremère"), http.StatusOK).Body["items"].([]any)); n != 0 {
		w.T.Errorf("the search still finds %d", n)
	}
	w.WantCode(w.Do(p.issue), http.StatusConflict, "CONFLICT") // the answer is gone, and nothing is issued again
	owned := p.record["stamp"].(map[string]any)["id"].(string)
	w.WantCode(w.Post(w.Key, stampsPath+"/"+owned+"/erase", nil), http.StatusConflict, "CONFLICT")
	// The other document of the pair, and the other row of the job, have their files.
	w.Download(w.Key, p.shared[1], "original")
	for _, name := range []string{"results.zip", "errors.csv"} {
		w.Want(w.Get(w.Key, stampJobsPath+"/"+p.bulk+"/"+name), http.StatusOK)
	}
	entries, err := w.Admin.Tenants.Audit(w.T.Context(), tenant.AuditFilter{Tenant: "ACME01", Action: "document.erase"})
	must(w.T, err)
	if len(entries) != 1 || entries[0].Subject != p.document || entries[0].By.Name == "" {
		w.T.Errorf("audit: %+v", entries)
	}
}

// erasedPages checks that the page says it in every language.
func (w *world) erasedPages(ref string) {
	w.T.Helper()
	for lang, words := range map[string]string{
		"en": "erased by the issuer", "de": "vom Aussteller gelöscht", "fr": "effacés par l’émetteur", "es": "borrados por el emisor", "ar": "محاها المُصدر",
	} {
		page := string(w.Want(w.Do(harness.Request{Method: "GET", Path: "/d/" + ref + "?lang=" + lang, Header: http.Header{"Accept": {"text/html"}}}), http.StatusOK).Raw)
		if !strings.Contains(page, words) {
			w.T.Errorf("the page in %s does not say %q", lang, words)
		}
	}
}

// fsck returns the problems of a gateway.
func fsck(t *testing.T, g *server.Gateway) (problems []store.Problem) {
	t.Helper()
	_, err := g.Fsck(t.Context(), server.FsckOptions{}, func(p store.Problem) { problems = append(problems, p) })
	must(t, err)
	return problems
}
