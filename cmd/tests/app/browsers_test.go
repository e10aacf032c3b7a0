package app_test

import (
	"bytes"
	"cmp"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"tcode/cmd/internal/world"
	"tcode/offline/payload"
	"tcode/scanner/ecc200"
	"tcode/scanner/gray"
	"tcode/scanner/simulate"
	"tcode/scanner/web/phonetest"
	"tcode/scanner/web/phonetest/browsers"
)

// An otherPhone is the app in another browser than Chromium, used as a person does: by its buttons.
type otherPhone struct {
	*browsers.Browser
	kind browsers.Kind
	t    *testing.T
	w    *world.World
}

func newOtherPhone(t *testing.T, w *world.World, kind browsers.Kind) *otherPhone {
	t.Helper()
	needEngine(t)
	return &otherPhone{browsers.New(t, kind), kind, t, w}
}

// enrol switches the phone on and enrols it by the link of a code.
func (p *otherPhone) enrol() {
	p.t.Helper()
	p.On(p.w.URL() + "/scan/#tcode-enrol=" + fingerprint(p.w))
	p.see("#device-name")
	p.picture("compare")
	p.press(`document.querySelector('.actions .button--main')`)
	p.Until(`location.hash === '#/enrol/3' && !!document.querySelector('.hero')`)
}

// open opens a screen of the app, on a phone that is on, and waits for an element of it.
func (p *otherPhone) open(route, selector string) {
	p.t.Helper()
	const script = `location.hash === ROUTE || (document.getElementById('title')?.removeAttribute('id'), location.hash = ROUTE, true)`
	phonetest.Eval[bool](p, strings.ReplaceAll(script, "ROUTE", phonetest.Quoted("#/"+route)))
	p.see("#title")
	p.see(selector)
}

func (p *otherPhone) see(selector string) {
	p.t.Helper()
	p.Until(`!!document.querySelector(` + phonetest.Quoted(selector) + `)`)
}

// press presses a button, as soon as it is there.
func (p *otherPhone) press(button string) {
	p.t.Helper()
	p.Until(`(() => { const b = ` + button + `; b?.click(); return !!b; })()`)
}

func (p *otherPhone) picture(name string) {
	p.t.Helper()
	if dir := os.Getenv("TCODE_SCREENSHOTS"); dir != "" {
		if err := os.WriteFile(filepath.Join(dir, string(p.kind)+"-"+name+".png"), p.Picture(), 0o600); err != nil {
			p.t.Fatal(err)
		}
	}
}

// judge opens a file by the button of the screen without a camera, and returns the word and the text of the answer, and its scan.
func (p *otherPhone) judge(name string, file []byte) (word, text, scan string) {
	p.t.Helper()
	p.open("scan", ".choices")
	p.Choose(name, "", file)
	p.press(`[...document.querySelectorAll('.choices button')].find((b) => b.querySelector('use')?.getAttribute('href') === '#i-file')`)
	p.see(".verdict__word")
	p.Until(`!document.getElementById('app').hasAttribute('aria-busy')`)
	seen := phonetest.Eval[[3]string](p, `[document.querySelector('.verdict__word').textContent, document.querySelector('main').textContent, location.hash.split('/')[2]]`)
	return seen[0], seen[1], seen[2]
}

// genuine judges a file with a genuine stamp, for which the screen says want, and returns its scan.
func (p *otherPhone) genuine(name string, file []byte, want, reference string) string {
	p.t.Helper()
	word, text, scan := p.judge(name, file)
	if word != want || !strings.Contains(text, reference) || !strings.Contains(text, "Issuer 0") {
		p.t.Errorf("%s: the screen says %q:\n%s\nwant %s, Issuer 0 and %s", name, word, text, want, reference)
	}
	return scan
}

// forged judges a file that was changed, and returns its scan.
func (p *otherPhone) forged(name string, file []byte) string {
	p.t.Helper()
	word, text, scan := p.judge(name, file)
	if !strings.Contains(word, "NOT GENUINE") || strings.Contains(text, "VALID") {
		p.t.Errorf("%s: the screen says %q:\n%s", name, word, text)
	}
	return scan
}

// on switches the phone on, on its history.
func (p *otherPhone) on() {
	p.t.Helper()
	p.On(p.w.URL() + "/scan/#/history")
	p.see(".item")
}

// clean checks that the page has caused nothing wrong.
func (p *otherPhone) clean() {
	p.t.Helper()
	for _, wrong := range p.Wrong() {
		p.t.Error(wrong)
	}
}

// kept checks that the history has these scans, the oldest first, and no others.
func (p *otherPhone) kept(want []string) {
	p.t.Helper()
	p.open("history", ".item") // the engine has started
	p.Until(`document.querySelectorAll('.item').length === ` + strconv.Itoa(len(want)))
	var got []string
	for _, e := range phonetest.Must[appHistory](p, "history", map[string]any{"limit": 500}).Entries {
		got = append(got, e.ScanID)
	}
	slices.Reverse(got)
	if !slices.Equal(got, want) {
		p.t.Errorf("the history has %v, want %v", got, want)
	}
}

// sameVersion checks that no new version is offered: there is none.
func (p *otherPhone) sameVersion() {
	p.t.Helper()
	const script = `Promise.all([import('/scan/js/app.js'), navigator.serviceWorker.getRegistration('/scan/')]).then(([{app}, r]) => app.update ? [r.installing?.state, r.waiting?.state, r.active?.state, r.waiting?.scriptURL].join() : '')`
	if offered := phonetest.Eval[string](p, script); offered != "" {
		p.t.Errorf("a new version is offered: %s", offered)
	}
}

