package apitest

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"tcode/offline/payload"
	"tcode/server/internal/harness"
	"tcode/sync/wire"
)

// TestVerifyForm: the form of /verify and of the start page needs no script: a reference,
// however it is typed, leads to its page, and anything else to the form with a hint.
//
//engine:sqlite the form of the request decides, before a row is read
func TestVerifyForm(t *testing.T) {
	t.Parallel()
	r := harness.Start(t)
	for typed, want := range map[string]string{
		"?reference=TCR-R9MC5QCNZXT6PPEZ":                                                                "/d/TCR-R9MC5QCNZXT6PPEZ",
		"?reference=+tcr-r9mc+5qcn+zxt6+ppez":                                                            "/d/TCR-R9MC5QCNZXT6PPEZ",
		"?reference=trf-r9mc5qcnzxt6ppeo":                                                                "/d/TRF-R9MC5QCNZXT6PPE0",
		"?reference=TRF%E2%80%93R9MC+5QCN%C2%A0ZXT6%0APPEZ.":                                             "/d/TRF-R9MC5QCNZXT6PPEZ",
		"?reference=%D0%A2CR-R9MC5QCNZXT6PPEZ":                                                           "/d/TCR-R9MC5QCNZXT6PPEZ", // Cyrillic
		"?reference=%EF%BC%B4CR-R%D9%A9MC5QCNZXT6PPEZ":                                                   "/d/TCR-R9MC5QCNZXT6PPEZ", // wide, and Arabic
		"?reference=" + url.QueryEscape("see <https://other.example/x/d/TRF-R9MC5QCNZXT6PPEZ?lang=de>."): "/d/TRF-R9MC5QCNZXT6PPEZ",
		"?reference=TCR-R9MC5QCNZXT6PPEZ&lang=ar":                                                        "/d/TCR-R9MC5QCNZXT6PPEZ?lang=ar",
		"?reference=TCR-R9MC5QCNZXT6PPEZ&lang=//evil":                                                    "/d/TCR-R9MC5QCNZXT6PPEZ",
	} {
		if a := r.Want(r.Get("", "/verify"+typed), http.StatusSeeOther); a.Header.Get("Location") != want {
			t.Errorf("%s leads to %s, want %s", typed, a.Header.Get("Location"), want)
		}
	}
	// What programs that make links of text append to an address.
	for _, end := range []string{".", ")", "/", ",", ";", ":", "!", "%3E", "%22", "%E2%80%9D", "%E3%80%82", "%20", ").", "/."} {
		for _, reference := range []string{"TCR-R9MC5QCNZXT6PPEZ", "TRF-R9MC5QCNZXT6PPEZ"} {
			for query, want := range map[string]string{"": "", "?lang=de": "?lang=de", "?lang=de.": ""} {
				path, want := "/d/"+reference+end+query, "/d/"+reference+want
				if a := r.Want(r.Get("", path), http.StatusSeeOther); a.Header.Get("Location") != want {
					t.Errorf("%s leads to %s, want %s", path, a.Header.Get("Location"), want)
				}
			}
			r.Want(r.Get("", "/d/"+reference), http.StatusNotFound) // it is no reference of a record
		}
	}
	for typed, shown := range map[string]string{
		"?reference=TCR-R9MC":                     `value="TCR-R9MC"`,
		"?reference=//evil.example":               `value="//evil.example"`,
		`?reference="><script>alert(1)</script>`:  `value="&#34;&gt;&lt;script&gt;alert(1)&lt;/script&gt;"`,
		"?reference=" + strings.Repeat("A", 3000): "This is no whole reference.",
	} {
		a := r.Want(r.Do(harness.Request{Method: "GET", Path: "/verify" + strings.ReplaceAll(strings.ReplaceAll(strings.ReplaceAll(typed, `"`, "%22"), "<", "%3C"), ">", "%3E")}), http.StatusOK)
		if !strings.Contains(string(a.Raw), shown) || !strings.Contains(string(a.Raw), "This is no whole reference.") {
			t.Errorf("%s: no %s in\n%s", typed, shown, a.Raw)
		}
	}
	a := r.Want(r.Get("", "/verify?lang=de"), http.StatusOK)
	policy := a.Header.Get("Content-Security-Policy")
	if a.Header.Get("Content-Language") != "de" || strings.Contains(policy, "unsafe") || !strings.Contains(policy, "default-src 'none'") || !strings.Contains(policy, "connect-src 'self'") {
		t.Errorf("/verify: %v", a.Header)
	}
	for _, module := range []string{"verify", "engine", "gateway", "show"} {
		m := r.Want(r.Get("", "/verify/"+module+".js"), http.StatusOK)
		if m.Header.Get("Content-Type") != "text/javascript; charset=utf-8" || m.Header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: %v", module, m.Header)
		}
	}
}

