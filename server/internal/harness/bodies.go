package harness

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"tcode/server/client"
	"tcode/server/httpapi/api"
)

// The addresses of collections that both test packages use.
const (
	TdocPath           = "/v1/tcode/templates/tdoc"
	DocumentsPath      = "/v1/trust/issuances"
	TrustTemplatesPath = "/v1/trust/templates"
)

// serial makes names that are used once.
var serial atomic.Int64

// Serial returns a number that no other call returns.
func Serial() int64 { return serial.Add(1) }

// Stamp stamps a PDF with the name on it.
func (r *Rig) Stamp(key, name string) api.TCodeStamp {
	r.T.Helper()
	made, err := r.Client(key).CreateStampWithResponse(r.T.Context(), nil, api.CreateStampJSONRequestBody{Name: name, DocumentTypeCode: "DIP", Pdf: PDF(name)})
	Must(r.T, client.Check(err, made))
	return made.JSON201.Data
}

// Download returns a file of a stamp from its signed address.
func (r *Rig) Download(key, id, kind string) []byte {
	r.T.Helper()
	a := r.Want(r.Get(key, "/v1/tcode/stamps/"+id+"/download?type="+kind), http.StatusOK)
	return r.Want(r.Get("", a.Data()["url"].(string)), http.StatusOK).Raw
}

// StampBody is the body of a creation with names and values of more members.
func StampBody(name string, more ...string) map[string]any {
	body := map[string]any{"name": name, "documentTypeCode": "DIP", "pdf": PDFBase64(name)}
	for i := 0; i+1 < len(more); i += 2 {
		body[more[i]] = more[i+1]
	}
	return body
}

// TdocBody has all members that a TDoc template can have.
func TdocBody() map[string]any {
	return map[string]any{
		"name": fmt.Sprint("tdoc ", serial.Add(1)), "description": "diplomas", "issuanceTemplateName": "Diploma",
		"baseFields": []any{"city"},
		"customFields": []any{map[string]any{
			"key": "holder", "label": "Holder", "type": "text", "required": false, "maxLength": 500, "inPayload": false, "order": 1,
		}},
		"suggestedDocType": "DIP", "enableEmailSending": false, "productMode": "tcode",
	}
}

// TrustTemplateBody has all members that a Trust template can have.
func TrustTemplateBody() map[string]any {
	return map[string]any{
		"name": fmt.Sprint("trust ", serial.Add(1)), "documentTypeCode": "DIP", "description": "diplomas",
		"fields": []any{map[string]any{"key": "holder", "label": "Holder", "type": "text", "required": false}},
	}
}

// ScanBody is a batch with one scan.
func ScanBody() map[string]any {
	n := serial.Add(1)
	now := time.Now().UTC().Format(time.RFC3339)
	return map[string]any{
		"batchId": fmt.Sprint("batch-", n), "scannerId": fmt.Sprint("gate-", n), "sentAt": now,
		"items": []any{map[string]any{
			"scanId": fmt.Sprintf("0198a3c2-5d1e-7c44-9a51-%012x", n), "seq": 1, "reference": "TCR-0000000000000000", "scannedAt": now,
			"offlineVerdict": "unverified", "assurance": "none", "binding": "not_checked", "trustVersion": 1,
			"context": map[string]any{"location": "gate 4", "latitudeE6": 52520008, "longitudeE6": 13404954, "note": "creased"},
		}},
	}
}

// PDF is a file of one A4 page with a line of text.
func PDF(text string) []byte {
	var b bytes.Buffer
	var offsets []int
	object := func(body string) {
		offsets = append(offsets, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", len(offsets), body)
	}
	content := fmt.Sprintf("BT /F1 18 Tf 72 720 Td (%s) Tj ET", strings.NewReplacer("(", "", ")", "", `\`, "").Replace(text))
	b.WriteString("%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
	object("<< /Type /Catalog /Pages 2 0 R >>")
	object("<< /Type /Pages /Kids [3 0 R] /Count 1 >>")
	object("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>")
	object(fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", len(content), content))
	object("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>")
	start := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(offsets)+1)
	for _, o := range offsets {
		fmt.Fprintf(&b, "%010d 00000 n \n", o)
	}
	fmt.Fprintf(&b, "trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(offsets)+1, start)
	return b.Bytes()
}

// PDFBase64 is [PDF] as it stands in a body.
func PDFBase64(text string) string { return base64.StdEncoding.EncodeToString(PDF(text)) }

// ZIP is an archive of files by name.
func ZIP(t testing.TB, files map[string][]byte) *bytes.Reader {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		w, err := z.Create(name)
		Must(t, err)
		_, err = w.Write(files[name])
		Must(t, err)
	}
	Must(t, z.Close())
	return bytes.NewReader(b.Bytes())
}
