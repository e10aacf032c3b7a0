// Package phonetest is a phone for tests: Chromium with the app, on a profile that outlives it. Call [New], then
// [Phone.On] with the address of a gateway:
//
//	Phone.On(url) ─▶ Chromium ─▶ page of the app ─▶ Ask: a request to its engine, as its screens make them
//	    ▲                           │
//	    └── Off, or Kill: every process ◀──┘    Wrong: foreign requests, errors, reports of the policy
//
// [Before] puts a script before the engine's own, such as [Clock]. A [Probe] notes the order in which scans become durable and verdicts
// appear.
package phonetest

import (
	"context"
	"encoding/json"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"tcode/offline/host/browsertest"
)

// limit is the longest time for which a phone is on.
const limit = 8 * time.Minute

// A Phone is one browser profile, with at most one Chromium on it.
type Phone struct {
	t        *testing.T
	chromium string
	profile  string
	url      string   // of the server
	scripts  []string // that run before those of each page

	ctx context.Context
	end func()
	cmd *exec.Cmd

	mu       sync.Mutex
	requests []string
	wrong    []string
	failed   []string
}

// New returns a phone that is switched off. It skips t where Chromium is missing, or fails it with CI=true.
func New(t *testing.T) *Phone {
	t.Helper()
	browsertest.Chromium(t)
	p := &Phone{t: t, profile: t.TempDir()}
	t.Cleanup(p.Off)
	return p
}

// Whole are the options for a phone that needs Chromium itself: the shell has no camera, and hangs with a page that
// uses up its memory.
var Whole = []chromedp.ExecAllocatorOption{chromedp.NoFirstRun}

// On starts Chromium and opens url, an address of the app. Requests to other servers than that one are [Phone.Wrong].
// The first call chooses the browser for all: Chromium with options, which are for cameras, or [Whole]; otherwise its
// headless shell.
func (p *Phone) On(url string, options ...chromedp.ExecAllocatorOption) {
	p.t.Helper()
	i := strings.Index(url, "/scan/")
	if i < 0 {
		p.t.Fatalf("%s is no address of the app", url)
	}
	p.url = url[:i]
	switch {
	case p.chromium != "":
	case len(options) > 0:
		p.chromium = browsertest.Chromium(p.t)
	default:
		p.chromium = browsertest.Headless(p.t)
	}
	ctx, cancel := context.WithTimeout(p.t.Context(), limit)
	options = append(options, chromedp.ExecPath(p.chromium), chromedp.NoSandbox, chromedp.UserDataDir(p.profile), chromedp.ModifyCmdFunc(func(cmd *exec.Cmd) {
		browsertest.OwnGroup(cmd)
		p.cmd = cmd
	}))
	ctx, end := chromedp.NewContext(ctx, chromedp.WithAllocatorOptions(options...))
	p.ctx, p.end = ctx, func() { end(); cancel() }
	p.Do(chromedp.Navigate("about:blank"))
	p.listen()
	for _, script := range p.scripts {
		if _, err := chromedp.Call(ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: script}); err != nil {
			p.t.Fatal(err)
		}
	}
	p.Do(chromedp.Navigate(url))
}

// Off ends Chromium in order, if it runs.
func (p *Phone) Off() {
	if p.end != nil {
		p.end()
		p.end = nil
	}
}

// Kill kills all processes of Chromium.
func (p *Phone) Kill() {
	if p.cmd != nil && p.cmd.Process != nil {
		browsertest.KillGroup(p.cmd.Process.Pid)
	}
	p.Off()
}

// Context returns that of the page, for package chromedp.
func (p *Phone) Context() context.Context { return p.ctx }

// Do runs actions.
func (p *Phone) Do(steps ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	if err := chromedp.Do(p.ctx, steps...); err != nil {
		p.t.Fatal(err)
	}
}

// TB returns the test of the phone.
func (p *Phone) TB() testing.TB { return p.t }

// Evaluate evaluates a script, waits for the promise that it returns, and decodes the value as JSON into v.
func (p *Phone) Evaluate(script string, v any) error {
	raw, err := chromedp.Run(p.ctx, chromedp.Evaluate[json.RawMessage](script, chromedp.EvalAwaitPromise))
	if err != nil || raw == nil { // undefined
		return err
	}
	return json.Unmarshal(raw, v)
}

// Wait waits for an element, also on a machine that has much else to do.
func (p *Phone) Wait(selector string) {
	p.t.Helper()
	const script = `new Promise((ok) => { const end = Date.now() + 90000; const look = () => document.querySelector(SEL) ? ok('') : Date.now() > end ? ok(document.body.innerText || 'empty') : setTimeout(look, 20); look(); })`
	if text := Eval[string](p, strings.Replace(script, "SEL", Quoted(selector), 1)); text != "" {
		p.t.Fatalf("no %s on the page:\n%s", selector, text)
	}
}

// Requests returns the addresses that the page has asked for since the last call.
func (p *Phone) Requests() []string {
	return p.take(&p.requests)
}

// Wrong returns what no page may cause, since the last call: requests to other servers, errors on the console, reports of the
// policy. Failed requests to the own server are none of them: see [Phone.Failed].
func (p *Phone) Wrong() []string {
	return p.take(&p.wrong)
}

// Failed returns the requests to the own server that failed, since the last call.
func (p *Phone) Failed() []string {
	return p.take(&p.failed)
}

func (p *Phone) take(from *[]string) []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	all := *from
	*from = nil
	return all
}

func (p *Phone) note(to *[]string, what string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	*to = append(*to, what)
}

// listen notes what the page does.
func (p *Phone) listen() {
	p.t.Helper()
	ctx := p.ctx
	requests, entries := chromedp.Events(ctx, network.RequestWillBeSent), chromedp.Events(ctx, log.EntryAdded)
	calls, thrown := chromedp.Events(ctx, runtime.ConsoleAPICalled), chromedp.Events(ctx, runtime.ExceptionThrown)
	for _, enable := range []func() error{
		func() error { _, err := chromedp.Call(ctx, network.Enable, network.EnableParams{}); return err },
		func() error { _, err := chromedp.Call(ctx, log.Enable, cdp.Empty{}); return err },
		func() error { _, err := chromedp.Call(ctx, runtime.Enable, cdp.Empty{}); return err },
	} {
		if err := enable(); err != nil {
			p.t.Fatal(err)
		}
	}
	go func() {
		for e, err := range requests {
			if err != nil {
				continue
			}
			p.note(&p.requests, e.Request.URL)
			if !strings.HasPrefix(e.Request.URL, p.url+"/") && !strings.HasPrefix(e.Request.URL, "blob:"+p.url) {
				p.note(&p.wrong, "foreign request: "+e.Request.URL)
			}
		}
	}()
	go func() {
		for e, err := range entries {
			if err != nil || e.Entry.Level != log.EntryLevelError && e.Entry.Source != log.EntrySourceSecurity {
				continue
			}
			list := &p.wrong
			if e.Entry.Source == log.EntrySourceNetwork {
				list = &p.failed
			}
			p.note(list, "log: "+e.Entry.Text+" "+e.Entry.URL)
		}
	}()
	go func() {
		for e, err := range calls {
			if err == nil && e.Type == runtime.ConsoleAPICalledTypeError {
				p.note(&p.wrong, "console.error")
			}
		}
	}()
	go func() {
		for e, err := range thrown {
			if err == nil {
				text := e.ExceptionDetails.Text
				if e.ExceptionDetails.Exception != nil {
					text += " " + e.ExceptionDetails.Exception.Description
				}
				p.note(&p.wrong, "exception: "+text)
			}
		}
	}()
}
