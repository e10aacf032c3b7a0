package pages_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"tcode/offline"
	"tcode/offline/payload"
	"tcode/server/issue/stamp"
	"tcode/server/pages"
	"tcode/server/refdata"
	"tcode/server/verify"
)

var at = time.Date(2026, 11, 20, 12, 30, 0, 0, time.UTC)

// result returns a look-up of a diploma.
func result(v verify.Verdict) verify.Result {
	if v == verify.NotFound {
		return verify.Result{Verdict: v}
	}
	return verify.Result{
		Verdict: v, Status: stamp.Active, Reference: payload.Reference{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, IssuerReference: "ACME01", IssuerName: "Acme University", KeyID: "ACME01-1", IssuedAt: at.Add(-time.Hour),
		DocumentType: refdata.DocumentType{
			Code: "DIP", Names: map[string]string{"en": "Diploma", "de": "Diplom", "ar": "شهادة", "pt-BR": "Diploma universitário"},
			FieldLabels: map[string]map[string]string{"holder": {"en": "Holder", "de": "Inhaberin", "ar": "صاحب الشهادة"}},
		},
		Fields: []payload.Field{{Key: "grade", Value: "1,3"}, {Key: "holder", Value: "Ada Lovelace"}},
	}
}

// site offers everything.
func site() pages.Site {
	return pages.Site{App: true, Engine: true, Console: true, Root: strings.Repeat("ab", 32)}
}

func drawer(t testing.TB) *pages.Pages {
	t.Helper()
	p, err := pages.New(site)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// draw answers with the page of r.
func draw(t testing.TB, accept string, r verify.Result) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	if err := drawer(t).Twin(w, pages.Reader{Accept: accept}, r, at); err != nil {
		t.Fatal(err)
	}
	return w
}

// TestVerdicts: every verdict has words and a symbol of its own in every language, names
// the issuer in its sentence, and is never green: a page cannot see the document.
func TestVerdicts(t *testing.T) {
	t.Parallel()
	verdicts := []verify.Verdict{verify.Valid, verify.Suspended, verify.Revoked, verify.Expired, verify.NotFound}
	heading := regexp.MustCompile(`<h1>(.*?)</h1>\s*<p>(.*?)</p></div>`)
	symbol := regexp.MustCompile(`(?s)<svg class="mark".*?</svg>`)
	for _, lang := range pages.Languages() {
		said, drawn := map[string]verify.Verdict{}, map[string]verify.Verdict{}
		for _, v := range verdicts {
			w := draw(t, lang, result(v))
			page := w.Body.String()
			m := heading.FindStringSubmatch(page)
			if m == nil || m[1] == "" || m[2] == "" {
				t.Fatalf("%s %s: no heading in\n%s", lang, v, page)
			}
			s := symbol.FindString(page)
			if other, ok := said[m[1]+m[2]]; ok {
				t.Errorf("%s: %s and %s say the same", lang, v, other)
			}
			if other, ok := drawn[s]; ok {
				t.Errorf("%s and %s have the same symbol", v, other)
			}
			said[m[1]+m[2]], drawn[s] = v, v
			if want := map[bool]int{true: 404, false: 200}[v == verify.NotFound]; w.Code != want {
				t.Errorf("%s: status %d, want %d", v, w.Code, want)
			}
			if got := w.Header().Get("Content-Language"); got != lang || !strings.Contains(page, `<html lang="`+lang+`"`) {
				t.Errorf("asked for %s, got %s", lang, got)
			}
			if v != verify.NotFound && !strings.Contains(m[2], "Acme University") {
				t.Errorf("%s %s does not name the issuer: %s", lang, v, m[2])
			}
			if v != verify.NotFound && (!strings.Contains(page, "Acme University") || !strings.Contains(page, "Ada Lovelace") || !strings.Contains(page, ">2026-11-20<")) {
				t.Errorf("%s %s: the document is not shown", lang, v)
			}
			if strings.Contains(page, "<script") || strings.Contains(page, "style=") || strings.Contains(page, `"verdict verdict--accept`) || strings.Contains(page, "ZgotmplZ") {
				t.Errorf("%s %s: script, inline style or green", lang, v)
			}
		}
	}
}

// TestCompared: what must be compared with a stamped document is what its issuer signed. The day
// of the stamp is not among it: a letter bears the day when it was written.
func TestCompared(t *testing.T) {
	t.Parallel()
	page := draw(t, "en", result(verify.Valid)).Body.String()
	compared, more, ok := strings.Cut(page, `id="more"`)
	if day := ">2026-11-20<"; !ok || strings.Contains(compared, day+"/time></dd>") || !strings.Contains(more, day) {
		t.Errorf("the day of the stamp is to be compared:\n%s", page)
	}
	if page := draw(t, "en", result(verify.Revoked)).Body.String(); strings.Contains(page[strings.Index(page, `id="more"`):], ">2026-11-20<") {
		t.Errorf("without a comparison the day stands among the other facts:\n%s", page)
	}
}

// TestProblems: a page without a verdict has words of its own in every language, no words
// of a document, and no green colour.
func TestProblems(t *testing.T) {
	t.Parallel()
	p := drawer(t)
	said := map[string]string{}
	for _, lang := range pages.Languages() {
		for _, status := range []int{429, 500, 503} {
			w := httptest.NewRecorder()
			if err := p.Problem(w, pages.Reader{Accept: lang}, status); err != nil {
				t.Fatal(err)
			}
			page := w.Body.String()
			if w.Code != status || w.Header().Get("Content-Language") != lang || w.Header().Get("Cache-Control") != "no-store" {
				t.Errorf("%s %d: %d %v", lang, status, w.Code, w.Header())
			}
			if strings.Contains(page, "<dl") || strings.Contains(page, "<time") || strings.Contains(page, `"verdict verdict--accept`) {
				t.Errorf("%s %d:\n%s", lang, status, page)
			}
			heading := regexp.MustCompile(`<h1>.+?</p>`).FindString(page)
			if other, ok := said[heading]; ok && other != lang+strconv.Itoa(min(status, 500)) || heading == "" {
				t.Errorf("%s %d says %q, as %s", lang, status, heading, other)
			}
			said[heading] = lang + strconv.Itoa(min(status, 500))
		}
	}
}

// TestLanguages: the page uses English for an unknown language; the document type may
// still have a name in that language.
func TestLanguages(t *testing.T) {
	t.Parallel()
	tests := []struct{ accept, lang, kind, label string }{
		{"", "en", "Diploma", "Holder"},
		{"de-AT,de;q=0.9,en;q=0.8", "de", "Diplom", "Inhaberin"},
		{"fr", "fr", "Diploma", "Holder"},
		{"ar-EG", "ar", "شهادة", "صاحب الشهادة"},
		{"pt-BR", "en", "Diploma universitário", "Holder"},
		{"ja;q=1, de;q=0.5", "de", "Diplom", "Inhaberin"},
		{"*", "en", "Diploma", "Holder"},
		{strings.Repeat("x-", 500), "en", "Diploma", "Holder"},
		{"\x00\xff;;=,", "en", "Diploma", "Holder"},
	}
	for _, tt := range tests {
		w := draw(t, tt.accept, result(verify.Valid))
		page := w.Body.String()
		if got := w.Header().Get("Content-Language"); got != tt.lang {
			t.Errorf("%.30q: language %s, want %s", tt.accept, got, tt.lang)
		}
		for _, want := range []string{">" + tt.kind + "<", ">" + tt.label + "<", ">Grade<"} {
			if !strings.Contains(page, want) {
				t.Errorf("%.30q: the page lacks %s", tt.accept, want)
			}
		}
	}
}

func TestOnwards(t *testing.T) {
	t.Parallel()
	r := result(verify.Revoked)
	r.ReplacedBy = "TCR-7KQ2M4X9T1C3V5B8"
	if page := draw(t, "en", r).Body.String(); !strings.Contains(page, `href="/d/TCR-7KQ2M4X9T1C3V5B8"`) || !strings.Contains(page, "has put a newer document in its place") {
		t.Errorf("no way to the replacement in\n%s", page)
	}
	r = result(verify.Suspended)
	r.Checks = []offline.Check{{Name: offline.CheckIssuerActive, Status: offline.Fail, Code: offline.CodeIssuerSuspended}}
	if page := draw(t, "en", r).Body.String(); !strings.Contains(page, "</bdi> itself is suspended for now") {
		t.Errorf("the issuer's suspension is not told in\n%s", page)
	}
	r = result(verify.Valid)
	r.Test = true
	if page := draw(t, "en", r).Body.String(); !strings.Contains(page, "<h1>TEST DOCUMENT</h1>") || strings.Contains(page, "VALID") || strings.Contains(page, `"verdict verdict--look`) {
		t.Errorf("a test document passes for one in\n%s", page)
	}
}

// TestHeaders: the policy allows only the page's own style, and no cache may store the
// page.
func TestHeaders(t *testing.T) {
	t.Parallel()
	for _, v := range []verify.Verdict{verify.Valid, verify.NotFound} {
		w := draw(t, "en", result(v))
		style := regexp.MustCompile(`(?s)<style>(.*)</style>`).FindStringSubmatch(w.Body.String())
		sum := sha256.Sum256([]byte(style[1]))
		policy := w.Header().Get("Content-Security-Policy")
		if hash := "style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"; !strings.Contains(policy, hash) {
			t.Errorf("policy %s lacks %s", policy, hash)
		}
		for name, want := range map[string]string{"Cache-Control": "no-store", "Vary": "Accept, Accept-Language, Accept-Encoding", "X-Frame-Options": "DENY", "X-Robots-Tag": "noindex"} {
			if got := w.Header().Get(name); got != want {
				t.Errorf("%s = %q, want %q", name, got, want)
			}
		}
	}
}

// TestShow draws every verdict in three languages, and writes the pages to $TCODE_SHOW for
// a look in a browser.
func TestShow(t *testing.T) {
	dir := os.Getenv("TCODE_SHOW")
	if dir == "" {
		dir = t.TempDir()
	}
	for _, lang := range []string{"en", "de", "ar"} {
		for _, v := range []verify.Verdict{verify.Valid, verify.Suspended, verify.Revoked, verify.Expired, verify.NotFound} {
			page := draw(t, lang, result(v)).Body.Bytes()
			if !bytes.Contains(page, []byte(`lang="`+lang+`"`)) || !bytes.HasSuffix(bytes.TrimSpace(page), []byte("</html>")) {
				t.Errorf("%s, %s: %s", lang, v, page)
			}
			if err := os.WriteFile(filepath.Join(dir, lang+"-"+string(v)+".html"), page, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func BenchmarkTwin(b *testing.B) {
	for b.Loop() {
		draw(b, "de-AT,de;q=0.9,en;q=0.8", result(verify.Valid))
	}
}
