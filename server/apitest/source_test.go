package apitest

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tcode/server"
	"tcode/server/httpapi"
	"tcode/server/internal/harness"
)

// TestSource: the public pages offer the source in every language, and /source leads to it, sends it, or says whom to ask.
//
//engine:sqlite no row takes part
func TestSource(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "source.tar.gz")
	harness.Must(t, os.WriteFile(file, []byte("the source"), 0o600))
	r := harness.Start(t, func(c *server.Config) { c.Source = httpapi.Source{Program: "tcode-gateway v1.2.0, commit 0ba18ea1"} })
	for lang, words := range map[string]string{"en": "licence and source code", "de": "Quelltext", "fr": "code source", "es": "código fuente", "ar": "الشيفرة المصدرية"} {
		for _, page := range []string{"/?lang=", "/verify?lang=", "/d/TCR-0000000000000000?lang="} {
			a := r.Do(harness.Request{Method: "GET", Path: page + lang, Header: http.Header{"Accept": {"text/html"}}})
			if _, footer, _ := strings.Cut(string(a.Raw), "<footer"); !strings.Contains(footer, `href="/source"`) || !strings.Contains(footer, words) {
				t.Errorf("%s%s does not offer the source:\n%s", page, lang, footer)
			}
		}
	}
	a := r.Want(r.Get("", "/source"), http.StatusOK)
	for _, want := range []string{"tcode-gateway v1.2.0, commit 0ba18ea1", "GNU Affero General Public License", "ask the operator"} {
		if !strings.Contains(string(a.Raw), want) {
			t.Errorf("no %q in %s", want, a.Raw)
		}
	}
	sends := r.Beside(func(c *server.Config) { c.Source.Location = file })
	a = sends.Want(sends.Get("", "/source"), http.StatusOK)
	if string(a.Raw) != "the source" || a.Header.Get("Content-Disposition") != `attachment; filename="source.tar.gz"` {
		t.Errorf("%q, %v", a.Raw, a.Header)
	}
	leads := r.Beside(func(c *server.Config) { c.Source.Location = "https://example.org/tcode.tar.gz" })
	if a := leads.Want(leads.Get("", "/source"), http.StatusFound); a.Header.Get("Location") != "https://example.org/tcode.tar.gz" {
		t.Errorf("leads to %q", a.Header.Get("Location"))
	}
}
