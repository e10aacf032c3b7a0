package web_test

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"tcode/scanner/web/phonetest"
)

// offer makes the page's questions for a file get one, as a person would choose it.
const offer = `HTMLInputElement.prototype.click = function () { const d = new DataTransfer(); d.items.add(new File(['trust'], 'carry.export')); this.files = d.files; this.dispatchEvent(new Event('change')); }, true`

// click presses the first element of a selector that has a text.
func (p *phone) click(selector, text string) {
	p.t.Helper()
	script := `(() => { const e = [...document.querySelectorAll(` + phonetest.Quoted(selector) + `)].find((e) => e.textContent.includes(` + phonetest.Quoted(text) + `)); e?.click(); return Boolean(e); })()`
	if !eval[bool](p, script) {
		p.t.Fatalf("no %s says %q", selector, text)
	}
}

// TestTrustFile: the first trust file names its root, which a person must compare. No changes nothing.
func TestTrustFile(t *testing.T) {
	t.Parallel()
	checker := axe(t)
	p := open(t, fresh())
	p.start("en", ".choices")
	eval[bool](p, checker)
	eval[bool](p, offer)
	p.click(".choice", "Open a trust file")
	p.Wait("dialog[open] .print-16")
	p.accessible("en-trust-file")
	if text := eval[string](p, `document.querySelector('.print-16').textContent`); text != root {
		t.Errorf("the fingerprint is shown as %s", text)
	}
	p.click("dialog button", "Not the same")
	p.Wait("dialog:not([open])")
	if route := eval[string](p, `location.hash`); route != "#/first" {
		t.Errorf("a refused root leads to %s", route)
	}
	p.click(".choice", "Open a trust file")
	p.Wait("dialog[open] .print-16")
	p.click("dialog button", "They are the same")
	p.Wait("#language")
	p.clean()
}

// TestSettings changes the name, the language, what scans say, and the root.
func TestSettings(t *testing.T) {
	t.Parallel()
	p := open(t, field())
	p.start("en", "nav.tabs")
	p.at("trust", "#language")
	p.Wait(".hash:nth-of-type(1)")
	p.click(".row button", "Change")
	p.Wait("dialog[open] #name")
	p.Do(chromedp.SetValue(chromedp.ID("name"), "Gate 3"))
	p.click("dialog button", "Save")
	p.Wait("dialog:not([open])")
	waitFor(p, `new Promise((ok) => { const look = () => document.body.innerText.includes('Gate 3') ? ok(true) : setTimeout(look, 20); look(); })`)
	eval[bool](p, `document.getElementById('set-sound').click(), document.getElementById('set-vibration').click(), true`)
	eval[bool](p, `(() => { const s = document.getElementById('language'); s.value = 'de'; s.dispatchEvent(new Event('change')); return true; })()`)
	waitFor(p, `new Promise((ok) => { const look = () => document.documentElement.lang === 'de' && document.querySelector('h1').textContent === 'Vertrauen' ? ok(true) : setTimeout(look, 20); look(); })`)
	if kept := eval[string](p, `localStorage.getItem('tcode-page')`); !strings.Contains(kept, `"language":"de"`) || !strings.Contains(kept, `"sound":true`) || !strings.Contains(kept, `"vibration":false`) {
		t.Errorf("kept are %s", kept)
	}
	sum := `new Promise((ok) => { const look = () => { const h = [...document.querySelectorAll('.hash')].at(-1).textContent; h.startsWith('sha256 ') ? ok(h.replace(/^sha256 | /g, '')) : setTimeout(look, 20); }; look(); })`
	if got := eval[string](p, sum); got != "93a44bbb96c751218e4c00d479e4c14358122a389acca16205b1e4d0dc5f9476" {
		t.Errorf("the engine's hash is shown as %s", got)
	}
	p.click(".button", "Alle exportieren")
	p.Wait("dialog[open] bdi")
	p.click("dialog button", "Schließen")
	p.click(".button--grave", "Wurzel vergessen")
	p.Wait("dialog[open] #forget")
	p.Do(chromedp.SendKeys(chromedp.ID("forget"), "no\r"))
	p.Wait("dialog:not([open])")
	p.clean()
}

// TestOneQuestion: a question that comes while another is open takes its place, and the first gets no answer.
func TestOneQuestion(t *testing.T) {
	t.Parallel()
	p := open(t, field())
	p.start("en", "nav.tabs")
	p.at("trust", "#language")
	p.click(".row button", "Change")
	p.Wait("dialog[open] #name")
	p.click(".button", "Export all")
	p.Wait("dialog[open] bdi")
	p.click("dialog button", "Close")
	p.Wait("dialog:not([open])")
	p.clean()
}
