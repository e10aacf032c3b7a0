package stampdesk_test

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"tcode/server/account"
	"tcode/server/console/consoletest"
	"tcode/server/internal/harness"
	"tcode/testdata"
)

// document returns a file of testdata.
func document(t *testing.T, name string) []byte {
	t.Helper()
	raw, err := testdata.Documents.ReadFile("documents/" + name)
	harness.Must(t, err)
	return raw
}

// TestMouse: a person stamps a document with the mouse. Every state of the screen passes
// axe, and the symbol lies where the screen said.
//
//engine:sqlite the screens are the same on both
func TestMouse(t *testing.T) {
	t.Parallel()
	w := world(t)
	p := person{consoletest.Open(t, w), t}
	b := p.As(consoletest.Ruth(account.Owner))
	p.At("/console/stamp")
	p.Is("/console/stamp", "Stamp a document")
	p.Look("stamp-empty")
	p.choose("note.txt", []byte("no document"))
	p.Look("stamp-refused-file")
	p.Forgive()
	p.choose("letter.pdf", document(t, "letter.pdf"))
	p.Look("stamp-editor")
	p.mouse(b)
	p.Quiet()
}

// TestKeyboard: a person stamps a document with the keyboard alone, and the symbol lies
// where the screen said.
//
//engine:sqlite the screens are the same on both
func TestKeyboard(t *testing.T) {
	t.Parallel()
	w := world(t)
	p := person{consoletest.Open(t, w), t}
	b := p.As(consoletest.Ruth(account.Owner))
	p.At("/console/stamp")
	p.keyboard(b)
	p.Quiet()
}

// TestTemplateScreens: a person makes, looks at and archives a placement template, turns
// pages, and uses the editor in Arabic.
//
//engine:sqlite the screens are the same on both
func TestTemplateScreens(t *testing.T) {
	t.Parallel()
	w := world(t)
	p := person{consoletest.Open(t, w), t}
	p.As(consoletest.Ruth(account.Owner))
	p.templates()
	p.Quiet()
}

// mouse stamps the file that is open.
func (p person) mouse(b *consoletest.Browser) {
	p.t.Helper()
	before := p.shown()
	p.drag("#box", -40, -100)
	p.settled()
	p.drag("#box", -20, -110)
	p.settled()
	if now := p.shown(); !near(now.X, before.X-60) || !near(now.Y, before.Y-210) {
		p.t.Errorf("dragged from %+v to %+v", before, now)
	}
	if !strings.Contains(p.said(), "not empty") {
		p.t.Errorf("over text: %s", p.said())
	}
	p.Look("stamp-collision")
	p.click(`button[value=nearest]`)
	p.Until(`document.querySelector('[data-part=said]').textContent.includes('Nothing in the way')`)
	free := p.shown()
	if free.X == before.X-60 && free.Y == before.Y-210 {
		p.t.Error("it was not moved")
	}
	p.drag(`[data-corner=se]`, 4, 4)
	p.settled()
	if now := p.shown(); now.Width < free.Width+3 {
		p.t.Errorf("resized from %+v to %+v", free, now)
	}
	p.fill("x", "140")
	p.fill("y", "77") // on text again
	p.pick("clash", "reject")
	p.settled()
	if !consoletest.Eval[bool](p.Screen, `document.querySelector('button[value=stamp]').disabled`) || !strings.Contains(p.said(), "cannot be stamped") {
		p.t.Errorf("a refused place: %s", p.said())
	}
	p.Look("stamp-refused")
	p.pick("clash", "warn")
	p.fill("size", "20")
	p.settled()
	p.click(`.anchors input[value="bottom-left"]`)
	p.settled()
	p.fill("name", "Letter to Ada")
	p.click(`button[value=stamp]`)
	p.Until(`document.querySelector('[data-part=notices] .notice--refuse')`)
	p.Look("stamp-problems") // no type
	p.Forgive()
	p.pick("documentTypeCode", "LTR")
	said := p.shown()
	p.click(`button[value=stamp]`)
	p.Until(`document.getElementById('reference')`)
	p.Look("stamp-done")
	at := p.eval(`location.pathname`)
	file := b.Want(at+"/stamped", nil, 200, "")
	wantRead(p.t, []byte(file.Text), 1, said)
}

