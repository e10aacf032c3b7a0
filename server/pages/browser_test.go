package pages_test

import (
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/chromedp"

	"tcode/offline/host/browsertest"
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

// browse returns a browser and the address of a server of pages, /d/<verdict>/<language>, /verify
// and /, or skips the test where there is no browser.
func browse(t *testing.T, of func(verify.Verdict) verify.Result, options ...chromedp.ExecAllocatorOption) (ctx context.Context, url string) {
	t.Helper()
	chromium := browsertest.Headless(t)
	drawn := drawer(t)
	mux := http.NewServeMux()
	page := func(pattern string, draw func(w http.ResponseWriter, q *http.Request) error) {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, q *http.Request) {
			if err := draw(w, q); err != nil {
				t.Error(err)
			}
		})
	}
	page("/d/{verdict}/{language}", func(w http.ResponseWriter, q *http.Request) error {
		return drawn.Twin(w, pages.Reader{Accept: q.PathValue("language")}, of(verify.Verdict(q.PathValue("verdict"))), at)
	})
	page("/branded/{language}", func(w http.ResponseWriter, q *http.Request) error {
		return drawn.About(about()).Twin(w, pages.Reader{Accept: q.PathValue("language")}, of(verify.Valid), at)
	})
	page("/docs/", func(w http.ResponseWriter, q *http.Request) error {
		return drawn.Guide(w, pages.ReaderOf(q), "https://tcode.acme.example")
	})
	mux.HandleFunc("/brand/", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "image/png")
		_ = png.Encode(w, image.NewGray(image.Rect(0, 0, about().Brand.Width, about().Brand.Height))) // a browser that has gone needs nothing
	})
	page("/verify", func(w http.ResponseWriter, q *http.Request) error {
		return drawn.Verify(w, pages.ReaderOf(q), "TCR-R9MC", false)
	})
	page("/{$}", func(w http.ResponseWriter, q *http.Request) error { return drawn.Index(w, pages.ReaderOf(q)) })
	modules, err := pages.Scripts()
	if err != nil {
		t.Fatal(err)
	}
	for address, module := range modules {
		mux.HandleFunc(address, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/javascript; charset=utf-8")
			_, _ = w.Write(module.Plain) // a browser that has gone needs nothing
		})
	}
	srv := httptest.NewServer(mux)
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
	for _, width := range []int64{320, 360, 1280} {
		if err := chromedp.Do(ctx, chromedp.EmulateViewport(width, 900), chromedp.Navigate(url+"/d/"+string(r.Verdict)+"/en")); err != nil {
			t.Fatal(err)
		}
		got := evaluate[[]string](t, ctx, `[...document.querySelectorAll('dd.signed')].map(e => e.textContent)`)
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
		if err := chromedp.Do(ctx, chromedp.Navigate(url+"/d/"+string(v)+"/en")); err != nil {
			t.Fatal(err)
		}
		colour := evaluate[string](t, ctx, `getComputedStyle(document.querySelector('.verdict')).backgroundColor + document.querySelector('.mark').innerHTML`)
		if other, ok := seen[colour]; ok || strings.HasPrefix(colour, "rgba(0, 0, 0, 0)") {
			t.Errorf("%s is %s, as %s", v, colour, other)
		}
		seen[colour] = v
	}
}

// shown are the pages that people see. The last one has all answers about files.
var shown = []string{
	"/", "/docs/", "/verify", "/branded/LANG", "/d/valid/LANG", "/d/suspended/LANG", "/d/revoked/LANG", "/d/expired/LANG", "/d/not_found/LANG", "/verify#all",
}

// allAnswers fills the page /verify with every answer, as its module does.
const allAnswers = `(async () => {
	const {show, reading, facts} = await import('/verify/show.js');
	const into = document.getElementById('answers');
	reading(into, 'diploma.pdf');
	for (const t of document.querySelectorAll('template[id^=answer-]')) {
		show(into, 'diploma.pdf', {key: t.id.slice(7), values: {issuer: 'Acme University', date: '2026-10-31 12:00 UTC', code: 'ACME01'}, asOf: '2026-11-20T12:30:00Z', reference: 'TCR-R9MC5QCNZXT6PPEZ',
			facts: t.id === 'answer-compare' ? facts([{key: 'holder', value: 'Ada'}], {document: 'Diploma', issuer: 'Acme University', issuedAt: '2026-11-20T12:30:00Z', reference: 'TCR-R9MC5QCNZXT6PPEZ'}) : []});
	}
	return into.querySelectorAll('.verdict').length;
})()`

