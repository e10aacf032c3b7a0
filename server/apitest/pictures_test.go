package apitest

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"net/http"
	"strings"
	"testing"

	"github.com/hhrutter/tiff"

	"tcode/server"
	"tcode/server/internal/harness"
)

// scans returns a scanned page as each kind of picture, by content type.
func scans(t *testing.T) map[string][]byte {
	t.Helper()
	m := image.NewRGBA(image.Rect(0, 0, 420, 594))
	for i := range m.Pix {
		m.Pix[i] = 0xFF
	}
	for x := range 200 {
		m.Set(40+x, 60, color.RGBA{200, 0, 0, 0xFF})
	}
	var p, j, f bytes.Buffer
	must(t, png.Encode(&p, m))
	must(t, jpeg.Encode(&j, m, nil))
	must(t, tiff.Encode(&f, m, &tiff.Options{Compression: tiff.Deflate}))
	return map[string][]byte{"image/png": p.Bytes(), "image/jpeg": j.Bytes(), "image/tiff": f.Bytes()}
}

func stampOf(name string, file []byte) map[string]any {
	return map[string]any{"name": name, "documentTypeCode": "DIP", "pdf": base64.StdEncoding.EncodeToString(file)}
}

// TestPictures: a picture is stamped as the PDF that is made of it. The original is the picture, byte for byte, and its hash is what finds
// the stamp. Bad pictures are refused with the member named.
func TestPictures(t *testing.T) {
	t.Parallel()
	r := harness.Start(t)
	key := r.Tenant("ACME01")
	endings := map[string]string{"image/png": ".png", "image/jpeg": ".jpg", "image/tiff": ".tif"}
	made := scans(t)
	for kind, file := range made {
		t.Run(kind, func(t *testing.T) {
			st := r.Want(r.Post(key, "/v1/tcode/stamps", stampOf(kind, file)), http.StatusCreated).Data()
			id := st["id"].(string)
			d := r.Want(r.Get(key, "/v1/tcode/stamps/"+id+"/download?type=original"), http.StatusOK).Data()
			if d["contentType"] != kind || !strings.HasSuffix(d["fileName"].(string), "-original"+endings[kind]) || d["sha256"] != st["originalSha256"] {
				t.Errorf("original %v", d)
			}
			if !bytes.Equal(r.Download(key, id, "original"), file) {
				t.Error("the original did not come back as it was")
			}
			stamped := r.Download(key, id, "stamped")
			if !bytes.HasPrefix(stamped, []byte("%PDF-1.5")) {
				t.Errorf("stamped file begins with %.8q", stamped)
			}
			for member, want := range map[string]string{"originalSha256": "original", "stampedSha256": "stamped"} {
				got := r.Want(r.Get("", "/v1/tcode/verify/hash/"+st[member].(string)), http.StatusOK).Data()
				if got["verdict"] != "valid" || got["matchedOn"] != want || got["reference"] != st["reference"] {
					t.Errorf("by %s: %v", member, got)
				}
			}
			again := r.Want(r.Post(key, "/v1/tcode/stamps/"+id+"/replace", map[string]any{"pdf": base64.StdEncoding.EncodeToString(file)}), http.StatusOK).Data()
			if again["originalSha256"] != st["originalSha256"] {
				t.Error("the replacement has another original")
			}
			other := r.Download(key, again["id"].(string), "stamped")
			if n := bytes.Index(stamped, []byte("%%EOF")); n < 0 || !bytes.HasPrefix(other, stamped[:n]) {
				t.Error("the same picture became another PDF")
			}
		})
	}
	t.Run("refused", func(t *testing.T) {
		cut := made["image/jpeg"][:len(made["image/jpeg"])-20]
		wide := append(bytes.Clone(made["image/png"][:16]), 0, 1, 0, 0, 0, 1, 0, 0)
		wide = append(wide, made["image/png"][24:]...)
		for _, tt := range []struct {
			file   []byte
			status int
			code   string
		}{
			{cut, 400, "INVALID_PDF"},
			{made["image/tiff"][:100], 400, "INVALID_PDF"},
			{wide, 413, "PAYLOAD_TOO_LARGE"},
			{[]byte("GIF89a, which is no document"), 400, "INVALID_PDF"},
		} {
			r.WantCode(r.Post(key, "/v1/tcode/stamps", stampOf("bad", tt.file)), tt.status, tt.code)
		}
		w := bare(r)
		w.Key = key
		w.Trust = w.FreshTrustTemplate()
		pdf := "%PDF-1.7\n1 0 obj<</Type/Catalog>>endobj"
		for file, name := range map[string]string{
			"PK\x03\x04\x0a\x00\x00\x00a.pdf" + pdf:                      "a ZIP archive",
			"\x30\x80\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x07\x02" + pdf: "PKCS #7",
			"From: a@example.com\nSubject: letter\n\n" + pdf:             "an e-mail",
			string(made["image/png"]) + strings.Repeat("A", 3000) + pdf:  "an image and a PDF at once",
		} {
			issued := w.IssuanceBody()
			issued["pdf"] = base64.StdEncoding.EncodeToString([]byte(file))
			for path, body := range map[string]map[string]any{
				"/v1/tcode/stamps":    stampOf("bad", []byte(file)),
				harness.DocumentsPath: issued,
			} {
				a := r.WantCode(r.Post(key, path, body), 400, "INVALID_PDF")
				if !strings.Contains(fmt.Sprint(a.Body), name) {
					t.Errorf("%s: %v does not say %q", path, a.Body, name)
				}
			}
		}
		both := stampOf("", []byte("neither"))
		a := r.WantCode(r.Post(key, "/v1/tcode/stamps", both), 400, "VALIDATION_FAILED")
		if !strings.Contains(fmt.Sprint(a.Body["errors"]), "is neither a PDF nor a PNG") {
			t.Errorf("errors %v", a.Body["errors"])
		}
	})
	t.Run("form", func(t *testing.T) {
		body := stampOf("preview", made["image/png"])
		r.Want(r.Post(key, previewPath, map[string]any{"pdf": body["pdf"]}), http.StatusOK)
	})
}