// keyboard stamps a file.
func (p person) keyboard(b *consoletest.Browser) {
	p.t.Helper()
	p.choose("contract.pdf", document(p.t, "contract.pdf"))
	p.tabTo("#documentTypeCode")
	p.keys("LTR")
	p.tabTo("#name")
	p.keys("Contract by keys")
	p.tabTo("#box")
	before := p.shown()
	p.keys(kb.ArrowRight + kb.ArrowRight + kb.ArrowUp)
	p.keys(kb.ArrowRight, chromedp.ModifierShift)
	p.keys(kb.ArrowUp, chromedp.ModifierCtrl)
	p.settled()
	if now := p.shown(); !near(now.X, before.X+2.1) || !near(now.Y, before.Y-11) {
		p.t.Errorf("keys moved it from %+v to %+v", before, now)
	}
	if !consoletest.Eval[bool](p.Screen, `document.activeElement.id === 'box'`) {
		p.t.Error("the box lost the focus")
	}
	p.keys("+")
	p.settled()
	larger := p.shown()
	if larger.Width <= before.Width {
		p.t.Errorf("+ from %+v to %+v", before, larger)
	}
	p.keys("--")
	p.settled()
	if now := p.shown(); now.Width >= larger.Width {
		p.t.Errorf("- from %+v to %+v", larger, now)
	}
	p.tabTo("#x")
	p.keys("a", chromedp.ModifierCtrl)
	p.keys("120.4")
	p.settled()
	p.Look("stamp-keyboard")
	said := p.shown()
	p.Do(chromedp.Evaluate[chromedp.Void](`document.getElementById('main').querySelector('h1').focus()`))
	p.tabTo(`button[value=stamp]`)
	p.keys(" ")
	p.Until(`document.getElementById('reference')`)
	at := p.eval(`location.pathname`)
	file := b.Want(at+"/stamped", nil, 200, "")
	wantRead(p.t, []byte(file.Text), 1, said)
}

// templates makes, looks at and archives a template, and looks at the editor in Arabic.
func (p person) templates() {
	p.t.Helper()
	const list = "/console/templates/placements"
	p.At(list)
	p.Is(list, "Placement templates")
	p.Look("placements-empty")
	p.Press(`form[action="` + list + `"] button`)
	p.fill("templateName", "Corner")
	p.drag("#box", -10, -20)
	p.settled()
	p.Look("placement-editor")
	p.click("button[value=save]")
	p.Until(`location.pathname === '` + list + `'`)
	p.Look("placements")
	p.At("/console/stamp")
	p.choose("contract.pdf", document(p.t, "contract.pdf"))
	first := p.eval(`document.querySelector('svg.sheet image').getAttribute('href')`)
	p.click(`button[value="page 2"]`)
	p.Until(`document.getElementById('stage').dataset.page === '2'`)
	if next := p.eval(`document.querySelector('svg.sheet image').getAttribute('href')`); next == first || !strings.HasSuffix(next, "/page/2") {
		p.t.Errorf("the next page is drawn from %s", next)
	}
	if !strings.Contains(p.eval(`document.getElementById('verdict').textContent`), "This page is not stamped") {
		p.t.Error("page 2 is not said to be without a stamp")
	}
	p.click(`button[value="page 1"]`)
	p.Until(`document.getElementById('stage').dataset.page === '1' && document.getElementById('box')`)
	p.Language("ar")
	p.Look("stamp-ar")
	before := p.shown()
	p.Do(chromedp.Evaluate[chromedp.Void](`document.getElementById('box').focus()`))
	p.keys(kb.ArrowLeft)
	p.settled()
	if now := p.shown(); !near(now.X, before.X-1) {
		p.t.Errorf("in Arabic the left arrow moves from %+v to %+v", before, now)
	}
	p.Language("en")
	p.At(list)
	p.click(`a[href$="/archive"]`)
	p.Until(`document.getElementById('confirm')`)
	p.Look("placement-archive")
	p.Fill("confirm", "Corner")
	p.Is(list, "Placement templates")
}
