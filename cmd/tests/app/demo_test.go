package app_test

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"image/png"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"tcode/cmd/internal/enrolcode/codetest"
	"tcode/cmd/internal/world"
	"tcode/scanner/web/phonetest"
)

// TestDemo runs the whole story like the first command of the README, with --keep: each step ends as expected. Then a phone opens
// the app by the QR code, enrols, and judges what the story has left behind. So does the page /verify of the gateway.
func TestDemo(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cmd := exec.Command(world.Program(t, "tcode-demo"), "--keep", "--dir", dir)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if cmd.ProcessState == nil {
			cmd.Process.Kill()
			cmd.Wait()
		}
	})
	shown, last := "", regexp.MustCompile(`--public-url https://|  app +none`)
	for lines := bufio.NewScanner(out); !last.MatchString(shown) && lines.Scan(); {
		shown += lines.Text() + "\n"
	}
	if !regexp.MustCompile(`\b([0-9]{2,}) steps, ([0-9]{2,}) as expected, 0 different`).MatchString(shown) {
		t.Errorf("%s", shown)
	}
	link, app := printed(t, shown, `  enrol +(\S+)`), printed(t, shown, `  app +(\S+)`)
	if !strings.HasPrefix(link, app+"#tcode-enrol=") {
		t.Errorf("the app is at %s, the link is %s", app, link)
	}
	t.Run("code", func(t *testing.T) {
		if got := readByZXing(t, shown); got != link {
			t.Errorf("the QR code says %q, want %q", got, link)
		}
	})
	t.Run("phone", func(t *testing.T) {
		p := appPhone(t)
		demoOnPhone(t, p, link, dir)
		sameHashes(t, p, app)
	})
	t.Run("page", func(t *testing.T) { droppedOnPage(t, appPhone(t), strings.TrimSuffix(app, "/scan/"), dir) })
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("the end: %v", err)
	}
}

// printed returns what the pattern's group matches in the output of a program.
func printed(t *testing.T, shown, pattern string) string {
	t.Helper()
	m := regexp.MustCompile(pattern).FindStringSubmatch(shown)
	if m == nil {
		t.Fatalf("no %s in\n%s", pattern, shown)
	}
	return m[1]
}

// readByZXing returns the text of the QR code in characters, as another program reads it.
func readByZXing(t *testing.T, shown string) string {
	t.Helper()
	reader := world.Need(t, "ZXingReader")
	code := printed(t, shown, `(?m)^((?:[█▀▄ ]{30,}\n)+)`)
	file := filepath.Join(t.TempDir(), "code.png")
	w, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if err := png.Encode(w, codetest.Typeset(strings.TrimSuffix(code, "\n"))); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(reader, "-format", "QRCode", file).CombinedOutput()
	if err != nil {
		t.Fatalf("ZXingReader: %v\n%s", err, out)
	}
	return printed(t, string(out), `(?m)^Text: +"?(\S+?)"?$`)
}

// demoOnPhone opens the link as the phone's own camera does, enrols, and judges files of the demo.
func demoOnPhone(t *testing.T, p *phonetest.Phone, link, dir string) {
	t.Helper()
	p.On(link)
	p.Wait("#device-name")
	p.Do(chromedp.Click(".actions .button--main"))
	p.Wait(".hero")
	for name, want := range map[string]string{"contract.pdf": "valid", "diploma.pdf": "revoked", "changed-after-stamping.pdf": "not_genuine", "letter-photo.jpg": "compare"} {
		file := map[string]any{"name": name, "bytes": world.ReadFile(t, filepath.Join(dir, name))}
		a := phonetest.Must[appAnswer](p, "file", file).Answer
		if len(a.Screens) != 1 || a.Screens[0].Headline != want {
			t.Errorf("%s: %+v, want %s", name, a, want)
		}
	}
	if h := sentAll(t, p); len(h.Entries) != 4 {
		t.Errorf("%d scans, want 4: %+v", len(h.Entries), h)
	}
	for _, wrong := range p.Wrong() {
		t.Error(wrong)
	}
}

// sameHashes checks that the files at address, the hashes that tcode-scan prints for publication, and the ones that the phone shows
// are those of one release.
func sameHashes(t *testing.T, p *phonetest.Phone, address string) {
	t.Helper()
	raw, err := exec.Command(world.Program(t, "tcode-scan"), "app", "--hashes", "--json").Output()
	if err != nil {
		t.Fatal(err)
	}
	var m struct {
		Version, Engine string
		Files           map[string]string
	}
	if err := json.Unmarshal(raw, &m); err != nil {
		t.Fatal(err)
	}
	text, err := exec.Command(world.Program(t, "tcode-scan"), "app", "--hashes").Output()
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range m.Files {
		res, err := http.Get(address + name)
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.New()
		_, err = io.Copy(sum, res.Body)
		res.Body.Close()
		if got := hex.EncodeToString(sum.Sum(nil)); err != nil || res.StatusCode != http.StatusOK || got != want {
			t.Errorf("%s: %s with hash %s, want %s, %v", name, res.Status, got, want, err)
		}
		if !strings.Contains(string(text), want+"  "+name+"\n") {
			t.Errorf("%s is not in the text", name)
		}
	}
	kept := phonetest.Eval[map[string]string](p, `fetch('sw.js').then((r) => r.text()).then((s) => JSON.parse(s.split('\n')[0].slice('const RELEASE = '.length, -1)).files)`)
	for name, sum := range kept {
		if m.Files[name] != sum {
			t.Errorf("the phone keeps %s with hash %s, want %s", name, sum, m.Files[name])
		}
	}
	if len(kept) < 30 || len(kept) != len(m.Files)-1 { // the worker itself is kept by the browser
		t.Errorf("the phone keeps %d files, %d are served", len(kept), len(m.Files))
	}
	phonetest.Eval[bool](p, `location.hash = '#/trust', true`)
	p.Wait(".hash")
	const shown = `new Promise((ok) => { const end = Date.now() + 90000; const look = () => {
		const s = [...document.querySelectorAll('.hash')].map((e) => e.textContent).find((s) => s.startsWith('sha256 '));
		s || Date.now() > end ? ok(s ?? '') : setTimeout(look, 20);
	}; look(); })`
	if got := strings.ReplaceAll(strings.TrimPrefix(phonetest.Eval[string](p, shown), "sha256 "), " ", ""); got != m.Engine || m.Engine != m.Files["engine.wasm"] {
		t.Errorf("the phone shows the engine %q, want %s", got, m.Engine)
	}
	if page := phonetest.Eval[string](p, `document.body.innerText`); !strings.Contains(page, m.Version) {
		t.Errorf("the phone does not show version %s:\n%s", m.Version, page)
	}
}