// TestDrawnDocuments: the gateway draws the PDF of a Trust document on request: one by one, in place of another, and in bulk. A gateway
// that knows no public address for the page refuses to.
func TestDrawnDocuments(t *testing.T) {
	t.Parallel()
	r := bare(harness.Start(t, func(c *server.Config) { c.PublicURL = harness.PublicURL }))
	r.Key = r.Tenant("ACME01")
	r.Trust = r.FreshTrustTemplate()
	key := r.Key
	body := r.IssuanceBody()
	delete(body, "pdf")
	delete(body, "issuancePath")
	body["generatePdf"] = true
	d := r.Want(r.Post(key, harness.DocumentsPath, body), http.StatusCreated).Data()
	if d["issuancePath"] != "both" || d["stamp"] == nil || d["pdfSha256"] == nil {
		t.Errorf("document %v", d)
	}
	file := func(id any) []byte {
		t.Helper()
		url := r.Want(r.Get(key, fmt.Sprintf("%s/%v/download", harness.DocumentsPath, id)), http.StatusOK).Data()["url"].(string)
		return r.Want(r.Get("", strings.TrimPrefix(url, harness.PublicURL)), http.StatusOK).Raw
	}
	if pdf := file(d["id"]); !bytes.HasPrefix(pdf, []byte("%PDF-1.5")) || !bytes.Contains(pdf, []byte("TCode")) {
		t.Errorf("%d bytes that begin with %.8q", len(pdf), pdf)
	}
	next := r.Want(r.Post(key, fmt.Sprintf("%s/%v/replace", harness.DocumentsPath, d["id"]), map[string]any{"generatePdf": true, "recipientName": "Ada King", "reason": "married"}), http.StatusOK).Data()
	if next["stamp"] == nil || next["replaces"] != d["reference"] || next["pdfSha256"] == d["pdfSha256"] || len(next["warnings"].([]any)) != 0 {
		t.Errorf("replacement %v", next)
	}
	for want, change := range map[string]map[string]any{
		"generatePdf":   {"pdf": harness.PDFBase64("x")},
		"issuancePath":  {"issuancePath": "digital"},
		"recipientName": {"recipientName": "王小明"},
	} {
		bad := map[string]any{"externalId": fmt.Sprint("E-", harness.Serial())}
		for k, v := range body {
			if k != "externalId" {
				bad[k] = v
			}
		}
		for k, v := range change {
			bad[k] = v
		}
		a := r.WantCode(r.Post(key, harness.DocumentsPath, bad), 400, "VALIDATION_FAILED")
		if errors, _ := a.Body["errors"].(map[string]any); errors[want] == nil {
			t.Errorf("%v, want %s blamed", a.Body["errors"], want)
		}
	}
	job := r.documentJobBody()
	job["issuancePath"] = "tcode"
	n := harness.Serial()
	job["csvFileBase64"] = base64Of(fmt.Sprintf("recipientName,externalId,generatePdf,fileName,holder\nAda %d,B-%d,true,,Ada\nBob %d,C-%d,false,scan.jpg,Bob\n", n, n, n, n))
	job["zipFileBase64"] = zipBase64(t, map[string][]byte{"scan.jpg": scans(t)["image/jpeg"]})
	ended := r.ended(documentJobsPath, job)
	if counts := ended["counts"].(map[string]any); ended["status"] != "Completed" || counts["succeeded"] != 2.0 {
		t.Errorf("job %v", ended)
	}
	job["csvFileBase64"] = base64Of(fmt.Sprintf("recipientName,externalId,generatePdf,holder\nAda,D-%d,maybe,Ada\nAda,E-%d,,Ada\n", n, n))
	refused := fmt.Sprint(r.ended(documentJobsPath, job)["problems"])
	if !strings.Contains(refused, "must be true or false") || !strings.Contains(refused, "fileName") {
		t.Errorf("problems %s", refused)
	}
}

// TestLinkedStamps: a placement with a link draws the address of the page of the stamp, or of the document that owns it.
func TestLinkedStamps(t *testing.T) {
	t.Parallel()
	r := harness.Start(t)
	key := r.Tenant("ACME01")
	template := r.Want(r.Post(key, placementPath, map[string]any{"name": "linked", "link": "qr"}), http.StatusCreated).Data()
	if template["link"] != "qr" {
		t.Errorf("template %v", template)
	}
	r.Want(r.Post(key, placementPath, map[string]any{"name": "wrong", "link": "text"}), http.StatusBadRequest)
	body := stampOf("linked", harness.PDF("linked"))
	body["placementTemplateId"] = template["id"]
	r.WantCode(r.Post(key, "/v1/tcode/stamps", body), 422, "CONFIGURATION_MISMATCH")
	public := r.Beside(func(c *server.Config) { c.PublicURL = harness.PublicURL })
	public.Want(public.Post(key, "/v1/tcode/stamps", body), http.StatusCreated)
	shown := public.Want(preview(public, key, map[string]any{"link": "qr"}, nil), http.StatusOK).Data()
	place := shown["places"].([]any)[0].(map[string]any)
	link, symbol := place["link"].(map[string]any), place["quietZone"].(map[string]any)
	if link["width"] != symbol["width"] || link["x"].(float64) < symbol["x"].(float64)+symbol["width"].(float64)-1e-6 {
		t.Errorf("link %v beside %v", link, symbol)
	}
}
