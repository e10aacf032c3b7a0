package web_test

import (
	"strings"
	"testing"
)

// TestTrap: files of which the engine ends cost themselves. The page names each of them, starts the engine again, and
// has it judge the next one.
func TestTrap(t *testing.T) {
	t.Parallel()
	p := open(t, field())
	p.start("en", "nav.tabs")
	p.at("history", "main")
	eval[bool](p, `(async () => {
		const shared = await caches.open('tcode-shared'), headers = {'Content-Type': 'application/pdf'};
		for (const name of ['good.pdf', 'trap-1.pdf', 'trap-2.pdf', 'bad.pdf', 'good-2.pdf']) {
			await shared.put('/scan/shared/' + name, new Response('%PDF-', {headers: {...headers, 'X-Name': name}}));
		}
		location.hash = '#/shared';
		return true;
	})()`)
	p.agree("good-2.pdf")
	const failed = "The reader failed on this file. That says nothing about the document."
	for _, want := range [][2]string{{"trap-1.pdf", failed}, {"trap-2.pdf", failed}, {"bad.pdf", "it is damaged"}} {
		p.Wait("#dialog[open]")
		if said := eval[string](p, `document.getElementById('dialog').innerText`); !strings.Contains(said, want[0]) || !strings.Contains(said, want[1]) {
			t.Errorf("the page says %q, want %q", said, want)
		}
		eval[bool](p, `document.getElementById('dialog').close(), true`)
	}
	if !eval[bool](p, `new Promise((ok) => { const look = () => location.hash === '#/history' ? ok(true) : setTimeout(look, 20); look(); })`) {
		t.Error("the answers are not listed")
	}
	if text := eval[string](p, `document.body.innerText`); strings.Contains(text, "The reader has stopped") {
		t.Errorf("the page says %q", text)
	}
	p.clean()
}