// TestVerifyFormOnPayloads: the text of a symbol leads to the page of its reference, unless it is
// of no issuer here.
func TestVerifyFormOnPayloads(t *testing.T) {
	t.Parallel()
	r := harness.Start(t)
	key := r.Tenant("ACME01")
	st := r.Stamp(key, "n")
	text := string(r.Download(key, st.Id.String(), "payload"))
	for _, typed := range []string{text, " " + text + "\r\n"} {
		a := r.Want(r.Get("", "/verify?reference="+url.QueryEscape(typed)), http.StatusSeeOther)
		if got := a.Header.Get("Location"); got != "/d/"+st.Reference {
			t.Errorf("%.20q leads to %s", typed, got)
		}
	}
	raw, err := wire.PayloadBytes(text)
	must(t, err)
	raw[len(raw)-1] ^= 1
	a := r.Want(r.Get("", "/verify?reference="+url.QueryEscape(payload.EncodeText(raw))), http.StatusOK)
	if !strings.Contains(string(a.Raw), "No issuer of this gateway knows this symbol") {
		t.Errorf("a forgery: %s", a.Raw)
	}
}

// TestStartPage: a browser gets a page that leads on, and a client that asks for JSON the
// documentation, as before.
//
//engine:sqlite the headers of the request decide, not its rows
func TestStartPage(t *testing.T) {
	t.Parallel()
	r := harness.Start(t)
	a := r.Want(r.Do(harness.Request{Method: "GET", Path: "/", Header: http.Header{"Accept": {"text/html,*/*;q=0.8"}, "Accept-Language": {"fr"}}}), http.StatusOK)
	for _, want := range []string{`href="/verify"`, `href="/docs/"`, `href="/console"`, `action="/verify"`, `lang="fr"`} {
		if !strings.Contains(string(a.Raw), want) {
			t.Errorf("no %s in\n%s", want, a.Raw)
		}
	}
	for _, absent := range []string{`href="/scan/"`, "<script"} { // this gateway has no app
		if strings.Contains(string(a.Raw), absent) {
			t.Errorf("%s in\n%s", absent, a.Raw)
		}
	}
	a = r.Do(harness.Request{Method: "GET", Path: "/", Header: http.Header{"Accept": {"application/json"}}})
	if a.StatusCode != http.StatusFound || a.Header.Get("Location") != "/docs/" || !strings.Contains(a.Header.Get("Vary"), "Accept") {
		t.Errorf("JSON: %d %v", a.StatusCode, a.Header)
	}
}

// TestVerifyByFingerprint: in a browser of a gateway without the engine, a file that is
// dropped on /verify gets the gateway's answer about its SHA-256. It is never green: its
// contents were not looked at.
//
//engine:sqlite the browser reads the answers of the API
func TestVerifyByFingerprint(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	revoked := w.Stamp(w.Key, "revoked")
	file := w.Download(w.Key, revoked.Id.String(), "stamped")
	w.Want(w.Post(w.Key, "/v1/tcode/stamps/"+revoked.Id.String()+"/revoke", nil), http.StatusNoContent)
	ctx := browser(t)
	if err := chromedp.Do(ctx, chromedp.Navigate(w.URL+"/verify")); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		file []byte
		want string
	}{
		{w.Download(w.Key, w.Standing.Id.String(), "stamped"), "same_file Tenant ACME01 /d/" + w.Standing.Reference},
		{w.Download(w.Key, w.Standing.Id.String(), "original"), "original Tenant ACME01 /d/" + w.Standing.Reference},
		{file, "revoked Tenant ACME01 /d/" + revoked.Reference},
		{[]byte("%PDF-1.7 of no issuer"), "unknown_file  "},
	} {
		name, err := json.Marshal(`<img src=x onerror=hit=1>.pdf`)
		if err != nil {
			t.Fatal(err)
		}
		script := fmt.Sprintf(`(async () => {
			const files = new DataTransfer(), answers = document.getElementById('answers'), input = document.getElementById('file');
			files.items.add(new File([Uint8Array.from(atob(%q), (c) => c.charCodeAt(0))], %s));
			input.files = files.files;
			input.dispatchEvent(new Event('change'));
			for (const end = Date.now() + 90000; answers.hasAttribute('aria-busy') && Date.now() < end;) await new Promise((ok) => setTimeout(ok, 5));
			return [answers.querySelector('.verdict').classList[2], answers.querySelector('[data-slot=issuer]')?.textContent,
				answers.querySelector('[data-part=details]')?.getAttribute('href')].join(' ') + (document.querySelector('img') ? ' img' : '') + (document.activeElement === answers ? '' : ' no focus');
		})()`, base64.StdEncoding.EncodeToString(tt.file), name)
		got, err := chromedp.Run(ctx, chromedp.Evaluate[string](script, chromedp.EvalAwaitPromise))
		if err != nil || got != tt.want {
			t.Errorf("%q %v, want %q", got, err, tt.want)
		}
	}
}
