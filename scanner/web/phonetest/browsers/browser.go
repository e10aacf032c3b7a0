// Package browsers opens the app in other browsers than Chromium, on a profile that outlives each of them, for tests. Call [New], then
// [Browser.On] with an address of the app:
//
//	Browser.On(url) ─▶ MiniBrowser under Xvfb, or Firefox ─▶ page of the app ─▶ Evaluate: scripts, by the protocol of its inspector
//	    ▲                           │
//	    └── Kill: every process ◀───┘    Wrong: foreign requests, errors, reports of the policy
//
// A Browser is a page for the functions of package phonetest, such as phonetest.Ask. There is no other way to end it than Kill: what was
// shown must survive that.
package browsers

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"tcode/offline/host/browsertest"
)

const (
	patience = 2 * time.Minute  // for what a browser does immediately on an idle machine
	limit    = time.Minute      // of one script
	glance   = 20 * time.Second // of one that looks: its page may be gone before it ends
)

// A driver is a connection to the page of a running browser.
type driver interface {
	evaluate(ctx context.Context, expression string) (string, error)
	reload(ctx context.Context) error
	picture(ctx context.Context, width, height int) (string, error)
}

// A command starts a browser.
type command struct {
	args, env []string
	// connect connects to the browser that starts. note takes requests (kind "request") and what no page may cause ("wrong").
	connect func(ctx context.Context, note func(kind, what string)) (driver, error)
}

// A Kind is a browser.
type Kind string

// The kinds of browsers.
const (
	WebKit  Kind = "webkit" // WebKitGTK's MiniBrowser: the engine of Safari, in its version for Linux
	Firefox Kind = "firefox"
)

// A Browser is one profile, with at most one process group on it. One goroutine at a time uses it, except for Kill.
type Browser struct {
	// Files says whether scripts find the functions for private files (true at first). WebKitGTK has no files behind them, and refuses;
	// Firefox has both always.
	Files bool

	kind    Kind
	t       *testing.T
	profile string
	display string
	url     string // of the server

	driver driver

	mu       sync.Mutex // guards the rest
	cmd      *exec.Cmd
	ended    chan struct{} // cmd has ended
	requests []string
	wrong    []string
}

// New returns a browser that is switched off. It skips t where one of its programs is missing, or fails it with CI=true.
func New(t *testing.T, kind Kind) *Browser {
	t.Helper()
	var err error
	if kind == WebKit {
		_, err = miniBrowser()
		if err == nil {
			_, err = exec.LookPath("Xvfb")
		}
	} else {
		_, err = firefoxProgram()
	}
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	b := &Browser{Files: true, kind: kind, t: t, profile: t.TempDir()}
	if kind == WebKit {
		b.display = screen(t)
	}
	t.Cleanup(b.Kill)
	return b
}

// command returns the command that starts the browser on url.
func (b *Browser) command(url string) (command, error) {
	if b.kind == WebKit {
		return webkitCommand(b.display, url, b.Files)
	}
	return firefoxCommand(b.profile, url)
}

// TB returns the test of the browser.
func (b *Browser) TB() testing.TB { return b.t }

// On starts the browser on url, an address of the app, and waits until its page has a document.
func (b *Browser) On(url string) {
	b.t.Helper()
	i := strings.Index(url, "/scan/")
	if i < 0 {
		b.t.Fatalf("%s is no address of the app", url)
	}
	b.url = url[:i]
	start, err := b.command(url)
	if err != nil {
		b.t.Fatal(err)
	}
	log := &strings.Builder{}
	cmd := exec.Command(start.args[0], start.args[1:]...)
	cmd.Env = append(start.env, "PATH="+os.Getenv("PATH"), "TMPDIR="+os.TempDir(), "LANG=C.UTF-8", "HOME="+b.profile,
		"XDG_DATA_HOME="+filepath.Join(b.profile, "data"), "XDG_CACHE_HOME="+filepath.Join(b.profile, "cache"), "XDG_CONFIG_HOME="+filepath.Join(b.profile, "config"),
		"XDG_RUNTIME_DIR="+b.profile, "DBUS_SESSION_BUS_ADDRESS=disabled:", "NO_AT_BRIDGE=1", "GIO_USE_VFS=local", "GSETTINGS_BACKEND=memory", "LIBGL_ALWAYS_SOFTWARE=1")
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = log, log, time.Second
	browsertest.OwnGroup(cmd)
	if err := cmd.Start(); err != nil {
		b.t.Fatal(err)
	}
	ended := make(chan struct{})
	b.mu.Lock()
	b.cmd, b.ended = cmd, ended
	b.mu.Unlock()
	ctx, cancel := context.WithTimeout(b.t.Context(), patience)
	defer cancel()
	go func() {
		_ = cmd.Wait()
		close(ended)
		cancel()
	}()
	if b.driver, err = start.connect(ctx, b.note); err != nil {
		b.Kill()
		b.t.Fatalf("start of %s: %v\n%s", start.args[0], err, log)
	}
}

