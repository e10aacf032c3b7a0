package web_test

import (
	"encoding/json"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"tcode/scanner/web"
	"tcode/scanner/web/phonetest"
)

// missing skips the test, or fails it where all tests must run.
func missing(t *testing.T, why string) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatal(why)
	}
	t.Skip(why)
}

// A phone is a browser that runs the app.
type phone struct {
	*phonetest.Phone
	t   *testing.T
	url string
}

// open starts a browser on the app with the engine of w. Its camera refuses, unless options say otherwise.
func open(t *testing.T, w world, options ...chromedp.ExecAllocatorOption) *phone {
	t.Helper()
	srv := httptest.NewServer(web.NewWith(web.Files(), w.engine(t)))
	t.Cleanup(srv.Close)
	return openAt(t, srv.URL, options...)
}

func openAt(t *testing.T, url string, options ...chromedp.ExecAllocatorOption) *phone {
	t.Helper()
	p := &phone{phonetest.New(t), t, url}
	p.On(url+"/scan/icon.svg", options...)
	return p
}

// clean fails the test with everything that no page of this package may cause, failed requests too.
func (p *phone) clean() {
	p.t.Helper()
	for _, w := range append(p.Wrong(), p.Failed()...) {
		p.t.Error(w)
	}
}

// eval evaluates a script; a promise is waited for.
func eval[T any](p *phone, script string) T {
	p.t.Helper()
	return phonetest.Eval[T](p.Phone, script)
}

// at opens a route and waits for an element of its screen.
func (p *phone) at(route, selector string) {
	p.t.Helper()
	eval[bool](p, `document.getElementById('title')?.removeAttribute('id'), location.hash = `+phonetest.Quoted("#/"+route)+`, true`)
	p.Wait("#title")
	p.Wait(selector)
}

// start loads the app in a language.
func (p *phone) start(lang, selector string) {
	p.t.Helper()
	p.Do(chromedp.Navigate(p.url + "/scan/icon.svg"))
	eval[bool](p, `localStorage.setItem('tcode-page', JSON.stringify({language: `+phonetest.Quoted(lang)+`})), true`)
	p.Do(chromedp.Navigate(p.url + "/scan/"))
	p.Wait(selector)
}

// dark sets the colour scheme. Nothing moves, because axe would measure colours on their way.
func (p *phone) dark(on bool) {
	p.t.Helper()
	scheme := map[bool]string{true: "dark", false: "light"}[on]
	if _, err := chromedp.Call(p.Context(), emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"}}}); err != nil {
		p.t.Fatal(err)
	}
}

// picture saves a screenshot in the folder of TCODE_SCREENSHOTS, if it is set.
func (p *phone) picture(name string) {
	p.t.Helper()
	dir := os.Getenv("TCODE_SCREENSHOTS")
	if dir == "" {
		return
	}
	raw, err := chromedp.Run(p.Context(), chromedp.CaptureScreenshot())
	if err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name+".png"), raw, 0o600); err != nil {
		p.t.Fatal(err)
	}
}

// axe loads the accessibility checker.
func axe(t *testing.T) string {
	t.Helper()
	raw, err := os.ReadFile("../../server/pages/axe/node_modules/axe-core/axe.min.js")
	if err != nil {
		missing(t, "axe-core is not installed: npm ci in server/pages/axe")
	}
	return string(raw) + ";true"
}

// accessible runs axe in both colour schemes and at all widths, and takes pictures.
func (p *phone) accessible(name string) {
	p.t.Helper()
	const script = `document.fonts.ready.then(() => axe.run({resultTypes: ['violations']})).then(r => JSON.stringify({passes: r.passes.length, wide: document.documentElement.scrollWidth - innerWidth, violations: r.violations.map(v => v.id + ': ' + v.nodes.map(n => n.html + ' ' + n.failureSummary).join('; '))}))`
	for _, width := range []int64{320, 390, 1280} {
		for _, dark := range []bool{false, true} {
			height := int64(844)
			if width == 320 {
				height = 568
			}
			p.Do(chromedp.EmulateViewport(width, height))
			p.dark(dark)
			var found struct {
				Passes, Wide int
				Violations   []string
			}
			if err := json.Unmarshal([]byte(eval[string](p, script)), &found); err != nil {
				p.t.Fatal(err)
			}
			where := name + map[bool]string{true: "-dark", false: ""}[dark] + "-" + map[int64]string{320: "320", 390: "390", 1280: "1280"}[width]
			if found.Passes < 8 || found.Wide > 0 {
				p.t.Errorf("%s: %d rules passed, %d px too wide", where, found.Passes, found.Wide)
			}
			for _, v := range found.Violations {
				p.t.Errorf("%s: %s", where, v)
			}
			p.picture(where)
		}
	}
}

// TestScreens looks at every screen, in English and Arabic, light and dark, at three widths: axe finds
// nothing, the console is empty, no policy is broken, no request goes to another origin.
func TestScreens(t *testing.T) {
	t.Parallel()
	checker := axe(t)
	for _, lang := range []string{"en", "ar"} {
		t.Run(lang, func(t *testing.T) {
			t.Parallel()
			p := open(t, field())
			p.start(lang, "nav.tabs")
			eval[bool](p, checker)
			for name := range prepared() {
				if name == "no_tcode" {
					continue
				}
				p.at("answer/scan-"+name, ".verdict__word")
				p.accessible(lang + "-answer-" + name)
			}
			for _, screen := range [][3]string{
				{"details", "details/scan-compare", ".checks"},
				{"details-forged", "details/scan-not_genuine", ".checks .fail"},
				{"history", "history", ".item"},
				{"history-search", "history/waiting/okonkwo", ".list-found"},
				{"trust", "trust", "#language"},
				{"enrol-3", "enrol/3", ".hero"},
				{"scan-none", "scan", ".choices"},
				{"enrol-none", "enrol", ".hero"},
			} {
				p.at(screen[1], screen[2])
				p.accessible(lang + "-" + screen[0])
			}
			p.Do(chromedp.Navigate(p.url+"/scan/icon.svg"), chromedp.Navigate(p.url+"/scan/#tcode-enrol="+root))
			p.Wait(".print-16")
			eval[bool](p, checker)
			p.accessible(lang + "-enrol-2")
			p.typeFast("NOT A TCODE AT ALL\n")
			p.Wait(".hero .mark")
			p.accessible(lang + "-answer-no_tcode")
			p.clean()
		})
	}
}

// typeFast types as a keyboard scanner does.
func (p *phone) typeFast(text string) {
	p.t.Helper()
	eval[bool](p, `[...`+phonetest.Quoted(text)+`].forEach((key) => document.body.dispatchEvent(new KeyboardEvent('keydown', {key: key === '\n' ? 'Enter' : key, bubbles: true}))), true`)
}

// TestStarts are the screens of a phone that cannot work yet.
func TestStarts(t *testing.T) {
	t.Parallel()
	checker := axe(t)
	for name, w := range map[string]world{"first": fresh(), "in_use": refused("in_use"), "storage": refused("not_stored"), "damaged": refused("damaged")} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := open(t, w)
			for _, lang := range []string{"en", "ar"} {
				p.start(lang, ".hero")
				eval[bool](p, checker)
				p.accessible(lang + "-" + name)
				if name == "first" {
					p.at("history", ".hero")
					p.accessible(lang + "-history-empty")
				}
			}
			p.clean()
		})
	}
}
