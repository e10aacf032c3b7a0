package pages_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"tcode/server/pages"
	"tcode/server/refdata"
	"tcode/server/verify"
)

// TestDocumentPage: the page of a Trust document names its recipient in every language,
// and shows the requested reference and the time of expiry.
func TestDocumentPage(t *testing.T) {
	t.Parallel()
	p := drawer(t)
	end := time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC) // good on the day before
	r := verify.DocumentResult{
		Verdict: verify.Expired, RecipientName: "Ada <b>Lovelace</b>", Title: "Diploma of Ada", IssuerName: "Acme University", IssuedAt: at, ExpiresAt: end,
		DocumentType: refdata.DocumentType{Code: "DIP", Names: map[string]string{"en": "Diploma"}}, ReplacedBy: "TRF-7KQ2M4X9T1C3V5B8",
	}
	seen := map[string]string{}
	for _, lang := range pages.Languages() {
		w := httptest.NewRecorder()
		if err := p.Document(w, pages.Reader{Accept: lang}, "TCR-0000000000000001", r, at); err != nil {
			t.Fatal(err)
		}
		page := w.Body.String()
		for _, want := range []string{
			"Ada &lt;b&gt;Lovelace", "Diploma of Ada", "Acme University", `>TCR-0000</span><span>0000</span><span>0000</span><span>0001</span>`, "verdict--refuse replaced", `href="/d/TRF-7KQ2M4X9T1C3V5B8"`,
			`<time datetime="` + end.UTC().Format(time.RFC3339) + `" dir="ltr">2026-12-31<`, `dir="ltr">2026-11-20<`,
		} {
			if !strings.Contains(page, want) {
				t.Errorf("%s: no %s in\n%s", lang, want, page)
			}
		}
		if other, ok := seen[page]; ok || w.Code != http.StatusOK {
			t.Errorf("%s: status %d, the page of %s", lang, w.Code, other)
		}
		seen[page] = lang
	}
	w := httptest.NewRecorder()
	if err := p.Document(w, pages.Reader{}, "", verify.DocumentResult{Verdict: verify.NotFound}, at); err != nil || w.Code != http.StatusNotFound || strings.Contains(w.Body.String(), "<dl") {
		t.Errorf("not found: %d %v", w.Code, err)
	}
}