// Kill kills all processes of the browser, if it runs.
func (b *Browser) Kill() {
	b.mu.Lock()
	cmd, ended := b.cmd, b.ended
	b.cmd = nil
	b.mu.Unlock()
	if cmd == nil {
		return
	}
	browsertest.KillGroup(cmd.Process.Pid)
	<-ended
}

// Evaluate evaluates a script, waits for its value if that is a promise, and decodes the value as JSON into v.
func (b *Browser) Evaluate(script string, v any) error {
	return b.within(limit, script, v)
}

func (b *Browser) within(limit time.Duration, script string, v any) error {
	ctx, cancel := context.WithTimeout(b.t.Context(), limit)
	defer cancel()
	text, err := b.driver.evaluate(ctx, "(async () => JSON.stringify((await ("+script+")) ?? null))()")
	if err != nil {
		return err
	}
	return json.Unmarshal([]byte(text), v)
}

// Until waits until a script has the value true, on whatever page is open then.
func (b *Browser) Until(script string) {
	b.t.Helper()
	var err error
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(30 * time.Millisecond) {
		var done bool
		if err = b.within(glance, script, &done); err == nil && done || errors.Is(err, errGone) {
			break
		}
		err = errors.Join(err, fmt.Errorf("%s is not true", script))
	}
	if err != nil {
		var text string
		_ = b.within(glance, `[document.body, ...document.querySelectorAll('details')].map((e) => e.innerText || e.textContent).join('\n')`, &text)
		b.t.Fatalf("%v; the page:\n%s", err, text)
	}
}

// Reload loads the page again.
func (b *Browser) Reload() {
	b.t.Helper()
	var done bool
	ctx, cancel := context.WithTimeout(b.t.Context(), patience)
	defer cancel()
	if err := errors.Join(b.Evaluate(`window.beforeReload = true`, &done), b.driver.reload(ctx)); err != nil {
		b.t.Fatal(err)
	}
	b.Until(`window.beforeReload !== true && document.readyState === 'complete'`)
}

// Choose makes a file that of the next file input that is opened, as its dialog does.
func (b *Browser) Choose(name, kind string, file []byte) {
	b.t.Helper()
	const script = `(() => {
	const files = new DataTransfer(), click = HTMLInputElement.prototype.click;
	files.items.add(new File([Uint8Array.from(atob(BYTES), (c) => c.charCodeAt(0))], NAME, {type: KIND}));
	HTMLInputElement.prototype.click = function () {
		if (this.type !== 'file') return click.call(this);
		HTMLInputElement.prototype.click = click;
		this.files = files.files;
		this.dispatchEvent(new Event('change', {bubbles: true}));
	};
	return true;
})()`
	quoted := func(s string) string { raw, _ := json.Marshal(s); return string(raw) }
	var done bool
	if err := b.Evaluate(strings.NewReplacer("BYTES", quoted(base64.StdEncoding.EncodeToString(file)), "NAME", quoted(name), "KIND", quoted(kind)).Replace(script), &done); err != nil {
		b.t.Fatal(err)
	}
}

// Picture returns the page as PNG.
func (b *Browser) Picture() []byte {
	b.t.Helper()
	var size [2]int
	if err := b.Evaluate(`[innerWidth, innerHeight]`, &size); err != nil {
		b.t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(b.t.Context(), patience)
	defer cancel()
	url, err := b.driver.picture(ctx, size[0], size[1])
	if err != nil {
		b.t.Fatal(err)
	}
	raw, err := base64.StdEncoding.DecodeString(url[strings.Index(url, ",")+1:])
	if err != nil {
		b.t.Fatal(err)
	}
	return raw
}

// Wrong returns what no page may cause, since the last call: requests to other servers, errors on the console, reports of the
// policy. Failed requests to the own server are none of them.
func (b *Browser) Wrong() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	all := b.wrong
	for _, r := range b.requests {
		if !strings.HasPrefix(r, b.url+"/") && !strings.HasPrefix(r, "blob:"+b.url) {
			all = append(all, "foreign request: "+r)
		}
	}
	b.wrong, b.requests = nil, nil
	return slices.Clone(all)
}

func (b *Browser) note(kind, what string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if kind == "request" {
		b.requests = append(b.requests, what)
	} else {
		b.wrong = append(b.wrong, what)
	}
}