// goTo opens one of the shown pages. The answers about files must be as many as there are.
func goTo(t *testing.T, ctx context.Context, url, page, language string, width int64) {
	t.Helper()
	address, all := strings.CutSuffix(strings.ReplaceAll(page, "LANG", language), "#all")
	if err := chromedp.Do(ctx, chromedp.EmulateViewport(width, 900), chromedp.Navigate(url+address+"?lang="+language)); err != nil {
		t.Fatal(err)
	}
	if all {
		n, err := chromedp.Run(ctx, chromedp.Evaluate[int](allAnswers, chromedp.EvalAwaitPromise))
		if err != nil || n != len(pages.Answers())-3 {
			t.Errorf("%d answers about files, %v", n, err)
		}
	}
}

// TestAccessible runs axe-core on every page, in both writing directions and both colour
// schemes, wide and narrow. No page is wider than its window.
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
		for _, page := range shown {
			for lang, width := range map[string]int64{"en": widths[dark], "ar": widths[!dark]} {
				goTo(t, ctx, url, page, lang, width)
				if got := evaluate[bool](t, ctx, `matchMedia('(prefers-color-scheme: dark)').matches`); got != dark {
					t.Fatalf("dark is %v", got)
				}
				if wide := evaluate[int](t, ctx, `document.documentElement.scrollWidth`); wide > int(width) {
					t.Errorf("%s %s: at %d px it is %d px wide", page, lang, width, wide)
				}
				passes, violations := check(t, ctx, string(axe))
				t.Logf("%s %s %d px, dark %v: %d rules passed", page, lang, width, dark, passes)
				if passes < 10 {
					t.Errorf("%s %s: only %d rules passed: was the page there?", page, lang, passes)
				}
				for _, violation := range violations {
					t.Errorf("%s %s: %s", page, lang, violation)
				}
			}
		}
	}
}

// widths are those of a phone and of a desk, px: with dark colours the English pages are
// narrow, and the Arabic ones wide.
var widths = map[bool]int64{false: 1280, true: 360}

// check runs axe-core on the page.
func check(t *testing.T, ctx context.Context, axe string) (passes int, violations []string) {
	t.Helper()
	evaluate[bool](t, ctx, axe+";true")
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
	return found.Passes, found.Violations
}

// TestQuiet: no page writes an error to the console, and none breaks its own policy. With
// TCODE_SHOW, a folder, it keeps a picture of each.
func TestQuiet(t *testing.T) {
	t.Parallel()
	dir := os.Getenv("TCODE_SHOW")
	ctx, url := browse(t, result)
	if err := chromedp.Do(ctx, chromedp.Navigate("about:blank")); err != nil { // the browser belongs to ctx
		t.Fatal(err)
	}
	listen, stop := context.WithCancel(ctx)
	defer stop()
	entries, messages := chromedp.Events(listen, log.EntryAdded), chromedp.Console(listen)
	if _, err := chromedp.Call(ctx, log.Enable, cdp.Empty{}); err != nil {
		t.Fatal(err)
	}
	said := make(chan string, 100)
	var both sync.WaitGroup
	both.Go(func() {
		for e, err := range entries {
			if err == nil {
				said <- "log: " + e.Entry.Text
			}
		}
	})
	both.Go(func() {
		for m, err := range messages {
			if err == nil {
				said <- "console: " + m.String()
			}
		}
	})
	for _, page := range shown {
		if page != "/d/not_found/LANG" { // the browser itself writes of the status 404
			goTo(t, ctx, url, page, "en", 1280)
		}
	}
	stop()
	both.Wait()
	close(said)
	for line := range said {
		t.Error(line)
	}
	if dir != "" {
		photograph(t, ctx, url, dir)
	}
}

// photograph keeps a picture of each page in a folder.
func photograph(t *testing.T, ctx context.Context, url, dir string) {
	t.Helper()
	for _, page := range shown {
		for _, lang := range []string{"en", "ar"} {
			for _, width := range []int64{360, 1280} {
				goTo(t, ctx, url, page, lang, width)
				picture, err := chromedp.Run(ctx, chromedp.FullScreenshot(100))
				if err != nil {
					t.Fatal(err)
				}
				name := fmt.Sprint(strings.NewReplacer("/", "_", "#", "-").Replace(page), "-", lang, "-", width, ".png")
				if err := os.WriteFile(filepath.Join(dir, name), picture, 0o600); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}