// copies returns in how many places the browser keeps each scan.
func (p *otherPhone) copies() int {
	p.t.Helper()
	n := phonetest.Eval[int](p, `import('/scan/js/app.js').then(({app}) => app.start.storage.copies)`)
	p.open("trust", "section.card")
	text := phonetest.Eval[string](p, `document.querySelector('main').textContent`)
	if said := strings.Contains(text, "in one place only"); said != (n == 1) {
		p.t.Errorf("%d copies; one copy is said: %t", n, said)
	}
	return n
}

// drawnStamp returns a picture of a symbol with these payload bytes, on an empty page.
func drawnStamp(t *testing.T, raw []byte) []byte {
	t.Helper()
	data, side, err := payload.Codewords(payload.EncodeText(raw))
	if err != nil {
		t.Fatal(err)
	}
	size, _ := ecc200.SizeOf(side, side)
	dark, err := ecc200.Encode(data, size)
	if err != nil {
		t.Fatal(err)
	}
	page := gray.New(800, 600)
	page.Fill(250)
	simulate.Draw(page, simulate.Symbol{Rows: side, Cols: side, Dark: dark}, simulate.Place{X: 200, Y: 120, ModulePx: 6, Quiet: 4}, 20, 250)
	out, err := simulate.EncodePNG(page)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// otherBrowsers are the browsers of TCODE_BROWSERS, such as "webkit firefox": WebKitGTK alone if it is not set.
func otherBrowsers() (kinds []browsers.Kind) {
	for _, name := range strings.Fields(cmp.Or(os.Getenv("TCODE_BROWSERS"), string(browsers.WebKit))) {
		kinds = append(kinds, browsers.Kind(name))
	}
	return kinds
}

// TestAppInOtherBrowsers: the app in the field as in TestAppInTheField, by its buttons, in the engine of Safari, and in Firefox. The
// browsers end by kills alone. TCODE_BROWSER_KILLS is the number of those while a file is judged.
func TestAppInOtherBrowsers(t *testing.T) {
	t.Parallel()
	for _, kind := range otherBrowsers() {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			inTheField(t, kind)
		})
	}
}

// inTheField uses a phone with and without its gateway. WebKitGTK has no private files: at first functions that refuse, then none. There
// the app says that each scan is in one place.
func inTheField(t *testing.T, kind browsers.Kind) {
	w, stamped := stampedForApp(t)
	p := newOtherPhone(t, w, kind)
	copies := map[browsers.Kind]int{browsers.WebKit: 1, browsers.Firefox: 2}[kind]
	p.enrol()
	p.picture("enrolled")
	scans := []string{p.genuine("letter.pdf", stamped.PDF, "VALID", stamped.Reference)}
	p.picture("valid")
	if n := p.copies(); n != copies {
		t.Errorf("%d copies, want %d", n, copies)
	}
	p.picture("trust")
	onceAtGateway(t, w, sentAll(t, p))
	phonetest.Eval[bool](p, `navigator.serviceWorker.ready.then(() => true)`)
	p.sameVersion()
	w.Down()
	p.Reload()
	p.kept(scans)
	p.clean()
	p.Kill()
	p.Files = false
	p.on()
	p.kept(scans)
	if n := p.copies(); n != copies {
		t.Errorf("%d copies after a restart, want %d", n, copies)
	}
	drawn := bytes.Clone(stamped.Raw)
	scans = append(scans, p.genuine("stamp.png", drawnStamp(t, drawn), "GENUINE STAMP, COMPARE",
		stamped.Reference))
	p.picture("picture")
	scans = append(scans, p.forged("letter.pdf",
		bytes.Replace(stamped.PDF, []byte("%PDF-1."), []byte("%PDF-2."), 1)))
	p.picture("forged")
	p.kept(scans)
	p.picture("waiting")
	p.sameVersion()
	drawn[len(drawn)-1] ^= 1
	scans = append(scans, p.forged("stamp.png", drawnStamp(t, drawn)))
	p.clean()
	p.Kill()
	w.Start()
	p.killed(stamped.PDF, scans)
	p.picture("history")
	p.clean()
}

// killed kills the browser while it judges a file, some times. All scans that were shown are in the history then, and each scan of the history
// is once at the gateway.
func (p *otherPhone) killed(pdf []byte, shown []string) {
	p.t.Helper()
	kills, unknown := world.Count(p.t, "TCODE_BROWSER_KILLS", 1), 0
	for round := range kills {
		p.on()
		phonetest.Must[any](p, "counts", nil)
		killed := make(chan struct{})
		go func() {
			defer close(killed)
			if round%2 == 0 {
				time.Sleep(rand.N(120 * time.Millisecond))
				p.Kill()
			}
		}()
		r, err := phonetest.Ask[appAnswer](p, "file", map[string]any{"name": "letter.pdf", "bytes": pdf})
		<-killed
		p.Kill()
		switch {
		case err != nil:
			unknown++
		case !r.OK:
			p.t.Errorf("round %d: %s %s", round, r.Code, r.Why)
		default:
			shown = append(shown, r.Result.Answer.Findings[0].ScanID)
		}
	}
	p.on()
	h := sentAll(p.t, p)
	onceAtGateway(p.t, p.w, h)
	for _, scan := range shown {
		if !slices.ContainsFunc(h.Entries, func(e appHistoryEntry) bool { return e.ScanID == scan }) {
			p.t.Errorf("the answer of scan %s was shown, and the scan is lost", scan)
		}
	}
	if n := len(h.Entries) - len(shown); n < 0 || n > unknown {
		p.t.Errorf("%d scans, %d shown, %d without a reply", len(h.Entries), len(shown), unknown)
	}
	p.t.Logf("%d kills while a file was judged, %d without a reply, %d scans on the phone and at the gateway", kills, unknown, len(h.Entries))
}
