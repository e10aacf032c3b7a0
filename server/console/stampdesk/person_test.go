package stampdesk_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"

	"tcode/offline/geometry"
	"tcode/offline/host/sandbox"
	"tcode/offline/payload"
	"tcode/scanner"
	"tcode/server/console/consoletest"
	"tcode/server/internal/harness"
)

// A person uses the editor in Chromium.
type person struct {
	*consoletest.Screen
	t *testing.T
}

func (p person) eval(script string) string {
	p.t.Helper()
	return consoletest.Eval[string](p.Screen, script)
}

// choose chooses a file in the input on the screen, which opens it.
func (p person) choose(name string, file []byte) {
	p.t.Helper()
	path := filepath.Join(p.t.TempDir(), name)
	harness.Must(p.t, os.WriteFile(path, file, 0o600))
	p.eval(`(document.documentElement.dataset.old = '1')`)
	p.Do(chromedp.SetUploadFiles(chromedp.ID("file"), []string{path}))
	p.Until(`!document.documentElement.dataset.old`)
}

// settled waits until the gateway has answered the last change.
func (p person) settled() {
	p.t.Helper()
	time.Sleep(450 * time.Millisecond) // the editor waits for more changes
	p.Until(`!document.getElementById('verdict').hasAttribute('aria-busy')`)
}

// click clicks the middle of an element.
func (p person) click(selector string) {
	p.t.Helper()
	at := consoletest.Eval[[]float64](p.Screen, fmt.Sprintf(`(() => { const e = document.querySelector(%q); e.scrollIntoView({block: 'center'}); const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2] })()`, selector))
	p.Do(chromedp.MouseClickXY(at[0], at[1]))
}

// fill clicks a field and types.
func (p person) fill(id, text string) {
	p.t.Helper()
	p.click("#" + id)
	p.Do(chromedp.KeyEvent("a", chromedp.KeyModifiers(chromedp.ModifierCtrl)), chromedp.KeyEvent(text))
}

// pick chooses a line of a list.
func (p person) pick(id, value string) {
	p.t.Helper()
	p.eval(fmt.Sprintf(`(() => { const e = document.getElementById(%q); e.value = %q; e.dispatchEvent(new Event('input', {bubbles: true})); return e.value })()`, id, value))
}

// keys presses keys on what has the focus.
func (p person) keys(text string, with ...chromedp.Modifier) {
	p.t.Helper()
	p.Do(chromedp.KeyEvent(text, chromedp.KeyModifiers(with...)))
}

// drag drags an element by mm on the page.
func (p person) drag(selector string, right, down float64) {
	p.t.Helper()
	at := consoletest.Eval[[]float64](p.Screen, fmt.Sprintf(`(() => { const e = document.querySelector(%q); e.scrollIntoView({block: 'center'});
		const r = e.getBoundingClientRect(), s = document.querySelector('svg.sheet'); return [r.x + r.width / 2, r.y + r.height / 2, s.getBoundingClientRect().width / s.viewBox.baseVal.width] })()`, selector))
	p.Do(chromedp.MouseEvent(input.DispatchMouseEventTypeMousePressed, at[0], at[1], chromedp.ButtonLeft, chromedp.ClickCount(1)))
	for i := range 5 {
		part := float64(i+1) / 5 * at[2]
		p.Do(chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, at[0]+right*part, at[1]+down*part, chromedp.ButtonLeft))
	}
	p.Do(chromedp.MouseEvent(input.DispatchMouseEventTypeMouseReleased, at[0]+right*at[2], at[1]+down*at[2], chromedp.ButtonLeft, chromedp.ClickCount(1)))
}

// tabTo presses Tab until an element has the focus.
func (p person) tabTo(selector string) {
	p.t.Helper()
	for range 120 {
		p.keys("\t")
		if consoletest.Eval[bool](p.Screen, fmt.Sprintf(`document.activeElement.matches(%q)`, selector)) {
			return
		}
	}
	p.t.Fatalf("Tab does not reach %s", selector)
}

// shown returns where the screen says that the symbol lies.
func (p person) shown() geometry.Rect {
	p.t.Helper()
	v := consoletest.Eval[[]float64](p.Screen, `(() => { const d = document.getElementById('symbol-at').dataset; return [+d.x, +d.y, +d.size] })()`)
	return geometry.Rect{X: v[0], Y: v[1], Width: v[2], Height: v[2]}
}

// said is what people hear of the last answer.
func (p person) said() string {
	p.t.Helper()
	return p.eval(`document.querySelector('[data-part=said]').textContent`)
}

// near reports whether two lengths are the same to a tenth of a mm.
func near(a, b float64) bool { return math.Abs(a-b) <= 0.1 }

// wantRead reads the symbols of a stamped file as a scanner does, and compares the place of
// the one there with what the screen said.
func wantRead(t *testing.T, pdf []byte, page int, said geometry.Rect) {
	t.Helper()
	reader := scanner.New(scanner.Config{FirstDPI: 600, ThoroughDPI: 600, Readers: 1, Sandbox: sandbox.Config{Size: 1}})
	t.Cleanup(func() { _ = reader.Close() })
	var found []geometry.Point
	harness.Must(t, reader.Read(t.Context(), "stamped.pdf", pdf, scanner.DocumentOptions{}, func(p scanner.Page) error {
		for _, s := range p.Reading.Symbols {
			raw, err := payload.DecodeText(s.Text)
			harness.Must(t, err)
			if _, err = payload.Parse(raw); err != nil || p.Number != page {
				t.Errorf("page %d: %v", p.Number, err)
			}
			var at geometry.Point // the middle: the reader finds edges to one px of its image
			for _, c := range s.Corners {
				at.X, at.Y = at.X+c[0]/4*25.4/p.DPI, at.Y+c[1]/4*25.4/p.DPI
			}
			found = append(found, at)
		}
		return nil
	}))
	if len(found) != 1 {
		t.Fatalf("symbols at %+v, the screen says one at %+v", found, said)
	}
	if at := found[0]; !near(at.X, said.X+said.Width/2) || !near(at.Y, said.Y+said.Height/2) {
		t.Errorf("the middle of the symbol lies at %+v, the screen says %+v", at, said)
	}
}
