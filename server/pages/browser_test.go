package pages_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"tcode/offline/payload"
	"tcode/server/pages"
	"tcode/server/verify"
)

// hostile are values that have caused harm in other programs.
var hostile = []string{
	`<script>window.hit=1</script>`, `"><script>window.hit=1</script>`, `</style><script>window.hit=1</script>`, `</title><script>window.hit=1</script>`,
	`<img src=x onerror=window.hit=1>`, `<svg onload=window.hit=1>`, `<body onload=window.hit=1>`, `<iframe srcdoc="<script>parent.hit=1</script>">`,
	`javascript:window.hit=1`, `<a href="javascript:window.hit=1">x</a>`, `<base href="https://evil.example/">`, `<meta http-equiv=refresh content="0;url=https://evil.example/">`,
	`<form action=https://evil.example><input name=x>`, `<link rel=stylesheet href=https://evil.example/x.css>`, `<style>body{display:none}</style>`,
	`{{.Verdict}}`, `${window.hit=1}`, `'; DROP TABLE stamps; --`, `1 OR 1=1`, `=HYPERLINK("https://evil.example")`, `@SUM(1+1)*cmd|'/C calc'!A0`,
	"\u202egnp.exe", "\u2066\u2069\u200f\u200e", "a\u0301\u0301\u0301\u0301", "\ufeff\ufffd", `&lt;b&gt;`, `&#60;script&#62;`, `<!-- -->`, `]]><x/>`,
	`\u003cscript\u003ewindow.hit=1`, "line one\nline two\ttab", strings.Repeat("W", 500),
}

// browse returns a browser and the address of a server of pages, /<verdict>/<language>,
// or skips the test where there is no browser.
func browse(t *testing.T, of func(verify.Verdict) verify.Result, options ...chromedp.ExecAllocatorOption) (ctx context.Context, url string) {
	t.Helper()
	chromium, err := exec.LookPath("chromium")
	if err != nil {
		missing(t, "chromium is not installed")
	}
	pages, err := pages.New()
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		v, language, _ := strings.Cut(strings.TrimPrefix(q.URL.Path, "/"), "/")
		if err := pages.Twin(w, language, of(verify.Verdict(v)), at); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(srv.Close)
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	t.Cleanup(cancel)
	ctx, end := chromedp.NewContext(ctx, chromedp.WithAllocatorOptions(append(options, chromedp.ExecPath(chromium), chromedp.NoSandbox)...))
	t.Cleanup(end)
	return ctx, srv.URL
}

// missing skips the test, or fails it where all tests must run.
func missing(t *testing.T, why string) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatal(why)
	}
	t.Skip(why)
}

func evaluate[T any](t *testing.T, ctx context.Context, script string) T {
	t.Helper()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](script))
	if err != nil {
		t.Fatalf("%.80s: %v", script, err)
	}
	return v
}

// TestHostileFields: in a real browser, every signed text of an issuer is only text, and
// is shown unchanged.
func TestHostileFields(t *testing.T) {
	t.Parallel()
	r := result(verify.Valid)
	r.IssuerName, r.Fields = hostile[0], nil
	for _, text := range hostile {
		r.Fields = append(r.Fields, payload.Field{Key: "note", Value: text})
	}
	ctx, url := browse(t, func(verify.Verdict) verify.Result { return r })
	for _, width := range []int64{320, 390, 1280} {
		if err := chromedp.Do(ctx, chromedp.EmulateViewport(width, 900), chromedp.Navigate(url+"/"+string(r.Verdict)+"/en")); err != nil {
			t.Fatal(err)
		}
		got := evaluate[[]string](t, ctx, `[...document.querySelectorAll('section:last-of-type dd')].map(e => e.textContent)`)
		if len(got) != len(hostile) {
			t.Fatalf("%d values, want %d", len(got), len(hostile))
		}
		for i, want := range hostile {
			if got[i] != want {
				t.Errorf("%q is shown as %q", want, got[i])
			}
		}
		if n := evaluate[int](t, ctx, `document.querySelectorAll('script, iframe, img, form, base, object, embed').length + (window.hit ? 1 : 0)`); n != 0 {
			t.Error("a text has become an element, or has run")
		}
		if got := evaluate[string](t, ctx, `location.origin`); got != url {
			t.Errorf("the page has led to %s", got)
		}
		if wide := evaluate[int](t, ctx, `document.documentElement.scrollWidth`); wide > int(width) {
			t.Errorf("at %d px the page is %d px wide", width, wide)
		}
	}
}

// TestStyle: the policy allows the page's own style, so that each verdict has its
// colour.
func TestStyle(t *testing.T) {
	t.Parallel()
	seen := map[string]verify.Verdict{}
	ctx, url := browse(t, result)
	for _, v := range []verify.Verdict{verify.Valid, verify.Suspended, verify.Revoked, verify.NotFound} {
		if err := chromedp.Do(ctx, chromedp.Navigate(url+"/"+string(v)+"/en")); err != nil {
			t.Fatal(err)
		}
		colour := evaluate[string](t, ctx, `getComputedStyle(document.querySelector('h1')).color`)
		if other, ok := seen[colour]; ok || colour == "rgb(0, 0, 0)" {
			t.Errorf("%s is %s, as %s", v, colour, other)
		}
		seen[colour] = v
	}
}

// TestAccessible runs axe-core on every verdict, in both writing directions and
// both colour schemes, wide and narrow.
func TestAccessible(t *testing.T) {
	t.Parallel()
	axe, err := os.ReadFile(filepath.Join("axe", "node_modules", "axe-core", "axe.min.js"))
	if err != nil {
		missing(t, "axe-core is not installed: npm ci in server/pages/axe")
	}
	for _, dark := range []bool{false, true} {
		var options []chromedp.ExecAllocatorOption
		if dark {
			options = append(options, chromedp.Flag("blink-settings", "preferredColorScheme=0"))
		}
		ctx, url := browse(t, result, options...)
		for _, v := range []verify.Verdict{verify.Valid, verify.Suspended, verify.Revoked, verify.Expired, verify.NotFound} {
			for _, page := range []struct {
				lang  string
				width int64
			}{{"en", 1280}, {"ar", 390}} {
				if err := chromedp.Do(ctx, chromedp.EmulateViewport(page.width, 900), chromedp.Navigate(url+"/"+string(v)+"/"+page.lang)); err != nil {
					t.Fatal(err)
				}
				if got := evaluate[bool](t, ctx, `matchMedia('(prefers-color-scheme: dark)').matches`); got != dark {
					t.Fatalf("dark is %v", got)
				}
				evaluate[bool](t, ctx, string(axe)+";true")
				script := `axe.run().then(r => JSON.stringify({passes: r.passes.length, violations: r.violations.map(v => v.id + ': ' + v.nodes.map(n => n.html).join(' '))}))`
				raw, err := chromedp.Run(ctx, chromedp.Evaluate[string](script, chromedp.EvalAwaitPromise))
				if err != nil {
					t.Fatal(err)
				}
				var found struct {
					Passes     int
					Violations []string
				}
				if err := json.Unmarshal([]byte(raw), &found); err != nil {
					t.Fatal(err)
				}
				t.Logf("%s %s %d px, dark %v: %d rules passed", v, page.lang, page.width, dark, found.Passes)
				if found.Passes < 10 {
					t.Errorf("%s %s: only %d rules passed: was the page there?", v, page.lang, found.Passes)
				}
				for _, violation := range found.Violations {
					t.Errorf("%s %s: %s", v, page.lang, violation)
				}
			}
		}
	}
}
